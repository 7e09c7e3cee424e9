// SPDX-License-Identifier: LGPL-2.1-or-later
// The element's own kernels, for the mock.
#include "simt.h"

#include "kernels/histo.cu"

#include "mock-kernel.h"

#define MOCK_COUNT(name, threads) MOCK_KERNEL (cudahisto_count_##name)
HISTO_COUNT_KERNELS (MOCK_COUNT)
MOCK_KERNEL (cudahisto_sum_frame)
MOCK_KERNEL (cudahisto_mask)
MOCK_KERNEL (cudahisto_masked)
MOCK_KERNEL (cudahisto_sum_owned)
MOCK_KERNEL (cudahisto_sum_scopes)
MOCK_KERNEL (cudahisto_extract)
#define MOCK_REGIONS(name, ...) MOCK_KERNEL (cudahisto_strip_##name)
HISTO_REGION_KERNELS (MOCK_REGIONS)
MOCK_KERNEL (cudahisto_extract_planes)
MOCK_KERNEL (cudahisto_xpsnr_bytes)
MOCK_KERNEL (cudahisto_xpsnr_words)
#define MOCK_COMPARE(name, samples) MOCK_KERNEL (cudahisto_compare_##name)
HISTO_COMPARE_KERNELS (MOCK_COMPARE)
MOCK_KERNEL (cudahisto_measure_samples)
#define MOCK_VECTORS(name, threads) MOCK_KERNEL (cudahisto_measure_##name)
HISTO_VECTOR_KERNELS (MOCK_VECTORS)
MOCK_KERNEL (cudahisto_sum_audio)
