// SPDX-License-Identifier: Apache-2.0
// clEnqueue{Read,Write,Copy,Fill}Buffer and the rectangular forms.
#include <cstdint>

#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue.h"
#include "intercept/command/transfer.h"

namespace skmd::icd::api {

namespace {

HostBox linear_box(const void* pointer, size_t bytes) {
  return {static_cast<std::byte*>(const_cast<void*>(pointer)), bytes, bytes};
}

enum class Direction : std::uint8_t { read, write };

Status check_host_access(const Memory& memory, Direction direction) {
  return direction == Direction::read ? check_host_read(memory) : check_host_write(memory);
}

struct LinearCall {
  cl_mem buffer;
  cl_bool blocking;
  size_t offset, size;
  const void* pointer;
};

Status transfer(Enqueue call, const LinearCall& what, Direction direction) {
  if (Status status = call.open(); !status) return status;
  const auto buffer = call.buffer(what.buffer);
  if (!buffer) return buffer.error();
  // CL_INVALID_VALUE: "if the region being read or written specified by (offset, size) is out of bounds or if ptr is a
  // NULL value". Size 0 is legal: the command acts like a marker.
  const auto region = linear_region(**buffer, what.offset, what.size);
  if (!region) return region.error();
  if (what.pointer == nullptr) return Error{CL_INVALID_VALUE, "ptr is NULL"};
  if (Status status = check_host_access(**buffer, direction); !status) return status;
  if (Status status = call.check_wait_list(); !status) return status;
  const HostBox box = linear_box(what.pointer, what.size);
  return direction == Direction::read
             ? call.submit(CL_COMMAND_READ_BUFFER, make_read((*buffer)->storage(), *region, box),
                           what.blocking != CL_FALSE)
             : call.submit(CL_COMMAND_WRITE_BUFFER, make_write((*buffer)->storage(), *region, box),
                           what.blocking != CL_FALSE);
}

struct Pitches {
  std::uint64_t row, slice;
};

/// Pitch 0 is tight. "row_pitch ... must be 0 or greater than or equal to region[0]"; "slice_pitch ... must be 0 or
/// greater than or equal to region[1] × row_pitch and must be a multiple of row_pitch".
Result<Pitches> check_pitches(const size_t* region, size_t row, size_t slice) {
  Pitches pitches{row == 0 ? region[0] : row, slice};
  if (pitches.row < region[0])
    return Error{CL_INVALID_VALUE,
                 "row pitch " + std::to_string(row) + " is less than region[0] " + std::to_string(region[0])};
  std::uint64_t least = 0;
  if (__builtin_mul_overflow(region[1], pitches.row, &least))
    return Error{CL_INVALID_VALUE, "region[1] × row pitch overflows"};
  if (pitches.slice == 0) pitches.slice = least;
  if (pitches.slice < least || pitches.slice % pitches.row != 0)
    return Error{CL_INVALID_VALUE, "slice pitch " + std::to_string(slice) + " is less than " + std::to_string(least) +
                                       " or no multiple of the row pitch"};
  return pitches;
}

/// Null and empty arguments first, for all sides of a call.
Status check_rectangle(const size_t* origin, const size_t* other_origin, const size_t* region) {
  if (origin == nullptr || other_origin == nullptr || region == nullptr)
    return Error{CL_INVALID_VALUE, "an origin or region is NULL"};
  // CL_INVALID_VALUE: "if any region array element is 0".
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) return Error{CL_INVALID_VALUE, "a region element is 0"};
  return {};
}

/// Bytes of `origin` and `region` at these pitches, inside a buffer.
Result<RectRegion> rectangle(const Memory& buffer, const size_t* origin, const size_t* region, const Pitches& pitches) {
  // Bounded factors first, so that the sums below fit.
  for (int i = 0; i < 3; ++i)
    if (origin[i] > buffer.size() || region[i] > buffer.size())
      return Error{CL_INVALID_VALUE,
                   "an origin or region element exceeds the buffer's " + std::to_string(buffer.size()) + " bytes"};
  using Wide = unsigned __int128;
  const Wide begin = Wide{origin[2]} * pitches.slice + Wide{origin[1]} * pitches.row + origin[0];
  const Wide length = Wide{region[2] - 1} * pitches.slice + Wide{region[1] - 1} * pitches.row + region[0];
  if (begin > buffer.size() || length > buffer.size() || begin + length > buffer.size())
    return Error{CL_INVALID_VALUE, "the region exceeds the buffer's " + std::to_string(buffer.size()) + " bytes"};
  return RectRegion{
      buffer.offset() + static_cast<std::uint64_t>(begin), region[0], region[1], region[2], pitches.row, pitches.slice};
}

struct RectCall {
  cl_mem buffer;
  cl_bool blocking;
  const size_t *buffer_origin, *host_origin, *region;
  size_t buffer_row, buffer_slice, host_row, host_slice;
  const void* pointer;
};

Status transfer_rect(Enqueue call, const RectCall& what, Direction direction) {
  if (Status status = call.open(); !status) return status;
  const auto buffer = call.buffer(what.buffer);
  if (!buffer) return buffer.error();
  if (Status status = check_rectangle(what.buffer_origin, what.host_origin, what.region); !status) return status;
  const auto pitches = check_pitches(what.region, what.buffer_row, what.buffer_slice);
  if (!pitches) return pitches.error();
  const auto host = check_pitches(what.region, what.host_row, what.host_slice);
  if (!host) return host.error();
  const auto region = rectangle(**buffer, what.buffer_origin, what.region, *pitches);
  if (!region) return region.error();
  if (what.pointer == nullptr) return Error{CL_INVALID_VALUE, "ptr is NULL"};
  if (Status status = check_host_access(**buffer, direction); !status) return status;
  if (Status status = call.check_wait_list(); !status) return status;
  HostBox box = linear_box(what.pointer, 0);
  box.first += what.host_origin[2] * host->slice + what.host_origin[1] * host->row + what.host_origin[0];
  box.row_pitch = host->row;
  box.slice_pitch = host->slice;
  return direction == Direction::read
             ? call.submit(CL_COMMAND_READ_BUFFER_RECT, make_read((*buffer)->storage(), *region, box),
                           what.blocking != CL_FALSE)
             : call.submit(CL_COMMAND_WRITE_BUFFER_RECT, make_write((*buffer)->storage(), *region, box),
                           what.blocking != CL_FALSE);
}

/// "the same buffer object, or sub-buffers of one buffer": a buffer and its sub-buffer are not listed.
bool same_kind_of_view(const Memory& a, const Memory& b) {
  return &a == &b || (a.parent() && b.parent() && a.parent() == b.parent());
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t size, void* ptr, cl_uint num_events, const cl_event* wait_list,
                                       cl_event* event) {
  return entry("clEnqueueReadBuffer", [&] {
    return transfer({queue, num_events, wait_list, event}, {buffer, blocking, offset, size, ptr}, Direction::read);
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                        size_t size, const void* ptr, cl_uint num_events, const cl_event* wait_list,
                                        cl_event* event) {
  return entry("clEnqueueWriteBuffer", [&] {
    return transfer({queue, num_events, wait_list, event}, {buffer, blocking, offset, size, ptr}, Direction::write);
  });
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
                                           size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,
                                           void* ptr, cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueReadBufferRect", [&] {
    return transfer_rect(
        {queue, num_events, wait_list, event},
        {buffer, blocking, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, ptr},
        Direction::read);
  });
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t* buffer_origin, const size_t* host_origin,
                                            const size_t* region, size_t buffer_row, size_t buffer_slice,
                                            size_t host_row, size_t host_slice, const void* ptr, cl_uint num_events,
                                            const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueWriteBufferRect", [&] {
    return transfer_rect(
        {queue, num_events, wait_list, event},
        {buffer, blocking, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, ptr},
        Direction::write);
  });
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target, size_t source_offset,
                                       size_t target_offset, size_t size, cl_uint num_events, const cl_event* wait_list,
                                       cl_event* event) {
  return entry("clEnqueueCopyBuffer", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto from = call.buffer(source);
    if (!from) return from.error();
    const auto to = call.buffer(target);
    if (!to) return to.error();
    const auto read = linear_region(**from, source_offset, size);
    if (!read) return read.error();
    const auto written = linear_region(**to, target_offset, size);
    if (!written) return written.error();
    // CL_MEM_COPY_OVERLAP: "if src_buffer and dst_buffer are the same buffer or sub-buffer object and the source and
    // destination regions overlap or if they are different sub-buffers of the same associated buffer object and they
    // overlap".
    const bool apart = read->begin + size <= written->begin || written->begin + size <= read->begin;
    if (size != 0 && same_kind_of_view(**from, **to) && !apart)
      return Error{CL_MEM_COPY_OVERLAP, "source and destination share bytes"};
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_COPY_BUFFER, make_copy((*from)->storage(), *read, (*to)->storage(), *written));
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem target,
                                           const size_t* source_origin, const size_t* target_origin,
                                           const size_t* region, size_t source_row, size_t source_slice,
                                           size_t target_row, size_t target_slice, cl_uint num_events,
                                           const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueCopyBufferRect", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto from = call.buffer(source);
    if (!from) return from.error();
    const auto to = call.buffer(target);
    if (!to) return to.error();
    if (Status status = check_rectangle(source_origin, target_origin, region); !status) return status;
    const auto source_pitches = check_pitches(region, source_row, source_slice);
    if (!source_pitches) return source_pitches.error();
    const auto target_pitches = check_pitches(region, target_row, target_slice);
    if (!target_pitches) return target_pitches.error();
    // CL_INVALID_VALUE: "if src_buffer and dst_buffer are the same buffer object and src_slice_pitch is not equal to
    // dst_slice_pitch and src_row_pitch is not equal to dst_row_pitch".
    const bool equal_pitches =
        source_pitches->row == target_pitches->row && source_pitches->slice == target_pitches->slice;
    if (from->get() == to->get() && !equal_pitches)
      return Error{CL_INVALID_VALUE, "copies inside one buffer need equal pitches on both sides"};
    const auto read = rectangle(**from, source_origin, region, *source_pitches);
    if (!read) return read.error();
    const auto written = rectangle(**to, target_origin, region, *target_pitches);
    if (!written) return written.error();
    const bool shared = equal_pitches ? overlap(*read, *written) : read->ranges().intersects(written->ranges());
    if (same_kind_of_view(**from, **to) && shared)
      return Error{CL_MEM_COPY_OVERLAP, "source and destination share bytes"};
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_COPY_BUFFER_RECT, make_copy((*from)->storage(), *read, (*to)->storage(), *written));
  });
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size,
                                       size_t offset, size_t size, cl_uint num_events, const cl_event* wait_list,
                                       cl_event* event) {
  return entry("clEnqueueFillBuffer", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto target = call.buffer(buffer);
    if (!target) return target.error();
    const auto region = linear_region(**target, offset, size);
    if (!region) return region.error();
    // CL_INVALID_VALUE: "if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of {1, 2, ... 128}";
    // "if offset and size are not a multiple of pattern_size".
    const bool power_of_two = pattern_size != 0 && (pattern_size & (pattern_size - 1)) == 0;
    if (pattern == nullptr || !power_of_two || pattern_size > 128)
      return Error{CL_INVALID_VALUE, "pattern is NULL or its size " + std::to_string(pattern_size) +
                                         " is not a power of two from 1 to 128"};
    if (offset % pattern_size != 0 || size % pattern_size != 0)
      return Error{CL_INVALID_VALUE, "offset or size is no multiple of pattern_size " + std::to_string(pattern_size)};
    if (Status status = call.check_wait_list(); !status) return status;
    const auto* bytes = static_cast<const std::byte*>(pattern);
    return call.submit(CL_COMMAND_FILL_BUFFER,
                       make_fill((*target)->storage(), *region, std::vector<std::byte>(bytes, bytes + pattern_size)));
  });
}

}  // namespace skmd::icd::api
