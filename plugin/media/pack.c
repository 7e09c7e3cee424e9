/* Packed frames: the planes of a frame one after the other, without padding between rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/pack.h"

#include "media/unpack.h"

/* Each row of a packed frame begins at a multiple of so many bytes, because the kernels load
 * 16 bytes at once. */
#define ROW_ALIGNMENT 16

static guint64
packed_stride (const HistoPlane * plane)
{
  const guint64 bytes = (guint64) plane->periods * plane->period_bytes;

  return (bytes + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* No allocation of this size succeeds where gsize is too narrow for the number. */
static gsize
clamp_size (guint64 size)
{
  return MIN (size, G_MAXSIZE);
}

/**
 * histo_packed_size:
 *
 * Returns: the bytes of a packed frame, a multiple of 16
 */
gsize
histo_packed_size (const HistoFormat * format)
{
  guint64 size = 0;

  for (guint p = 0; p < format->n_planes; p++)
    size += packed_stride (&format->planes[p]) * format->planes[p].rows;
  return clamp_size (size);
}

/**
 * histo_pack_room:
 *
 * Returns: the bytes of memory that histo_pack() and histo_pack_some() need at their
 *   destination: the packed frame, and after it scratch memory for the unpack function
 */
gsize
histo_pack_room (const HistoFormat * format)
{
  return clamp_size ((guint64) histo_packed_size (format)
      + histo_unpack_line_bytes (format));
}

/**
 * histo_packed_locate:
 * @address: of a packed frame, in the memory of the host or of a device
 * @planes: (out) (array): room for #HistoFormat.n_planes planes
 *
 * Makes planes that describe the packed frame.
 */
void
histo_packed_locate (const HistoFormat * format, guint64 address,
    HistoPlane * planes)
{
  for (guint p = 0; p < format->n_planes; p++) {
    planes[p] = format->planes[p];
    planes[p].data = address;
    planes[p].stride = packed_stride (&format->planes[p]);
    address += planes[p].stride * planes[p].rows;
  }
}

/* Copies the rows @first to @first + @n - 1. */
static void
copy_rows (const HistoPlane * source, const HistoPlane * destination,
    guint first, guint n)
{
  const gsize row_bytes = histo_plane_row_bytes (source);
  const guint8 *from = (const guint8 *) (guintptr) source->data
      + (gint64) first * source->stride;
  guint8 *to = (guint8 *) (guintptr) destination->data
      + (gint64) first * destination->stride;

  if (source->stride == destination->stride) {
    memcpy (to, from, (n - 1) * source->stride + row_bytes);
    return;
  }
  for (guint y = 0; y < n; y++)
    memcpy (to + y * destination->stride, from + y * source->stride, row_bytes);
}

/**
 * histo_pack_some:
 * @layout: mapped for reading by the host
 * @destination: histo_pack_room() bytes, aligned to 16 bytes; what earlier calls wrote there
 *   stays
 * @position: how far the earlier calls for this frame came; moved on
 * @max_bytes: at most so many bytes are written, but at least one row
 *
 * Packs the next rows of the frame. The packed frame is complete when position->bytes is
 * histo_packed_size(). A frame that must be unpacked is packed by a single call, whatever
 * @max_bytes is.
 */
void
histo_pack_some (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination, HistoPackPosition * position, gsize max_bytes)
{
  const gsize begin = position->bytes;
  HistoPlane planes[HISTO_MAX_PLANES];

  histo_packed_locate (format, (guint64) (guintptr) destination, planes);
  if (format->needs_unpack) {
    position->bytes = histo_packed_size (format);
    histo_unpack (format, &layout->frame, planes,
        destination + position->bytes);
    return;
  }
  while (position->plane < format->n_planes) {
    const HistoPlane *plane = &planes[position->plane];
    const gsize left = max_bytes - MIN (max_bytes, position->bytes - begin);
    guint n = plane->rows - position->row;

    if (plane->stride > 0 && left / plane->stride < n)
      n = left / plane->stride;
    /* Without this a call with a small max_bytes would write nothing. */
    if (n == 0 && position->row < plane->rows && position->bytes == begin)
      n = 1;
    if (n == 0 && position->row < plane->rows)
      return;
    if (n > 0 && plane->stride > 0)
      copy_rows (&layout->planes[position->plane], plane, position->row, n);
    position->row += n;
    position->bytes += n * plane->stride;
    if (position->row == plane->rows) {
      position->plane++;
      position->row = 0;
    }
  }
}

/**
 * histo_pack:
 * @layout: mapped for reading by the host
 * @destination: (out): histo_pack_room() bytes, aligned to 16 bytes; the first
 *   histo_packed_size() bytes of them become the packed frame
 */
void
histo_pack (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination)
{
  HistoPackPosition position = { 0, };

  histo_pack_some (format, layout, destination, &position, G_MAXSIZE);
}
