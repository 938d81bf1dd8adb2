// SPDX-License-Identifier: Apache-2.0
// clEnqueue{Read,Write,Copy,Fill}Image and copies between images and buffers.
#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue.h"
#include "intercept/api/image.h"
#include "intercept/command/transfer.h"

namespace skmd::icd::api {

namespace {

struct ImageCall {
  cl_mem image;
  cl_bool blocking;
  const size_t *origin, *region;
  size_t row_pitch, slice_pitch;
  const void* pointer;
};

/// "The length must be greater than or equal to the element size in bytes × width ... If row_pitch is set to 0, the
/// appropriate row pitch is calculated"; slice_pitch "must be 0 if image is a 1D or 2D image".
Result<HostBox> host_box(const Memory& image, const RectRegion& bytes, const ImageCall& what) {
  const cl_mem_object_type type = image.type();
  if (what.pointer == nullptr) return Error{CL_INVALID_VALUE, "ptr is NULL"};
  if (what.row_pitch != 0 && what.row_pitch < bytes.row_bytes)
    return Error{CL_INVALID_VALUE, "row_pitch " + std::to_string(what.row_pitch) + " is less than a row's " +
                                       std::to_string(bytes.row_bytes) + " bytes"};
  if (what.slice_pitch != 0) {
    if (!has_slice_pitch(type)) return Error{CL_INVALID_VALUE, "slice_pitch for an image without slices"};
    const std::uint64_t row = what.row_pitch == 0 ? bytes.row_bytes : what.row_pitch;
    const std::uint64_t rows = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : bytes.rows;
    if (what.slice_pitch < row * rows)
      return Error{CL_INVALID_VALUE, "slice_pitch " + std::to_string(what.slice_pitch) + " is less than a slice's " +
                                         std::to_string(row * rows) + " bytes"};
  }
  return image_host_box(type, bytes, const_cast<void*>(what.pointer), what.row_pitch, what.slice_pitch);
}

Status transfer(Enqueue call, const ImageCall& what, bool reading) {
  if (Status status = call.open(); !status) return status;
  const auto image = call.image(what.image);
  if (!image) return image.error();
  const auto bytes = image_region(**image, what.origin, what.region);
  if (!bytes) return bytes.error();
  const auto box = host_box(**image, *bytes, what);
  if (!box) return box.error();
  if (Status status = reading ? check_host_read(**image) : check_host_write(**image); !status) return status;
  if (Status status = call.check_wait_list(); !status) return status;
  const bool blocking = what.blocking != CL_FALSE;
  return reading ? call.submit(CL_COMMAND_READ_IMAGE, make_read((*image)->storage(), *bytes, *box), blocking)
                 : call.submit(CL_COMMAND_WRITE_IMAGE, make_write((*image)->storage(), *bytes, *box), blocking);
}

bool boxes_meet(const size_t* a, const size_t* b, const size_t* region) {
  for (int i = 0; i < 3; ++i)
    if (a[i] + region[i] <= b[i] || b[i] + region[i] <= a[i]) return false;
  return true;
}

/// Tightly packed bytes of a buffer, in rows and slices of `like`.
Result<RectRegion> packed_region(const Memory& buffer, size_t offset, const RectRegion& like) {
  auto region = linear_region(buffer, offset, like.bytes());
  if (!region) return region;
  region->row_bytes = region->row_pitch = like.row_bytes;
  region->rows = like.rows;
  region->slices = like.slices;
  region->slice_pitch = like.row_bytes * like.rows;
  return region;
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                                      const size_t* region, size_t row_pitch, size_t slice_pitch, void* ptr,
                                      cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueReadImage", [&] {
    return transfer({queue, num_events, wait_list, event},
                    {image, blocking, origin, region, row_pitch, slice_pitch, ptr}, true);
  });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                                       const size_t* region, size_t row_pitch, size_t slice_pitch, const void* ptr,
                                       cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueWriteImage", [&] {
    return transfer({queue, num_events, wait_list, event},
                    {image, blocking, origin, region, row_pitch, slice_pitch, ptr}, false);
  });
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target, const size_t* source_origin,
                                      const size_t* target_origin, const size_t* region, cl_uint num_events,
                                      const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueCopyImage", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto from = call.image(source);
    if (!from) return from.error();
    const auto to = call.image(target);
    if (!to) return to.error();
    // CL_IMAGE_FORMAT_MISMATCH: "if src_image and dst_image do not use the same image format".
    const cl_image_format& a = (*from)->image().format;
    const cl_image_format& b = (*to)->image().format;
    if (a.image_channel_order != b.image_channel_order || a.image_channel_data_type != b.image_channel_data_type)
      return Error{CL_IMAGE_FORMAT_MISMATCH, "source and destination have different formats"};
    const auto read = image_region(**from, source_origin, region);
    if (!read) return read.error();
    const auto written = image_region(**to, target_origin, region);
    if (!written) return written.error();
    // CL_MEM_COPY_OVERLAP: "if src_image and dst_image are the same image object and the ... regions overlap".
    if (from->get() == to->get() && boxes_meet(source_origin, target_origin, region))
      return Error{CL_MEM_COPY_OVERLAP, "source and destination share elements"};
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_COPY_IMAGE, make_copy((*from)->storage(), *read, (*to)->storage(), *written));
  });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                              const size_t* origin, const size_t* region, size_t offset,
                                              cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueCopyImageToBuffer", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto from = call.image(source);
    if (!from) return from.error();
    const auto to = call.buffer(target);
    if (!to) return to.error();
    const auto read = image_region(**from, origin, region);
    if (!read) return read.error();
    const auto written = packed_region(**to, offset, *read);
    if (!written) return written.error();
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                       make_copy((*from)->storage(), *read, (*to)->storage(), *written));
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem source, cl_mem target, size_t offset,
                                              const size_t* origin, const size_t* region, cl_uint num_events,
                                              const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueCopyBufferToImage", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto from = call.buffer(source);
    if (!from) return from.error();
    const auto to = call.image(target);
    if (!to) return to.error();
    const auto written = image_region(**to, origin, region);
    if (!written) return written.error();
    const auto read = packed_region(**from, offset, *written);
    if (!read) return read.error();
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                       make_copy((*from)->storage(), *read, (*to)->storage(), *written));
  });
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void* color, const size_t* origin,
                                      const size_t* region, cl_uint num_events, const cl_event* wait_list,
                                      cl_event* event) {
  return entry("clEnqueueFillImage", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto target = call.image(image);
    if (!target) return target.error();
    // CL_INVALID_VALUE: "if fill_color is NULL".
    if (color == nullptr) return Error{CL_INVALID_VALUE, "fill_color is NULL"};
    const auto bytes = image_region(**target, origin, region);
    if (!bytes) return bytes.error();
    if (Status status = call.check_wait_list(); !status) return status;
    // "The fill color will be converted to the appropriate image channel format and order", now: it may go away.
    return call.submit(CL_COMMAND_FILL_IMAGE,
                       make_fill((*target)->storage(), *bytes, encode_color((*target)->image().format, color)));
  });
}

}  // namespace skmd::icd::api
