// SPDX-License-Identifier: Apache-2.0
// An enqueued kernel launch: kernel, NDRange and argument values, immutable.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/memory/storage.h"
#include "partitioner/base/nd_range.h"

namespace skmd::icd {

class BuiltKernel;

/// A view of a root, kept alive by the launch. Offset and sizes in bytes.
struct BufferView {
  std::shared_ptr<Storage> storage;
  std::uint64_t offset = 0, size = 0;
  std::uint64_t before = 0;  // bytes before it that may be touched, too: of a pointer into shared virtual memory
  bool operator==(const BufferView&) const = default;
};
struct NullPointer {};
struct LocalBytes {
  std::uint64_t bytes = 0;
};
/// `over_buffer`: the image aliases a buffer's bytes; `storage` is then the buffer's root, `offset` and `size` the
/// view.
struct ImageView {
  std::shared_ptr<Storage> storage;
  cl_mem_flags flags = 0;
  std::shared_ptr<const ImageShape> over_buffer;
  std::uint64_t offset = 0, size = 0;
};
struct SamplerView {
  bool normalized = true;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
};
/// A frozen argument of a launch.
using LaunchArgument =
    std::variant<std::monostate, std::vector<std::byte>, BufferView, NullPointer, LocalBytes, ImageView, SamplerView>;

/// A frozen clEnqueueNDRangeKernel: immutable.
struct Launch {
  std::shared_ptr<BuiltKernel> kernel;
  domain::NdRange range;  // local size already chosen; group_total() ≥ 1
  std::vector<LaunchArgument> arguments;
  /// Shared virtual memory that the kernel may find pointers to (clSetKernelExecInfo); none where it follows no
  /// pointer.
  std::vector<std::shared_ptr<Storage>> reached = {};
  /// Of a sub-device: what runs it, in the anchor's place. Null: all of the machine may.
  std::shared_ptr<Device> part = nullptr;
};

}  // namespace skmd::icd
