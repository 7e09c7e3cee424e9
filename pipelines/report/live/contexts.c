/* One context of CUDA for the pipelines of all inputs; see contexts.h. GStreamer shares it within a pipeline. One for each input costs
 * the host some 100 MB and the device more, and the device changes between them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/contexts.h"

#define CUDA_CONTEXT "gst.cuda.context"
/* An element waits so long, in µs, for the context that another one makes. */
#define MOST_WAIT (5 * G_USEC_PER_SEC)

static GMutex lock;
static GCond has_come;
static GPtrArray *contexts;     /* (element-type GstContext): one for each device; NULL: none has come */
static gboolean is_made;        /* by an element that has asked */
static gboolean is_hopeless;    /* none came in time: nobody waits again */

/* Gives an element the contexts that there are, of which it takes that of its device. The first one gets none, and makes one. */
static void
give (GstElement * element)
{
  const gint64 end = g_get_monotonic_time () + MOST_WAIT;
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_context_unref);

  g_mutex_lock (&lock);
  while (contexts == NULL && is_made && !is_hopeless)
    is_hopeless = !g_cond_wait_until (&has_come, &lock, end);
  is_made = TRUE;
  for (guint i = 0; contexts != NULL && i < contexts->len; i++)
    g_ptr_array_add (found, gst_context_ref (contexts->pdata[i]));
  g_mutex_unlock (&lock);
  for (guint i = 0; i < found->len; i++)
    gst_element_set_context (element, found->pdata[i]);
  g_ptr_array_unref (found);
}

static void
take (GstContext * context)
{
  g_mutex_lock (&lock);
  if (contexts == NULL)
    contexts = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_context_unref);
  g_ptr_array_add (contexts, gst_context_ref (context));
  g_cond_broadcast (&has_come);
  g_mutex_unlock (&lock);
}

/**
 * report_contexts_take_message:
 * @message: of a bus, in the thread of its sender; others than those about contexts do nothing
 */
void
report_contexts_take_message (GstMessage * message)
{
  const gchar *type = NULL;
  GstContext *context = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT) {
    gst_message_parse_context_type (message, &type);
    if (g_strcmp0 (type, CUDA_CONTEXT) == 0 && GST_IS_ELEMENT (GST_MESSAGE_SRC (message)))
      give (GST_ELEMENT (GST_MESSAGE_SRC (message)));
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_HAVE_CONTEXT) {
    gst_message_parse_have_context (message, &context);
    if (gst_context_has_context_type (context, CUDA_CONTEXT))
      take (context);
    gst_context_unref (context);
  }
}
