/* Starting a pad's task; see task.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/task.h"

/* Removes a task whose thread could not be made. GStreamer counts such a task as running:
 * gst_pad_stop_task() and the pad's finalizer would wait for it for ever. GLib may find a
 * thread for it later; the task then ends at once. */
static void
discard_task (GstPad * pad)
{
  GstTask *task;

  GST_OBJECT_LOCK (pad);
  task = GST_PAD_TASK (pad);
  GST_PAD_TASK (pad) = NULL;
  GST_OBJECT_UNLOCK (pad);
  if (task == NULL)
    return;
  gst_task_set_enter_callback (task, NULL, NULL, NULL);
  gst_task_set_leave_callback (task, NULL, NULL, NULL);
  gst_task_stop (task);
  gst_object_unref (task);
}

/**
 * histo_task_start:
 *
 * Starts the pad's task, or resumes it, as gst_pad_start_task() does.
 *
 * Returns: %FALSE if there is no thread for it; the pad then has no task
 */
gboolean
histo_task_start (GstPad * pad, GstTaskFunction function, gpointer data)
{
  if (gst_pad_start_task (pad, function, data, NULL))
    return TRUE;
  discard_task (pad);
  return FALSE;
}
