// SPDX-License-Identifier: Apache-2.0
// Commands on images.
#include <array>
#include <cstring>

#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

std::string image_region(cl_command_queue queue, const std::size_t* region) {
  return "device=" + std::to_string(queue->device->index) + " region=" + std::to_string(region[0]) + "," +
         std::to_string(region[1]) + "," + std::to_string(region[2]);
}

/// Copies a box, row by row; the host's slices are tight.
template <class Copy>
void each_image_row(cl_mem image, const std::array<std::size_t, 3>& origin, const std::array<std::size_t, 3>& region,
                    std::size_t host_pitch, Copy copy) {
  const std::size_t width = image->desc.image_width * image->element_bytes;
  const std::size_t height = std::max<std::size_t>(1, image->desc.image_height);
  const std::size_t row = region[0] * image->element_bytes;
  if (host_pitch == 0) host_pitch = row;
  for (std::size_t z = 0; z < region[2]; ++z)
    for (std::size_t y = 0; y < region[1]; ++y)
      copy(((origin[2] + z) * height + origin[1] + y) * width + origin[0] * image->element_bytes,
           (z * region[1] + y) * host_pitch, row);
}

bool outside_image(cl_mem image, const std::size_t* origin, const std::size_t* region) {
  const std::size_t rows = image->bytes / (image->desc.image_width * image->element_bytes);
  const std::size_t height = std::max<std::size_t>(1, image->desc.image_height);
  return origin[0] + region[0] > image->desc.image_width ||
         (origin[2] + region[2] - 1) * height + origin[1] + region[1] > rows;
}

std::array<std::size_t, 3> three(const std::size_t* values) { return {values[0], values[1], values[2]}; }

cl_int write_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const std::size_t* origin,
                   const std::size_t* region, std::size_t pitch, std::size_t, const void* host, cl_uint,
                   const cl_event*, cl_event* event) {
  const cl_int failed = record("clEnqueueWriteImage", image_region(queue, region));
  if (failed != CL_SUCCESS) return failed;
  if (outside_image(image, origin, region)) return CL_INVALID_VALUE;
  return enqueue("clEnqueueWriteImage", queue, blocking, event, [=, at = three(origin), size = three(region)] {
    each_image_row(image, at, size, pitch, [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(image->data + to, static_cast<const std::byte*>(host) + from, bytes);
    });
    return CL_SUCCESS;
  });
}

cl_int read_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const std::size_t* origin,
                  const std::size_t* region, std::size_t pitch, std::size_t, void* host, cl_uint, const cl_event*,
                  cl_event* event) {
  const cl_int failed = record("clEnqueueReadImage", image_region(queue, region));
  if (failed != CL_SUCCESS) return failed;
  if (outside_image(image, origin, region)) return CL_INVALID_VALUE;
  return enqueue("clEnqueueReadImage", queue, blocking, event, [=, at = three(origin), size = three(region)] {
    each_image_row(image, at, size, pitch, [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(static_cast<std::byte*>(host) + to, image->data + from, bytes);
    });
    return CL_SUCCESS;
  });
}

}  // namespace

void fill_image_commands(cl_icd_dispatch& table) {
  table.clEnqueueWriteImage = write_image;
  table.clEnqueueReadImage = read_image;
}

}  // namespace stub
