/* One CUDA context that several pipelines share, as in an application.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_SOAK_CONTEXT_H
#define TESTS_SOAK_CONTEXT_H

#include <gst/gst.h>

/* Handles a message of a pipeline that shares its context: keeps the first context that a pipeline
 * has made, and gives it to each element that needs one. Any thread may call it. Ownership: message
 * stays the caller's. */
void soak_context_share (GstMessage * message);

/* Drops the kept context. The next pipeline makes another one. */
void soak_context_drop (void);

#endif /* TESTS_SOAK_CONTEXT_H */
