/* When the kernel `samples` counts the regions of a plan, and how the warps of its blocks share the planes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-samples.h"

/* Counters of a row of the table. */
#define N_PLACES HISTO_MAX_COMPONENTS
#define N_WARPS (HISTO_MAPS_THREADS_samples / 32)

/* ---- Planes ------------------------------------------------------------------------------- */

/* Whether the bytes of any plane can be numbered with 31 bits. */
static gboolean
is_small (const HistoFormat * format)
{
  return (guint64) format->width * format->height <= G_MAXINT32 / N_PLACES;
}

/* Whether all samples are whole bytes, in periods of up to four bytes, each with one sample of a
 * component. */
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
  const gboolean is_chroma = has_chroma (format, plane);
  HistoBytesPlane bytes = {.period = plane->n_words };

  if (is_chroma) {
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

/* Gives the components of a plane their places. */
static void
place_components (const HistoFormat * format, guint p, guint first_place,
    HistoBytes * bytes)
{
  const HistoPlane *plane = &format->planes[p];

  for (guint w = 0; w < plane->n_words; w++) {
    if (plane->word_sample[w] != HISTO_NO_SAMPLE)
      bytes->component_places[plane->samples[plane->word_sample[w]].component] =
          first_place + w;
  }
}

/* Divides planes and places into shares. Lanes that share a copy of a counter use different banks if one
 * counts in an even place while the other one counts in an odd place. So planes with one component have
 * two places: as partners one each, else both.
 *
 * Returns: the number of shares */
static guint
plan_shares (HistoCudaMapsPlan * maps)
{
  const HistoFormat *format = maps->plan->format;
  HistoBytes *bytes = &maps->launch.bytes;
  guint n = 0, place = 0, done = 0;

  for (guint p = 0; p < format->n_planes; p++) {
    const guint words = format->planes[p].n_words;
    const guint partner = find_partner (format, p);
    HistoBytesShare *share = &bytes->shares[n];

    if ((done >> p & 1) != 0)
      continue;
    share->planes[0] = plan_plane (format, p, place);
    share->planes[1] = share->planes[0];
    maps->byte_planes[n][0] = maps->byte_planes[n][1] = p;
    place_components (format, p, place, bytes);
    if (partner != 0) {
      share->has_two_planes = TRUE;
      share->planes[1] = plan_plane (format, partner, place + 1);
      maps->byte_planes[n][1] = partner;
      place_components (format, partner, place + 1, bytes);
      done |= 1u << partner;
    } else if (words == 1) {
      share->planes[1].places[0] = place + 1;
      bytes->joined |= 1u << place;
    }
    place += (words + 1) / 2 * 2;
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
 * @maps: with limits, flags and counters
 *
 * Chooses the kernel `samples` if it can measure all that the plan wants: samples of regions. It reads the
 * buffer's planes: there is nothing to extract.
 *
 * Returns: whether it did
 */
gboolean
histo_cuda_plan_use_samples (HistoCudaMapsPlan * maps)
{
  HistoMapsLaunch *launch = &maps->launch;

  if (launch->flags != HISTO_MAPS_SAMPLES || !has_bytes (maps->plan->format)
      || !is_small (maps->plan->format)
      || histo_cuda_plan_shared_room (&maps->limits) < HISTO_QUADS_TABLE_BYTES)
    return FALSE;
  maps->kernel = HISTO_MAPS_samples;
  launch->copies_log2 = HISTO_QUADS_COPIES_LOG2;
  divide_warps (&launch->bytes, plan_shares (maps));
  return TRUE;
}

/**
 * histo_cuda_plan_place_bytes:
 * @planes: of the buffer
 * @bytes: the plan's; this fills in where its planes are
 */
void
histo_cuda_plan_place_bytes (const HistoCudaMapsPlan * maps,
    const HistoPlane * planes, HistoBytes * bytes)
{
  for (guint s = 0; s < HISTO_MAX_PLANES; s++) {
    for (guint i = 0; i < 2; i++) {
      const HistoPlane *plane = &planes[maps->byte_planes[s][i]];

      bytes->shares[s].planes[i].data = plane->data;
      bytes->shares[s].planes[i].stride = plane->stride;
    }
  }
}
