// SPDX-License-Identifier: Apache-2.0
// Launches on a real driver: the original text whole, the partition-ready text box by box with records.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::compiler::test {

using Triple = std::array<std::size_t, 3>;

struct Range {
  cl_uint dimensions = 1;
  Triple offset{0, 0, 0};
  Triple global{1, 1, 1};
  Triple local{1, 1, 1};

  [[nodiscard]] std::size_t groups(int dimension) const { return global[dimension] / local[dimension]; }
};

/// A block of work-groups.
struct Box {
  Triple first{0, 0, 0};
  Triple count{1, 1, 1};
};

/// Every group in exactly one box; cut by a seeded generator.
std::vector<Box> random_boxes(const Range& range, unsigned seed);

class Device {
 public:
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  [[nodiscard]] bool found() const { return queue_ != nullptr; }

  /// Runs `kernel` on a buffer of `size` words (all ~0 beforehand) and returns what it holds then. An empty result is
  /// a failure that was reported to gtest.
  std::vector<std::uint64_t> run_whole(const std::string& text, const std::string& options, const std::string& kernel,
                                       const Range& range, std::size_t size);
  std::vector<std::uint64_t> run_boxes(const std::string& text, const std::string& options, const std::string& kernel,
                                       const Range& range, std::size_t size, const std::vector<Box>& boxes);

 private:
  struct Prepared;
  bool prepare(Prepared& prepared, const std::string& text, const std::string& options, const std::string& kernel,
               std::size_t size);
  std::vector<std::uint64_t> finish(Prepared& prepared, std::size_t size);

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

}  // namespace skmd::compiler::test
