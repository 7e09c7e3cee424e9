/* What the stream fuzzer expects of the element: which buffers, events and messages must come out, in
 * which order, and with which results.
 *
 * The model is strict at first: all that entered must leave, in this order and once. After something
 * that may lose buffers (a flush, an error, a refusal) it is loose: what leaves must still have
 * entered, in this order. model_restart() makes it strict again, with nothing inside of the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_STREAM_MODEL_H
#define TESTS_FUZZ_STREAM_MODEL_H

#include "fuzz.h"

/* The caps of the streams. */
#define N_STREAM_CAPS 7
extern const gchar *const stream_caps[N_STREAM_CAPS];

/* The bytes of a usual buffer. */
gsize stream_buffer_size (guint caps);

typedef enum
{ RESULT_NO, RESULT_YES, RESULT_MAYBE } StreamResult;

/* What is known of a buffer when it enters. */
typedef struct
{
  guint64 id;                   /* the offset of the buffer; its bytes follow from it */
  guint caps;
  gsize size;
  GstClockTime pts;
  StreamResult result, message;
  guint first, end;             /* sound: its samples from `first` to `end` - 1 lie in the segment */
  gboolean may_be_whole;        /* the segment may have been lost: then all samples are measured */
  gboolean has_histogram;       /* with the native bins */
} StreamBuffer;

/* Sets first and end, of a picture to 0. A picture lasts 1 ms.
 * Returns: whether something of the buffer lies in the segment */
gboolean stream_clip (StreamBuffer * buffer, const GstSegment * segment);

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean is_loose;
  GQueue items;                 /* of Item: what is inside of the element */
  GQueue messages;              /* of StreamBuffer: whose messages have not come */
  GstCaps *caps;                /* downstream's; NULL: none yet */
  guint32 segment;              /* the number of downstream's latest one */
  guint64 n_buffers, n_results, n_messages, n_events;   /* that have left */
} StreamModel;

void model_init (StreamModel * model);
void model_clear (StreamModel * model);

/* Something may be lost from now on. */
void model_loosen (StreamModel * model);

/* Nothing is inside of the element. */
void model_restart (StreamModel * model);

void model_enter_buffer (StreamModel * model, const StreamBuffer * buffer);
/* Events other than segment, gap, end and custom events are not followed. */
void model_enter_event (StreamModel * model, GstEvent * event);

/* What downstream and the bus get. */
void model_leave_buffer (StreamModel * model, GstBuffer * buffer);
void model_leave_event (StreamModel * model, GstEvent * event);
void model_leave_message (StreamModel * model, GstMessage * message);

/* All that entered must have left. Waits for the last messages; @waits: for the last items, too. */
void model_check_drained (StreamModel * model, gboolean waits);

#endif /* TESTS_FUZZ_STREAM_MODEL_H */
