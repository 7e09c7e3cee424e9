// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory as libcuda.so.1 gives it: allocations in the host's memory, copies, fills, and what is known about a pointer.
#include "mock-driver.h"

#include <cstdlib>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define MOCK_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOCK_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef MOCK_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
static const size_t guard_size = 0;     // AddressSanitizer guards the exact size
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void) (start), (void) (size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void) (start), (void) (size))
static const size_t guard_size = 256;   // looked at when the memory is freed
#endif

using namespace mock;

static const size_t alignment = 512;
// From this size on, memory is zero where nobody has written, and takes none there; nor is it guarded or poisoned.
static const size_t sparse_size = size_t { 1 } << 30;
static const int fresh_byte = 0xa5, freed_byte = 0x5b, guard_byte = 0xc3;

// ---- Allocations ---------------------------------------------------------------------------------------------------

std::shared_ptr<Allocation>
mock::find_memory (uintptr_t address)
{
  auto after = driver.memory.upper_bound (address);
  if (after == driver.memory.begin ())
    return nullptr;
  const std::shared_ptr<Allocation> &allocation = std::prev (after)->second;
  return address <= reinterpret_cast<uintptr_t> (allocation->start) + allocation->size ? allocation : nullptr;
}

void
mock::show_device_memory ()
{
  for (const auto &entry : driver.memory)
    if (entry.second->kind == MemoryKind::device && entry.second->size < sparse_size)
      ASAN_UNPOISON_MEMORY_REGION (entry.second->start, entry.second->size);
}

void
mock::hide_device_memory ()
{
  for (const auto &entry : driver.memory)
    if (entry.second->kind == MemoryKind::device && entry.second->size < sparse_size)
      ASAN_POISON_MEMORY_REGION (entry.second->start, entry.second->size);
}

static char *
allocate_filled (size_t size)
{
  void *memory;
  if (posix_memalign (&memory, alignment, size + guard_size) != 0)
    return nullptr;
  char *start = static_cast<char *> (memory);
  memset (start, fresh_byte, size);
  memset (start + size, guard_byte, guard_size);
  return start;
}

static char *
allocate_sparse (size_t size)
{
  void *memory = mmap (nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char *> (memory);
}

static CUresult
allocate (Call &call, size_t size, MemoryKind kind, char **start)
{
  if (size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *start = size < sparse_size ? allocate_filled (size) : allocate_sparse (size);
  if (*start == nullptr)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation allocation { *start, size, kind, call.context };
  driver.memory[reinterpret_cast<uintptr_t> (*start)] = std::make_shared<Allocation> (allocation);
  if (kind == MemoryKind::device && driver.operations_running == 0 && size < sparse_size)
    ASAN_POISON_MEMORY_REGION (*start, size);
  return CUDA_SUCCESS;
}

// The allocation that begins exactly there, of the kind that this call releases.
static std::shared_ptr<Allocation>
allocation_to_release (const Call &call, uintptr_t address, MemoryKind kind)
{
  const auto found = driver.memory.find (address);
  if (found == driver.memory.end ())
    fail (call.name, "nothing is allocated at 0x%zx, or it was freed already", static_cast<size_t> (address));
  if (found->second->kind != kind)
    fail (call.name, "0x%zx is another kind of memory", static_cast<size_t> (address));
  if (found->second->pending != 0)
    fail (call.name, "%u pending operations name the memory at 0x%zx", found->second->pending,
        static_cast<size_t> (address));
  return found->second;
}

static void
release (const Call &call, const std::shared_ptr<Allocation> &allocation)
{
  driver.memory.erase (reinterpret_cast<uintptr_t> (allocation->start));
  if (allocation->kind == MemoryKind::registered)
    return;
  if (allocation->size >= sparse_size) {
    munmap (allocation->start, allocation->size);
    return;
  }
  ASAN_UNPOISON_MEMORY_REGION (allocation->start, allocation->size);
  for (size_t i = 0; i < guard_size; i++)
    if (static_cast<unsigned char> (allocation->start[allocation->size + i]) != guard_byte)
      fail (call.name, "byte %zu beyond an allocation of %zu bytes was overwritten", i, allocation->size);
  memset (allocation->start, freed_byte, allocation->size);
  free (allocation->start);
}

static CUresult
allocate_device (Call &call, CUdeviceptr *pointer, size_t size)
{
  char *start;
  const CUresult result = allocate (call, size, MemoryKind::device, &start);
  if (result == CUDA_SUCCESS)
    *pointer = reinterpret_cast<CUdeviceptr> (start);
  return result;
}

MOCK_EXPORT CUresult
cuMemAlloc_v2 (CUdeviceptr *pointer, size_t size)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  return allocate_device (call, pointer, size);
}

MOCK_EXPORT CUresult
cuMemAllocPitch_v2 (CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned element_size)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  if (element_size != 4 && element_size != 8 && element_size != 16)
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + alignment - 1) & ~(alignment - 1);
  return allocate_device (call, pointer, *pitch * height);
}

MOCK_EXPORT CUresult
cuMemFree_v2 (CUdeviceptr pointer)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  if (pointer == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::shared_ptr<Allocation> allocation = allocation_to_release (call, pointer, MemoryKind::device);
  if (call.owns ("memory", *allocation))
    complete_context (call.lock, allocation->context);
  release (call, allocation);
  return CUDA_SUCCESS;
}

static CUresult
allocate_host (Call &call, void **pointer, size_t size, bool portable)
{
  char *start;
  const CUresult result = allocate (call, size, MemoryKind::page_locked, &start);
  if (result == CUDA_SUCCESS) {
    *pointer = start;
    driver.memory[reinterpret_cast<uintptr_t> (start)]->portable = portable;
  }
  return result;
}

MOCK_EXPORT CUresult
cuMemAllocHost_v2 (void **pointer, size_t size)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  return allocate_host (call, pointer, size, false);
}

MOCK_EXPORT CUresult
cuMemHostAlloc (void **pointer, size_t size, unsigned flags)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  if (flags & ~(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED))
    return CUDA_ERROR_INVALID_VALUE;
  return allocate_host (call, pointer, size, flags & CU_MEMHOSTALLOC_PORTABLE);
}

MOCK_EXPORT CUresult
cuMemFreeHost (void *pointer)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  if (pointer == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  const auto allocation =
      allocation_to_release (call, reinterpret_cast<uintptr_t> (pointer), MemoryKind::page_locked);
  call.owns ("memory", *allocation);
  release (call, allocation);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuMemHostRegister_v2 (void *pointer, size_t size, unsigned flags)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  const uintptr_t first = reinterpret_cast<uintptr_t> (pointer);
  if (pointer == nullptr || size == 0 || flags & ~(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP))
    return CUDA_ERROR_INVALID_VALUE;
  const auto after = driver.memory.lower_bound (first);
  const bool overlaps_next = after != driver.memory.end () && after->first < first + size;
  const bool overlaps_previous = after != driver.memory.begin ()
      && std::prev (after)->first + std::prev (after)->second->size > first;
  if (overlaps_next || overlaps_previous)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  Allocation allocation { static_cast<char *> (pointer), size, MemoryKind::registered, call.context };
  allocation.portable = flags & CU_MEMHOSTREGISTER_PORTABLE;
  driver.memory[first] = std::make_shared<Allocation> (allocation);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuMemHostUnregister (void *pointer)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  const auto allocation = allocation_to_release (call, reinterpret_cast<uintptr_t> (pointer), MemoryKind::registered);
  call.owns ("memory", *allocation);
  release (call, allocation);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuMemHostGetDevicePointer_v2 (CUdeviceptr *device_pointer, void *pointer, unsigned)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Allocation> allocation = find_memory (reinterpret_cast<uintptr_t> (pointer));
  if (!allocation || allocation->kind == MemoryKind::device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.owns ("memory", *allocation))
    return call.wrong_context ();
  *device_pointer = reinterpret_cast<CUdeviceptr> (pointer);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuMemGetInfo_v2 (size_t *free_bytes, size_t *total_bytes)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_CONTEXT);
  *total_bytes = size_t { 1 } << 34;
  *free_bytes = *total_bytes;
  for (const auto &entry : driver.memory)
    if (entry.second->kind == MemoryKind::device)
      *free_bytes -= entry.second->size;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuPointerGetAttribute (void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE, Needs::driver);
  const std::shared_ptr<Allocation> allocation = find_memory (pointer);
  if (!allocation || pointer == reinterpret_cast<CUdeviceptr> (allocation->start) + allocation->size)
    return CUDA_ERROR_INVALID_VALUE;    // pageable memory: the driver knows nothing of it
  const bool on_device = allocation->kind == MemoryKind::device;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      for (const auto &entry : driver.contexts.all ())
        if (entry.second == allocation->context)
          *static_cast<CUcontext *> (data) = reinterpret_cast<CUcontext> (entry.first);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *> (data) = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr *> (data) = pointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (on_device)
        return CUDA_ERROR_INVALID_VALUE;
      *static_cast<void **> (data) = reinterpret_cast<void *> (pointer);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned char *> (data) = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int *> (data) = allocation->context->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr *> (data) = reinterpret_cast<CUdeviceptr> (allocation->start);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t *> (data) = allocation->size;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// ---- Copies and fills ----------------------------------------------------------------------------------------------

namespace {

enum class Where { device, host, either };

// `rows` rows, `pitch` bytes from one to the next.
struct Rectangle
{
  char *first;
  size_t pitch;
  Where where;
};

Rectangle on_device (CUdeviceptr first) { return { reinterpret_cast<char *> (first), 0, Where::device }; }
Rectangle on_host (const void *first) { return { static_cast<char *> (const_cast<void *> (first)), 0, Where::host }; }

// Check that the rectangle lies within one allocation of the current context; note it down as used. Returns null for
// pageable memory.
std::shared_ptr<Allocation>
check_rectangle (Call &call, Operation &operation, const char *role, const Rectangle &rectangle, size_t width,
    size_t rows)
{
  const std::shared_ptr<Allocation> allocation = find_memory (reinterpret_cast<uintptr_t> (rectangle.first));
  const bool device = allocation && allocation->kind == MemoryKind::device;
  if (rectangle.where != Where::host && !allocation)
    fail (call.name, "the %s %p is in no allocation", role, static_cast<void *> (rectangle.first));
  if (rectangle.where == Where::host && device)
    fail (call.name, "the %s %p is said to be the host's, but is device memory", role,
        static_cast<void *> (rectangle.first));
  if (!allocation)
    return nullptr;
  const size_t offset = static_cast<size_t> (rectangle.first - allocation->start);
  const size_t extent = rectangle.pitch * (rows - 1) + width;
  if (offset + extent > allocation->size)
    fail (call.name, "the %s is %zu bytes at offset %zu in an allocation of %zu bytes", role, extent, offset,
        allocation->size);
  if (call.owns (role, *allocation))
    operation.memory.push_back (allocation);
  return allocation;
}

void
copy_rows (const Rectangle &destination, const Rectangle &source, size_t width, size_t rows)
{
  for (size_t row = 0; row < rows; row++)
    memmove (destination.first + row * destination.pitch, source.first + row * source.pitch, width);
}

CUresult
copy (Call &call, const std::shared_ptr<Stream> &stream, const Rectangle &destination, Rectangle source, size_t width,
    size_t rows)
{
  if (width == 0 || rows == 0)
    return CUDA_SUCCESS;
  if (rows > 1 && (destination.pitch < width || source.pitch < width))
    return CUDA_ERROR_INVALID_VALUE;
  Operation operation;
  operation.name = call.name;
  check_rectangle (call, operation, "destination", destination, width, rows);
  if (check_rectangle (call, operation, "source", source, width, rows)) {
    operation.run = [=] { copy_rows (destination, source, width, rows); };
    return perform (call, stream, std::move (operation));
  }

  // The driver has read pageable memory when the call returns, even where the copy itself comes later. In the other
  // direction it promises the like, but nobody should build on it: such a copy is made when its turn comes.
  const auto staging = std::make_shared<std::vector<char> > (width * rows);
  copy_rows ({ staging->data (), width, Where::host }, source, width, rows);
  operation.run = [=] { copy_rows (destination, { staging->data (), width, Where::host }, width, rows); };
  return perform (call, stream, std::move (operation));
}

// One side of a CUDA_MEMCPY2D; false for arrays, which the mock has none of.
bool
rectangle_of (CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y, size_t pitch, Rectangle *out)
{
  const char *base = type == CU_MEMORYTYPE_HOST ? static_cast<const char *> (host)
      : reinterpret_cast<const char *> (device);
  *out = { const_cast<char *> (base) + y * pitch + x, pitch, type == CU_MEMORYTYPE_HOST ? Where::host
      : type == CU_MEMORYTYPE_DEVICE ? Where::device : Where::either };
  return type != CU_MEMORYTYPE_ARRAY && base != nullptr;
}

CUresult
copy_2d (Call &call, const std::shared_ptr<Stream> &stream, const CUDA_MEMCPY2D *p)
{
  Rectangle source, destination;
  if (!rectangle_of (p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, p->srcPitch, &source)
      || !rectangle_of (p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, p->dstPitch, &destination))
    return CUDA_ERROR_INVALID_VALUE;
  return copy (call, stream, destination, source, p->WidthInBytes, p->Height);
}

// The machine is little-endian. Most fills are of zeros, for which memset is much faster.
void
fill_row (char *first, uint32_t value, size_t size, size_t count)
{
  if (value == 0)
    memset (first, 0, count * size);
  else
    for (size_t i = 0; i < count; i++)
      memcpy (first + i * size, &value, size);
}

// Fill `count` elements of `size` bytes in each of `rows` rows.
CUresult
fill (Call &call, const std::shared_ptr<Stream> &stream, CUdeviceptr pointer, size_t pitch, uint32_t value, size_t size,
    size_t count, size_t rows)
{
  if (count == 0 || rows == 0)
    return CUDA_SUCCESS;
  if (pointer % size != 0 || (rows > 1 && (pitch < count * size || pitch % size != 0)))
    return CUDA_ERROR_INVALID_VALUE;
  Operation operation;
  operation.name = call.name;
  const Rectangle destination = { reinterpret_cast<char *> (pointer), pitch, Where::either };
  check_rectangle (call, operation, "destination", destination, count * size, rows);
  operation.run = [=] {
    for (size_t row = 0; row < rows; row++)
      fill_row (destination.first + row * pitch, value, size, count);
  };
  return perform (call, stream, std::move (operation));
}

} // namespace

// With MOCK_BEGIN and the stream's lookup, all copies look alike: what differs is what they copy.
#define MOCK_ASYNCHRONOUS(use) \
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE); \
  const std::shared_ptr<Stream> on_stream = find_stream (call, stream, use); \
  if (!on_stream) \
    return call.wrong_context ()

MOCK_EXPORT CUresult
cuMemcpyHtoD_v2 (CUdeviceptr destination, const void *source, size_t size)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  return copy (call, nullptr, on_device (destination), on_host (source), size, 1);
}

MOCK_EXPORT CUresult
cuMemcpyDtoH_v2 (void *destination, CUdeviceptr source, size_t size)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  return copy (call, nullptr, on_host (destination), on_device (source), size, 1);
}

MOCK_EXPORT CUresult
cuMemcpyDtoD_v2 (CUdeviceptr destination, CUdeviceptr source, size_t size)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  return copy (call, nullptr, on_device (destination), on_device (source), size, 1);
}

MOCK_EXPORT CUresult
cuMemcpyHtoDAsync_v2 (CUdeviceptr destination, const void *source, size_t size, CUstream stream)
{
  MOCK_ASYNCHRONOUS (NullStream::work);
  return copy (call, on_stream, on_device (destination), on_host (source), size, 1);
}

MOCK_EXPORT CUresult
cuMemcpyDtoHAsync_v2 (void *destination, CUdeviceptr source, size_t size, CUstream stream)
{
  MOCK_ASYNCHRONOUS (NullStream::work);
  return copy (call, on_stream, on_host (destination), on_device (source), size, 1);
}

MOCK_EXPORT CUresult
cuMemcpyDtoDAsync_v2 (CUdeviceptr destination, CUdeviceptr source, size_t size, CUstream stream)
{
  MOCK_ASYNCHRONOUS (NullStream::work);
  return copy (call, on_stream, on_device (destination), on_device (source), size, 1);
}

MOCK_EXPORT CUresult
cuMemcpy2D_v2 (const CUDA_MEMCPY2D *parameters)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  return copy_2d (call, nullptr, parameters);
}

MOCK_EXPORT CUresult
cuMemcpy2DUnaligned_v2 (const CUDA_MEMCPY2D *parameters)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  return copy_2d (call, nullptr, parameters);
}

MOCK_EXPORT CUresult
cuMemcpy2DAsync_v2 (const CUDA_MEMCPY2D *parameters, CUstream stream)
{
  MOCK_ASYNCHRONOUS (NullStream::copy);
  return copy_2d (call, on_stream, parameters);
}

#define MOCK_FILL(bits, type) \
  MOCK_EXPORT CUresult \
  cuMemsetD##bits##_v2 (CUdeviceptr pointer, type value, size_t count) \
  { \
    MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE); \
    return fill (call, nullptr, pointer, 0, value, sizeof (type), count, 1); \
  } \
  MOCK_EXPORT CUresult \
  cuMemsetD##bits##Async (CUdeviceptr pointer, type value, size_t count, CUstream stream) \
  { \
    MOCK_ASYNCHRONOUS (NullStream::work); \
    return fill (call, on_stream, pointer, 0, value, sizeof (type), count, 1); \
  } \
  MOCK_EXPORT CUresult \
  cuMemsetD2D##bits##_v2 (CUdeviceptr pointer, size_t pitch, type value, size_t width, size_t height) \
  { \
    MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE); \
    return fill (call, nullptr, pointer, pitch, value, sizeof (type), width, height); \
  } \
  MOCK_EXPORT CUresult \
  cuMemsetD2D##bits##Async (CUdeviceptr pointer, size_t pitch, type value, size_t width, size_t height, \
      CUstream stream) \
  { \
    MOCK_ASYNCHRONOUS (NullStream::work); \
    return fill (call, on_stream, pointer, pitch, value, sizeof (type), width, height); \
  }
MOCK_FILL (8, unsigned char)
MOCK_FILL (16, unsigned short)
MOCK_FILL (32, unsigned)
