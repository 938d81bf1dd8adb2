// SPDX-License-Identifier: Apache-2.0
#include "profiler/nearest.h"

#include <algorithm>
#include <numeric>

namespace skmd::profiler {
namespace {

/// Insertions, deletions and changes that make one of the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = name.size() / 2 + 2;  // further away it is another name
  for (const std::string& other : names) {
    const std::size_t off = distance(name, other);
    if (off >= least) continue;
    least = off;
    best = other;
  }
  return best;
}

std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& names) {
  const std::string near = nearest(name, names);
  return what + " \"" + name + "\" is not known" + (near.empty() ? "" : ": is \"" + near + "\" meant?");
}

}  // namespace skmd::profiler
