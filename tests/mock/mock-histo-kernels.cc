// SPDX-License-Identifier: LGPL-2.1-or-later
// The element's own kernels, for the mock.
#include "simt.h"

#include "kernels/histo.cu"

#include "mock-kernel.h"

MOCK_KERNEL (cudahisto_count_frame)
MOCK_KERNEL (cudahisto_measure_audio)
