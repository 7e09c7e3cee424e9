/* What the element adds to the answers to ALLOCATION queries.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/allocation.h"

/* Whether downstream says in what memory the frames should be. */
static gboolean
offers_memory (GstQuery * query)
{
  gboolean offers = FALSE;

  for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++) {
    GstBufferPool *pool;

    gst_query_parse_nth_allocation_pool (query, i, &pool, NULL, NULL, NULL);
    offers |= pool != NULL;
    gst_clear_object (&pool);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_params (query); i++) {
    GstAllocator *allocator;

    gst_query_parse_nth_allocation_param (query, i, &allocator, NULL);
    offers |= allocator != NULL;
    gst_clear_object (&allocator);
  }
  return offers;
}

/* Puts a pool of the memory that the engine reads best into the query's first entry, which
 * has none. Only for video: caps do not give the size of audio's buffers. */
static void
offer_pool (GstQuery * query, HistoMeter * meter, GstCaps * caps)
{
  guint size, min, max;
  g_autoptr (GstBufferPool) pool = NULL;
  GstStructure *config;

  if (!gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY) || offers_memory (query))
    return;
  pool = histo_meter_new_pool (meter);
  if (pool == NULL)
    return;
  gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (gst_buffer_pool_set_config (pool, config))
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
}

/* The element holds @depth buffers while they are measured: each pool must have that many more. It holds none of the
 * buffers that upstream's thread measures and then pushes. */
static void
add_depth (GstQuery * query, HistoMeter * meter, guint depth)
{
  for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++) {
    GstBufferPool *pool;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    if ((size == 0 || !histo_meter_measures_at_once (meter, size))
        && !g_uint_checked_add (&min, min, depth))
      min = G_MAXUINT;
    /* A pool that cannot give that many is of no use. Upstream makes its own. */
    if (max != 0 && min > max)
      gst_query_set_nth_allocation_pool (query, i, NULL, size, min, 0);
    else
      gst_query_set_nth_allocation_pool (query, i, pool, size, min, max);
    gst_clear_object (&pool);
  }
}

void
histo_allocation_complete (GstQuery * query, HistoMeter * meter, guint depth)
{
  HistoFormat *format = NULL;
  gboolean needs_pool;
  guint crop;
  GstCaps *caps;

  /* Upstream crops the frame itself if it can: elements downstream of results rarely know crop metas. */
  while (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, &crop))
    gst_query_remove_nth_allocation_meta (query, crop);
  if (depth == 0)
    return;
  add_depth (query, meter, depth);

  gst_query_parse_allocation (query, &caps, &needs_pool);
  if (caps != NULL && gst_caps_is_fixed (caps))
    format = histo_format_new (caps, NULL);
  if (format != NULL && !format->is_audio) {
    if (gst_query_get_n_allocation_pools (query) == 0)
      gst_query_add_allocation_pool (query, NULL,
          GST_VIDEO_INFO_SIZE (&format->video), depth, 0);
    /* The host unpacks some formats. They gain nothing from the pool. */
    if (needs_pool && !format->needs_unpack)
      offer_pool (query, meter, caps);
  }
  g_clear_pointer (&format, histo_format_unref);
}
