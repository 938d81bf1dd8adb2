// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/kept_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "cpu-driver/runtime/runtime_constants.h"
#include "partitioner/base/mutex.h"

namespace skmd::cpu {
namespace {

constexpr std::uint64_t kLargePage = std::uint64_t{1} << 21;  // bytes

std::uint64_t page_bytes(std::uint64_t words) {
  return (words * sizeof(std::uint64_t) + kLargePage - 1) / kLargePage * kLargePage;
}

}  // namespace

/// A fixed number of places: keeping a map does not allocate. The mutex is only tried, never waited for, since in a
/// forked child it may be held for ever: a new map is then made.
struct KeptMap::Shelf {
  Mutex mutex{LockRank::kept_map};
  std::array<KeptMap, 64> maps SKMD_GUARDED_BY(mutex);
  std::uint64_t bytes SKMD_GUARDED_BY(mutex) = 0;
};

KeptMap::Shelf& KeptMap::shelf() {
  static auto* one = new Shelf;  // never destroyed: merges may end while the process exits
  return *one;
}

KeptMap KeptMap::made(std::uint64_t bytes) {
  KeptMap map;
  void* pages =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return map;
  map.bytes_ = bytes;
  map.pages_ = static_cast<std::byte*>(pages);
  const auto address = reinterpret_cast<std::uintptr_t>(map.pages_);
  map.words_ = reinterpret_cast<std::uint64_t*>(map.pages_ + (kLargePage - address % kLargePage) % kLargePage);
  return map;
}

KeptMap KeptMap::take(std::uint64_t words) {
  const std::uint64_t bytes = page_bytes(words);
  KeptMap map;
  Shelf& kept = shelf();
  const auto fits = [&](const KeptMap& one) { return one.bytes_ >= bytes && one.bytes_ <= tuning::kMapFactor * bytes; };
  if (kept.mutex.try_lock()) {
    const MutexGuard lock(kept.mutex, std::adopt_lock);
    const auto found = std::find_if(kept.maps.begin(), kept.maps.end(), fits);
    if (found != kept.maps.end()) {
      kept.bytes -= found->bytes_;
      map.swap(*found);
    }
  }
  if (map.words_ != nullptr) return map;
  map = made(bytes);
  // A small map touches few pages of its large one.
  if (map.words_ != nullptr && words * sizeof(std::uint64_t) >= kLargePage / 2)
    (void)madvise(map.words_, bytes, MADV_HUGEPAGE);
  return map;
}

void KeptMap::unmap() const { munmap(pages_, bytes_ + kLargePage); }

KeptMap::~KeptMap() {
  if (pages_ == nullptr) return;
  Shelf& kept = shelf();
  const auto is_free = [](const KeptMap& one) { return one.pages_ == nullptr; };
  if (kept.mutex.try_lock()) {
    const MutexGuard lock(kept.mutex, std::adopt_lock);
    const auto place = std::find_if(kept.maps.begin(), kept.maps.end(), is_free);
    if (place != kept.maps.end() && kept.bytes + bytes_ <= kMaxKept) {
      kept.bytes += bytes_;
      place->swap(*this);
      return;
    }
  }
  unmap();
}

std::uint64_t KeptMap::kept() {
  Shelf& kept = shelf();
  const MutexGuard lock(kept.mutex);
  return kept.bytes;
}

}  // namespace skmd::cpu
