/* What the CPU engine holds for one buffer in flight.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/slot.h"

#include "engine/cpu/count.h"
#include "media/pack.h"

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
