/* A large frame in shares, which several threads count at the same time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/shares.h"

#include "media/pack.h"

/* Least size of a share. To count 1 MiB takes much longer than to wake a thread. */
#define SHARE_BYTES (1024 * 1024)
/* The same by the number of counters, which each thread clears and adds up. */
#define SHARE_BYTES_PER_COUNTER 64

guint
histo_shares_choose (const HistoPlan * plan)
{
  const gsize least =
      MAX (SHARE_BYTES, SHARE_BYTES_PER_COUNTER * plan->n_counters);

  if (plan->format->is_audio || plan->format->needs_unpack)
    return 1;
  return MAX (histo_packed_size (plan->format) / least, 1);
}

static guint64
plane_bytes (const HistoPlane * plane)
{
  return histo_plane_row_bytes (plane) * plane->rows;
}

/* How many of the plane's rows begin before its byte @bytes, padding not counted. */
static guint
rows_before (const HistoPlane * plane, gint64 bytes)
{
  const gint64 row_bytes = MAX (histo_plane_row_bytes (plane), 1);

  return CLAMP ((bytes + row_bytes - 1) / row_bytes, 0, plane->rows);
}

void
histo_share_pass_begin (HistoSharePass * pass, const HistoPlan * plan,
    const HistoLayout * layout, HistoCpuPixels * pixels, guint32 * counters)
{
  *pass = (HistoSharePass) { plan, layout, pixels, counters, -1 };
}

/* @plane: -1: none */
static void
go_to_plane (HistoSharePass * pass, gint plane)
{
  if (plane == pass->plane)
    return;
  if (pass->plane >= 0)
    histo_cpu_pixels_end (pass->pixels);
  if (plane >= 0)
    histo_cpu_pixels_begin (pass->pixels, &pass->layout->planes[plane],
        pass->counters);
  pass->plane = plane;
}

/* Counts the samples themselves, plane by plane. */
static void
count_samples (HistoSharePass * pass, guint share, guint n_shares)
{
  const HistoLayout *layout = pass->layout;
  gint64 total = 0, begin, end;

  for (guint p = 0; p < layout->n_planes; p++)
    total += plane_bytes (&layout->planes[p]);
  begin = total * share / n_shares;
  end = total * (share + 1) / n_shares;

  for (guint p = 0; p < layout->n_planes; p++) {
    const HistoPlane *plane = &layout->planes[p];
    const guint first = rows_before (plane, begin);
    const guint after = rows_before (plane, end);

    if (first < after) {
      go_to_plane (pass, p);
      histo_cpu_pixels_rows (pass->pixels, first, after - first);
    }
    begin -= plane_bytes (plane);
    end -= plane_bytes (plane);
  }
}

void
histo_share_pass_count (HistoSharePass * pass, guint share, guint n_shares)
{
  count_samples (pass, share, n_shares);
}

void
histo_share_pass_end (HistoSharePass * pass)
{
  go_to_plane (pass, -1);
}
