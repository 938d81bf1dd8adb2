// SPDX-License-Identifier: Apache-2.0
// A launch that was stopped half way, without the bytes of its buffers. Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/nd_range.h"

namespace skmd::checkpoint {

/// OpenCL C as SKMD's front end gives it to every device: preprocessed, so that it needs no header.
struct ProgramText {
  std::string text;
  std::string options;  // of its build
};

struct ValueArgument {
  std::vector<std::byte> bytes;
};
struct LocalArgument {
  std::uint64_t bytes = 0;
};
/// A part of a buffer; arguments that share memory name one buffer.
struct BufferArgument {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0, size = 0;  // bytes
};
struct NullArgument {};
using Argument = std::variant<ValueArgument, LocalArgument, BufferArgument, NullArgument>;

struct BufferBytes {
  std::uint64_t bytes = 0;   // of the buffer
  domain::RangeSet defined;  // of those that arguments reach; the others were never written
};

/// Of a group that was stopped inside, or has ended before groups in front of it.
struct SavedGroup {
  std::uint64_t group = 0;
  std::uint64_t schema = 0;          // which code can go on with it
  std::vector<std::uint32_t> words;  // empty: it has ended
  std::vector<std::byte> local;
};
/// Groups that have not run to their end.
struct RestSpan {
  domain::GroupSpan span;
  domain::GroupSpan begun;  // the first of them, which may have begun
  std::vector<SavedGroup> saved;
};
struct Rest {
  /// Which devices round floating point as those that ran the other groups; "": it does not matter.
  std::string arithmetic;
  std::vector<RestSpan> spans;
};

struct LaunchCheckpoint {
  ProgramText program;
  std::string kernel;
  domain::NdRange range;
  std::vector<Argument> arguments;
  std::vector<BufferBytes> buffers;
  Rest rest;
};

}  // namespace skmd::checkpoint
