/* Negotiation; see negotiation.h.
 *
 * The overlay is attached if the caps of the source pad have the feature
 * "meta:GstVideoOverlayComposition". They have it in two cases:
 *
 * - The caps of the sink pad have it: an element upstream attaches an overlay, too.
 * - Downstream takes caps with the feature, and its answer to the ALLOCATION query has the meta.
 *
 * In all other cases the caps of both pads are equal, and the overlay is blended into the frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/negotiation.h"

GST_DEBUG_CATEGORY_EXTERN (cudahistooverlay_debug);
#define GST_CAT_DEFAULT cudahistooverlay_debug

#define FEATURE GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION

static gboolean
has_feature (const GstCaps * caps, guint i)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, i);

  return features != NULL && !gst_caps_features_is_any (features)
      && gst_caps_features_contains (features, FEATURE);
}

/* Whether the first structure of the caps says that overlays are attached. */
gboolean
histo_negotiation_has_feature (const GstCaps * caps)
{
  return !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
      && has_feature (caps, 0);
}

/* Appends structure @i of @from with the feature added, or removed. */
static void
append_changed (GstCaps * to, const GstCaps * from, guint i, gboolean with)
{
  GstCapsFeatures *features =
      gst_caps_features_copy (gst_caps_get_features (from, i));

  if (gst_caps_features_is_any (features)) {
    gst_caps_features_free (features);
    return;
  }
  if (with)
    gst_caps_features_add (features, FEATURE);
  else
    gst_caps_features_remove (features, FEATURE);
  gst_caps_append_structure_full (to,
      gst_structure_copy (gst_caps_get_structure (from, i)), features);
}

static void
append_same (GstCaps * to, const GstCaps * from, guint i)
{
  gst_caps_append_structure_full (to,
      gst_structure_copy (gst_caps_get_structure (from, i)),
      gst_caps_features_copy (gst_caps_get_features (from, i)));
}

/**
 * histo_negotiation_transform:
 * @direction: of the pad that has @caps
 * @filter: (nullable)
 *
 * Returns: (transfer full): what the other pad can have. Caps with the feature come first
 */
GstCaps *
histo_negotiation_transform (GstPadDirection direction, const GstCaps * caps,
    GstCaps * filter)
{
  GstCaps *result = gst_caps_new_empty (), *filtered;

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (direction == GST_PAD_SINK && !has_feature (caps, i))
      append_changed (result, caps, i, TRUE);
    append_same (result, caps, i);
    if (direction == GST_PAD_SRC && has_feature (caps, i))
      append_changed (result, caps, i, FALSE);
  }
  if (filter == NULL)
    return result;
  filtered = gst_caps_intersect_full (filter, result,
      GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (result);
  return filtered;
}

/* Whether downstream draws overlays of frames with these caps. They are sent before the query,
 * because elements answer it only after they have caps. If a flush ends the query, the base class
 * cannot send the other caps either, and chooses again after the flush. */
static gboolean
downstream_draws (GstBaseTransform * transform, GstCaps * caps)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (transform);
  GstQuery *query;
  gboolean draws;

  query = gst_query_new_allocation (caps, FALSE);
  draws = gst_pad_peer_query_accept_caps (pad, caps)
      && gst_pad_set_caps (pad, caps) && gst_pad_peer_query (pad, query)
      && gst_query_find_allocation_meta (query,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_query_unref (query);
  return draws;
}

/* Returns: (transfer full) (nullable): those of @choices with or without the feature; NULL: there are
 * none */
static GstCaps *
choose (const GstCaps * choices, gboolean with)
{
  for (guint i = 0; i < gst_caps_get_size (choices); i++) {
    if (has_feature (choices, i) == with)
      return gst_caps_fixate (gst_caps_copy_nth (choices, i));
  }
  return NULL;
}

/**
 * histo_negotiation_choose:
 * @caps: of the sink pad
 * @choices: (transfer full): what the source pad can have
 *
 * Returns: (transfer full): the caps of the source pad
 */
GstCaps *
histo_negotiation_choose (GstBaseTransform * transform, const GstCaps * caps,
    GstCaps * choices)
{
  GstCaps *with = choose (choices, TRUE), *without = choose (choices, FALSE);
  gboolean draws;

  if (with == NULL && without == NULL)
    return choices;
  gst_caps_unref (choices);
  draws = with != NULL && (without == NULL || downstream_draws (transform,
          with));
  GST_INFO_OBJECT (transform, "the overlay is %s",
      draws ? "attached to the frames" : "blended into the frames");
  gst_clear_caps (draws ? &without : &with);
  return draws ? with : without;
}

/* Copies what downstream has answered. */
static void
copy_answer (GstQuery * to, GstQuery * from)
{
  for (guint i = 0; i < gst_query_get_n_allocation_metas (from); i++) {
    const GstStructure *parameters;
    GType api = gst_query_parse_nth_allocation_meta (from, i, &parameters);

    gst_query_add_allocation_meta (to, api, parameters);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_params (from); i++) {
    GstAllocationParams parameters;
    GstAllocator *allocator;

    gst_query_parse_nth_allocation_param (from, i, &allocator, &parameters);
    gst_query_add_allocation_param (to, allocator, &parameters);
    gst_clear_object (&allocator);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_pools (from); i++) {
    GstBufferPool *pool;
    guint size, least, most;

    gst_query_parse_nth_allocation_pool (from, i, &pool, &size, &least,
        &most);
    gst_query_add_allocation_pool (to, pool, size, least, most);
    gst_clear_object (&pool);
  }
}

/**
 * histo_negotiation_propose:
 * @query: (inout): ALLOCATION, of upstream
 *
 * The frames go on as they are, so downstream answers. It is asked with its own caps.
 *
 * Returns: whether downstream has answered
 */
gboolean
histo_negotiation_propose (GstBaseTransform * transform, GstQuery * query)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (transform);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gboolean need_pool, ok;
  GstQuery *own;

  if (caps == NULL)
    return FALSE;
  gst_query_parse_allocation (query, NULL, &need_pool);
  own = gst_query_new_allocation (caps, need_pool);
  ok = gst_pad_peer_query (pad, own);
  if (ok)
    copy_answer (query, own);
  gst_query_unref (own);
  gst_caps_unref (caps);
  return ok;
}
