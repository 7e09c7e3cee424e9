/* The stream on which somebody fills CUDA memory; see producer.h.
 *
 * Memory knows its stream since GStreamer 1.24. The functions are looked up in the libgstcuda that runs, because
 * a plugin that was built with an older one runs with a newer one, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/producer.h"

#include <dlfcn.h>

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* The one that this plugin is linked with. */
#define LIBRARY "libgstcuda-1.0.so.0"

/* As GStreamer 1.24 declares them. There the stream is a GstCudaStream. */
typedef struct _HistoCudaStream HistoCudaStream;
typedef HistoCudaStream *(*GetStream) (GstCudaMemory * memory);
typedef CUstream (*GetHandle) (HistoCudaStream * stream);

typedef struct
{
  GetStream get_stream;         /* both are NULL before GStreamer 1.24 */
  GetHandle get_handle;
} Functions;

static gpointer
look_up (gpointer unused)
{
  static Functions functions;
  /* Never closed; it stays loaded as long as this plugin, which GStreamer never unloads. */
  void *library = dlopen (LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

  if (library != NULL) {
    functions.get_stream = (GetStream) dlsym (library,
        "gst_cuda_memory_get_stream");
    functions.get_handle = (GetHandle) dlsym (library,
        "gst_cuda_stream_get_handle");
  }
  if (functions.get_stream == NULL || functions.get_handle == NULL)
    functions = (Functions) { NULL };
  GST_DEBUG ("CUDA memory %s",
      functions.get_stream != NULL ? "knows the stream that fills it" :
      "knows no stream: this is a GStreamer before 1.24");
  return &functions;
}

/**
 * histo_producer_stream_of:
 * @memory: CUDA memory
 *
 * Returns: (nullable): the stream; %NULL if the memory knows none. Before GStreamer 1.24 it never does:
 * producers synchronise before they push a buffer.
 */
CUstream
histo_producer_stream_of (GstMemory * memory)
{
  static GOnce once = G_ONCE_INIT;
  const Functions *functions = g_once (&once, look_up, NULL);
  HistoCudaStream *stream = NULL;

  if (functions->get_stream != NULL)
    stream = functions->get_stream (GST_CUDA_MEMORY_CAST (memory));
  return stream != NULL ? functions->get_handle (stream) : NULL;
}
