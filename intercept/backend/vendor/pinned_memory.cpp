// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/pinned_memory.h"

#include <sys/mman.h>

#include "intercept/backend/port/host_code.h"

namespace skmd::icd {

std::shared_ptr<MemoryHandle> lock_pages(const std::shared_ptr<NativeContext>& context, std::byte* host,
                                         std::size_t bytes) {
  populate_host(host, bytes);
  // The driver locks the pages of a buffer over host memory when it is made. The buffer is not mapped: that would take
  // device memory, and copy the bytes there and back.
  cl_int code = CL_SUCCESS;
  cl_mem mem =
      context->cl->clCreateBuffer(context->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &code);
  return mem == nullptr ? nullptr : owned_memory(context, mem);
}

std::shared_ptr<PinnedMemory> PinnedMemory::create(const std::shared_ptr<NativeContext>& context, std::size_t bytes) {
  std::byte* const host = map_host(bytes);
  if (host == nullptr) return nullptr;
  // A fork must not share these pages: kernels before Linux 5.9 give the parent another page at its next write, and the
  // device goes on reading the old one. The child uses no device.
  (void)madvise(host, bytes, MADV_DONTFORK);
  std::shared_ptr<PinnedMemory> pinned =
      owned([&] { return std::unique_ptr<PinnedMemory>(new PinnedMemory(host, bytes)); }, [&] { munmap(host, bytes); });
  pinned->lock_ = lock_pages(context, host, bytes);
  return pinned->lock_ ? pinned : nullptr;
}

PinnedMemory::~PinnedMemory() {
  lock_.reset();
  munmap(host_, bytes_);
}

}  // namespace skmd::icd
