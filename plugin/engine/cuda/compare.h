/* Comparing two pictures on the device: which kernels read the samples of both formats, the plans of launches, and
 * what the launches leave.
 *
 * The programs that test and time the kernels use these functions too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_COMPARE_H
#define HISTO_CUDA_COMPARE_H

#include "engine/cuda/kernels.h"
#include "kernels/compare-launch.h"

G_BEGIN_DECLS

/* How the pictures of two formats are compared. */
typedef struct
{
  HistoCudaLimits limits;
  guint n_components;
  guint bytes;                  /* of a sample as it is compared */
  guint kernel;                 /* of HISTO_COMPARE_KERNELS */
  guint depths[HISTO_MAX_COMPONENTS];
  /* The picture is written to planes of its own first, one for each component. */
  gboolean is_extracted[2];
  HistoComponentSamples components[2][HISTO_MAX_COMPONENTS];
  guint n_planes[2];
  HistoPlane planes[2][HISTO_MAX_PLANES];       /* of the formats, without data */
  /* Words, see HistoCompareLaunch. */
  guint32 selectors[2], shifts[2], masks[2];
  guint strides[HISTO_MAX_COMPONENTS];  /* of extracted planes, bytes */
  gsize extracted_bytes;        /* of the extracted planes of a picture */
} HistoCudaComparePlan;

/* Samples of a component: the same rectangle of both pictures. */
typedef struct
{
  guint x, y, width, height;
} HistoCompareRectangle;

/* The launches of a pair of pictures. */
typedef struct
{
  GArray *launches;             /* of HistoCompareLaunch; its result is an offset until it is launched */
  GArray *owners;               /* of guint: for each component of each plane of the launches the number of its
                                 * rectangle; two for each plane */
  guint n_blocks;               /* of all launches: each leaves two HistoCompareSums */
} HistoCudaCompareFrame;

/* A picture on the device: the planes of its format, and where it was extracted. */
typedef struct
{
  const HistoPlane *planes;     /* (nullable): NULL: there is no such picture */
  CUdeviceptr extracted;
} HistoCudaPicture;

gboolean histo_cuda_compare_plan (const HistoCudaLimits * limits,
    const HistoFormat * picture, const HistoFormat * reference, HistoCudaComparePlan * plan, GError ** error);
gboolean histo_cuda_compare_extract (const HistoCudaKernels * kernels,
    const HistoCudaComparePlan * plan, guint picture, const HistoPlane * planes, CUdeviceptr memory, CUstream stream,
    GError ** error);

void histo_cuda_compare_frame_init (HistoCudaCompareFrame * frame);
void histo_cuda_compare_frame_clear (HistoCudaCompareFrame * frame);
void histo_cuda_compare_plan_frame (const HistoCudaComparePlan * plan,
    const HistoCudaPicture pictures[2], const HistoCompareRectangle * rectangles, guint n_regions, gboolean has_ssim,
    HistoCudaCompareFrame * frame);
gboolean histo_cuda_compare_launch (const HistoCudaKernels * kernels,
    const HistoCudaComparePlan * plan, const HistoCudaCompareFrame * frame, CUdeviceptr result, CUstream stream,
    GError ** error);
void histo_cuda_compare_join (const HistoCudaCompareFrame * frame,
    const HistoCompareSums * result, HistoCompareSums * sums);

gboolean histo_cuda_compare_launch_xpsnr (const HistoCudaKernels * kernels,
    const HistoCudaComparePlan * plan, const HistoCudaPicture pictures[2], const HistoCudaPicture before[2],
    const HistoCompareRectangle * rectangles, const HistoXpsnrGrid * grid, guint leading, gboolean is_second,
    CUdeviceptr result, CUstream stream, GError ** error);

static inline gsize
histo_cuda_compare_result_bytes (const HistoCudaCompareFrame * frame)
{
  return (gsize) frame->n_blocks * 2 * sizeof (HistoCompareSums);
}

G_END_DECLS

#endif /* HISTO_CUDA_COMPARE_H */
