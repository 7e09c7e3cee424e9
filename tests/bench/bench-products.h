/* Other work on the GPU: a thread that multiplies matrices, one product after the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_PRODUCTS_H
#define BENCH_PRODUCTS_H

/* Of the kernel, products.cu. */
#define PRODUCTS_TILE 64
#define PRODUCTS_THREADS 256

#ifndef __CUDACC__
#include "engine/cuda/driver.h"

G_BEGIN_DECLS

typedef struct _Products Products;

/* Begins to multiply, in this context and on a stream of its own. The kernel and the memory are there
 * before this returns. Ends the program if the driver fails. */
Products *products_new (GstCudaContext * context);

/* Returns: the products that were made in a second, over the next @seconds */
gdouble products_measure (Products * products, gdouble seconds);

/* Ends the thread. */
void products_free (Products * products);

G_END_DECLS
#endif

#endif /* BENCH_PRODUCTS_H */
