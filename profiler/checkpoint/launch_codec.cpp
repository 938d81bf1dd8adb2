// SPDX-License-Identifier: Apache-2.0
#include "profiler/checkpoint/launch_codec.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "compiler/client/wire.h"

namespace skmd::checkpoint {

namespace {

using compiler::Reader;
using compiler::Writer;
using domain::Error;
using domain::Result;
using domain::Status;

Error wrong(std::string what) { return {-1, std::move(what)}; }

template <class T>
std::string_view view_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// False: not a whole number of values.
template <class T>
bool read_values(Reader& in, std::vector<T>& values) {
  const std::string_view bytes = in.view();
  if (bytes.size() % sizeof(T) != 0) return false;
  values.resize(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return true;
}

void write(Writer& out, const domain::GroupSpan& span) {
  out.number(span.first);
  out.number(span.last);
}
domain::GroupSpan read_span(Reader& in) {
  domain::GroupSpan span;
  span.first = in.number();
  span.last = in.number();
  return span;
}

enum Form : std::uint8_t { kValue, kLocal, kBuffer, kNull };

void write(Writer& out, const Argument& argument) {
  out.byte(static_cast<std::uint8_t>(argument.index()));
  if (const auto* value = std::get_if<ValueArgument>(&argument)) {
    out.text(view_of(value->bytes));
  } else if (const auto* local = std::get_if<LocalArgument>(&argument)) {
    out.number(local->bytes);
  } else if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    out.number(buffer->buffer);
    out.number(buffer->offset);
    out.number(buffer->size);
  }
}

Argument read_argument(Reader& in) {
  switch (in.byte(kNull)) {
    case kValue: {
      ValueArgument value;
      (void)read_values(in, value.bytes);
      return value;
    }
    case kLocal:
      return LocalArgument{in.number()};
    case kBuffer: {
      const std::uint64_t buffer = in.number();
      const std::uint64_t offset = in.number();
      const std::uint64_t size = in.number();
      return BufferArgument{static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer, UINT32_MAX)), offset, size};
    }
    default:
      return NullArgument{};
  }
}

std::string check_range(const domain::NdRange& range) {
  if (range.work_dim < 1 || range.work_dim > 3) return "work_dim is " + std::to_string(range.work_dim);
  std::uint64_t groups = 1;
  for (unsigned d = 0; d < 3; ++d) {
    const std::string where = " in dimension " + std::to_string(d);
    if (range.local[d] == 0 || range.global[d] == 0 || range.global[d] % range.local[d] != 0)
      return "global size " + std::to_string(range.global[d]) + " and local size " + std::to_string(range.local[d]) +
             where;
    if (d >= range.work_dim && (range.global[d] != 1 || range.offset[d] != 0)) return "items" + where;
    if (range.offset[d] > UINT64_MAX - range.global[d]) return "offset " + std::to_string(range.offset[d]) + where;
    if (range.global[d] > UINT64_MAX / groups) return "more work-items than can be counted";
    groups *= range.global[d];
  }
  return {};
}

Status check_argument(const Argument& argument, std::size_t index, const std::vector<BufferBytes>& buffers) {
  const auto* view = std::get_if<BufferArgument>(&argument);
  if (view == nullptr) return {};
  const std::string name = "argument " + std::to_string(index);
  if (view->buffer >= buffers.size()) return wrong(name + " names a buffer that there is not");
  const std::uint64_t bytes = buffers[view->buffer].bytes;
  if (view->size == 0 || view->offset > bytes || view->size > bytes - view->offset)
    return wrong(name + " has " + std::to_string(view->size) + " bytes from " + std::to_string(view->offset) +
                 " of a buffer of " + std::to_string(bytes));
  return {};
}

Result<BufferBytes> read_buffer(Reader& in) {
  BufferBytes buffer;
  buffer.bytes = in.number();
  std::uint64_t before = 0;
  for (std::uint64_t left = in.count(16); left > 0; --left) {
    const std::uint64_t begin = in.number();
    const std::uint64_t end = in.number();
    if (!in.good()) break;
    if (begin >= end || end > buffer.bytes || begin < before)
      return wrong("bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of a buffer of " +
                   std::to_string(buffer.bytes));
    buffer.defined.add(domain::ByteRange{begin, end});
    before = end;
  }
  return buffer;
}

Result<RestSpan> read_rest(Reader& in, std::uint64_t groups) {
  RestSpan rest;
  rest.span = read_span(in);
  rest.begun = read_span(in);
  const domain::GroupSpan& span = rest.span;
  const auto name = [](const domain::GroupSpan& one) {
    return "groups " + std::to_string(one.first) + " to " + std::to_string(one.last);
  };
  if (span.empty() || span.last > groups) return wrong(name(span) + " of " + std::to_string(groups));
  const bool none = rest.begun.first >= rest.begun.last;
  if (!none && (rest.begun.first != span.first || rest.begun.last > span.last))
    return wrong(name(rest.begun) + " have begun of " + name(span));
  for (std::uint64_t left = in.count(32); left > 0 && in.good(); --left) {
    SavedGroup saved;
    saved.group = in.number();
    saved.schema = in.number();
    const bool whole = read_values(in, saved.words) && read_values(in, saved.local);
    if (!whole || none || saved.group < rest.begun.first || saved.group >= rest.begun.last ||
        (!rest.saved.empty() && saved.group <= rest.saved.back().group))
      return wrong("a state of group " + std::to_string(saved.group) + " among " + name(span));
    rest.saved.push_back(std::move(saved));
  }
  return rest;
}

}  // namespace

std::string encode(const ProgramText& program) {
  Writer out;
  out.text(program.text);
  out.text(program.options);
  return out.take();
}

Result<ProgramText> decode_program(std::string_view bytes) {
  Reader in(bytes);
  ProgramText program;
  program.text = in.text();
  program.options = in.text();
  if (!in.complete()) return wrong("its fields do not fit its length");
  if (program.text.find('\0') != std::string::npos || program.options.find('\0') != std::string::npos)
    return wrong("the program has a byte 0");
  return program;
}

std::string encode_launch(const LaunchCheckpoint& launch) {
  Writer out;
  out.text(launch.kernel);
  out.number(launch.range.work_dim);
  for (const domain::Extent3* extent : {&launch.range.offset, &launch.range.global, &launch.range.local})
    for (const std::uint64_t value : *extent) out.number(value);
  out.number(launch.buffers.size());
  for (const BufferBytes& buffer : launch.buffers) {
    out.number(buffer.bytes);
    out.number(buffer.defined.ranges().size());
    for (const domain::ByteRange& range : buffer.defined.ranges()) {
      out.number(range.begin);
      out.number(range.end);
    }
  }
  out.number(launch.arguments.size());
  for (const Argument& argument : launch.arguments) write(out, argument);
  return out.take();
}

Status decode_launch(std::string_view bytes, LaunchCheckpoint& launch) {
  Reader in(bytes);
  launch.kernel = in.text();
  launch.range.work_dim = static_cast<std::uint32_t>(std::min<std::uint64_t>(in.number(), 4));
  for (domain::Extent3* extent : {&launch.range.offset, &launch.range.global, &launch.range.local})
    for (std::uint64_t& value : *extent) value = in.number();
  launch.buffers.clear();
  for (std::uint64_t left = in.count(16); left > 0 && in.good(); --left) {
    auto buffer = read_buffer(in);
    if (!buffer) return buffer.error();
    launch.buffers.push_back(std::move(*buffer));
  }
  launch.arguments.clear();
  for (std::uint64_t left = in.count(1); left > 0 && in.good(); --left) launch.arguments.push_back(read_argument(in));
  if (!in.complete()) return wrong("its fields do not fit its length");
  if (launch.kernel.empty() || launch.kernel.find('\0') != std::string::npos) return wrong("the kernel has no name");
  if (const std::string what = check_range(launch.range); !what.empty()) return wrong("no range of a launch: " + what);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    if (Status status = check_argument(launch.arguments[i], i, launch.buffers); !status) return status;
  return {};
}

std::string encode(const Rest& rest) {
  Writer out;
  out.text(rest.arithmetic);
  out.number(rest.spans.size());
  for (const RestSpan& one : rest.spans) {
    write(out, one.span);
    write(out, one.begun);
    out.number(one.saved.size());
    for (const SavedGroup& saved : one.saved) {
      out.number(saved.group);
      out.number(saved.schema);
      out.text(view_of(saved.words));
      out.text(view_of(saved.local));
    }
  }
  return out.take();
}

Result<Rest> decode_rest(std::string_view bytes, std::uint64_t groups) {
  Reader in(bytes);
  Rest rest;
  rest.arithmetic = in.text();
  for (std::uint64_t left = in.count(40); left > 0 && in.good(); --left) {
    auto one = read_rest(in, groups);
    if (!in.good()) break;
    if (!one) return one.error();
    rest.spans.push_back(std::move(*one));
  }
  if (!in.complete()) return wrong("its fields do not fit its length");
  std::vector<domain::GroupSpan> spans;
  for (const RestSpan& one : rest.spans) spans.push_back(one.span);
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].last) return wrong("group " + std::to_string(spans[i].first) + " is left twice");
  if (spans.empty()) return wrong("no group is left");
  return rest;
}

}  // namespace skmd::checkpoint
