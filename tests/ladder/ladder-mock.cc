// The ladder's kernels for the mock, and the launches that the mock does not know: cooperative ones, and clusters.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ladder-shim.h"

#include "ladder.cu"

#include "mock-driver.h"

LadderShim ladder_shim;

// LADDER_SEED: the order of blocks and threads is drawn from it, so that a missing barrier shows.
[[maybe_unused]] static const unsigned seed =
    simt_seed = getenv ("LADDER_SEED") != nullptr ? unsigned (atoi (getenv ("LADDER_SEED"))) : 0;

// Shape the launches that follow on the stream.
struct Setting
{
  int phase;
  unsigned cluster, shared_bytes;
};

static void
apply_setting (void *data)
{
  const std::unique_ptr<Setting> setting (static_cast<Setting *> (data));
  ladder_shim.phase = setting->phase;
  ladder_shim.cluster = setting->cluster;
  ladder_shim.shared_bytes = setting->shared_bytes;
  if (setting->phase == 0)
    ladder_shim.shared.clear ();
}

// What a launch stored is there when it has ended.
static void
end_launch (void *)
{
  for (const auto &store : ladder_shim.under_way)
    *store.first = store.second;
  ladder_shim.under_way.clear ();
}

static CUresult
set (CUstream stream, Setting setting)
{
  const auto copy = new Setting (setting);
  const CUresult result = cuLaunchHostFunc (stream, apply_setting, copy);
  if (result != CUDA_SUCCESS)
    delete copy;
  return result;
}

// A launch whose blocks meet is one launch for each phase, because blocks run one after another.
MOCK_EXPORT CUresult
cuLaunchKernelEx (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
  Setting setting = { 0, 1, config->sharedMemBytes };
  int n_phases = 1;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      setting.cluster = attribute.value.clusterDim.x;
    else if (attribute.id != CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      return CUDA_ERROR_NOT_SUPPORTED;
    n_phases = LadderShim::n_phases;
  }
  if (config->gridDimX % setting.cluster != 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CUDA_SUCCESS;
  for (; setting.phase < n_phases && result == CUDA_SUCCESS; setting.phase++) {
    result = set (config->hStream, setting);
    if (result == CUDA_SUCCESS)
      result = cuLaunchKernel (function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
          config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, parameters, extra);
  }
  return result == CUDA_SUCCESS ? cuLaunchHostFunc (config->hStream, end_launch, nullptr) : result;
}
