/* Which planes the maps of a frame read: the buffer's own, or planes in the engine's memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-maps.h"

#include <string.h>

/* ---- The buffer's planes ------------------------------------------------------------------ */

static gboolean
is_chroma (const HistoFormat * format, guint component)
{
  return format->colors == HISTO_COLORS_YUV && (component == 1
      || component == 2);
}

/* Finds the plane with the samples of a component. */
static void
find_samples (const HistoFormat * format, guint component,
    HistoExtractComponent * found)
{
  found->n_samples = 0;
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    for (guint i = 0; i < plane->n_samples; i++) {
      if (plane->samples[i].component != component)
        continue;
      found->plane = p;
      found->samples[found->n_samples++] = i;
    }
  }
}

/* The samples of a component in a row. */
static guint32
count_samples (const HistoPlane * plane, const HistoExtractComponent * component)
{
  guint32 n = 0;

  for (guint i = 0; i < component->n_samples; i++)
    n += plane->samples[component->samples[i]].count;
  return n;
}

/* Whether the maps can read the component in place: it has a plane of its own, or takes turns with
 * one other component; and its words have the device's byte order. */
static gboolean
is_readable (const HistoPlane * plane, const HistoExtractComponent * component)
{
  return plane->kind != HISTO_PLANE_PACKED
      && (plane->kind == HISTO_PLANE_BYTES || !plane->big_endian)
      && plane->n_words <= 2 && component->n_samples == 1;
}

/* Fills in the components' views of the buffer's planes.
 * Returns: whether the maps can read them all */
static gboolean
view_planes (const HistoFormat * format, HistoCudaMapsPlan * maps)
{
  gboolean all = TRUE;

  for (guint c = 0; c < format->n_components; c++) {
    HistoExtractComponent *component = &maps->extract.components[c];
    HistoMapsView *view = &maps->launch.native[c];
    const HistoPlane *plane;
    const HistoSample *sample;

    find_samples (format, c, component);
    plane = &format->planes[component->plane];
    sample = &plane->samples[component->samples[0]];
    all = all && is_readable (plane, component);
    maps->native_planes[c] = component->plane;
    view->data = sample->offset;
    view->width = count_samples (plane, component);
    view->height = plane->rows;
    view->mask = sample->mask;
    view->step = plane->period_bytes;
    view->bytes = sample->bytes;
    view->shift = sample->shift;
    view->is_chroma = is_chroma (format, c);
  }
  return all;
}

/* ---- Pictures in the engine's own memory ---------------------------------------------------- */

/* Rows begin at multiples of this. */
#define ROW_ALIGNMENT 16

/* Appends a plane to the picture. Returns its offset. */
static guint64
append_plane (gsize * picture_bytes, guint64 row_bytes, guint rows,
    gint64 * stride)
{
  const guint64 offset = *picture_bytes;

  *stride = (row_bytes + ROW_ALIGNMENT - 1) & ~(guint64) (ROW_ALIGNMENT - 1);
  *picture_bytes += *stride * rows;
  return offset;
}

/* Places a view in a plane of its own. */
static void
append_view (HistoCudaMapsPlan * maps, HistoMapsView * view)
{
  view->step = view->bytes;
  view->data = append_plane (&maps->picture_bytes,
      (guint64) view->width * view->bytes, view->height, &view->stride);
}

/* Places the views of all components: U and V in turn in one plane, so that one load reads
 * both. Their words have the same size in all formats. */
static void
append_views (HistoCudaMapsPlan * maps, HistoMapsView views[HISTO_MAX_COMPONENTS])
{
  for (guint c = 0; c < maps->plan->format->n_components; c++) {
    HistoMapsView *view = &views[c];

    if (!view->is_chroma) {
      append_view (maps, view);
    } else if (c == 1) {
      view->step = 2 * view->bytes;
      view->data = append_plane (&maps->picture_bytes,
          (guint64) view->width * view->step, view->height, &view->stride);
    } else {
      view->step = views[1].step;
      view->stride = views[1].stride;
      view->data = views[1].data + view->bytes;
    }
  }
}

/* Makes the words of a view hold nothing but the sample. */
static void
set_depth (HistoMapsView * view, guint depth)
{
  view->bytes = depth > 8 ? 2 : 1;
  view->shift = 0;
  view->mask = (1u << depth) - 1;
}

/* Makes the view one of an extracted plane with a value for each pixel. */
static void
derive_view (HistoCudaMapsPlan * maps, HistoMapsView * view)
{
  const HistoFormat *format = maps->plan->format;

  view->width = format->width;
  view->height = format->height;
  set_depth (view, format->map_depth);
  append_view (maps, view);
}

/* A picture holds the samples of all components, and derived planes. */
static void
plan_extracted (HistoCudaMapsPlan * maps)
{
  const HistoFormat *format = maps->plan->format;
  HistoMapsLaunch *launch = &maps->launch;
  HistoExtractLaunch *extract = &maps->extract;

  for (guint c = 0; c < format->n_components; c++)
    set_depth (&launch->native[c], format->components[c].depth);
  append_views (maps, launch->native);
  if (format->colors == HISTO_COLORS_RGB) {
    if ((launch->flags & HISTO_MAPS_SIGNAL) != 0) {
      for (guint i = 0; i < 3; i++)
        derive_view (maps, &launch->signal[i]);
    }
    if ((launch->flags & (HISTO_MAPS_COLOR | HISTO_MAPS_DETAIL)) != 0)
      derive_view (maps, &launch->luma);
  }
  memcpy (extract->native, launch->native, sizeof extract->native);
  memcpy (extract->signal, launch->signal, sizeof extract->signal);
  extract->luma = launch->luma;
}

/* A picture holds copies of the buffer's words. */
static void
plan_copies (HistoCudaMapsPlan * maps)
{
  if (!maps->plan->needs_previous)
    return;
  memcpy (maps->launch.copy, maps->launch.native, sizeof maps->launch.copy);
  append_views (maps, maps->launch.copy);
}

/* ---- The views -------------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_views:
 * @maps: has the plan and the flags of the launch; this fills in the views, the parameters of the
 *   extraction and picture_bytes
 */
void
histo_cuda_plan_views (HistoCudaMapsPlan * maps)
{
  const HistoFormat *format = maps->plan->format;
  const guint derived = HISTO_MAPS_SIGNAL | HISTO_MAPS_COLOR | HISTO_MAPS_DETAIL;

  maps->extracts = !view_planes (format, maps)
      || (format->colors == HISTO_COLORS_RGB
      && (maps->launch.flags & derived) != 0);
  maps->extract.n_components = format->n_components;
  maps->extract.width = format->width;
  maps->extract.height = format->height;
  maps->extract.maps = maps->plan->maps;
  if (maps->extracts)
    plan_extracted (maps);
  else
    plan_copies (maps);
}
