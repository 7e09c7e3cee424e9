/* Copies of counts, and their meta; see counted.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/counted.h"

/* ---- Counts ----------------------------------------------------------------------------------- */

/* Returns: (transfer full): a copy of the counts of one buffer of video
 *
 * @counts: halves in them are joined */
static HistoCounted *
copy (const HistoPlan * plan, const HistoCounts * counts, const gchar * backend)
{
  HistoCounted *counted = g_atomic_rc_box_new0 (HistoCounted);

  histo_plan_join_halves (plan, counts);
  for (guint j = 0; j < plan->n_joints; j++)
    histo_plan_join_joint (counts, j);
  counted->plan = histo_plan_ref ((HistoPlan *) plan);
  counted->backend = backend;
  counted->counts.counters = g_memdup2 (counts->counters,
      plan->n_counters * sizeof *counts->counters);
  counted->counts.joints = plan->n_joints == 0 ? NULL :
      g_memdup2 (counts->joints, histo_plan_joint_counters (plan) * sizeof *counts->joints);
  counted->counts.tallies = plan->n_tallies == 0 ? NULL :
      g_memdup2 (counts->tallies, plan->n_tallies * sizeof *counts->tallies);
  counted->counts.n_pixels = counts->n_pixels == NULL ? NULL :
      g_memdup2 (counts->n_pixels, plan->n_regions * sizeof *counts->n_pixels);
  counted->counts.n_frames = counts->n_frames;
  counted->counts.n_with_previous = counts->n_with_previous;
  return counted;
}

static gsize
size_of (const HistoPlan * plan)
{
  return sizeof (HistoCounted) + (plan->n_counters
      + histo_plan_joint_counters (plan)) * sizeof (guint32)
      + plan->n_tallies * sizeof (guint64);
}

static void
clear (gpointer data)
{
  HistoCounted *counted = data;

  g_free ((gpointer) counted->counts.counters);
  g_free ((gpointer) counted->counts.joints);
  g_free ((gpointer) counted->counts.tallies);
  g_free ((gpointer) counted->counts.n_pixels);
  histo_plan_unref (counted->plan);
}

HistoCounted *
histo_counted_ref (HistoCounted * counted)
{
  return g_atomic_rc_box_acquire (counted);
}

void
histo_counted_unref (HistoCounted * counted)
{
  g_atomic_rc_box_release_full (counted, clear);
}

/* Returns: whether the counts lie where this plan has them */
gboolean
histo_counted_fits (const HistoCounted * counted, const HistoPlan * plan)
{
  return histo_plan_counts_as (counted->plan, plan);
}

/* ---- The digest ------------------------------------------------------------------------------- */

/* FNV-1a. */
#define BASIS G_GUINT64_CONSTANT (0xcbf29ce484222325)
#define PRIME G_GUINT64_CONSTANT (0x100000001b3)

static guint64
mix (guint64 digest, guint64 number)
{
  return (digest ^ number) * PRIME;
}

/* Of what does not depend on the frame before: the histograms of the picture, and the sums of its rows and columns. */
static guint64
digest_of (const HistoCounted * counted)
{
  const HistoPlan *plan = counted->plan;
  guint64 digest = BASIS;

  for (guint i = 0; i < plan->format->n_components; i++) {
    const HistoComponent *component = &plan->components[i];
    const guint32 *counters = counted->counts.counters + component->first_bin;

    for (guint v = 0; v < histo_plan_component_counters (plan, component); v++)
      digest = mix (digest, counters[v]);
  }
  if (histo_plan_has_group (plan, HISTO_GROUP_AREA)) {
    const guint64 *lines = counted->counts.tallies + plan->first_tally[0] + HISTO_N_TALLIES;

    for (guint l = 0; l < plan->format->width + plan->format->height; l++)
      digest = mix (digest, lines[l]);
  }
  return digest;
}

/* ---- The meta --------------------------------------------------------------------------------- */

static GType
get_api (void)
{
  static gsize type = 0;
  static const gchar *tags[] = { NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_meta_api_type_register
        (HISTO_COUNTED_META_API, tags));
  return type;
}

static gboolean
init_meta (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  HistoCountedMeta *counted = (HistoCountedMeta *) meta;

  counted->counted = NULL;
  counted->digest = 0;
  counted->n_bytes = 0;
  return TRUE;
}

static void
free_meta (GstMeta * meta, GstBuffer * buffer)
{
  g_clear_pointer (&((HistoCountedMeta *) meta)->counted,
      histo_counted_unref);
}

/* Copies of buffers have the counts, too. */
static gboolean
transform_meta (GstBuffer * to, GstMeta * meta, GstBuffer * buffer, GQuark type,
    gpointer data)
{
  const HistoCountedMeta *from = (const HistoCountedMeta *) meta;
  HistoCountedMeta *copied;

  if (!GST_META_TRANSFORM_IS_COPY (type))
    return FALSE;
  copied = (HistoCountedMeta *) gst_buffer_add_meta (to, meta->info, NULL);
  copied->counted = histo_counted_ref (from->counted);
  copied->digest = from->digest;
  copied->n_bytes = from->n_bytes;
  return TRUE;
}

static const GstMetaInfo *
get_info (void)
{
  static gsize info = 0;

  if (g_once_init_enter (&info))
    g_once_init_leave (&info, (gsize) gst_meta_register (get_api (),
            "CudaHistoCountedMeta", sizeof (HistoCountedMeta), init_meta,
            free_meta, transform_meta));
  return (const GstMetaInfo *) info;
}

/**
 * histo_counted_attach:
 * @buffer: (transfer full): not mapped
 * @counts: of the buffer, counted by this @plan; halves in them are joined
 *
 * Returns: (transfer full): the buffer, or a copy that shares its memory, with the counts
 */
GstBuffer *
histo_counted_attach (GstBuffer * buffer, const HistoPlan * plan,
    const HistoCounts * counts, const gchar * backend)
{
  HistoCountedMeta *meta;

  buffer = gst_buffer_make_writable (buffer);
  meta = (HistoCountedMeta *) gst_buffer_add_meta (buffer, get_info (), NULL);
  meta->counted = copy (plan, counts, backend);
  meta->digest = digest_of (meta->counted);
  meta->n_bytes = size_of (plan);
  return buffer;
}

/* Returns: (transfer none) (nullable): what another element has counted of the buffer */
HistoCounted *
histo_counted_find (GstBuffer * buffer)
{
  const HistoCountedMeta *meta = (const HistoCountedMeta *) gst_buffer_get_meta (buffer, get_api ());

  return meta != NULL ? meta->counted : NULL;
}
