/* One context for several pipelines; see soak-context.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "soak-context.h"

static GMutex lock;
static GstContext *kept;

static void
keep (GstMessage * message)
{
  GstContext *context = NULL;

  gst_message_parse_have_context (message, &context);
  g_mutex_lock (&lock);
  if (kept == NULL)
    kept = gst_context_ref (context);
  g_mutex_unlock (&lock);
  gst_context_unref (context);
}

static void
give (GstMessage * message)
{
  GstContext *context;

  g_mutex_lock (&lock);
  context = kept != NULL ? gst_context_ref (kept) : NULL;
  g_mutex_unlock (&lock);
  if (context == NULL)
    return;
  gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)), context);
  gst_context_unref (context);
}

void
soak_context_share (GstMessage * message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_HAVE_CONTEXT)
    keep (message);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT)
    give (message);
}

void
soak_context_drop (void)
{
  g_mutex_lock (&lock);
  g_clear_pointer (&kept, gst_context_unref);
  g_mutex_unlock (&lock);
}
