// SPDX-License-Identifier: Apache-2.0
// Commands on buffers and kernels, and the table of all commands.
#include <cstring>
#include <vector>

#include "tests/stub-icd/overrides.h"
#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

std::string place(cl_command_queue queue, std::size_t offset, std::size_t bytes) {
  return "device=" + std::to_string(queue->device->index) + " offset=" + std::to_string(offset) +
         " bytes=" + std::to_string(bytes);
}

bool outside(cl_mem mem, std::size_t offset, std::size_t bytes) {
  return bytes == 0 || offset > mem->bytes || bytes > mem->bytes - offset;
}

cl_int write_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, std::size_t offset, std::size_t bytes,
                    const void* host, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed = record("clEnqueueWriteBuffer", place(queue, offset, bytes));
  if (failed != CL_SUCCESS) return failed;
  if (outside(mem, offset, bytes) || host == nullptr) return CL_INVALID_VALUE;
  return enqueue("clEnqueueWriteBuffer", queue, blocking, event, [=] {
    std::memmove(mem->data + offset, host, bytes);
    return CL_SUCCESS;
  });
}

cl_int read_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, std::size_t offset, std::size_t bytes,
                   void* host, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed = record("clEnqueueReadBuffer",
                               [&] { return place(queue, offset, bytes) + (blocking != CL_FALSE ? " blocking" : ""); });
  if (failed != CL_SUCCESS) return failed;
  if (outside(mem, offset, bytes) || host == nullptr) return CL_INVALID_VALUE;
  return enqueue("clEnqueueReadBuffer", queue, blocking, event, [=] {
    std::memmove(host, mem->data + offset, bytes);
    return CL_SUCCESS;
  });
}

/// Two-dimensional rectangles, which is what the adapter uses.
struct Rect {
  std::size_t mem_begin, host_begin, width, rows, mem_pitch, host_pitch;
  [[nodiscard]] std::size_t mem_end() const { return mem_begin + (rows - 1) * mem_pitch + width; }
};

cl_int checked_rect(const char* call, cl_command_queue queue, cl_mem mem, const std::size_t* origin,
                    const std::size_t* host_origin, const std::size_t* region, std::size_t pitch,
                    std::size_t host_pitch, Rect& rect) {
  const cl_int failed =
      record(call, "device=" + std::to_string(queue->device->index) + " origin=" + std::to_string(origin[0]) + "," +
                       std::to_string(origin[1]) + " region=" + std::to_string(region[0]) + "," +
                       std::to_string(region[1]) + " pitch=" + std::to_string(pitch));
  if (failed != CL_SUCCESS) return failed;
  if (region[0] == 0 || region[1] == 0 || region[2] != 1 || pitch < region[0] || host_pitch < region[0]) {
    return CL_INVALID_VALUE;
  }
  rect = {origin[0] + origin[1] * pitch,
          host_origin[0] + host_origin[1] * host_pitch,
          region[0],
          region[1],
          pitch,
          host_pitch};
  // As strict as NVIDIA's driver: rows inside their pitch, and the last one's pitch inside the buffer.
  if (origin[0] + region[0] > pitch || (origin[1] + region[1]) * pitch > mem->bytes) return CL_INVALID_VALUE;
  return rect.mem_end() <= mem->bytes ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int write_rect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const std::size_t* origin,
                  const std::size_t* host_origin, const std::size_t* region, std::size_t pitch, std::size_t,
                  std::size_t host_pitch, std::size_t, const void* host, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueWriteBufferRect";
  Rect rect{};
  const cl_int code = checked_rect(call, queue, mem, origin, host_origin, region, pitch, host_pitch, rect);
  if (code != CL_SUCCESS) return code;
  return enqueue(call, queue, blocking, event, [=] {
    for (std::size_t i = 0; i < rect.rows; ++i) {
      std::memmove(mem->data + rect.mem_begin + i * rect.mem_pitch,
                   static_cast<const std::byte*>(host) + rect.host_begin + i * rect.host_pitch, rect.width);
    }
    return CL_SUCCESS;
  });
}

cl_int read_rect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const std::size_t* origin,
                 const std::size_t* host_origin, const std::size_t* region, std::size_t pitch, std::size_t,
                 std::size_t host_pitch, std::size_t, void* host, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueReadBufferRect";
  Rect rect{};
  const cl_int code = checked_rect(call, queue, mem, origin, host_origin, region, pitch, host_pitch, rect);
  if (code != CL_SUCCESS) return code;
  return enqueue(call, queue, blocking, event, [=] {
    for (std::size_t i = 0; i < rect.rows; ++i) {
      std::memmove(static_cast<std::byte*>(host) + rect.host_begin + i * rect.host_pitch,
                   mem->data + rect.mem_begin + i * rect.mem_pitch, rect.width);
    }
    return CL_SUCCESS;
  });
}

cl_int fill_buffer(cl_command_queue queue, cl_mem mem, const void* pattern, std::size_t width, std::size_t offset,
                   std::size_t bytes, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed =
      record("clEnqueueFillBuffer", place(queue, offset, bytes) + " pattern=" + std::to_string(width));
  if (failed != CL_SUCCESS) return failed;
  const bool power = width != 0 && width <= 128 && (width & (width - 1)) == 0;
  if (!power || offset % width != 0 || bytes % width != 0 || outside(mem, offset, bytes)) return CL_INVALID_VALUE;
  const auto* const first = static_cast<const std::byte*>(pattern);
  return enqueue("clEnqueueFillBuffer", queue, CL_FALSE, event,
                 [=, copy = std::vector<std::byte>(first, first + width)] {
                   for (std::size_t i = 0; i < bytes; i += width)
                     std::memcpy(mem->data + offset + i, copy.data(), width);
                   return CL_SUCCESS;
                 });
}

cl_int copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset, std::size_t to_offset,
                   std::size_t bytes, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed =
      record("clEnqueueCopyBuffer", place(queue, from_offset, bytes) + " to=" + std::to_string(to_offset));
  if (failed != CL_SUCCESS) return failed;
  if (outside(from, from_offset, bytes) || outside(to, to_offset, bytes)) return CL_INVALID_VALUE;
  return enqueue("clEnqueueCopyBuffer", queue, CL_FALSE, event, [=] {
    std::memmove(to->data + to_offset, from->data + from_offset, bytes);
    return CL_SUCCESS;
  });
}

std::size_t rect_offset(const std::size_t* origin, std::size_t row, std::size_t slice) {
  return origin[0] + origin[1] * row + origin[2] * slice;
}

cl_int copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const std::size_t* from_origin,
                 const std::size_t* to_origin, const std::size_t* region, std::size_t from_row, std::size_t from_slice,
                 std::size_t to_row, std::size_t to_slice, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueCopyBufferRect";
  const std::size_t width = region[0], rows = region[1], slices = region[2];
  const cl_int failed =
      record(call, "device=" + std::to_string(queue->device->index) + " region=" + std::to_string(width) + "," +
                       std::to_string(rows) + "," + std::to_string(slices));
  if (failed != CL_SUCCESS) return failed;
  if (width == 0 || rows == 0 || slices == 0 || from_row < width || to_row < width) return CL_INVALID_VALUE;
  const std::size_t source = rect_offset(from_origin, from_row, from_slice);
  const std::size_t target = rect_offset(to_origin, to_row, to_slice);
  const auto bytes = [&](std::size_t row, std::size_t slice) {
    return (slices - 1) * slice + (rows - 1) * row + width;
  };
  if (outside(from, source, bytes(from_row, from_slice)) || outside(to, target, bytes(to_row, to_slice)))
    return CL_INVALID_VALUE;
  return enqueue(call, queue, CL_FALSE, event, [=] {
    for (std::size_t z = 0; z < slices; ++z)
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(to->data + target + z * to_slice + y * to_row, from->data + source + z * from_slice + y * from_row,
                    width);
    return CL_SUCCESS;
  });
}

std::string triple(const std::size_t* values, cl_uint count, std::size_t otherwise) {
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    text += (i > 0 ? "," : "") + std::to_string(values != nullptr ? values[i] : otherwise);
  }
  return text;
}

cl_int run_range(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                 const std::size_t* global, const std::size_t* local, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueNDRangeKernel";
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  const cl_int failed = record(call, [&] {
    return "device=" + std::to_string(queue->device->index) + " kernel=" + kernel->text.name +
           " offset=" + triple(offset, dimensions, 0) + " global=" + triple(global, dimensions, 0) +
           " local=" + triple(local, dimensions, 0);
  });
  if (failed != CL_SUCCESS) return failed;
  Range range;
  range.dimensions = dimensions;
  for (cl_uint i = 0; i < dimensions; ++i) {
    if (global[i] == 0) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (local != nullptr && (local[i] == 0 || global[i] % local[i] != 0)) return CL_INVALID_WORK_GROUP_SIZE;
    range.offset[i] = offset != nullptr ? offset[i] : 0;
    range.global[i] = global[i];
  }
  for (const Argument& argument : kernel->arguments) {
    if (!argument.set) return CL_INVALID_KERNEL_ARGS;
  }
  return enqueue(call, queue, CL_FALSE, event, [name = kernel->text.name, arguments = kernel->arguments, range] {
    return run_kernel(name, arguments, range);
  });
}

}  // namespace

void fill_command_table(cl_icd_dispatch& table) {
  fill_queue_table(table);
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueWriteBufferRect = write_rect;
  table.clEnqueueReadBufferRect = read_rect;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueCopyBuffer = copy_buffer;
  table.clEnqueueCopyBufferRect = copy_rect;
  fill_image_commands(table);
  fill_map_commands(table);
  table.clEnqueueNDRangeKernel = run_range;
}

}  // namespace stub
