// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/host_code.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "intercept/backend/port/port_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;  // bytes, of the system

}  // namespace

HostCode::HostCode(std::string artifact, std::string folder)
    : artifact_(std::move(artifact)), folder_(std::move(folder)) {}

cpu::MergeFunction HostCode::merge_function(const std::string& kernel) {
  const MutexGuard lock(mutex_);
  if (!tried_) {
    tried_ = true;
    auto loaded = cpu::SpanLibrary::load(artifact_, folder_);
    artifact_ = {};
    if (loaded) {
      library_ = std::move(*loaded);
      find_ = [this](const std::string& name) { return library_->merge_function(name); };
    } else {
      problem_ = loaded.error().reason;
    }
  }
  return find_ ? find_(kernel) : cpu::MergeFunction{};
}

std::string HostCode::problem() {
  const MutexGuard lock(mutex_);
  return problem_;
}

void for_each_piece(const domain::RangeSet& ranges, std::uint64_t element,
                    const std::function<void(const domain::ByteRange&)>& body) {
  const std::uint64_t step = std::max<std::uint64_t>(1, kCopiedPiece / element) * element;
  std::vector<domain::ByteRange> pieces;
  for (const domain::ByteRange& range : ranges.ranges())
    for (std::uint64_t begin = range.begin; begin < range.end; begin += std::min(step, range.end - begin))
      pieces.push_back({begin, std::min(begin + step, range.end)});
  // Many small ranges: some for each thread rather than one by one.
  const std::size_t share =
      std::max<std::size_t>(1, pieces.size() / (cpu::Pool::shared().threads() * kPiecesPerThread));
  cpu::Pool::shared().run((pieces.size() + share - 1) / share, [&](std::size_t i) {
    const std::size_t last = std::min(pieces.size(), (i + 1) * share);
    for (std::size_t piece = i * share; piece < last; ++piece) body(pieces[piece]);
  });
}

void host_threads(const std::function<void(std::size_t)>& body, std::size_t count) {
  cpu::Pool::shared().run(count, body);
}

void copy_host(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  const std::less<const std::byte*> before;
  const bool apart = !before(from, to + bytes) || !before(to, from + bytes);
  if (bytes >= kThreadedCopy && apart)
    cpu::copy_bytes(cpu::Pool::shared(), from, to, bytes);
  else if (bytes != 0)
    std::memmove(to, from, bytes);
}

std::byte* map_host(std::uint64_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (bytes >= 2 * kHugePage) (void)madvise(pages, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(pages);
}

void populate_host(std::byte* begin, std::uint64_t bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which older headers lack
  const std::uint64_t pieces = (bytes + kPopulated - 1) / kPopulated;
  host_threads(
      [&](std::size_t i) {
        const std::uint64_t first = i * kPopulated;
        (void)madvise(begin + first, std::min(kPopulated, bytes - first), kPopulateWrite);
      },
      pieces);
}

}  // namespace skmd::icd
