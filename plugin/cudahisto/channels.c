/* The names of channels of sound; see channels.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/channels.h"

#include <gst/audio/audio.h>

static const struct
{
  GstAudioChannelPosition position;
  const gchar *name;
} position_names[] = {
  {GST_AUDIO_CHANNEL_POSITION_MONO, "mono"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT, "L"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT, "R"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER, "C"},
  {GST_AUDIO_CHANNEL_POSITION_LFE1, "LFE"},
  {GST_AUDIO_CHANNEL_POSITION_LFE2, "LFE2"},
  {GST_AUDIO_CHANNEL_POSITION_REAR_LEFT, "Lb"},
  {GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT, "Rb"},
  {GST_AUDIO_CHANNEL_POSITION_REAR_CENTER, "Cs"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, "Lc"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER, "Rc"},
  {GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT, "Ls"},
  {GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT, "Rs"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_LEFT, "Ltf"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_RIGHT, "Rtf"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_CENTER, "Ctf"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_CENTER, "Tc"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_LEFT, "Ltr"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_RIGHT, "Rtr"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_CENTER, "Ctr"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_LEFT, "Lts"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_RIGHT, "Rts"},
  {GST_AUDIO_CHANNEL_POSITION_WIDE_LEFT, "Lw"},
  {GST_AUDIO_CHANNEL_POSITION_WIDE_RIGHT, "Rw"},
  {GST_AUDIO_CHANNEL_POSITION_SURROUND_LEFT, "Lss"},
  {GST_AUDIO_CHANNEL_POSITION_SURROUND_RIGHT, "Rss"},
};

/* @has_sides: there are side channels, too: else the rear ones are the surround channels of 5.1 */
static const gchar *
name_position (GstAudioChannelPosition position, gboolean has_sides)
{
  if (position == GST_AUDIO_CHANNEL_POSITION_REAR_LEFT && !has_sides)
    position = GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT;
  if (position == GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT && !has_sides)
    position = GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT;
  for (guint i = 0; i < G_N_ELEMENTS (position_names); i++) {
    if (position_names[i].position == position)
      return position_names[i].name;
  }
  return NULL;
}

/**
 * histo_channel_names:
 * @caps: of sound
 *
 * Returns: (transfer full) (nullable): "L", "R", …; %NULL if the caps do not say where the channels are
 */
gchar **
histo_channel_names (const GstCaps * caps)
{
  const guint64 sides = GST_AUDIO_CHANNEL_POSITION_MASK (SIDE_LEFT)
      | GST_AUDIO_CHANNEL_POSITION_MASK (SIDE_RIGHT);
  GstAudioInfo info;
  guint64 mask = 0;
  g_auto (GStrv) names = NULL;

  g_return_val_if_fail (GST_IS_CAPS (caps), NULL);
  if (!gst_caps_is_fixed (caps) || !gst_audio_info_from_caps (&info, caps)
      || GST_AUDIO_INFO_IS_UNPOSITIONED (&info) || info.channels > 64)
    return NULL;
  gst_audio_channel_positions_to_mask (info.position, info.channels, FALSE,
      &mask);
  names = g_new0 (gchar *, info.channels + 1);
  for (gint c = 0; c < info.channels; c++) {
    const gchar *name = name_position (info.position[c], (mask & sides) != 0);

    if (name == NULL)
      return NULL;
    names[c] = g_strdup (name);
  }
  return g_steal_pointer (&names);
}
