/* Frames that the producer's stream is still writing when they are pushed: the element must
 * count the frame as it is when it is complete.
 *
 *   stream-order [--frames N] [--width W] [--height H]
 *
 * Each frame is written into memory that holds an earlier frame, after work on the stream that
 * takes milliseconds. The test checks itself: if the memory does not know the stream, the element
 * must count wrong frames.
 *
 * Memory knows its stream since GStreamer 1.24. With an older one the element gets stand-ins for the functions
 * that it looks up in libgstcuda. So this program, and a plugin, may run with an older or a newer GStreamer than
 * they were built with.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include "cuda-frames.h"
#include "lookup.h"
#include "probes.h"

#include <gmodule.h>

#define EXIT_SKIPPED 77
/* GST_CUDA_MEMORY_TRANSFER_NEED_SYNC, which the headers have since GStreamer 1.24. */
#define NEED_SYNC (GST_MEMORY_FLAG_LAST << 2)

/* More than are in flight, and few, so that each memory is written many times. */
#define N_MEMORIES 6
#define DELAY_US 3000
#define N_FILLS 32              /* fills of a block as large as N_FILLS frames */

/* How a frame is written. */
typedef enum
{
  WRITTEN,                      /* by the device, on the stream of the memory */
  UPLOADED,                     /* by libgstcuda, when the element groups it */
  UNKNOWN_STREAM                /* by the device, on a stream that the memory does not know */
} Writing;

static const gchar *const writing_names[] = {
  "written", "uploaded", "unknown stream"
};

/* Functions of the driver that libgstcuda's loader does not have. */
static struct
{
  CUresult (*launch_host_function) (CUstream, CUhostFn, void *);
  CUresult (*fill_2d) (CUdeviceptr, size_t, unsigned char, size_t, size_t,
      CUstream);
  CUresult (*fill) (CUdeviceptr, unsigned char, size_t, CUstream);
  CUresult (*allocate) (CUdeviceptr *, size_t);
  CUresult (*release) (CUdeviceptr);
  CUresult (*synchronize) (CUstream);
} driver;

static gint n_frames = 200, width = 1920, height = 1080;

/* ---- Streams: libgstcuda's, or stand-ins -------------------------------------------------- */

/* A GstCudaStream, or a stand-in. */
typedef struct
{
  GstMiniObject parent;
  CUstream handle;              /* of a stand-in */
} Stream;

static gboolean has_stand_ins;
static CUresult (*create_stream) (CUstream *, guint);
static CUresult (*destroy_stream) (CUstream);
static Stream *(*new_stream) (GstCudaContext *);
static CUstream (*handle_of) (Stream *);

static Stream *
new_stand_in (GstCudaContext * context)
{
  Stream *stream = g_new0 (Stream, 1);

  gst_mini_object_init (&stream->parent, 0, G_TYPE_POINTER, NULL, NULL,
      (GstMiniObjectFreeFunction) g_free);
  gst_cuda_context_push (context);
  if (create_stream (&stream->handle, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    g_error ("no CUDA stream");
  gst_cuda_context_pop (NULL);
  return stream;
}

static CUstream
handle_of_stand_in (Stream * stream)
{
  return stream->handle;
}

static GQuark
stream_quark (void)
{
  return g_quark_from_static_string ("stream-order");
}

static Stream *
stream_of_memory (GstMemory * memory)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory),
      stream_quark ());
}

/* The element looks up functions here. */
G_MODULE_EXPORT void *
dlsym (void *library, const char *name)
{
  if (has_stand_ins && g_str_equal (name, "gst_cuda_memory_get_stream"))
    return stream_of_memory;
  if (has_stand_ins && g_str_equal (name, "gst_cuda_stream_get_handle"))
    return handle_of_stand_in;
  return test_look_up (library, name);
}

static void
find_streams (void)
{
  void *library = dlopen ("libgstcuda-1.0.so.0", RTLD_NOW | RTLD_NOLOAD);

  *(void **) &new_stream = dlsym (library, "gst_cuda_stream_new");
  *(void **) &handle_of = dlsym (library, "gst_cuda_stream_get_handle");
  has_stand_ins = new_stream == NULL || handle_of == NULL;
  if (has_stand_ins) {
    new_stream = new_stand_in;
    handle_of = handle_of_stand_in;
  }
  g_print ("streams: %s\n", has_stand_ins ?
      "stand-ins, because memory knows none before GStreamer 1.24" :
      "libgstcuda's");
}

static void
free_stream (Stream * stream, GstCudaContext * context)
{
  if (has_stand_ins) {
    gst_cuda_context_push (context);
    destroy_stream (stream->handle);
    gst_cuda_context_pop (NULL);
  }
  gst_mini_object_unref (GST_MINI_OBJECT_CAST (stream));
}

/* ---- The driver ---------------------------------------------------------------------------- */

static gboolean
find_driver (void)
{
  static const struct
  {
    const gchar *name;
    void *function;
  } functions[] = {
    {"cuLaunchHostFunc", &driver.launch_host_function},
    {"cuMemsetD2D8Async", &driver.fill_2d},
    {"cuMemsetD8Async", &driver.fill},
    {"cuMemAlloc_v2", &driver.allocate},
    {"cuMemFree_v2", &driver.release},
    {"cuStreamSynchronize", &driver.synchronize},
    {"cuStreamCreate", &create_stream},
    {"cuStreamDestroy_v2", &destroy_stream},
  };
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  if (library == NULL || !gst_cuda_load_library ())
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    void *found = dlsym (library, functions[i].name);

    if (found == NULL)
      return FALSE;
    *(void **) functions[i].function = found;
  }
  return TRUE;
}

static void
check (CUresult result, const gchar * what)
{
  if (result != CUDA_SUCCESS)
    g_error ("%s: CUDA error %d", what, result);
}

/* ---- Frames: one luma value in each half, and one value for the chroma ---------------------- */

typedef struct
{
  guint8 upper, lower, colour;
} Picture;

static Picture
picture_of (guint n)
{
  return (Picture) {
  n * 37, n * 37 + 101, n * 59 + 7};
}

typedef struct
{
  GstCudaContext *context;
  Stream *stream;
  GstVideoInfo info;
  GstMemory *memories[N_MEMORIES];
  CUdeviceptr block;            /* for the work that delays the stream */
  gsize block_size;

  GMutex lock;
  GCond changed;
  GstPad *src, *sink;
  guint n_received, n_wrong;
  gboolean is_eos;
} Run;

static void CUDA_CB
sleep_on_stream (void *user_data)
{
  g_usleep (DELAY_US);
}

/* Delays the stream by a host function (even n) or by work of the device (odd n). */
static void
delay_stream (Run * run, guint n)
{
  CUstream stream = handle_of (run->stream);

  if (n % 2 == 0) {
    check (driver.launch_host_function (stream, sleep_on_stream, NULL),
        "cuLaunchHostFunc");
    return;
  }
  for (guint i = 0; i < N_FILLS; i++)
    check (driver.fill (run->block, i, run->block_size, stream),
        "cuMemsetD8Async");
}

static void
write_on_device (Run * run, GstMemory * memory, Picture picture)
{
  const GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (memory)->info;
  CUstream stream = handle_of (run->stream);
  CUdeviceptr start;
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_WRITE | GST_MAP_CUDA))
    g_error ("CUDA memory cannot be mapped");
  start = (CUdeviceptr) (guintptr) map.data;
  check (driver.fill_2d (start, info->stride[0], picture.upper, width,
          height / 2, stream), "cuMemsetD2D8Async");
  check (driver.fill_2d (start + (gsize) info->stride[0] * (height / 2),
          info->stride[0], picture.lower, width, height / 2, stream),
      "cuMemsetD2D8Async");
  check (driver.fill_2d (start + info->offset[1], info->stride[1],
          picture.colour, width, height / 2, stream), "cuMemsetD2D8Async");
  gst_memory_unmap (memory, &map);
  if (!has_stand_ins)
    GST_MINI_OBJECT_FLAG_SET (memory, NEED_SYNC);
}

static void
write_on_host (GstMemory * memory, Picture picture)
{
  const GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (memory)->info;
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_WRITE))
    g_error ("CUDA memory cannot be mapped");
  for (gint y = 0; y < height; y++)
    memset (map.data + (gsize) y * info->stride[0],
        y < height / 2 ? picture.upper : picture.lower, width);
  for (gint y = 0; y < height / 2; y++)
    memset (map.data + info->offset[1] + (gsize) y * info->stride[1],
        picture.colour, width);
  gst_memory_unmap (memory, &map);
}

/* ---- Results -------------------------------------------------------------------------------- */

/* Whether the component has only the values a and b, each so many times. */
static gboolean
has_counts (const GstStructure * result, const gchar * name, guint8 a, guint8 b,
    guint count_of_each)
{
  GstStructure *component = NULL;
  GBytes *histogram = NULL;
  guint32 expected[256] = { 0, };
  gboolean equal = TRUE;
  const guint8 *data;

  gst_structure_get (result, name, GST_TYPE_STRUCTURE, &component, NULL);
  gst_structure_get (component, "histogram", G_TYPE_BYTES, &histogram, NULL);
  expected[a] += count_of_each;
  expected[b] += count_of_each;
  data = g_bytes_get_data (histogram, NULL);
  for (guint i = 0; i < 256; i++)
    equal &= GST_READ_UINT32_LE (data + 4 * i) == expected[i];
  g_bytes_unref (histogram);
  gst_structure_free (component);
  return equal;
}

static gboolean
is_right (GstBuffer * buffer)
{
  const Picture picture = picture_of (GST_BUFFER_OFFSET (buffer));
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  const guint pixels = (guint) width * height;
  const GstStructure *result;

  if (meta == NULL)
    return FALSE;
  result = gst_custom_meta_get_structure (meta);
  return g_str_equal (gst_structure_get_string (result, "backend"), "cuda")
      && has_counts (result, "Y", picture.upper, picture.lower, pixels / 2)
      && has_counts (result, "U", picture.colour, picture.colour, pixels / 8)
      && has_counts (result, "V", picture.colour, picture.colour, pixels / 8);
}

static GstFlowReturn
receive_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Run *run = gst_pad_get_element_private (pad);
  gboolean right = is_right (buffer);

  /* The memory is written again as soon as it has no other reference. */
  gst_buffer_unref (buffer);
  g_mutex_lock (&run->lock);
  run->n_received++;
  run->n_wrong += !right;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
  return GST_FLOW_OK;
}

static gboolean
receive_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Run *run = gst_pad_get_element_private (pad);

  g_mutex_lock (&run->lock);
  run->is_eos |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
  gst_event_unref (event);
  return TRUE;
}

/* ---- A run ---------------------------------------------------------------------------------- */

static void
run_init (Run * run, Writing writing)
{
  *run = (Run) {
  NULL,};
  run->context = gst_cuda_context_new (0);
  if (run->context == NULL)
    g_error ("no CUDA context");
  run->stream = new_stream (run->context);
  gst_video_info_set_format (&run->info, GST_VIDEO_FORMAT_NV12, width, height);
  for (guint i = 0; i < N_MEMORIES; i++) {
    Stream *known = writing == UNKNOWN_STREAM ? NULL : run->stream;

    run->memories[i] = test_cuda_memory_new (run->context,
        has_stand_ins ? NULL : known, &run->info);
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (run->memories[i]),
        stream_quark (), known, NULL);
  }
  gst_cuda_context_push (run->context);
  run->block_size = N_FILLS * run->info.size;
  check (driver.allocate (&run->block, run->block_size), "cuMemAlloc");
  gst_cuda_context_pop (NULL);
  g_mutex_init (&run->lock);
  g_cond_init (&run->changed);
}

/* Waits until the memory of frame n has no other reference. */
static GstMemory *
wait_for_memory (Run * run, guint n)
{
  GstMemory *memory = run->memories[n % N_MEMORIES];

  while (GST_MINI_OBJECT_REFCOUNT_VALUE (memory) > 1)
    g_usleep (10);
  return memory;
}

static void
synchronize (Run * run)
{
  gst_cuda_context_push (run->context);
  check (driver.synchronize (handle_of (run->stream)),
      "cuStreamSynchronize");
  gst_cuda_context_pop (NULL);
}

static void
wait_for_frames (Run * run, guint n)
{
  g_mutex_lock (&run->lock);
  while (run->n_received < n)
    g_cond_wait (&run->changed, &run->lock);
  g_mutex_unlock (&run->lock);
}

static void
push_frame (Run * run, Writing writing, guint n)
{
  GstMemory *memory = wait_for_memory (run, n);
  GstBuffer *buffer = gst_buffer_new ();
  GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (memory)->info;

  gst_cuda_context_push (run->context);
  if (writing == UPLOADED) {
    write_on_host (memory, picture_of (n));
    delay_stream (run, n);
  } else {
    delay_stream (run, n);
    write_on_device (run, memory, picture_of (n));
  }
  gst_cuda_context_pop (NULL);
  gst_buffer_append_memory (buffer, gst_memory_ref (memory));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), width, height, 2, info->offset,
      info->stride);
  GST_BUFFER_OFFSET (buffer) = n;
  if (gst_pad_push (run->src, buffer) != GST_FLOW_OK)
    g_error ("frame %u was refused", n);
  if (writing == UNKNOWN_STREAM) {
    /* It was counted too early. Wait until it is written, before the next frame is. */
    wait_for_frames (run, n + 1);
    synchronize (run);
  }
}

static void
push_all (Run * run, Writing writing)
{
  GstCaps *caps = test_cuda_caps (&run->info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (run->src, gst_event_new_stream_start ("order"));
  gst_pad_push_event (run->src, gst_event_new_caps (caps));
  gst_pad_push_event (run->src, gst_event_new_segment (&segment));
  for (gint n = 0; n < n_frames; n++)
    push_frame (run, writing, n);
  gst_pad_push_event (run->src, gst_event_new_eos ());
  gst_caps_unref (caps);
}

static void
run_clear (Run * run)
{
  for (guint i = 0; i < N_MEMORIES; i++)
    gst_memory_unref (run->memories[i]);
  gst_cuda_context_push (run->context);
  driver.release (run->block);
  gst_cuda_context_pop (NULL);
  free_stream (run->stream, run->context);
  gst_object_unref (run->context);
  gst_object_unref (run->src);
  gst_object_unref (run->sink);
  g_mutex_clear (&run->lock);
  g_cond_clear (&run->changed);
}

/* Pushes all frames, written like this. Returns how many had wrong counts. */
static guint
count_wrong (Writing writing)
{
  GstElement *element = gst_parse_launch ("cudahisto backend=cuda "
      "max-in-flight=4", NULL);
  Run run;

  run_init (&run, writing);
  gst_object_ref_sink (element);
  test_link_pads (element, receive_buffer, receive_event, &run, &run.src,
      &run.sink);
  if (gst_element_set_state (element, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE)
    g_error ("the element does not start");
  push_all (&run, writing);
  g_mutex_lock (&run.lock);
  while (!run.is_eos)
    g_cond_wait (&run.changed, &run.lock);
  g_mutex_unlock (&run.lock);
  gst_element_set_state (element, GST_STATE_NULL);
  synchronize (&run);
  gst_pad_set_active (run.src, FALSE);
  gst_pad_set_active (run.sink, FALSE);
  gst_object_unref (element);
  if (run.n_received != (guint) n_frames)
    g_error ("only %u of %d frames arrived", run.n_received, n_frames);
  g_print ("%s: %u of %d frames wrong\n", writing_names[writing], run.n_wrong,
      n_frames);
  run_clear (&run);
  return run.n_wrong;
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
    {"frames", 0, 0, G_OPTION_ARG_INT, &n_frames, NULL, "N"},
    {"width", 0, 0, G_OPTION_ARG_INT, &width, "a multiple of 4", "W"},
    {"height", 0, 0, G_OPTION_ARG_INT, &height, "a multiple of 4", "H"},
    {NULL}
  };
  GOptionContext *options = g_option_context_new (NULL);
  GError *error = NULL;
  guint n_wrong;

  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  if (!g_option_context_parse (options, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  g_option_context_free (options);
  if (!find_driver ()) {
    g_print ("skipped: no CUDA driver\n");
    return EXIT_SKIPPED;
  }
  find_streams ();
  gst_cuda_memory_init_once ();
  /* Ends the process if it hangs. */
  alarm (120);

  n_wrong = count_wrong (WRITTEN) + count_wrong (UPLOADED);
  if (count_wrong (UNKNOWN_STREAM) == 0) {
    g_print ("no frame of an unknown stream was wrong: the delay is too short\n");
    return 1;
  }
  g_print ("%u frames of known streams wrong\n", n_wrong);
  return n_wrong > 0;
}
