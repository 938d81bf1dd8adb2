// SPDX-License-Identifier: Apache-2.0
// Which parts of a piece of host memory are worth page-locking for one device: those that it transfers again and again,
// such as the border that two devices exchange at each step of a stencil.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "partitioner/base/byte_ranges.h"

namespace skmd::icd {

/// Windows are whole pages and share none with each other, and one that is locked stays as it is: a driver may refuse
/// to lock a page twice, or soon after it was given up. Not thread-safe.
class PageWindows {
 public:
  struct Window {
    domain::ByteRange pages;
    unsigned transfers = 0;  // since it has these pages
    std::uint64_t last = 0;  // of all transfers, the last one within it
    std::shared_ptr<void> lock;
  };
  /// `bytes`: of the memory, from the first of which offsets count. It begins with a page.
  explicit PageWindows(std::uint64_t bytes) : bytes_(bytes) {}

  /// A transfer of `range` begins. Returns the window that has all of it, if that is locked or is to be locked now:
  /// after tuning::kWindowTransfers transfers. Null: the transfer goes as it would without. Windows that `range` shares
  /// a page with become one, and begin anew, unless one is locked or all of them would be too large. The result is
  /// valid until the next call.
  Window* transferred(const domain::ByteRange& range);

 private:
  [[nodiscard]] domain::ByteRange pages_of(const domain::ByteRange& range) const;
  Window* add(const domain::ByteRange& pages);
  Window* join(const domain::ByteRange& pages);

  const std::uint64_t bytes_;
  std::uint64_t clock_ = 0;
  std::vector<Window> windows_;
};

}  // namespace skmd::icd
