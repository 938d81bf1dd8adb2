// SPDX-License-Identifier: Apache-2.0
// Maps: buffers are memory that the host reads as well.
#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

void* map_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags, std::size_t offset,
                 std::size_t bytes, cl_uint, const cl_event*, cl_event* event, cl_int* code_out) {
  cl_int code = record("clEnqueueMapBuffer", on_device(queue) + " bytes=" + std::to_string(bytes));
  if (code == CL_SUCCESS && (offset > mem->bytes || bytes > mem->bytes - offset)) code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS) code = enqueue("clEnqueueMapBuffer", queue, blocking, event, [] { return CL_SUCCESS; });
  if (code_out != nullptr) *code_out = code;
  return code == CL_SUCCESS ? mem->data + offset : nullptr;
}

cl_int unmap(cl_command_queue queue, cl_mem mem, void* address, cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int failed = record("clEnqueueUnmapMemObject", on_device(queue)); failed != CL_SUCCESS) return failed;
  const auto* const place = static_cast<const std::byte*>(address);
  if (place < mem->data || place >= mem->data + mem->bytes) return CL_INVALID_VALUE;
  return enqueue("clEnqueueUnmapMemObject", queue, CL_FALSE, event, [] { return CL_SUCCESS; });
}

}  // namespace

void fill_map_commands(cl_icd_dispatch& table) {
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueUnmapMemObject = unmap;
}

}  // namespace stub
