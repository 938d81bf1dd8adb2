// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/pinned_memory.h"

#include <new>

namespace skmd::icd {

std::shared_ptr<PinnedMemory> PinnedMemory::create(const std::shared_ptr<NativeContext>& context, std::size_t bytes) {
  const auto& cl = *context->cl;
  cl_int code = CL_SUCCESS;
  cl_mem mem = cl.clCreateBuffer(context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &code);
  if (mem == nullptr) return nullptr;
  const auto memory = owned_memory(context, mem);
  cl_command_queue queue = cl.clCreateCommandQueue(context->context, context->device, 0, &code);
  if (queue == nullptr) return nullptr;
  void* host =
      cl.clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &code);
  if (host == nullptr || code != CL_SUCCESS) {
    cl.clReleaseCommandQueue(queue);
    return nullptr;
  }
  auto pinned = owned(
      [&] { return std::unique_ptr<PinnedMemory>(new PinnedMemory(memory, queue, static_cast<std::byte*>(host))); },
      [&] { cl.clReleaseCommandQueue(queue); });
  return std::shared_ptr<PinnedMemory>(std::move(pinned));
}

PinnedMemory::~PinnedMemory() {
  const auto& cl = *memory_->owner->cl;
  if (cl.clEnqueueUnmapMemObject(queue_, memory_->mem, host_, 0, nullptr, nullptr) == CL_SUCCESS) cl.clFinish(queue_);
  cl.clReleaseCommandQueue(queue_);
}

}  // namespace skmd::icd
