/* One context of CUDA for the pipelines of all inputs; see contexts.h. GStreamer shares it within a pipeline. One for each input costs
 * the host some 100 MB and the device more, and the device changes between them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/contexts.h"

#define CUDA_CONTEXT "gst.cuda.context"

static GMutex lock;
static GPtrArray *contexts;     /* (element-type GstContext): the latest one of each device; NULL: none has come */

/* Gives an element the contexts that there are, of which it takes that of its device. If that is none, it makes one. */
static void
give (GstElement * element)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_context_unref);

  g_mutex_lock (&lock);
  for (guint i = 0; contexts != NULL && i < contexts->len; i++)
    g_ptr_array_add (found, gst_context_ref (contexts->pdata[i]));
  g_mutex_unlock (&lock);
  for (guint i = 0; i < found->len; i++)
    gst_element_set_context (element, found->pdata[i]);
  g_ptr_array_unref (found);
}

static guint
device_of (const GstContext * context)
{
  guint device = 0;

  gst_structure_get_uint (gst_context_get_structure (context), "cuda-device-id", &device);
  return device;
}

static void
take (GstContext * context)
{
  g_mutex_lock (&lock);
  if (contexts == NULL)
    contexts = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_context_unref);
  for (guint i = contexts->len; i-- > 0;) {
    if (device_of (contexts->pdata[i]) == device_of (context))
      g_ptr_array_remove_index (contexts, i);
  }
  g_ptr_array_add (contexts, gst_context_ref (context));
  g_mutex_unlock (&lock);
}

/* After some errors a context is of no use any more, and it cannot be asked. Who has it keeps it; the next connections get another one. */
static void
forget (void)
{
  g_mutex_lock (&lock);
  g_clear_pointer (&contexts, g_ptr_array_unref);
  g_mutex_unlock (&lock);
}

/* Whether the element is one that computes in a context. */
static gboolean
has_context (GstObject * source)
{
  GstElementFactory *factory = GST_IS_ELEMENT (source) ? gst_element_get_factory (GST_ELEMENT (source)) : NULL;
  const gchar *plugin = factory != NULL ? gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory)) : NULL;

  return g_strcmp0 (plugin, "cudahisto") == 0 || g_strcmp0 (plugin, "nvcodec") == 0;
}

/**
 * report_contexts_take_message:
 * @message: of a bus, in the thread of its sender; of others than those about contexts and failures nothing is done
 *
 * An element that makes a context has told so before another one asks: GStreamer locks that.
 */
void
report_contexts_take_message (GstMessage * message)
{
  const gchar *type = NULL;
  GstContext *context = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_NEED_CONTEXT:
      gst_message_parse_context_type (message, &type);
      if (g_strcmp0 (type, CUDA_CONTEXT) == 0 && GST_IS_ELEMENT (GST_MESSAGE_SRC (message)))
        give (GST_ELEMENT (GST_MESSAGE_SRC (message)));
      break;
    case GST_MESSAGE_HAVE_CONTEXT:
      gst_message_parse_have_context (message, &context);
      if (gst_context_has_context_type (context, CUDA_CONTEXT))
        take (context);
      gst_context_unref (context);
      break;
    case GST_MESSAGE_ERROR:
    case GST_MESSAGE_WARNING:
      if (has_context (GST_MESSAGE_SRC (message)))
        forget ();
      break;
    default:
      break;
  }
}
