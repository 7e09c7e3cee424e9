/* Comparing pictures on a CUDA device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_DEVICE_H
#define HISTO_COMPARE_DEVICE_H

#include "compare/compared.h"

G_BEGIN_DECLS

/* Frames of the reference before that of a pair. */
#define HISTO_COMPARE_HISTORY 2

/* What is compared: a frame, and a frame of the reference with the frames before it. */
typedef struct
{
  GstBuffer *buffer;
  GstCaps *caps;
  GstBuffer *reference[1 + HISTO_COMPARE_HISTORY];      /* (nullable): from the first one that is NULL on all are */
  GstCaps *reference_caps;      /* of all of them */
  guint measures;
  const GArray *regions;        /* (nullable) (element-type HistoRegionSpec) */
} HistoComparedPair;

/* Returns: frame @i of the reference; NULL if there is none or less */
static inline GstBuffer *
histo_compared_pair_frame (const HistoComparedPair * pair, guint i)
{
  return pair->reference[i];
}

typedef struct _HistoCompareDevice HistoCompareDevice;

/* Returns: (nullable): NULL where CUDA is not built */
HistoCompareDevice *histo_compare_device_new (void);
void histo_compare_device_free (HistoCompareDevice * device);

/* Contexts: of the thread that opens the device, or under a lock of the caller's. */
void histo_compare_device_set_context (HistoCompareDevice * device, GstElement * element, gint device_id,
    GstContext * context);
gboolean histo_compare_device_answer_context_query (HistoCompareDevice * device, GstElement * element,
    GstQuery * query);
/* Prefers the context of the buffer, if it is in CUDA memory. */
void histo_compare_device_prefer (HistoCompareDevice * device, GstBuffer * buffer);

/* Opens the device. libgstcuda may query neighbours and post messages in the name of @element.
 * GST_RESOURCE_ERROR_NOT_FOUND if there is no usable device. */
gboolean histo_compare_device_open (HistoCompareDevice * device, GstElement * element, gint device_id, GError ** error);

/**
 * histo_compare_device_must_follow:
 *
 * Returns: whether the buffer is in CUDA memory of another context than the device's, or of any one if the device has none
 *   because a move has failed
 */
gboolean histo_compare_device_must_follow (HistoCompareDevice * device, GstBuffer * buffer);
/* Moves to the context of the buffer. The caller holds its lock. */
gboolean histo_compare_device_follow (HistoCompareDevice * device, GstBuffer * buffer, gint device_id, GError ** error);

/**
 * histo_compare_device_count:
 * @compared: (out): clear; filled in
 *
 * Compares a pair and waits for the result. The buffers are not changed meanwhile. With XPSNR the frames of the reference
 * stay referenced and mapped until the next pair or histo_compare_device_forget().
 *
 * Returns: FALSE with a %GST_STREAM_ERROR if the buffers contradict their caps or cannot be compared, and with a
 *   %GST_RESOURCE_ERROR if the device fails
 */
gboolean histo_compare_device_count (HistoCompareDevice * device, const HistoComparedPair * pair,
    HistoCompared * compared, GError ** error);
/* Lets go of all buffers. */
void histo_compare_device_forget (HistoCompareDevice * device);
/* Returns: time that the device has spent on comparing, in ns, estimated */
guint64 histo_compare_device_time (HistoCompareDevice * device);

G_END_DECLS

#endif /* HISTO_COMPARE_DEVICE_H */
