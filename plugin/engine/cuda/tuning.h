/* How a launch is shaped: threads, blocks and copies of the counters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_TUNING_H
#define HISTO_CUDA_TUNING_H

#include <glib.h>

#include "media/format.h"

G_BEGIN_DECLS

/* What a row of the tuning table says: X (field). */
#define HISTO_TUNING_FIELDS(X) \
  /* Of a block's counters, one for each lane at the most: a power of two. */ \
  X (most_copies_log2) \
  /* Bytes of a plane that are worth a block: a block costs a clear and a fold. */ \
  X (video_bytes_per_block) \
  /* A frame's sums lie apart in memory, as a power of two, if they are no more than so many: \
   * so that the blocks' additions meet in more of the cache's slices. */ \
  X (video_spread_log2) \
  X (video_spread_bins) \
  X (audio_threads) \
  X (audio_samples_per_block) \
  /* Of shared memory that a block's counters should not exceed. */ \
  X (audio_shared_bytes) \
  /* By vectors, of a multiprocessor. */ \
  X (audio_blocks) \
  /* By vectors, of a block that has a buffer alone: their totals must be added up. */ \
  X (audio_small_threads) \
  /* Up to so many are added up by the last block, more by a second launch. */ \
  X (audio_last_block_counters)

/* What of a device matters here. */
typedef struct
{
  gint compute_capability;      /* 90 for 9.0 */
  gint n_multiprocessors;
  gint shared_memory_per_block; /* bytes that a block can have on request */
} HistoDeviceLimits;

typedef struct
{
  guint blocks;                 /* gridDim.x */
  guint channel_blocks;         /* gridDim.y */
  guint buffers;                /* gridDim.z */
  guint threads;
  guint shared_bytes;           /* dynamic shared memory */
} HistoLaunch;

/* Of static shared memory and what the system keeps per block. */
#define HISTO_SHARED_RESERVE 8192

/* Of one buffer, in this order on one stream; where there are no blocks there is nothing
 * to launch. */
typedef struct
{
  HistoLaunch count[HISTO_N_COUNT_KERNELS], sum;
} HistoVideoLaunches;

typedef struct
{
  HistoLaunch measure, sum;
  guint vector_kernel;          /* of HISTO_VECTOR_KERNELS, if the task's path is that */
  gboolean leaves_tables;       /* for the second launch */
  gboolean ends_in_one;         /* the last block adds up what all have left */
  gboolean can_gather;          /* several such buffers could share the launch */
} HistoAudioLaunches;

#define HISTO_TUNING_BY_TABLE G_MAXUINT
gboolean histo_tuning_force (const gchar * field, guint value);
void histo_tune_video (const HistoDeviceLimits * limits,
    HistoVideoTask * task, HistoVideoLaunches * launches);
void histo_tune_audio (const HistoDeviceLimits * limits,
    HistoAudioTask * task, HistoAudioLaunches * launches);
guint histo_tune_audio_max_blocks (const HistoDeviceLimits * limits,
    guint n_channels);
gsize histo_tune_video_sums (const HistoDeviceLimits * limits,
    guint32 n_bins);
gboolean histo_tune_is_packed (const HistoDeviceLimits * limits,
    const HistoFormat * format, guint component);
gsize histo_tune_video_tables (const HistoDeviceLimits * limits,
    const HistoFormat * format);
gsize histo_tune_audio_tables (const HistoDeviceLimits * limits,
    guint n_channels, guint n_bins);

G_END_DECLS

#endif /* HISTO_CUDA_TUNING_H */
