// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "partitioner/model/profile_sample.h"

namespace skmd::profiler::test {

/// Of 20 groups; samples of different times are different ones.
inline domain::ProfileSample sample(std::uint64_t ns, const std::string& kernel = "k", const std::string& tag = "") {
  domain::ProfileSample one;
  one.kernel = {"0123", kernel, "ready"};
  one.device = {"platform", "device", "1.0", 8};
  one.tag = tag;
  one.range.global = {1280, 1, 1};
  one.range.local = {64, 1, 1};
  one.span = {3, 20};
  one.buffers = {{0, 4096}};
  one.kernel_ns = ns;
  one.commit = "abc";
  one.date = 1700000000;
  return one;
}

}  // namespace skmd::profiler::test
