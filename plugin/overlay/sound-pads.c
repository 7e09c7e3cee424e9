/* The audio pads; see sound-pads.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/sound-pads.h"

#include "cudahisto/channels.h"
#include "cudahisto/fields.h"
#include "cudahisto/read.h"
#include "cudahisto/result.h"

/* Defined here, because the element uses this file. */
GST_DEBUG_CATEGORY (cudahistooverlay_debug);
#define GST_CAT_DEFAULT cudahistooverlay_debug

/* Results that wait for their frame: some minutes of buffers of 20 ms. If the video is later than
 * that, the oldest ones are dropped. */
#define MOST_ENTRIES 8192

/* The result of one audio buffer. */
typedef struct
{
  HistoSoundResult sound;
  HistoAlertList *alerts;       /* NULL: none */
} Entry;

typedef struct
{
  HistoSoundPads *pads;
  GstPad *pad;                  /* not owned: the element owns it */
  guint number;

  GstSegment segment;           /* set by upstream's thread, under the lock */

  /* Under the lock. */
  GQueue entries;
  guint64 position;             /* running time in ns until which sound has come; NONE: nothing yet */
  gboolean is_over;             /* by EOS, or by SEGMENT_DONE until the next segment */
  gboolean is_late;             /* a frame has waited in vain */
  HistoMeters meters;

  /* Only in upstream's thread. */
  HistoResult result;           /* memory that is used again */
  gchar **channel_names;        /* NULL: the caps do not say where the channels are */
  gboolean has_warned;
} HistoSoundPad;

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->alerts);
  g_free (entry);
}

/* Under the lock: nothing has come. */
static void
reset_pad (HistoSoundPad * sound)
{
  gst_segment_init (&sound->segment, GST_FORMAT_UNDEFINED);
  g_queue_clear_full (&sound->entries, free_entry);
  sound->position = GST_CLOCK_TIME_NONE;
  sound->is_over = sound->is_late = FALSE;
  histo_meters_reset (&sound->meters);
}

static void
free_pad (gpointer data)
{
  HistoSoundPad *sound = data;

  reset_pad (sound);
  histo_result_clear (&sound->result);
  g_strfreev (sound->channel_names);
  g_free (sound);
}

void
histo_sound_pads_init (HistoSoundPads * pads)
{
  g_mutex_init (&pads->lock);
  g_cond_init (&pads->changed);
  pads->pads = g_ptr_array_new_with_free_func (free_pad);
  pads->meta_name = histo_result_meta_name (NULL);
  pads->wanted = GST_CLOCK_TIME_NONE;
}

void
histo_sound_pads_clear (HistoSoundPads * pads)
{
  g_ptr_array_unref (pads->pads);
  g_free (pads->meta_name);
  g_mutex_clear (&pads->lock);
  g_cond_clear (&pads->changed);
}

/* @name: of the results that are read from the next buffer on; "": that of results without a name */
void
histo_sound_pads_set_result_name (HistoSoundPads * pads, const gchar * name)
{
  g_mutex_lock (&pads->lock);
  g_free (pads->meta_name);
  pads->meta_name = histo_result_meta_name (*name != '\0' ? name : NULL);
  g_mutex_unlock (&pads->lock);
}

/* ---- Buffers, in upstream's thread ------------------------------------------------- */

/* Under the lock. @position: running time in ns; GST_CLOCK_TIME_NONE: unknown */
static void
advance (HistoSoundPad * sound, guint64 position)
{
  HistoSoundPads *pads = sound->pads;

  if (!GST_CLOCK_TIME_IS_VALID (position))
    return;
  sound->position = position;
  if (!GST_CLOCK_TIME_IS_VALID (pads->wanted) || position >= pads->wanted)
    sound->is_late = FALSE;
  g_cond_broadcast (&pads->changed);
}

/* In upstream's thread, which sets the segment. Times outside of the segment have none: the nearest one inside
 * counts, for a buffer that reaches into the segment. A stop of GST_CLOCK_TIME_NONE is the greatest number. */
static guint64
to_running_time (HistoSoundPad * sound, guint64 time)
{
  if (sound->segment.format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (time))
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (&sound->segment, GST_FORMAT_TIME,
      CLAMP (time, sound->segment.start, sound->segment.stop));
}

/* Returns: FALSE if the structure is no result of audio */
static gboolean
read_result (HistoSoundPad * sound, const GstStructure * structure)
{
  g_autoptr (GError) error = NULL;

  if (histo_read_result (structure, &sound->result, &error)
      && sound->result.is_audio)
    return TRUE;
  if (!sound->has_warned)
    GST_WARNING_OBJECT (sound->pad, "not a result of audio: %s",
        error != NULL ? error->message : "of video");
  sound->has_warned = TRUE;
  return FALSE;
}

/* @result: that of the structure
 * Returns: (nullable): the alerts of a result; NULL: none */
static HistoAlertList *
read_alerts (const GstStructure * structure, const HistoResult * result,
    guint64 time)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  HistoAlertList *alerts = NULL;

  g_array_set_clear_func (events, histo_alert_event_clear);
  if (histo_read_alerts (structure, events, NULL) && events->len > 0) {
    alerts = g_new0 (HistoAlertList, 1);
    histo_alert_list_add (alerts, events, result, time);
  }
  return alerts;
}

/* @start, @end: running time in ns
 * Returns: (nullable): the result of a buffer; NULL: it has none */
static Entry *
read_entry (HistoSoundPad * sound, GstBuffer * buffer,
    guint64 start, guint64 end)
{
  const GstStructure *structure;
  GstCustomMeta *meta;
  Entry *entry;

  g_mutex_lock (&sound->pads->lock);
  meta = gst_buffer_get_custom_meta (buffer, sound->pads->meta_name);
  g_mutex_unlock (&sound->pads->lock);
  if (meta == NULL)
    return NULL;
  structure = gst_custom_meta_get_structure (meta);
  if (!read_result (sound, structure))
    return NULL;
  entry = g_new0 (Entry, 1);
  histo_sound_result_set (&entry->sound, &sound->result,
      sound->channel_names);
  entry->sound.start = start;
  entry->sound.end = end;
  entry->alerts = read_alerts (structure, &sound->result, start);
  return entry;
}

/* Running time of the end of a buffer, or of the segment; GST_CLOCK_TIME_NONE: unknown */
static guint64
find_end (HistoSoundPad * sound, GstBuffer * buffer)
{
  const guint64 start = GST_BUFFER_PTS (buffer);
  const guint64 duration = GST_BUFFER_DURATION (buffer);

  if (!GST_CLOCK_TIME_IS_VALID (start) || !GST_CLOCK_TIME_IS_VALID (duration)
      || duration >= GST_CLOCK_TIME_NONE - start)
    return GST_CLOCK_TIME_NONE;
  return to_running_time (sound, start + duration);
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  HistoSoundPad *sound = gst_pad_get_element_private (pad);
  const guint64 start = to_running_time (sound, GST_BUFFER_PTS (buffer));
  const guint64 end = find_end (sound, buffer);
  Entry *entry;

  entry = read_entry (sound, buffer, start, end);
  gst_buffer_unref (buffer);

  g_mutex_lock (&sound->pads->lock);
  if (entry != NULL)
    g_queue_push_tail (&sound->entries, entry);
  if (sound->entries.length > MOST_ENTRIES) {
    GST_DEBUG_OBJECT (pad, "more than %d results wait for their frames: the oldest one is dropped", MOST_ENTRIES);
    free_entry (g_queue_pop_head (&sound->entries));
  }
  advance (sound, GST_CLOCK_TIME_IS_VALID (end) ? end : start);
  g_mutex_unlock (&sound->pads->lock);
  return GST_FLOW_OK;
}

/* ---- Events and queries of the audio pads ------------------------------------------ */

/* No event goes on: the pad is the end of its branch. */
static gboolean
handle_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  g_autoptr (GstEvent) own = event;
  HistoSoundPad *sound;
  GstClockTime start, duration;
  GstCaps *caps;

  /* FLUSH_START comes in any thread, also while the pad is released. The pad does nothing with it. */
  if (!GST_EVENT_IS_SERIALIZED (own))
    return TRUE;
  sound = gst_pad_get_element_private (pad);
  /* The pad was released, but somebody still holds it. */
  if (sound == NULL)
    return FALSE;
  g_mutex_lock (&sound->pads->lock);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      sound->is_over = FALSE;
      break;
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      GST_DEBUG_OBJECT (pad, "caps %" GST_PTR_FORMAT, caps);
      g_strfreev (sound->channel_names);
      sound->channel_names = histo_channel_names (caps);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &sound->segment);
      sound->is_over = FALSE;
      GST_DEBUG_OBJECT (pad, "segment %" GST_SEGMENT_FORMAT, &sound->segment);
      break;
    case GST_EVENT_GAP:
      gst_event_parse_gap (event, &start, &duration);
      /* What is behind the greatest time is behind the segment, too. */
      if (GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (duration)
          && !g_uint64_checked_add (&start, start, duration))
        start = GST_CLOCK_TIME_NONE - 1;
      advance (sound, to_running_time (sound, start));
      break;
    case GST_EVENT_FLUSH_STOP:
      reset_pad (sound);
      break;
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      GST_DEBUG_OBJECT (pad, "frames do not wait after %s", GST_EVENT_TYPE_NAME (event));
      sound->is_over = TRUE;
      g_cond_broadcast (&sound->pads->changed);
      break;
    default:
      break;
  }
  g_mutex_unlock (&sound->pads->lock);
  return TRUE;
}

static gboolean
handle_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS:
      return gst_pad_query_default (pad, parent, query);
    case GST_QUERY_DRAIN:
      return TRUE;
    default:
      return FALSE;
  }
}

/* Nothing of an audio pad reaches the source pad. */
static GstIterator *
iterate_no_links (GstPad * pad, GstObject * parent)
{
  return NULL;
}

/* In READY, nothing of an earlier stream is left. */
static gboolean
activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  HistoSoundPad *sound;

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return gst_pad_get_element_private (pad) != NULL;
  /* The pad is flushing, but a buffer may still be in chain(), which would add its result afterwards. A
   * release clears the private data under this lock, too. */
  GST_PAD_STREAM_LOCK (pad);
  sound = gst_pad_get_element_private (pad);
  if (sound != NULL) {
    g_mutex_lock (&sound->pads->lock);
    reset_pad (sound);
    g_mutex_unlock (&sound->pads->lock);
    /* The next stream has caps of its own. */
    g_clear_pointer (&sound->channel_names, g_strfreev);
    sound->has_warned = FALSE;
  }
  GST_PAD_STREAM_UNLOCK (pad);
  return TRUE;
}

/* ---- Request and release ----------------------------------------------------------- */

/* Under the lock. @name: (nullable): as requested; NULL: any, of which the lowest number that is free is taken
 * Returns: whether there can be one more pad with this number */
static gboolean
choose_number (const HistoSoundPads * pads, const gchar * name, guint * number)
{
  guint64 wanted;

  for (*number = 0; *number < pads->pads->len; (*number)++)
    if (((HistoSoundPad *) g_ptr_array_index (pads->pads, *number))->number != *number)
      break;
  if (pads->pads->len >= HISTO_MOST_SOUNDS)
    return FALSE;
  if (name == NULL || !g_str_has_prefix (name, "audio_")
      || !g_ascii_string_to_unsigned (name + strlen ("audio_"), 10, 0,
          G_MAXUINT, &wanted, NULL))
    return TRUE;
  *number = wanted;
  for (guint i = 0; i < pads->pads->len; i++) {
    if (((HistoSoundPad *) g_ptr_array_index (pads->pads, i))->number == wanted)
      return FALSE;
  }
  return TRUE;
}

static GstPad *
make_pad (HistoSoundPad * sound, GstPadTemplate * template)
{
  gchar *name = g_strdup_printf ("audio_%u", sound->number);
  GstPad *pad = gst_pad_new_from_template (template, name);

  g_free (name);
  gst_pad_set_element_private (pad, sound);
  gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_event_function (pad, GST_DEBUG_FUNCPTR (handle_event));
  gst_pad_set_query_function (pad, GST_DEBUG_FUNCPTR (handle_query));
  gst_pad_set_activatemode_function (pad, GST_DEBUG_FUNCPTR (activate_mode));
  gst_pad_set_iterate_internal_links_function (pad, GST_DEBUG_FUNCPTR (iterate_no_links));
  return pad;
}

/**
 * histo_sound_pads_request:
 * @name: (nullable): "audio_" and a number; %NULL: the first that is free
 *
 * Returns: (transfer none) (nullable): the new pad of the element; %NULL if there is one of this name,
 * or if there are %HISTO_MOST_SOUNDS pads
 */
GstPad *
histo_sound_pads_request (HistoSoundPads * pads, GstElement * element,
    GstPadTemplate * template, const gchar * name)
{
  HistoSoundPad *sound;
  guint number, place = 0;

  g_mutex_lock (&pads->lock);
  if (!choose_number (pads, name, &number)) {
    g_mutex_unlock (&pads->lock);
    GST_WARNING_OBJECT (element, "no audio pad \"%s\": it exists, or there "
        "are %d already", name != NULL ? name : "audio_%u", HISTO_MOST_SOUNDS);
    return NULL;
  }
  sound = g_new0 (HistoSoundPad, 1);
  sound->pads = pads;
  sound->number = number;
  g_queue_init (&sound->entries);
  reset_pad (sound);
  sound->pad = make_pad (sound, template);
  while (place < pads->pads->len
      && ((HistoSoundPad *) g_ptr_array_index (pads->pads, place))->number < sound->number)
    place++;
  g_ptr_array_insert (pads->pads, place, sound);
  g_mutex_unlock (&pads->lock);
  gst_element_add_pad (element, sound->pad);
  return sound->pad;
}

void
histo_sound_pads_release (HistoSoundPads * pads, GstElement * element,
    GstPad * pad)
{
  HistoSoundPad *sound = gst_pad_get_element_private (pad);

  gst_object_ref (pad);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
  /* Serialized events, which a pad that is not active may still get, hold this lock. */
  GST_PAD_STREAM_LOCK (pad);
  gst_pad_set_element_private (pad, NULL);
  g_mutex_lock (&pads->lock);
  g_ptr_array_remove (pads->pads, sound);
  g_cond_broadcast (&pads->changed);
  g_mutex_unlock (&pads->lock);
  GST_PAD_STREAM_UNLOCK (pad);
  gst_object_unref (pad);
}

/* ---- Frames, in the thread of the video -------------------------------------------- */

static void
set (HistoSoundPads * pads, gboolean * flag, gboolean value)
{
  g_mutex_lock (&pads->lock);
  *flag = value;
  pads->wanted = GST_CLOCK_TIME_NONE;
  g_cond_broadcast (&pads->changed);
  g_mutex_unlock (&pads->lock);
}

/* @is_flushing: of the video's sink pad, or a flush was asked for. Until it is over frames take no sound: that which comes is of later
 * frames */
void
histo_sound_pads_set_flushing (HistoSoundPads * pads, gboolean is_flushing)
{
  set (pads, &pads->is_flushing, is_flushing);
}

/* @is_stopping: the element goes to READY. Any thread; no frame waits any more */
void
histo_sound_pads_set_stopping (HistoSoundPads * pads, gboolean is_stopping)
{
  set (pads, &pads->is_stopping, is_stopping);
}

/* Under the lock: whether the sound of a pad until @time is still to come. */
static gboolean
is_behind (const HistoSoundPad * sound, guint64 time)
{
  return !sound->is_over && !sound->is_late && gst_pad_is_linked (sound->pad)
      && (!GST_CLOCK_TIME_IS_VALID (sound->position)
      || sound->position < time);
}

/* Under the lock. */
static gboolean
any_is_behind (const HistoSoundPads * pads, guint64 time)
{
  for (guint i = 0; i < pads->pads->len; i++) {
    if (is_behind (g_ptr_array_index (pads->pads, i), time))
      return TRUE;
  }
  return FALSE;
}

/* Under the lock. */
static void
wait (HistoSoundPads * pads, guint64 time, guint64 longest_wait)
{
  const gint64 limit = g_get_monotonic_time () + longest_wait / 1000;

  if (longest_wait == 0 || !GST_CLOCK_TIME_IS_VALID (time))
    return;
  while (!pads->is_flushing && !pads->is_stopping
      && any_is_behind (pads, time)) {
    if (g_cond_wait_until (&pads->changed, &pads->lock, limit))
      continue;
    for (guint i = 0; i < pads->pads->len; i++) {
      HistoSoundPad *sound = g_ptr_array_index (pads->pads, i);

      if (is_behind (sound, time)) {
        GST_INFO_OBJECT (sound->pad, "no sound until %" GST_TIME_FORMAT
            ": not waiting until it catches up", GST_TIME_ARGS (time));
        sound->is_late = TRUE;
      }
    }
    return;
  }
}

/* Under the lock: takes the results of the sound that begins before @time. */
static void
take_entries (HistoSoundPad * sound, guint64 time,
    const HistoOverlaySettings * settings, HistoAlertList * alerts)
{
  Entry *entry;

  while ((entry = g_queue_peek_head (&sound->entries)) != NULL) {
    const guint64 start = entry->sound.start;

    if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (start)
        && start >= time)
      break;
    histo_meters_add (&sound->meters, &entry->sound, settings);
    if (entry->alerts != NULL)
      histo_alert_list_merge (alerts, entry->alerts);
    free_entry (g_queue_pop_head (&sound->entries));
  }
  histo_meters_advance (&sound->meters, time, settings);
}

/**
 * histo_sound_pads_collect:
 * @time: running time in ns of the end of a frame; %GST_CLOCK_TIME_NONE: unknown, all sound that
 * has come belongs to the frame
 * @longest_wait: in ns; 0: takes what is there
 * @meters: (out): %HISTO_MOST_SOUNDS; those of the pads that have had a result
 * @alerts: (inout): the alerts of the sound are added
 *
 * Waits until the sound until @time is there, and lets the meters show it.
 *
 * Returns: how many meters are set
 */
guint
histo_sound_pads_collect (HistoSoundPads * pads, guint64 time,
    guint64 longest_wait, const HistoOverlaySettings * settings,
    HistoMeters * meters, HistoAlertList * alerts)
{
  guint n = 0;

  g_mutex_lock (&pads->lock);
  pads->wanted = time;
  wait (pads, time, longest_wait);
  for (guint i = 0; i < pads->pads->len; i++) {
    HistoSoundPad *sound = g_ptr_array_index (pads->pads, i);

    if (!pads->is_flushing)
      take_entries (sound, time, settings, alerts);
    if (sound->meters.latest.n_channels > 0)
      meters[n++] = sound->meters;
  }
  g_mutex_unlock (&pads->lock);
  return n;
}
