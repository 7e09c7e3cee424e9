/* What the CPU engine holds for one buffer in flight: counters, tallies, and its picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/slot.h"

#include "engine/cpu/count.h"
#include "media/pack.h"

/* ---- Pictures ---------------------------------------------------------------------------------- */

/* NULL if there is no memory */
static HistoCpuPicture *
picture_new (const HistoFormat * format)
{
  HistoCpuPicture *picture = g_new0 (HistoCpuPicture, 1);

  picture->format = format;
  picture->data = g_try_malloc (histo_pack_room (format));
  if (picture->data == NULL)
    g_clear_pointer (&picture, g_free);
  else
    histo_packed_locate (format, (guint64) (guintptr) picture->data,
        picture->planes);
  return picture;
}

/* A picture that is the buffer itself. It keeps the mapping. */
static HistoCpuPicture *
picture_hold (const HistoFormat * format, const HistoLayout * layout)
{
  HistoCpuPicture *picture = g_new0 (HistoCpuPicture, 1);

  picture->format = format;
  picture->held = *layout;
  gst_buffer_ref (layout->buffer);
  memcpy (picture->planes, layout->planes, sizeof picture->planes);
  return picture;
}

static void
picture_free (gpointer data)
{
  HistoCpuPicture *picture = data;
  GstBuffer *buffer = picture->held.buffer;

  if (histo_cpu_picture_is_held (picture)) {
    histo_layout_unmap (&picture->held, picture->format);
    gst_buffer_unref (buffer);
  }
  g_free (picture->data);
  g_free (picture);
}

/**
 * histo_cpu_pictures_configure:
 * @pictures: clear
 * @plan: used until histo_cpu_pictures_clear()
 * @max_in_flight: how many buffers are measured at the same time
 * @hold: hold buffers instead of copying them. Those that must be unpacked are copied all the same
 *
 * Allocates a copy for each of these buffers, and one for the buffer before them.
 *
 * Returns: FALSE if there is no memory
 */
gboolean
histo_cpu_pictures_configure (HistoCpuPictures * pictures,
    const HistoPlan * plan, guint max_in_flight, gboolean hold)
{
  if (!plan->needs_previous)
    return TRUE;
  pictures->plan = plan;
  pictures->holds = hold && !plan->format->needs_unpack;
  pictures->free = g_ptr_array_new_with_free_func (picture_free);
  if (pictures->holds)
    return TRUE;
  for (guint i = 0; i < max_in_flight + 1; i++) {
    HistoCpuPicture *picture = picture_new (plan->format);

    if (picture == NULL)
      return FALSE;
    g_ptr_array_add (pictures->free, picture);
  }
  return TRUE;
}

/* Frees all pictures. No buffer needs one any more. */
void
histo_cpu_pictures_clear (HistoCpuPictures * pictures)
{
  histo_cpu_pictures_interrupt (pictures);
  g_clear_pointer (&pictures->unused, g_ptr_array_unref);
  g_clear_pointer (&pictures->free, g_ptr_array_unref);
  pictures->plan = NULL;
}

/* One holder less. @picture: (nullable) */
void
histo_cpu_pictures_drop (HistoCpuPictures * pictures, HistoCpuPicture * picture)
{
  if (picture == NULL || --picture->n_holders > 0)
    return;
  if (!histo_cpu_picture_is_held (picture)) {
    g_ptr_array_add (pictures->free, picture);
    return;
  }
  if (pictures->unused == NULL)
    pictures->unused = g_ptr_array_new_with_free_func (picture_free);
  g_ptr_array_add (pictures->unused, picture);
}

/* Returns: (transfer full) (nullable): what the caller frees when it has given up the lock */
GPtrArray *
histo_cpu_pictures_steal_unused (HistoCpuPictures * pictures)
{
  return g_steal_pointer (&pictures->unused);
}

/* The next buffer has no previous one. */
void
histo_cpu_pictures_interrupt (HistoCpuPictures * pictures)
{
  histo_cpu_pictures_drop (pictures, pictures->latest);
  pictures->latest = NULL;
}

/* If buffers are finished in another order than they were submitted, there may be no free copy.
 * NULL if there is no memory for one more. */
static HistoCpuPicture *
find_free (HistoCpuPictures * pictures)
{
  return pictures->free->len > 0 ?
      g_ptr_array_steal_index_fast (pictures->free, pictures->free->len - 1) :
      picture_new (pictures->plan->format);
}

/* Puts a copy in the place of the latest picture if that one is a held buffer. The next buffer has no
 * previous one if there is no memory for the copy. */
void
histo_cpu_pictures_copy_latest (HistoCpuPictures * pictures)
{
  HistoCpuPicture *held = pictures->latest, *copy;

  if (held == NULL || !histo_cpu_picture_is_held (held))
    return;
  copy = find_free (pictures);
  if (copy != NULL) {
    histo_cpu_picture_copy (copy, pictures->plan, &held->held);
    copy->is_complete = TRUE;
    copy->n_holders = 1;
  }
  histo_cpu_pictures_interrupt (pictures);
  pictures->latest = copy;
}

/**
 * histo_cpu_pictures_begin:
 * @info: of this buffer
 * @layout: of this buffer, mapped. If the picture holds the buffer, it takes over the mapping
 * @previous: (out) (nullable): the picture of the buffer before, held by the caller
 *
 * Begins the next buffer.
 *
 * Returns: (nullable): its picture, held by the caller: complete, or where the copy is to be made;
 *   NULL if no pictures are needed, or if there is no memory
 */
HistoCpuPicture *
histo_cpu_pictures_begin (HistoCpuPictures * pictures,
    const HistoFrameInfo * info, const HistoLayout * layout,
    HistoCpuPicture ** previous)
{
  const gboolean is_held = pictures->holds && !info->is_view;
  HistoCpuPicture *picture;

  *previous = NULL;
  if (pictures->plan == NULL)
    return NULL;
  if (!info->continues)
    histo_cpu_pictures_interrupt (pictures);
  *previous = pictures->latest;
  picture = is_held ? picture_hold (pictures->plan->format, layout) :
      find_free (pictures);
  if (picture != NULL) {
    picture->is_complete = is_held;
    picture->n_holders = 2;
  }
  pictures->latest = picture;
  return picture;
}

/* ---- Copying a picture ------------------------------------------------------------------------- */

/* Whether a map reads the plane in the previous frame: `detail` reads luma alone. */
static gboolean
is_needed (const HistoPlan * plan, const HistoPlane * plane)
{
  const guint n_needed = histo_format_n_luma (plan->format);

  if (histo_plan_has_group (plan, HISTO_GROUP_MOTION))
    return TRUE;
  for (guint i = 0; i < plane->n_samples; i++) {
    if (plane->samples[i].component < n_needed)
      return TRUE;
  }
  return FALSE;
}

/**
 * histo_cpu_picture_copy:
 * @layout: mapped for reading by the host
 *
 * Copies the planes that the maps of the next buffer read. A frame that must be unpacked is
 * unpacked there.
 */
void
histo_cpu_picture_copy (HistoCpuPicture * picture, const HistoPlan * plan,
    const HistoLayout * layout)
{
  if (plan->format->needs_unpack) {
    histo_pack (plan->format, layout, picture->data);
    return;
  }
  for (guint p = 0; p < plan->format->n_planes; p++) {
    const HistoPlane *from = &layout->planes[p], *to = &picture->planes[p];
    const guint64 bytes = histo_plane_row_bytes (from);

    if (!is_needed (plan, from))
      continue;
    for (guint y = 0; y < from->rows; y++)
      memcpy ((guint8 *) (guintptr) to->data + (gint64) y * to->stride,
          (const guint8 *) (guintptr) from->data + (gint64) y * from->stride,
          bytes);
  }
}

/* ---- Tables ------------------------------------------------------------------------------------ */

HistoCpuTable *
histo_cpu_table_new (const HistoPlan * plan)
{
  HistoCpuTable *table = g_new0 (HistoCpuTable, 1);

  table->counters = g_try_new (guint32, plan->n_counters);
  if (plan->n_tallies > 0)
    table->tallies = g_try_new (guint64, plan->n_tallies);
  if (table->counters == NULL || (table->tallies == NULL && plan->n_tallies > 0))
    g_clear_pointer (&table, histo_cpu_table_free);
  return table;
}

void
histo_cpu_table_free (gpointer data)
{
  HistoCpuTable *table = data;

  g_free (table->counters);
  g_free (table->tallies);
  g_free (table);
}

/* The counters and the tallies of the regions that a buffer has come first. */
static gsize
used_counters (const HistoPlan * plan, const HistoFrameInfo * info)
{
  const guint n = histo_plan_used_regions (plan, info);

  return n < plan->n_regions ? histo_plan_region_components (plan, n)->first_bin
      : plan->n_counters;
}

static gsize
used_tallies (const HistoPlan * plan, const HistoFrameInfo * info)
{
  const guint n = histo_plan_used_regions (plan, info);

  return n < plan->n_regions ? plan->first_tally[n] : plan->n_tallies;
}

/* Sets all that a buffer with these regions uses to 0. */
void
histo_cpu_table_clear (HistoCpuTable * table, const HistoPlan * plan,
    const HistoFrameInfo * info)
{
  memset (table->counters, 0,
      used_counters (plan, info) * sizeof *table->counters);
  if (table->tallies != NULL)
    memset (table->tallies, 0,
        used_tallies (plan, info) * sizeof *table->tallies);
}

/* ---- Slots ------------------------------------------------------------------------------------- */

HistoSlot *
histo_cpu_slot_new (const HistoPlan * plan)
{
  const HistoFormat *format = plan->format;
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->table = histo_cpu_table_new (plan);
  slot->helped = g_ptr_array_new ();
  if (format->is_audio)
    slot->totals = g_try_new (HistoTotals, format->n_components);
  if (format->needs_unpack)
    slot->unpacked = g_try_malloc (histo_pack_room (format));
  if (slot->table == NULL || (slot->totals == NULL && format->is_audio)
      || (slot->unpacked == NULL && format->needs_unpack))
    g_clear_pointer (&slot, histo_cpu_slot_free);
  return slot;
}

void
histo_cpu_slot_free (gpointer data)
{
  HistoSlot *slot = data;

  g_clear_pointer (&slot->table, histo_cpu_table_free);
  g_free (slot->totals);
  g_free (slot->unpacked);
  g_ptr_array_unref (slot->helped);
  g_free (slot);
}

/* Adds the helpers' counts to the slot's table. */
void
histo_cpu_slot_add_helped (HistoSlot * slot, const HistoPlan * plan)
{
  const gsize n_counters = used_counters (plan, &slot->info);
  const gsize n_tallies = used_tallies (plan, &slot->info);

  for (guint t = 0; t < slot->helped->len; t++) {
    const HistoCpuTable *table = g_ptr_array_index (slot->helped, t);

    for (gsize i = 0; i < n_counters; i++)
      slot->table->counters[i] += table->counters[i];
    for (gsize i = 0; i < n_tallies; i++)
      slot->table->tallies[i] += table->tallies[i];
  }
}

void
histo_cpu_slot_measure_audio (HistoSlot * slot, const HistoPlan * plan)
{
  const HistoAudioLayout *audio = &slot->layout.audio;

  for (guint c = 0; c < plan->format->n_components; c++)
    histo_cpu_audio_measure_channel (audio->data + audio->channel_offsets[c],
        audio->sample_stride, audio->n_samples, &plan->format->sample,
        &plan->bins->binning, plan->bins->edges,
        slot->table->counters + plan->components[c].first_bin,
        &slot->totals[c]);
}

/* Copies the picture for the next buffer, and unpacks the samples if the format needs that. */
void
histo_cpu_slot_unpack (HistoSlot * slot, const HistoPlan * plan)
{
  const HistoFormat *format = plan->format;

  if (slot->picture != NULL && !slot->picture->is_complete)
    histo_cpu_picture_copy (slot->picture, plan, &slot->layout);
  if (!format->needs_unpack)
    return;
  if (slot->picture == NULL)
    histo_pack (format, &slot->layout, slot->unpacked);
  slot->layout.n_planes = format->n_planes;
  histo_packed_locate (format, (guint64) (guintptr) (slot->picture != NULL ?
          slot->picture->data : slot->unpacked), slot->layout.planes);
}
