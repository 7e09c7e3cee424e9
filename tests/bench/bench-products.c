/* Other work on the GPU; see bench-products.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "bench-products.h"

#include "bench-flow.h"
#include "bench-products-fatbin.h"

/* Rows and columns of a matrix. */
#define N 4096
/* Products in flight: the device always has the next one. */
#define DEPTH 3
#define N_MATRICES 3

struct _Products
{
  const HistoDriver *driver;
  GstCudaContext *context;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUevent events[DEPTH];
  CUdeviceptr matrices[N_MATRICES];
  GThread *thread;
  gint is_stopped;              /* atomic */
  gint n_done;                  /* atomic */
};

static void
launch (Products * products)
{
  gint n = N;
  void *arguments[] = { &products->matrices[0], &products->matrices[1],
    &products->matrices[2], &n
  };

  bench_must (products->driver->cuLaunchKernel (products->function,
          N / PRODUCTS_TILE, N / PRODUCTS_TILE, 1, PRODUCTS_THREADS, 1, 1, 0,
          products->stream, arguments, NULL), "product");
}

static gpointer
multiply (gpointer user_data)
{
  Products *products = user_data;
  const HistoDriver *driver = products->driver;
  guint n = 0;

  gst_cuda_context_push (products->context);
  for (; !g_atomic_int_get (&products->is_stopped); n++) {
    CUevent event = products->events[n % DEPTH];

    if (n >= DEPTH) {
      bench_must (driver->cuEventSynchronize (event), "product");
      g_atomic_int_inc (&products->n_done);
    }
    launch (products);
    bench_must (driver->cuEventRecord (event, products->stream), "event");
  }
  bench_must (driver->cuStreamSynchronize (products->stream), "product");
  gst_cuda_context_pop (NULL);
  return NULL;
}

Products *
products_new (GstCudaContext * context)
{
  Products *products = g_new0 (Products, 1);
  const HistoDriver *driver = histo_driver_get (NULL);

  products->driver = driver;
  products->context = gst_object_ref (context);
  gst_cuda_context_push (context);
  bench_must (driver->cuModuleLoadData (&products->module,
          bench_products_fatbin), "module");
  bench_must (driver->cuModuleGetFunction (&products->function,
          products->module, "product"), "function");
  bench_must (driver->cuStreamCreateWithPriority (&products->stream,
          CU_STREAM_NON_BLOCKING, 0), "stream");
  for (guint i = 0; i < DEPTH; i++)
    bench_must (driver->cuEventCreate (&products->events[i],
            CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), "event");
  for (guint i = 0; i < N_MATRICES; i++) {
    bench_must (driver->cuMemAlloc (&products->matrices[i],
            N * N * sizeof (gfloat)), "memory");
    /* 0.0123 or so in each place: no number that the hardware treats in another way. */
    bench_must (driver->cuMemsetD8Async (products->matrices[i], 0x3c,
            N * N * sizeof (gfloat), products->stream), "memory");
  }
  launch (products);
  bench_must (driver->cuStreamSynchronize (products->stream), "product");
  gst_cuda_context_pop (NULL);
  products->thread = g_thread_new ("products", multiply, products);
  return products;
}

gdouble
products_measure (Products * products, gdouble seconds)
{
  const gint64 begin = g_get_monotonic_time ();
  const gint n = g_atomic_int_get (&products->n_done);
  gint64 end;

  g_usleep (seconds * G_USEC_PER_SEC);
  end = g_get_monotonic_time ();
  return (g_atomic_int_get (&products->n_done) - n) * 1e6 / (end - begin);
}

void
products_free (Products * products)
{
  const HistoDriver *driver = products->driver;

  g_atomic_int_set (&products->is_stopped, TRUE);
  g_thread_join (products->thread);
  gst_cuda_context_push (products->context);
  for (guint i = 0; i < N_MATRICES; i++)
    bench_must (driver->cuMemFree (products->matrices[i]), "memory");
  for (guint i = 0; i < DEPTH; i++)
    bench_must (driver->cuEventDestroy (products->events[i]), "event");
  bench_must (driver->cuStreamDestroy (products->stream), "stream");
  bench_must (driver->cuModuleUnload (products->module), "module");
  gst_cuda_context_pop (NULL);
  gst_object_unref (products->context);
  g_free (products);
}
