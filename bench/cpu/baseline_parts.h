// SPDX-License-Identifier: Apache-2.0
// What baselines in single and in double precision share.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

namespace bench {

/// Seconds that `work` takes.
template <typename Work>
double timed(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// That of the workloads' own sizes which is named. Throws std::runtime_error for other names.
inline std::size_t sized(const std::string& size, std::size_t small, std::size_t profile1, std::size_t profile2) {
  const std::map<std::string, std::size_t> sizes = {{"small", small}, {"profile1", profile1}, {"profile2", profile2}};
  const auto found = sizes.find(size);
  if (found == sizes.end()) throw std::runtime_error("no baseline of size " + size);
  return found->second;
}

}  // namespace bench
