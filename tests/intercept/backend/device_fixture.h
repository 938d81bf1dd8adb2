// SPDX-License-Identifier: Apache-2.0
// Devices for tests: PoCL's two CPU devices, each also as memory of its own.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "intercept/backend/discovery/discovery.h"
#include "intercept/backend/vendor/native_queue.h"

namespace skmd::icd {

inline std::vector<std::byte> bytes_of(const auto& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::byte* bytes_at(auto* pointer) { return reinterpret_cast<std::byte*>(pointer); }

inline domain::NdRange line_range(std::uint64_t offset, std::uint64_t global, std::uint64_t local) {
  domain::NdRange range;
  range.offset[0] = offset;
  range.global[0] = global;
  range.local[0] = local;
  return range;
}

inline std::shared_ptr<const std::vector<NativeArgument>> arguments_of(std::vector<NativeArgument> list) {
  return std::make_shared<const std::vector<NativeArgument>>(std::move(list));
}

/// Submits and helps; the result that `done` got.
inline BatchResult run_batch(Device& device, std::vector<Op> ops, bool want_times = false) {
  BatchResult result{1, "done was not called", {}};
  Batch batch;
  batch.ops = std::move(ops);
  batch.want_times = want_times;
  batch.done = [&](BatchResult&& r) { result = std::move(r); };
  device.help(device.submit(std::move(batch)));
  return result;
}

inline domain::RowRun plain_rows(std::uint64_t begin, std::uint64_t bytes) { return {begin, bytes, bytes, 1}; }

inline std::shared_ptr<NativeKernel> kernel_of(Device& device, const std::string& text, const std::string& name) {
  std::string log;
  auto program = device.build(text, "", log);
  EXPECT_TRUE(program) << log;
  if (!program) return nullptr;
  auto kernel = device.kernel(*program, name);
  EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().reason);
  return kernel ? *kernel : nullptr;
}

}  // namespace skmd::icd
