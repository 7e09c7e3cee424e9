// SPDX-License-Identifier: LGPL-2.1-or-later
// What libgstcuda 1.22 to 1.28 insists on finding in libcuda.so.1, but none of our tests need: OpenGL, textures,
// sharing between processes, peer access. Each call says that it is not supported.
#include "mock-driver.h"

#define UNSUPPORTED(name, ...) \
  MOCK_EXPORT CUresult name (__VA_ARGS__) { return CUDA_ERROR_NOT_SUPPORTED; }

UNSUPPORTED (cuCtxEnablePeerAccess, CUcontext, unsigned)
UNSUPPORTED (cuCtxDisablePeerAccess, CUcontext)
UNSUPPORTED (cuCtxGetLimit, size_t *, CUlimit)
UNSUPPORTED (cuCtxSetLimit, CUlimit, size_t)

UNSUPPORTED (cuTexObjectCreate, CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
    const CUDA_RESOURCE_VIEW_DESC *)
UNSUPPORTED (cuTexObjectDestroy, CUtexObject)

UNSUPPORTED (cuGraphicsMapResources, unsigned, CUgraphicsResource *, CUstream)
UNSUPPORTED (cuGraphicsUnmapResources, unsigned, CUgraphicsResource *, CUstream)
UNSUPPORTED (cuGraphicsUnregisterResource, CUgraphicsResource)
UNSUPPORTED (cuGraphicsResourceSetMapFlags_v2, CUgraphicsResource, unsigned)
UNSUPPORTED (cuGraphicsSubResourceGetMappedArray, CUarray *, CUgraphicsResource, unsigned, unsigned)
UNSUPPORTED (cuGraphicsResourceGetMappedPointer_v2, CUdeviceptr *, size_t *, CUgraphicsResource)

// Declared by headers that want OpenGL's and EGL's own headers.
UNSUPPORTED (cuGLGetDevices_v2, unsigned *, CUdevice *, unsigned, int)
UNSUPPORTED (cuGraphicsGLRegisterBuffer, CUgraphicsResource *, unsigned, unsigned)
UNSUPPORTED (cuGraphicsGLRegisterImage, CUgraphicsResource *, unsigned, unsigned, unsigned)
UNSUPPORTED (cuGraphicsEGLRegisterImage, CUgraphicsResource *, void *, unsigned)
UNSUPPORTED (cuGraphicsResourceGetMappedEglFrame, void *, CUgraphicsResource, unsigned, unsigned)

UNSUPPORTED (cuIpcGetEventHandle, CUipcEventHandle *, CUevent)
UNSUPPORTED (cuIpcOpenEventHandle, CUevent *, CUipcEventHandle)
UNSUPPORTED (cuIpcGetMemHandle, CUipcMemHandle *, CUdeviceptr)
UNSUPPORTED (cuIpcOpenMemHandle_v2, CUdeviceptr *, CUipcMemHandle, unsigned)
UNSUPPORTED (cuIpcCloseMemHandle, CUdeviceptr)
#undef cuIpcOpenMemHandle       // libgstcuda asks for the older name
UNSUPPORTED (cuIpcOpenMemHandle, CUdeviceptr *, CUipcMemHandle, unsigned)
