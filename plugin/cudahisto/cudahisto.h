/* What programs need to read the results of the element cudahisto.
 *
 * The element attaches its result to each buffer as a GstCustomMeta, and posts results, windows
 * and alerts as messages. Each is a GstStructure. This library reads a structure into plain C:
 *
 *   HistoResult result = { 0 };
 *   GError *error = NULL;
 *
 *   if (histo_read_result (structure, &result, &error))
 *     g_print ("%f\n", result.components[0].figures.mean);
 *   histo_result_clear (&result);
 *
 * docs/result.md defines the figures.
 *
 * As a library for other programs this is deprecated: docs/library.md says which function of libcudahisto-1.0.so takes the place
 * of each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDAHISTO_H
#define HISTO_CUDAHISTO_H

/* A note of the compiler, and no warning, so that -Werror still builds. */
#ifndef CUDAHISTO_DISABLE_DEPRECATION_WARNINGS
#pragma message ("the static library of cudahisto is deprecated: use <cudahisto.h>, or define CUDAHISTO_DISABLE_DEPRECATION_WARNINGS")
#endif

#include "alert.h"
#include "facts.h"
#include "fields.h"
#include "figures.h"
#include "measures.h"
#include "read.h"
#include "result.h"
#include "rules.h"
#include "visit.h"

#endif /* HISTO_CUDAHISTO_H */
