/* Which engine measures what backend=auto leaves open: the one that takes less processor time.
 *
 * A pure function of the caps. Frames of video are large, and the GPU measures them. A buffer of audio
 * is small: to have a GPU measure it takes more processor time than to count its samples, unless it has
 * many channels. The constants are for buffers at the rate of a live stream (docs/performance.md, Audio
 * on the CPU or on the GPU). At full speed a GPU takes less from fewer channels on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CHOICE_H
#define HISTO_CHOICE_H

#include <glib.h>

G_BEGIN_DECLS

/* Processor time for the work around a GPU's counting, in ns: the copy of the samples, the launch, and
 * the wait for its end. */
#define HISTO_CHOICE_GPU_TIME 40000
/* Processor time in which the CPU engine counts 1000 samples of 32-bit floating point, in ns. */
#define HISTO_CHOICE_CPU_TIME_OF_1000 2000
/* How long a buffer of audio usually lasts, in ms. The caps do not tell, and elements send 10 to 25
 * ms. */
#define HISTO_CHOICE_BUFFER_TIME 20

gboolean histo_choice_is_cpu_for_audio (guint channels, guint rate);

G_END_DECLS

#endif /* HISTO_CHOICE_H */
