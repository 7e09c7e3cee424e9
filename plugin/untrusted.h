/* Pipelines whose description is not trusted, as one that was downloaded: since GStreamer 1.30 GST_PARSE_FLAG_NO_UNTRUSTED
 * allows elements only that are marked, and refuses their properties that reach outside of the process.
 *
 * The elements are marked because docs/security.md says what they do with bad properties, caps and buffers, and tests show it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_UNTRUSTED_H
#define HISTO_UNTRUSTED_H

#include <gst/gst.h>

/* HISTO_PARAM_SENSITIVE: the flag of a property that opens a file or chooses a device.
 * HISTO_MARK_UNTRUSTED_AWARE: marks a GstElementClass. */
#ifdef GST_PARAM_UNTRUSTED_SENSITIVE
#define HISTO_PARAM_SENSITIVE GST_PARAM_UNTRUSTED_SENSITIVE
#define HISTO_MARK_UNTRUSTED_AWARE(element_class) gst_element_class_mark_as_untrusted_aware (element_class)
#else
#define HISTO_PARAM_SENSITIVE 0
#define HISTO_MARK_UNTRUSTED_AWARE(element_class) ((void) (element_class))
#endif

#endif /* HISTO_UNTRUSTED_H */
