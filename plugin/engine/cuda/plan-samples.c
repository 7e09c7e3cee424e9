/* When the kernel `samples` counts the regions of a plan, and how the warps of its blocks share the planes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-samples.h"

/* Counters of a row of the table. */
#define N_PLACES HISTO_MAX_COMPONENTS
#define N_WARPS (HISTO_REGION_THREADS_samples / 32)

/* ---- Planes ------------------------------------------------------------------------------- */

/* Whether all samples are whole bytes, in periods of up to four bytes that have a component once at
 * most. */
static gboolean
has_bytes (const HistoFormat * format)
{
  guint found = 0;

  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    if (plane->kind != HISTO_PLANE_BYTES || plane->n_words > N_PLACES)
      return FALSE;
    for (guint i = 0; i < plane->n_samples; i++) {
      const HistoSample *sample = &plane->samples[i];

      if (sample->mask != G_MAXUINT8 || (found >> sample->component & 1) != 0)
        return FALSE;
      found |= 1u << sample->component;
    }
  }
  return TRUE;
}

static gboolean
has_chroma (const HistoFormat * format, const HistoPlane * plane)
{
  const guint component = plane->samples[0].component;

  return format->colors == HISTO_COLORS_YUV && plane->n_samples < 3
      && (component == 1 || component == 2);
}

/* The plane's bytes get the places from @first_place on. */
static HistoBytesPlane
plan_plane (const HistoFormat * format, guint p, guint first_place)
{
  const HistoPlane *plane = &format->planes[p];
  HistoBytesPlane bytes = {.number = p,.period = plane->n_words };

  if (has_chroma (format, plane)) {
    bytes.w_sub = format->chroma_w_sub;
    bytes.h_sub = format->chroma_h_sub;
  }
  for (guint w = 0; w < plane->n_words; w++)
    bytes.places[w] = first_place + w;
  return bytes;
}

/* ---- Shares --------------------------------------------------------------------------------- */

/* Finds a plane after @p that can share warps with it: both have one component, and the same size.
 * Returns: 0 if there is none */
static guint
find_partner (const HistoFormat * format, guint p)
{
  const HistoPlane *plane = &format->planes[p];

  for (guint q = p + 1; q < format->n_planes && plane->n_words == 1; q++) {
    const HistoPlane *other = &format->planes[q];

    if (other->n_words == 1
        && has_chroma (format, other) == has_chroma (format, plane))
      return q;
  }
  return 0;
}

/* Lists where the counters of a plane's components are. */
static void
place_components (const HistoFormat * format, const HistoBytesPlane * bytes,
    guint8 places[HISTO_MAX_COMPONENTS])
{
  const HistoPlane *plane = &format->planes[bytes->number];

  for (guint w = 0; w < plane->n_words; w++) {
    if (plane->word_sample[w] != HISTO_NO_SAMPLE)
      places[plane->samples[plane->word_sample[w]].component] = bytes->places[w];
  }
}

/* Gives the lower and the upper lanes other places. Lane l and lane l + 16 use the same copy of the
 * counters, and the counters of an even and of an odd place are in different banks. So the two lanes do
 * not wait for each other if one counts in an even place while the other one counts in an odd place:
 *
 * - Two planes with one component: each has a place.
 * - One plane with one component: it has two places, which the kernel adds up at the end.
 * - Periods of 2 and 4 bytes: upper lanes count byte 1 before byte 0, and so on.
 * - Periods of 3 bytes: upper lanes are one byte later in the period (16 vectors further). The first
 *   component has two places: these are 0 and 3, 3 and 2, 2 and 1. */
static void
separate_lanes (HistoBytesShare * share, guint place, HistoBytes * bytes)
{
  if (share->planes[0].period == 3) {
    share->planes[0].places[1] = share->planes[1].places[1] = place + 3;
  } else if (share->planes[0].period > 1) {
    return;
  }
  share->planes[1].places[0] = place + 1;
  if (!share->has_two_planes)
    bytes->joined |= 1u << place;
}

/* Divides planes and places into shares.
 * Returns: the number of shares */
static guint
plan_shares (const HistoFormat * format, HistoBytes * bytes)
{
  guint n = 0, place = 0, done = 0;

  for (guint p = 0; p < format->n_planes; p++) {
    const guint partner = find_partner (format, p);
    HistoBytesShare *share = &bytes->shares[n];

    if ((done >> p & 1) != 0)
      continue;
    share->has_two_planes = partner != 0;
    share->planes[0] = plan_plane (format, p, place);
    share->planes[1] = plan_plane (format, partner != 0 ? partner : p, place);
    separate_lanes (share, place, bytes);
    place_components (format, &share->planes[1], bytes->component_places);
    place_components (format, &share->planes[0], bytes->component_places);
    done |= 1u << partner;
    place += (share->planes[0].period + 1) / 2 * 2;
    n++;
  }
  g_assert (place <= N_PLACES);
  return n;
}

/* How many bytes 256 pixels have in the share. */
static guint
weigh_share (const HistoBytesShare * share)
{
  const HistoBytesPlane *plane = &share->planes[0];

  return (plane->period << (share->has_two_planes != 0) << 8)
      >> (plane->w_sub + plane->h_sub);
}

/* Each share gets warps in proportion to its bytes, and at least one. */
static void
divide_warps (HistoBytes * bytes, guint n_shares)
{
  guint warps[HISTO_MAX_PLANES], end = 0;

  for (guint i = 0; i < n_shares; i++)
    warps[i] = 1;
  for (guint given = n_shares; given < N_WARPS; given++) {
    guint most = 0;

    for (guint i = 1; i < n_shares; i++) {
      if (weigh_share (&bytes->shares[i]) * warps[most]
          > weigh_share (&bytes->shares[most]) * warps[i])
        most = i;
    }
    warps[most]++;
  }
  for (guint i = 0; i < n_shares; i++) {
    end += warps[i];
    bytes->shares[i].end_warp = end;
  }
}

/* ---- The plan ----------------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_use_samples:
 * @groups: with limits, flags and counters
 *
 * Chooses the kernel `samples` if it can measure all that the plan wants: samples of regions. It reads the
 * buffer's planes: there is nothing to extract.
 *
 * Returns: whether it did
 */
gboolean
histo_cuda_plan_use_samples (HistoCudaGroupsPlan * groups)
{
  const HistoFormat *format = groups->plan->format;
  HistoStripLaunch *launch = &groups->launch;

  if (groups->flags != HISTO_FLAG_SAMPLES || !has_bytes (format)
      /* Each plane must have less than 2^31 bytes. */
      || (guint64) format->width * format->height > G_MAXINT32 / N_PLACES
      || histo_cuda_plan_shared_room (&groups->limits) < HISTO_ROW_TABLE_BYTES)
    return FALSE;
  groups->counts_bytes = TRUE;
  divide_warps (&launch->bytes, plan_shares (format, &launch->bytes));
  return TRUE;
}

/**
 * histo_cuda_plan_place_bytes:
 * @planes: of the buffer
 * @bytes: the plan's; this fills in where its planes are
 */
void
histo_cuda_plan_place_bytes (const HistoPlane * planes, HistoBytes * bytes)
{
  for (guint s = 0; s < HISTO_MAX_PLANES; s++) {
    for (guint i = 0; i < 2; i++) {
      HistoBytesPlane *plane = &bytes->shares[s].planes[i];

      plane->data = planes[plane->number].data;
      plane->stride = planes[plane->number].stride;
      plane->phases_log2 =
          HISTO_SAMPLES_VECTOR_LOG2 - g_bit_nth_lsf (plane->stride |
          1 << HISTO_SAMPLES_VECTOR_LOG2, -1);
    }
  }
}
