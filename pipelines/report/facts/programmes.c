/* Which tracks of a file are heard together; see programmes.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/programmes.h"

#include <gst/audio/audio.h>
#include <string.h>

#include "base/names.h"
#include "base/stream.h"
#include "facts/facts.h"

#define POSITION(name) GST_AUDIO_CHANNEL_POSITION_MASK (name)
#define LEFT POSITION (FRONT_LEFT)
#define RIGHT POSITION (FRONT_RIGHT)
#define CENTRE POSITION (FRONT_CENTER)
#define MOST_TRACKS 64
/* Lengths that containers round. */
#define ROUNDING 1200000

const gchar *const report_programme_sources[3] = { REPORT_BY_OPTION, REPORT_BY_CONTAINER, REPORT_BY_GUESS };

/* Where the channels stand if nobody says it: SMPTE ST 320 has L R C LFE Ls Rs. Other numbers are unknown. */
static const guint64 usual_masks[] = {
  [2] = LEFT | RIGHT,
  [6] = LEFT | RIGHT | CENTRE | POSITION (LFE1) | POSITION (REAR_LEFT) | POSITION (REAR_RIGHT),
};

/* Titles of tracks that name a position, in any case. */
static const struct
{
  const gchar *title;
  guint64 position;
} labels[] = {
  {"L", LEFT}, {"Left", LEFT}, {"Front Left", LEFT}, {"FL", LEFT},
  {"R", RIGHT}, {"Right", RIGHT}, {"Front Right", RIGHT}, {"FR", RIGHT},
  {"C", CENTRE}, {"Center", CENTRE}, {"Centre", CENTRE}, {"FC", CENTRE},
  {"LFE", POSITION (LFE1)},
  {"Ls", POSITION (REAR_LEFT)}, {"Left Surround", POSITION (REAR_LEFT)},
  {"Rs", POSITION (REAR_RIGHT)}, {"Right Surround", POSITION (REAR_RIGHT)},
};

static void
programme_free (gpointer data)
{
  ReportProgramme *programme = data;

  report_said_clear (&programme->said.container);
  g_free (programme->said.codec);
  g_free (programme->said.codec_title);
  g_free (programme->name);
  g_free (programme->numbers);
  g_free (programme->tracks);
  g_free (programme);
}

/* ---- Tracks ------------------------------------------------------------------------------------- */

/* Returns: (transfer container) (element-type ReportSaidStream): the tracks of sound; number 1 is the first one */
static GPtrArray *
list_tracks (const ReportStatements * statements)
{
  GPtrArray *tracks = g_ptr_array_new ();

  for (guint s = 0; statements != NULL && s < statements->streams->len; s++) {
    ReportSaidStream *stream = &g_array_index (statements->streams, ReportSaidStream, s);

    if (stream->is_audio)
      g_ptr_array_add (tracks, stream);
  }
  return tracks;
}

/* Whether GStreamer's stream of a track is known by its number. */
static gboolean
is_known (const GPtrArray * tracks, const ReportSaidStream * track)
{
  guint n = 0;

  for (guint t = 0; t < tracks->len; t++)
    n += ((const ReportSaidStream *) tracks->pdata[t])->number == track->number;
  return n == 1 && track->number >= 0;
}

/* Whether a track can be a channel of a programme. */
static gboolean
can_join (const GPtrArray * tracks, const ReportSaidStream * track)
{
  return track->channels == 1 && track->rate > 0 && track->has_decoder && is_known (tracks, track);
}

/* Returns: where the file says that the track stands; 0: it does not say. Of a single channel most files say that it is the
 * centre. */
static guint64
position_of (const ReportSaidStream * track)
{
  const guint64 said = track->bitstream.channel_mask != 0 ? track->bitstream.channel_mask :
      track->container.channel_mask;
  const gchar *title = track->container.title;

  for (guint i = 0; said == CENTRE || said == 0; i++) {
    if (i == G_N_ELEMENTS (labels))
      return said;
    if (title != NULL && g_ascii_strcasecmp (title, labels[i].title) == 0)
      return labels[i].position;
  }
  return __builtin_popcountll (said) == 1 ? said : 0;
}

static gboolean
languages_differ (const ReportSaidStream * one, const ReportSaidStream * other)
{
  return one->container.language != NULL && other->container.language != NULL
      && !g_str_equal (one->container.language, other->container.language);
}

/* Returns: where all tracks of a programme stand, if each one says another place; 0: else */
static guint64
said_mask (const GPtrArray * tracks, const GArray * numbers)
{
  guint64 mask = 0;

  for (guint i = 0; i < numbers->len; i++) {
    const guint64 position = position_of (tracks->pdata[g_array_index (numbers, guint, i) - 1]);

    if (position == 0 || (mask & position) != 0)
      return 0;
    mask |= position;
  }
  return numbers->len > 1 ? mask : 0;
}

static gint
compare_positions (gconstpointer a, gconstpointer b, gpointer data)
{
  const GPtrArray *tracks = data;
  const guint64 one = position_of (tracks->pdata[*(const guint *) a - 1]);
  const guint64 other = position_of (tracks->pdata[*(const guint *) b - 1]);

  return one < other ? -1 : one > other;
}

/* What all tracks say alike, the programme says, too. */
static void
say_together (ReportProgramme * programme, guint64 mask)
{
  const ReportSaidStream *first = programme->tracks[0];
  ReportSaidStream *said = &programme->said;
  const gchar *language = NULL, *codec = first->codec;
  gboolean is_one_language = TRUE;

  *said = (ReportSaidStream) {
    .is_audio = TRUE,.number = -1,.index = -1,.rate = first->rate,.channels = (gint) programme->n_tracks,.length = -1,
    .has_decoder = TRUE
  };
  for (guint t = 0; t < programme->n_tracks; t++) {
    const gchar *own = programme->tracks[t]->container.language;

    is_one_language = is_one_language && !(t > 0 && languages_differ (first, programme->tracks[t]));
    language = language != NULL ? language : own;
    codec = g_strcmp0 (codec, programme->tracks[t]->codec) == 0 ? codec : NULL;
  }
  said->codec = g_strdup (codec);
  said->codec_title = codec != NULL ? g_strdup (first->codec_title) : NULL;
  /* What is the same in all tracks is that of the programme. */
  said->container = (ReportSaid) {
    .rate = first->rate,.channels = programme->n_tracks,.channel_mask = mask,
    .encoding = codec != NULL ? first->container.encoding : NULL,
    .depth = first->container.depth
  };
  for (guint t = 0; t < programme->n_tracks; t++) {
    if (programme->tracks[t]->container.depth != first->container.depth)
      said->container.depth = 0;
  }
  said->container.language = is_one_language ? g_strdup (language) : NULL;
}

/* @numbers: of the tracks; is sorted by their positions, if the file says them */
static void
add (GPtrArray * programmes, const GPtrArray * tracks, GArray * numbers,
    const gchar * source)
{
  ReportProgramme *programme = g_new0 (ReportProgramme, 1);
  const guint64 mask = said_mask (tracks, numbers);
  GString *name = g_string_new (NULL);

  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (name, "%s%u", i > 0 ? "+" : "", g_array_index (numbers, guint, i));
  programme->name = g_string_free (name, FALSE);
  if (mask != 0)
    g_array_sort_with_data (numbers, compare_positions, (gpointer) tracks);
  programme->source = source;
  programme->n_tracks = numbers->len;
  programme->channel_mask = mask != 0 ? mask :
      numbers->len < G_N_ELEMENTS (usual_masks) ? usual_masks[numbers->len] : 0;
  programme->numbers = g_new (guint, numbers->len);
  programme->tracks = g_new (const ReportSaidStream *, numbers->len);
  for (guint i = 0; i < numbers->len; i++) {
    programme->numbers[i] = g_array_index (numbers, guint, i);
    programme->tracks[i] = tracks->pdata[programme->numbers[i] - 1];
  }
  say_together (programme, mask);
  g_ptr_array_add (programmes, programme);
}

/* ---- Programmes that the user names --------------------------------------------------------------- */

/* Reads "1+2,3".
 *
 * Returns: (transfer full) (nullable) (element-type GArray): of each programme the numbers of its tracks; NULL with an
 * error: it is something else, or has a track twice */
static GPtrArray *
parse (const gchar * wanted, GError ** error)
{
  g_autoptr (GPtrArray) programmes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_auto (GStrv) names = g_strsplit (wanted, ",", -1);
  gboolean is_named[REPORT_MOST_STREAMS + 1] = { FALSE };
  gboolean ok = *names != NULL;

  for (gchar ** name = names; ok && *name != NULL; name++) {
    g_auto (GStrv) parts = g_strsplit (*name, "+", -1);
    GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint));

    g_ptr_array_add (programmes, numbers);
    ok = *parts != NULL && g_strv_length (parts) <= MOST_TRACKS;
    for (gchar ** part = parts; ok && *part != NULL; part++) {
      guint64 number = 0;
      guint track;

      ok = g_ascii_string_to_unsigned (*part, 10, 1, REPORT_MOST_STREAMS, &number, NULL);
      track = (guint) number;
      if (ok && is_named[track]) {
        report_fail (error, "--programme has track %u twice", track);
        return NULL;
      }
      is_named[track] = TRUE;
      g_array_append_val (numbers, track);
    }
  }
  if (ok)
    return g_steal_pointer (&programmes);
  report_fail (error, "--programme needs numbers of tracks of sound, from 1 on, such as 1+2,3+4, and not \"%s\"", wanted);
  return NULL;
}

/* Whether the tracks can be one programme. */
static gboolean
check_tracks (const ReportStatements * statements, const GPtrArray * tracks,
    const GArray * numbers, GError ** error)
{
  const ReportSaidStream *first = NULL;

  for (guint i = 0; i < numbers->len; i++) {
    const guint number = g_array_index (numbers, guint, i);
    const ReportSaidStream *track = number <= tracks->len ? tracks->pdata[number - 1] : NULL;

    if (track == NULL)
      return report_fail (error, "--programme: there is no track %u of sound, only %u", number, tracks->len);
    if (track->channels != 1)
      return report_fail (error, "--programme: track %u has %d channels, and only mono tracks can be joined",
          number, track->channels);
    if (!is_known (tracks, track))
      return report_fail (error, "--programme: the tracks of this container (%s) cannot be joined",
          statements->container);
    if (!can_join (tracks, track))
      return report_fail (error, "--programme: track %u cannot be decoded by libav (%s)", number, track->codec);
    if (first == NULL)
      first = track;
    if (track->rate != first->rate)
      return report_fail (error, "--programme: track %u has %d Hz, and track %u has %d Hz: they cannot be joined",
          number, track->rate, g_array_index (numbers, guint, 0), first->rate);
  }
  return TRUE;
}

/**
 * report_programmes_check:
 * @wanted: (nullable): what the user asks for
 *
 * Returns: FALSE with an error if that is no list of programmes
 */
gboolean
report_programmes_check (const gchar * wanted, GError ** error)
{
  g_autoptr (GPtrArray) parsed = wanted != NULL ? parse (wanted, error) : NULL;

  return wanted == NULL || parsed != NULL;
}

/* ---- Programmes that nobody names ------------------------------------------------------------------ */

/* Adds the tracks that follow each other and stand at different places, if L and R are among them. */
static void
take_placed (GPtrArray * programmes, const GPtrArray * tracks, GArray * numbers)
{
  const guint64 stereo = LEFT | RIGHT;

  if ((said_mask (tracks, numbers) & stereo) == stereo)
    add (programmes, tracks, numbers, REPORT_BY_CONTAINER);
  g_array_set_size (numbers, 0);
}

/* Files that say where each track stands: where a place comes again, another programme begins. */
static void
find_placed (GPtrArray * programmes, const GPtrArray * tracks)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  guint64 mask = 0;

  for (guint number = 1; number <= tracks->len; number++) {
    const ReportSaidStream *track = tracks->pdata[number - 1];
    const guint64 position = can_join (tracks, track) ? position_of (track) : 0;
    const ReportSaidStream *first = numbers->len > 0 ?
        tracks->pdata[g_array_index (numbers, guint, 0) - 1] : track;

    if (position == 0 || (mask & position) != 0 || track->rate != first->rate
        || languages_differ (track, first)) {
      take_placed (programmes, tracks, numbers);
      mask = 0;
    }
    if (position == 0)
      continue;
    mask |= position;
    g_array_append_val (numbers, number);
  }
  take_placed (programmes, tracks, numbers);
}

/* Whether two tracks may be left and right, by all that the file says. */
static gboolean
may_be_stereo (const GPtrArray * tracks, const ReportSaidStream * one,
    const ReportSaidStream * other)
{
  const gboolean is_unplaced = (position_of (one) | position_of (other) | CENTRE) == CENTRE;

  return can_join (tracks, one) && can_join (tracks, other) && is_unplaced
      && !one->has_own_use && !other->has_own_use && one->rate == other->rate && one->length >= 0 && other->length >= 0
      && ABS (one->length - other->length) <= ROUNDING && !languages_differ (one, other);
}

static void
guess (GPtrArray * programmes, const GPtrArray * tracks)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint number = 1; number <= tracks->len; number++) {
    if (((const ReportSaidStream *) tracks->pdata[number - 1])->channels == 1)
      g_array_append_val (numbers, number);
  }
  if (numbers->len == 2
      && may_be_stereo (tracks, tracks->pdata[g_array_index (numbers, guint, 0) - 1],
          tracks->pdata[g_array_index (numbers, guint, 1) - 1]))
    add (programmes, tracks, numbers, REPORT_BY_GUESS);
}

/**
 * report_programmes_find:
 * @statements: (nullable): what the file says; must live as long as the programmes
 * @wanted: (nullable): what the user asks for; %NULL: what the file says, or a guess
 *
 * Returns: (transfer full) (nullable) (element-type ReportProgramme): %NULL with an error if @wanted does not fit to the file
 */
GPtrArray *
report_programmes_find (const ReportStatements * statements,
    const gchar * wanted, GError ** error)
{
  g_autoptr (GPtrArray) programmes = g_ptr_array_new_with_free_func (programme_free);
  g_autoptr (GPtrArray) tracks = list_tracks (statements);
  g_autoptr (GPtrArray) parsed = NULL;

  if (wanted == NULL) {
    find_placed (programmes, tracks);
    if (programmes->len == 0)
      guess (programmes, tracks);
    return g_steal_pointer (&programmes);
  }
  if (statements == NULL) {
    report_fail (error, "--programme: libav cannot read the tracks: the input is no local file, or has a format that it does "
        "not read, or this build has no libav");
    return NULL;
  }
  parsed = parse (wanted, error);
  for (guint i = 0; parsed != NULL && i < parsed->len; i++) {
    if (!check_tracks (statements, tracks, parsed->pdata[i], error))
      return NULL;
    add (programmes, tracks, parsed->pdata[i], REPORT_BY_OPTION);
  }
  return parsed != NULL ? g_steal_pointer (&programmes) : NULL;
}

/* Returns: the number of a track of sound, from 1 on; 0: it is none of the file */
guint
report_programmes_number (const ReportStatements * statements,
    const ReportSaidStream * track)
{
  g_autoptr (GPtrArray) tracks = list_tracks (statements);
  guint place;

  return g_ptr_array_find (tracks, track, &place) ? place + 1 : 0;
}

/* Returns: (nullable): the programme that a track is part of */
const ReportProgramme *
report_programmes_of (const GPtrArray * programmes,
    const ReportSaidStream * track)
{
  for (guint i = 0; track != NULL && i < programmes->len; i++) {
    const ReportProgramme *programme = programmes->pdata[i];

    for (guint t = 0; t < programme->n_tracks; t++) {
      if (programme->tracks[t] == track)
        return programme;
    }
  }
  return NULL;
}
