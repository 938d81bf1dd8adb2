// SPDX-License-Identifier: Apache-2.0
#include "tests/driver/random/buffers.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

namespace {

bool by_address() { return std::getenv("RANDOM_SVM") != nullptr; }

/// Every other buffer begins behind so much of its allocation: aligned for kernels, but not for every sub-buffer.
std::size_t next_lead() {
  static std::size_t made = 0;
  return made++ % 2 * sizeof(Block);
}

Buffer make_shared(cl_context context, cl_command_queue queue, std::size_t bytes, const Content& content) {
  Buffer buffer;
  buffer.bytes = bytes;
  const std::size_t lead = next_lead();
  buffer.allocation = clSVMAlloc(context, CL_MEM_READ_WRITE, lead + bytes, 0);
  if (buffer.allocation == nullptr) throw std::runtime_error("clSVMAlloc gave NULL");
  buffer.svm = static_cast<unsigned char*>(buffer.allocation) + lead;
  if (content.kind != "none") {
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, buffer.svm, bytes, 0, nullptr, nullptr),
          "clEnqueueSVMMap");
    make(content, buffer.svm, bytes);
    check(clEnqueueSVMUnmap(queue, buffer.svm, 0, nullptr, nullptr), "clEnqueueSVMUnmap");
    check(clFinish(queue), "clFinish");
  }
  cl_int status = CL_SUCCESS;
  buffer.memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, buffer.svm, &status);
  check(status, "clCreateBuffer over shared virtual memory");
  return buffer;
}

}  // namespace

Buffer make_buffer(cl_context context, cl_command_queue queue, std::size_t bytes, const std::string& flags,
                   const Content& content) {
  if (by_address()) return make_shared(context, queue, bytes, content);
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.host.resize(bytes / sizeof(Block) + 1);
  auto* host = buffer.host.front().bytes.data();
  if (content.kind != "none") make(content, host, bytes);
  const cl_mem_flags kind = flags == "use_host"      ? CL_MEM_USE_HOST_PTR
                            : content.kind != "none" ? CL_MEM_COPY_HOST_PTR
                                                     : 0;
  cl_int status = CL_SUCCESS;
  buffer.memory = clCreateBuffer(context, CL_MEM_READ_WRITE | kind, bytes, kind != 0 ? host : nullptr, &status);
  check(status, "clCreateBuffer");
  return buffer;
}

Buffer make_part(const Buffer& parent, const cl_buffer_region& region) {
  Buffer buffer;
  buffer.bytes = region.size;
  buffer.part = true;
  if (parent.svm != nullptr) buffer.svm = parent.svm + region.origin;
  cl_int status = CL_SUCCESS;
  buffer.memory = clCreateSubBuffer(parent.memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  check(status, "clCreateSubBuffer");
  return buffer;
}

void release(cl_context context, Buffer& buffer) {
  clReleaseMemObject(buffer.memory);
  if (buffer.allocation != nullptr) clSVMFree(context, buffer.allocation);
}

void set_argument(cl_kernel kernel, cl_uint index, const Buffer& buffer) {
  if (buffer.svm != nullptr)
    check(clSetKernelArgSVMPointer(kernel, index, buffer.svm), "clSetKernelArgSVMPointer");
  else
    check(clSetKernelArg(kernel, index, sizeof(cl_mem), &buffer.memory), "clSetKernelArg");
}

cl_event write(const Place& place, const Buffer& buffer, std::size_t offset, std::size_t bytes, const void* from) {
  cl_event event = nullptr;
  if (buffer.svm != nullptr)
    check(clEnqueueSVMMemcpy(place.queue, CL_FALSE, buffer.svm + offset, from, bytes, place.waits, place.wait_list,
                             &event),
          "clEnqueueSVMMemcpy to shared virtual memory");
  else
    check(clEnqueueWriteBuffer(place.queue, buffer.memory, CL_FALSE, offset, bytes, from, place.waits, place.wait_list,
                               &event),
          "clEnqueueWriteBuffer");
  return event;
}

cl_event read(const Place& place, const Buffer& buffer, std::size_t offset, std::size_t bytes, void* to) {
  cl_event event = nullptr;
  if (buffer.svm != nullptr)
    check(
        clEnqueueSVMMemcpy(place.queue, CL_FALSE, to, buffer.svm + offset, bytes, place.waits, place.wait_list, &event),
        "clEnqueueSVMMemcpy from shared virtual memory");
  else
    check(clEnqueueReadBuffer(place.queue, buffer.memory, CL_FALSE, offset, bytes, to, place.waits, place.wait_list,
                              &event),
          "clEnqueueReadBuffer");
  return event;
}

cl_event copy(const Place& place, const Buffer& from, const Buffer& to, std::size_t from_offset, std::size_t to_offset,
              std::size_t bytes) {
  cl_event event = nullptr;
  if (from.svm != nullptr && to.svm != nullptr)
    check(clEnqueueSVMMemcpy(place.queue, CL_FALSE, to.svm + to_offset, from.svm + from_offset, bytes, place.waits,
                             place.wait_list, &event),
          "clEnqueueSVMMemcpy");
  else
    check(clEnqueueCopyBuffer(place.queue, from.memory, to.memory, from_offset, to_offset, bytes, place.waits,
                              place.wait_list, &event),
          "clEnqueueCopyBuffer");
  return event;
}

cl_event fill(const Place& place, const Buffer& buffer, const std::vector<unsigned char>& pattern, std::size_t offset,
              std::size_t bytes) {
  cl_event event = nullptr;
  if (buffer.svm != nullptr)
    check(clEnqueueSVMMemFill(place.queue, buffer.svm + offset, pattern.data(), pattern.size(), bytes, place.waits,
                              place.wait_list, &event),
          "clEnqueueSVMMemFill");
  else
    check(clEnqueueFillBuffer(place.queue, buffer.memory, pattern.data(), pattern.size(), offset, bytes, place.waits,
                              place.wait_list, &event),
          "clEnqueueFillBuffer");
  return event;
}

unsigned char* map(const Place& place, const Buffer& buffer, cl_map_flags flags, std::size_t offset,
                   std::size_t bytes) {
  if (buffer.svm != nullptr) {
    check(
        clEnqueueSVMMap(place.queue, CL_TRUE, flags, buffer.svm + offset, bytes, place.waits, place.wait_list, nullptr),
        "clEnqueueSVMMap");
    return buffer.svm + offset;
  }
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(place.queue, buffer.memory, CL_TRUE, flags, offset, bytes, place.waits,
                                    place.wait_list, nullptr, &status);
  check(status, "clEnqueueMapBuffer");
  return static_cast<unsigned char*>(mapped);
}

cl_event unmap(cl_command_queue queue, const Buffer& buffer, void* mapped) {
  cl_event event = nullptr;
  if (buffer.svm != nullptr)
    check(clEnqueueSVMUnmap(queue, mapped, 0, nullptr, &event), "clEnqueueSVMUnmap");
  else
    check(clEnqueueUnmapMemObject(queue, buffer.memory, mapped, 0, nullptr, &event), "clEnqueueUnmapMemObject");
  return event;
}
