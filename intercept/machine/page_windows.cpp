// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/page_windows.h"

#include <algorithm>
#include <utility>

#include "intercept/machine/machine_constants.h"

namespace skmd::icd {

using namespace tuning;

namespace {

bool overlap(const domain::ByteRange& one, const domain::ByteRange& other) {
  return one.begin < other.end && other.begin < one.end;
}

}  // namespace

domain::ByteRange PageWindows::pages_of(const domain::ByteRange& range) const {
  const std::uint64_t mapped = (bytes_ + kPage - 1) / kPage * kPage;
  return {range.begin / kPage * kPage, std::min(mapped, (range.end + kPage - 1) / kPage * kPage)};
}

PageWindows::Window* PageWindows::transferred(const domain::ByteRange& range) {
  const domain::ByteRange pages = pages_of(range);
  if (pages.size() > kMaxWindow) return nullptr;
  ++clock_;
  const auto touches = [&](const Window& window) { return overlap(window.pages, pages); };
  const auto found = std::find_if(windows_.begin(), windows_.end(), touches);
  if (found == windows_.end()) return add(pages);
  if (pages.begin < found->pages.begin || found->pages.end < pages.end) return join(pages);
  found->last = clock_;
  ++found->transfers;
  return found->transfers < kWindowTransfers ? nullptr : &*found;
}

PageWindows::Window* PageWindows::add(const domain::ByteRange& pages) {
  if (windows_.size() == kMaxWindows) {
    const auto oldest = std::min_element(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) {
      return std::pair(a.lock != nullptr, a.last) < std::pair(b.lock != nullptr, b.last);
    });
    if (oldest->lock != nullptr) return nullptr;
    windows_.erase(oldest);
  }
  windows_.push_back({pages, 1, clock_, nullptr});
  return nullptr;
}

PageWindows::Window* PageWindows::join(const domain::ByteRange& pages) {
  domain::ByteRange all = pages;
  for (const Window& window : windows_) {
    if (!overlap(window.pages, pages)) continue;
    if (window.lock != nullptr) return nullptr;
    all = {std::min(all.begin, window.pages.begin), std::max(all.end, window.pages.end)};
  }
  if (all.size() > kMaxWindow) return nullptr;
  std::erase_if(windows_, [&](const Window& window) { return overlap(window.pages, pages); });
  return add(all);
}

}  // namespace skmd::icd
