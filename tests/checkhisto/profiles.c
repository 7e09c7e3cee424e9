/* The limits of some GPUs: every format is counted exactly under each of them, and costs no more work
 * than is bounded here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profiles.h"

#include <string.h>

#include "engine/cuda/tuning.h"
#include "frame.h"

#define KB 1024

/* Compute capability; multiprocessors; shared memory of a block, threads and shared memory of a
 * multiprocessor, shared memory of the system in a block; whether the device is integrated, and uses the
 * host's page tables. All but the multiprocessors and the last two follow from the compute capability:
 * CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Shared Memory". The
 * multiprocessors are those of NVIDIA's data sheets. */
const CheckProfile check_profiles[CHECK_N_PROFILES] = {
  {"T4", {75, 40, 64 * KB, 1024, 64 * KB, 0, 0, 0}},
  {"A100", {80, 108, 163 * KB, 2048, 164 * KB, KB, 0, 0}},
  {"Orin", {87, 16, 163 * KB, 1536, 164 * KB, KB, 1, 0}},
  {"L4", {89, 58, 99 * KB, 1536, 100 * KB, KB, 0, 0}},
  {"RTX-4090", {89, 128, 99 * KB, 1536, 100 * KB, KB, 0, 0}},
  {"H100", {90, 132, 227 * KB, 2048, 228 * KB, KB, 0, 0}},
  {"B200", {100, 148, 227 * KB, 2048, 228 * KB, KB, 0, 0}},
  {"RTX-5090", {120, 170, 99 * KB, 1536, 100 * KB, KB, 0, 0}},
};

/* ---- The work of a frame ------------------------------------------------------------------ */

#define WIDTH 3840
#define HEIGHT 2160
#define WARP_SIZE 32
/* Counters of the groups that must fit in shared memory. */
#define MOST_GROUPS_BYTES (48 * KB)

typedef struct
{
  guint launches;
  gdouble reads;                /* bytes read from memory, divided by the bytes of the frame */
  gdouble loads;                /* the same, from the L2 cache, too */
  gdouble passes;               /* of shared memory for the samples of a warp, if all are equal */
  gdouble atomics;              /* on global memory, for each sample */
  gdouble tables;               /* bytes of tables written and read, divided by those of the frame */
} Work;

static guint64
n_samples_of (const HistoPlane * plane)
{
  guint64 n = 0;

  for (guint i = 0; i < plane->n_samples; i++)
    n += (guint64) plane->samples[i].count * plane->rows;
  return n;
}

/* Adds the work of a plane's blocks. @frame_bytes, @frame_samples: of the frame */
static void
add_plane (const HistoVideoLaunch * launch, guint p, gdouble frame_bytes,
    gdouble frame_samples, Work * work)
{
  const HistoPlane *plane = &launch->planes[p];
  const guint copies_log2 = launch->copies_log2[p];
  const gdouble share = n_samples_of (plane) / frame_samples;
  const gdouble blocks = launch->first_block[p + 1] - launch->first_block[p];
  const gdouble reads = histo_plane_row_bytes (plane) * (gdouble) plane->rows /
      frame_bytes;
  const guint ranges_log2 =
      launch->kernels[p] == HISTO_COUNT_ranges ? launch->ranges_log2 : 0;

  work->reads += reads;
  work->loads += reads * (1u << ranges_log2);
  if (copies_log2 == HISTO_NO_COPIES) {
    work->atomics += share;
  } else if (copies_log2 == HISTO_PACKED_COPY) {
    work->passes += WARP_SIZE * share;
    work->tables += 2 * blocks * (plane->n_bins >> ranges_log2) / frame_bytes;
  } else {
    work->passes += (WARP_SIZE >> MIN (copies_log2, 5)) * share;
    work->atomics += blocks * plane->n_bins / frame_samples;
  }
}

static Work
work_of_frame (const HistoCudaLimits * limits, const HistoFormat * format)
{
  HistoVideoLaunch launch = {.n_planes = format->n_planes,
    .n_bins = format->n_bins,
  };
  gdouble bytes = 0, samples = 0;
  HistoCudaVideoPlan plan;
  Work work = { 0, };

  for (guint p = 0; p < format->n_planes; p++) {
    HistoPlane *plane = &launch.planes[p];

    *plane = format->planes[p];
    /* As the engine's own memory. */
    plane->stride = (histo_plane_row_bytes (plane) + 15) & ~15;
    bytes += histo_plane_row_bytes (plane) * (gdouble) plane->rows;
    samples += n_samples_of (plane);
  }
  histo_cuda_plan_video (limits, &launch, &plan);
  for (guint i = 0; i < HISTO_N_COUNT_KERNELS; i++)
    work.launches += plan.count[i].blocks > 0;
  work.launches += plan.sum.blocks > 0;
  for (guint p = 0; p < launch.n_planes; p++)
    add_plane (&launch, p, bytes, samples, &work);
  return work;
}

/* ---- The bounds --------------------------------------------------------------------------- */

/* Bounds for a 4K frame on every device. The most passes are those of equal samples in one copy; the H100
 * has as many for 65536 bins. Where a copy of the counters of all components does not fit, the plane is
 * read once for each component. */
static gboolean
check_work (CheckCase * c, const HistoFormat * format, const Work * work)
{
  guint deepest = 0;

  for (guint i = 0; i < format->n_components; i++)
    deepest = MAX (deepest, format->components[i].depth);
  return (work->launches <= 3
      || check_fail (c, "%u launches", work->launches))
      && (work->reads <= (deepest < 16 ? 1.0 : format->n_components)
      || check_fail (c, "the frame is read %.2f times", work->reads))
      && (work->loads <= 4 * work->reads
      || check_fail (c, "the frame is loaded %.2f times", work->loads))
      && (work->passes <= (deepest <= 8 ? 2 : deepest <= 10 ? 8 : WARP_SIZE)
      || check_fail (c, "up to %.1f passes", work->passes))
      && (work->atomics <= 0.15
      || check_fail (c, "%.3f atomics on global memory for each sample",
          work->atomics))
      && (work->tables <= 2
      || check_fail (c, "%.3f bytes of tables for each byte", work->tables));
}

/* ---- Tests -------------------------------------------------------------------------------- */

/* Other tests force values of the tuning. */
static void
use_own_tuning (void)
{
#define BY_TABLE(name) \
  histo_cuda_tuning_force (#name, HISTO_CUDA_TUNING_BY_TABLE);
  HISTO_CUDA_TUNING_FIELDS (BY_TABLE)
#undef BY_TABLE
}

static HistoFormat *
new_format (GstVideoFormat number, guint width, guint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, gst_video_format_to_string (number),
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  HistoFormat *format = histo_format_new (caps, NULL);

  gst_caps_unref (caps);
  if (format != NULL && format->needs_unpack)
    g_clear_pointer (&format, histo_format_unref);
  return format;
}

/* {work, as text: the formats that cost it} */
static void
note (GHashTable * formats_of_work, const HistoFormat * format,
    const gchar * text)
{
  GString *formats = g_hash_table_lookup (formats_of_work, text);

  if (formats == NULL) {
    formats = g_string_new (NULL);
    g_hash_table_insert (formats_of_work, g_strdup (text), formats);
  }
  g_string_append_printf (formats, " %s", histo_format_name (format));
}

static void
note_work (GHashTable * formats_of_work, const HistoFormat * format,
    const Work * work)
{
  gchar *text = g_strdup_printf ("%u launches, %.1f reads, %4.1f loads, up to "
      "%2.0f passes, %.2f atomics, %.1f tables", work->launches, work->reads,
      work->loads, work->passes, work->atomics, work->tables);

  note (formats_of_work, format, text);
  g_free (text);
}

static void
free_string (gpointer string)
{
  g_string_free (string, TRUE);
}

static void
print_work (GHashTable * formats_of_work, const gchar * profile)
{
  GList *keys = g_list_sort (g_hash_table_get_keys (formats_of_work),
      (GCompareFunc) strcmp);

  for (GList * l = keys; l != NULL; l = l->next)
    g_print ("   %s: %s:%s\n", profile, (gchar *) l->data,
        ((GString *) g_hash_table_lookup (formats_of_work, l->data))->str);
  g_list_free (keys);
}

/* The work of a 4K frame of each format. */
static CheckOutcome
run_work (CheckCase * c)
{
  const CheckProfile *profile = &check_profiles[c->number];
  GHashTable *formats_of_work =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_string);
  gboolean ok = TRUE;
  guint n;
  const GstVideoFormat *numbers = gst_video_formats_raw (&n);

  use_own_tuning ();
  for (guint i = 0; i < n; i++) {
    HistoFormat *format = new_format (numbers[i], WIDTH, HEIGHT);
    Work work;

    if (format == NULL)
      continue;
    work = work_of_frame (&profile->limits, format);
    note_work (formats_of_work, format, &work);
    if (!check_work (c, format, &work))
      ok = check_fail (c, "%s, %s", profile->name, histo_format_name (format));
    histo_format_unref (format);
  }
  print_work (formats_of_work, profile->name);
  g_hash_table_unref (formats_of_work);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* The kernel and the copies for the groups of a 4K frame. Blocks own components only if those of one region need
 * more counters than any device must have room for. */
static gboolean
check_groups (CheckCase * c, const CheckProfile * profile, const HistoPlan * plan,
    const gchar * name, GHashTable * formats_of_groups)
{
#define NAME(name, quad, counters, form, all, threads) #name,
  static const gchar *const names[] = { HISTO_REGION_KERNELS (NAME) };
#undef NAME
  HistoCudaGroupsPlan groups;
  gboolean ok = TRUE;
  gchar *text;

  histo_cuda_plan_groups (&profile->limits, plan, &groups);
  text = g_strdup_printf ("%s: kernel %s, %s planes, %u launches", name,
      names[groups.parts[0].kernel],
      groups.reads_buffers ? "its own" : "extracted", groups.n_parts);
  note (formats_of_groups, plan->format, text);
  if (groups.has_owners && plan->formulas.depth <= HISTO_MATRIX_SHIFT_DEPTH
      && (plan->n_counters / plan->n_regions - plan->format->n_bins) * sizeof (guint32) <= MOST_GROUPS_BYTES)
    ok = check_fail (c, "%s, %s: %s", profile->name,
        histo_format_name (plan->format), text);
  g_free (text);
  return ok;
}

static CheckOutcome
run_groups (CheckCase * c)
{
  static const struct
  {
    const gchar *name;
    guint groups;
  } cases[] = {
    {"signal, motion", HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)
          | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION)}, {"all groups", ~0u},
  };
  GHashTable *formats_of_groups[CHECK_N_PROFILES];
  gboolean ok = TRUE;
  guint n;
  const GstVideoFormat *numbers = gst_video_formats_raw (&n);

  use_own_tuning ();
  for (guint i = 0; i < CHECK_N_PROFILES; i++)
    formats_of_groups[i] =
        g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_string);
  for (guint i = 0; i < n * G_N_ELEMENTS (cases); i++) {
    const guint k = i % G_N_ELEMENTS (cases);
    const HistoPlanSettings settings = {.groups = cases[k].groups };
    HistoFormat *format =
        new_format (numbers[i / G_N_ELEMENTS (cases)], WIDTH, HEIGHT);
    HistoPlan *plan;

    if (format == NULL)
      continue;
    plan = histo_plan_new (format, &settings);
    for (guint p = 0; plan->has_groups && p < CHECK_N_PROFILES; p++)
      ok = check_groups (c, &check_profiles[p], plan, cases[k].name,
          formats_of_groups[p]) && ok;
    histo_plan_unref (plan);
    histo_format_unref (format);
  }
  for (guint i = 0; i < CHECK_N_PROFILES; i++) {
    print_work (formats_of_groups[i], check_profiles[i].name);
    g_hash_table_unref (formats_of_groups[i]);
  }
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* The rules give the values that were found on the H200, from which they were made. On each device, so
 * many blocks of audio as a multiprocessor can have find room for their counters. */
static CheckOutcome
run_tuning (CheckCase * c)
{
  const CheckProfile *profile = &check_profiles[c->number];
  const HistoCudaLimits *limits = &profile->limits;
  HistoCudaTuning found, rule;
  gboolean ok = TRUE;
  gint blocks;

  use_own_tuning ();
  histo_cuda_tuning_get (limits, &found);
  histo_cuda_tuning_derive (limits, &rule);
  blocks = limits->threads_per_multiprocessor / rule.audio_threads;
#define CHECK_FIELD(field) \
  if (limits->compute_capability == 90 && found.field != rule.field) \
    ok = check_fail (c, #field " is %u, by rule %u", found.field, rule.field);
  HISTO_CUDA_TUNING_FIELDS (CHECK_FIELD)
#undef CHECK_FIELD
  if (blocks * ((gint) rule.audio_shared_bytes +
          limits->shared_memory_of_system) >
      limits->shared_memory_per_multiprocessor)
    ok = check_fail (c, "%s: %d blocks with %u bytes do not fit", profile->name,
        blocks, rule.audio_shared_bytes);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* A device counts one of four successive formats, and not the same one as its neighbours; with four times the effort
 * all of them. */
#define N_FORMATS 4

/* Counts a small frame of one format, with the blocks and copies of the device. */
static CheckOutcome
run_profile (CheckCase * c)
{
  const CheckProfile *profile = c->data;
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);
  const guint n_cases = (n + N_FORMATS - 1) / N_FORMATS;
  const guint which = c->number / n_cases + (guint) (profile - check_profiles);
  const guint number = c->number % n_cases * N_FORMATS + which % N_FORMATS;
  /* Several blocks, and whole units in each row. */
  HistoFormat *format =
      number < n ? new_format (formats[number], 288, 72) : NULL;
  CheckOutcome outcome = CHECK_OK;

  use_own_tuning ();
  if (format != NULL)
    outcome = check_video_format (c, format, STRIDES_ANY, &profile->limits);
  return outcome;
}

void
check_add_profile_tests (void)
{
  static const CheckTest plans[] = {
    {.name = (gchar *) "profiles.tuning", .n_cases = CHECK_N_PROFILES,
        .all_cases = TRUE, .run = run_tuning},
    {.name = (gchar *) "profiles.groups", .n_cases = 1, .all_cases = TRUE,
        .run = run_groups},
    {.name = (gchar *) "profiles.work", .n_cases = CHECK_N_PROFILES,
        .all_cases = TRUE, .run = run_work},
  };
  guint n;

  gst_video_formats_raw (&n);
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    check_add_test (&plans[i]);
  for (guint i = 0; i < CHECK_N_PROFILES; i++) {
    const CheckTest test = {
      .name = g_strdup_printf ("profiles.%s", check_profiles[i].name),
      .n_cases = (n + N_FORMATS - 1) / N_FORMATS, .run = run_profile,
      .data = &check_profiles[i],
    };

    check_add_test (&test);
  }
}
