/* What the CPU engine holds for one buffer in flight: counters, tallies, and its picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/slot.h"

#include "engine/cpu/groups.h"
#include "media/pack.h"

/* ---- Pictures ---------------------------------------------------------------------------------- */

/* Releases a held buffer. */
static void
release_layout (gpointer data)
{
  HistoLayout *layout = data;
  GstBuffer *buffer = layout->buffer;

  gst_video_frame_unmap (&layout->frame);
  gst_buffer_unref (buffer);
  g_free (layout);
}

/* NULL if there is no memory */
static void
picture_free (gpointer data)
{
  HistoCpuPicture *picture = data;

  g_clear_pointer (&picture->held, release_layout);
  g_free (picture->data);
  histo_cpu_light_free (picture->light);
  g_free (picture);
}

static HistoCpuPicture *
picture_new (const HistoPlan * plan, const HistoCpuRegular * regular)
{
  HistoCpuPicture *picture = g_new0 (HistoCpuPicture, 1);
  const gboolean has_light = histo_plan_has_group (plan, HISTO_GROUP_FLASH);

  picture->data = g_try_malloc (histo_cpu_regular_room (regular));
  if (has_light)
    picture->light = histo_cpu_light_new (plan->format->width, plan->format->height);
  if (picture->data == NULL || (has_light && picture->light == NULL))
    g_clear_pointer (&picture, picture_free);
  return picture;
}

/**
 * histo_cpu_pictures_configure:
 * @pictures: clear
 * @plan: used until histo_cpu_pictures_clear(), as @regular
 * @max_in_flight: how many buffers are measured at the same time
 * @hold: hold buffers instead of copying what is regular in them
 *
 * Allocates a picture for each of these buffers, and one for the buffer before them.
 *
 * Returns: FALSE if there is no memory
 */
gboolean
histo_cpu_pictures_configure (HistoCpuPictures * pictures,
    const HistoPlan * plan, const HistoCpuRegular * regular,
    guint max_in_flight, gboolean hold)
{
  if (!plan->needs_previous)
    return TRUE;
  pictures->plan = plan;
  pictures->regular = regular;
  pictures->needed = histo_cpu_groups_needed_previous (plan);
  pictures->holds = hold && !plan->format->needs_unpack;
  pictures->free = g_ptr_array_new_with_free_func (picture_free);
  for (guint i = 0; i < max_in_flight + 1; i++) {
    HistoCpuPicture *picture = picture_new (plan, regular);

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
  if (picture->held != NULL) {
    if (pictures->unused == NULL)
      pictures->unused = g_ptr_array_new_with_free_func (release_layout);
    g_ptr_array_add (pictures->unused, g_steal_pointer (&picture->held));
  }
  g_ptr_array_add (pictures->free, picture);
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

/* If buffers are finished in another order than they were submitted, there may be no free picture.
 * NULL if there is no memory for one more. */
static HistoCpuPicture *
find_free (HistoCpuPictures * pictures)
{
  HistoCpuPicture *picture = pictures->free->len > 0 ?
      g_ptr_array_steal_index_fast (pictures->free, pictures->free->len - 1) :
      picture_new (pictures->plan, pictures->regular);

  if (picture != NULL && picture->light != NULL)
    histo_cpu_light_forget (picture->light);
  return picture;
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
    histo_cpu_regular_make (pictures->regular, held->held->planes,
        pictures->needed, pictures->needed, copy->data, NULL, copy->planes);
    copy->scan = held->scan;
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
 * Returns: (nullable): its picture, held by the caller, which is to be made (histo_cpu_slot_prepare());
 *   NULL if no pictures are needed, or if there is no memory
 */
HistoCpuPicture *
histo_cpu_pictures_begin (HistoCpuPictures * pictures,
    const HistoFrameInfo * info, const HistoLayout * layout,
    HistoCpuPicture ** previous)
{
  HistoCpuPicture *picture;

  *previous = NULL;
  if (pictures->plan == NULL)
    return NULL;
  if (!info->continues)
    histo_cpu_pictures_interrupt (pictures);
  *previous = pictures->latest;
  picture = find_free (pictures);
  if (picture != NULL) {
    picture->scan = histo_plan_scan (pictures->plan, info);
    picture->is_complete = FALSE;
    picture->n_holders = 2;
    if (pictures->holds && !info->is_view && (pictures->needed
            & histo_cpu_regular_in_place (pictures->regular, layout->planes)) != 0) {
      picture->held = g_memdup2 (layout, sizeof *layout);
      gst_buffer_ref (layout->buffer);
    }
  }
  pictures->latest = picture;
  return picture;
}

/* ---- Tables ------------------------------------------------------------------------------------ */

HistoCpuTable *
histo_cpu_table_new (const HistoPlan * plan)
{
  HistoCpuTable *table = g_new0 (HistoCpuTable, 1);

  table->counters = g_try_new (guint32, plan->n_counters);
  if (plan->n_tallies > 0)
    table->tallies = g_try_new (guint64, plan->n_tallies);
  if (plan->n_joints > 0)
    table->joints = g_try_new (guint32, histo_plan_joint_counters (plan));
  if (table->counters == NULL || (table->tallies == NULL && plan->n_tallies > 0)
      || (table->joints == NULL && plan->n_joints > 0))
    g_clear_pointer (&table, histo_cpu_table_free);
  return table;
}

void
histo_cpu_table_free (gpointer data)
{
  HistoCpuTable *table = data;

  g_free (table->counters);
  g_free (table->tallies);
  g_free (table->joints);
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

/* Sets all that a buffer with these regions uses to 0. */
void
histo_cpu_table_clear (HistoCpuTable * table, const HistoPlan * plan,
    const HistoFrameInfo * info)
{
  const guint n_regions = histo_plan_used_regions (plan, info);

  memset (table->counters, 0,
      used_counters (plan, info) * sizeof *table->counters);
  if (table->tallies != NULL)
    memset (table->tallies, 0, (n_regions < plan->n_regions ? plan->first_tally[n_regions] : plan->n_tallies)
        * sizeof *table->tallies);
  if (table->joints != NULL)
    memset (table->joints, 0,
        histo_plan_joint_counters (plan) * sizeof *table->joints);
}

/* ---- Slots ------------------------------------------------------------------------------------- */

/* Whether anything is measured in a regular picture. */
static gboolean
needs_regular (const HistoPlan * plan)
{
  return plan->has_groups && histo_cpu_groups_needed (plan) != 0;
}

HistoSlot *
histo_cpu_slot_new (const HistoPlan * plan, const HistoCpuRegular * regular)
{
  const HistoFormat *format = plan->format;
  HistoSlot *slot = g_new0 (HistoSlot, 1);

  slot->table = histo_cpu_table_new (plan);
  slot->helped = g_ptr_array_new ();
  if (format->is_audio)
    slot->totals = g_try_new (HistoTotals, format->n_components);
  if (format->needs_unpack)
    slot->unpacked = g_try_malloc (histo_pack_room (format));
  if (needs_regular (plan))
    slot->regular = g_try_malloc (histo_cpu_regular_room (regular));
  if (plan->alpha >= 0)
    slot->alpha = g_try_malloc_n (format->width, format->height);
  if (plan->mask != NULL)
    slot->n_pixels = g_try_new (guint64, plan->n_regions);
  if (slot->table == NULL || (slot->totals == NULL && format->is_audio)
      || (slot->alpha == NULL && plan->alpha >= 0) || (slot->n_pixels == NULL && plan->mask != NULL)
      || (slot->unpacked == NULL && format->needs_unpack)
      || (slot->regular == NULL && needs_regular (plan)))
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
  g_free (slot->regular);
  g_free (slot->alpha);
  g_free (slot->n_pixels);
  g_ptr_array_unref (slot->helped);
  g_free (slot);
}

/* Adds the tallies of a helper. The greatest numbers are no sums. */
static void
add_tallies (const HistoPlan * plan, guint n_regions, const guint64 * from, guint64 * to)
{
  for (guint r = 0; r < n_regions; r++) {
    const gsize first = plan->first_tally[r], end = r + 1 < plan->n_regions ? plan->first_tally[r + 1] : plan->n_tallies;

    for (gsize i = first; i < end; i++) {
      const gboolean is_sum = i - first < HISTO_N_SUM_TALLIES || i - first >= HISTO_N_TALLIES;

      to[i] = is_sum ? to[i] + from[i] : MAX (to[i], from[i]);
    }
  }
}

/* Completes the slot's table when all threads have counted. */
void
histo_cpu_slot_complete (HistoSlot * slot, const HistoPlan * plan)
{
  const gsize n_counters = used_counters (plan, &slot->info);

  for (guint t = 0; t < slot->helped->len; t++) {
    const HistoCpuTable *table = g_ptr_array_index (slot->helped, t);

    for (gsize i = 0; i < n_counters; i++)
      slot->table->counters[i] += table->counters[i];
    for (gsize i = 0; i < histo_plan_joint_counters (plan); i++)
      slot->table->joints[i] += table->joints[i];
    if (plan->n_tallies > 0)
      add_tallies (plan, histo_plan_used_regions (plan, &slot->info), table->tallies, slot->table->tallies);
  }
  if (plan->mask != NULL)
    histo_masked_finish (plan, &slot->info, &slot->mask, slot->mask_frame, slot->n_pixels, &(HistoCounts) {
        .counters = slot->table->counters
        });
  histo_plan_count_axes (plan, &(HistoCounts) {
      .counters = slot->table->counters,
      .joints = slot->table->joints
      });
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

/* The components that a plane has samples of. */
static guint
components_of (const HistoPlane * plane)
{
  guint components = 0;

  for (guint i = 0; i < plane->n_samples; i++)
    components |= 1u << plane->samples[i].component;
  return components;
}

/* Makes the mask by alpha. The regular planes are there. */
static void
make_alpha (HistoSlot * slot, const HistoPlan * plan, gboolean is_wide)
{
  const HistoPlane *plane = &slot->planes[plan->alpha];

  for (guint y = 0; y < plan->format->height; y++) {
    const guint8 *row = (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride;

    histo_mask_of_numbers (row, plan->format->width, is_wide, slot->alpha + (gsize) y * plan->format->width);
  }
}

/* Finds or makes the planes that are counted, and with them the mask and the picture for the next buffer. */
void
histo_cpu_slot_prepare (HistoSlot * slot, const HistoPlan * plan,
    const HistoCpuRegular * regular, const HistoCpuPictures * pictures)
{
  const HistoFormat *format = plan->format;
  HistoCpuPicture *picture = slot->picture;
  HistoPlane *planes = slot->layout.planes;
  const guint in_groups = histo_cpu_groups_count_samples (plan);
  guint needed = plan->has_groups ? histo_cpu_groups_needed (plan) : 0;

  if (format->needs_unpack) {
    histo_pack (format, &slot->layout, slot->unpacked);
    histo_packed_locate (format, (guint64) (guintptr) slot->unpacked, planes);
  }
  slot->n_counted = 0;
  if (slot->mask_frame != NULL)
    slot->mask = slot->mask_frame->view;
  else if (plan->alpha >= 0)
    slot->mask = (HistoMaskView) { slot->alpha, format->width, format->height, histo_plan_scan (plan, &slot->info) };
  for (guint p = 0; p < format->n_planes; p++) {
    const guint components = components_of (&planes[p]);

    /* All components of a plane are counted in the same way. That is faster with regular ones, if most of
     * them are needed so or if they lie anywhere in their periods. */
    if ((components & in_groups) != 0
        || __builtin_popcount (components & needed) > __builtin_popcount (components & ~needed)
        || (plan->has_groups && planes[p].kind == HISTO_PLANE_PACKED))
      needed |= components;
    /* The bits of a mask file lie as those of the buffer. */
    if (needed == 0 || (components & ~needed) != 0 || slot->mask_frame != NULL)
      slot->counted[slot->n_counted++] = planes[p];
  }
  if (!needs_regular (plan))
    return;
  histo_cpu_regular_make (regular, planes, needed, picture != NULL && picture->held == NULL ?
      pictures->needed : 0, picture != NULL ? picture->data : slot->regular, slot->planes,
      picture != NULL ? picture->planes : NULL);
  if (plan->alpha >= 0)
    make_alpha (slot, plan, regular->is_wide);
  for (guint c = 0; c < format->n_components && slot->mask_frame == NULL; c++)
    if ((components_of (&planes[regular->components[c].found.plane]) & ~needed) == 0
        && (in_groups >> c & 1) == 0)
      slot->counted[slot->n_counted++] = slot->planes[c];
}
