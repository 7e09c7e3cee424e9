/* Structures for fuzzers: results of random numbers, changed at random.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_STRUCTURES_H
#define TESTS_FUZZ_STRUCTURES_H

#include "fuzz.h"

/* Makes the results that fuzz_structure() begins with. */
void fuzz_structures_init (void);

/* The first byte for fuzz_structure() that begins with the loudness of a channel, and with loudness of no
 * channel. */
#define FUZZ_STRUCTURE_WITH_LOUDNESS 9
#define FUZZ_STRUCTURE_WITHOUT_CHANNELS 0

/* Returns: (transfer full): a result, with as many changes as the input has bytes for: fields that are
 *   missing, that have other types or numbers, and so on, also in inner structures and arrays */
GstStructure *fuzz_structure (FuzzBytes * bytes);

/* Whether the structures have the same fields, bit for bit. */
gboolean fuzz_structures_equal (const GstStructure * a, const GstStructure * b);

#endif /* TESTS_FUZZ_STRUCTURES_H */
