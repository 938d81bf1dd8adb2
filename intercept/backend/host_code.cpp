// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/host_code.h"

#include <algorithm>
#include <utility>

namespace skmd::icd {
namespace {

/// Small enough that threads end together, large enough that handing out costs nothing.
constexpr std::uint64_t kPiecesPerThread = 8;
constexpr std::uint64_t kLeastItems = 16384;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

}  // namespace

HostCode::HostCode(std::string artifact, std::string folder)
    : artifact_(std::move(artifact)), folder_(std::move(folder)) {}

cpu::SpanFunction HostCode::merge_function(const std::string& kernel) {
  const std::lock_guard lock(mutex_);
  if (!tried_) {
    tried_ = true;
    auto loaded = cpu::SpanLibrary::load(artifact_, folder_);
    artifact_ = {};
    if (loaded) {
      library_ = std::move(*loaded);
      find_ = [this](const std::string& symbol) { return library_->find(symbol); };
    } else {
      problem_ = loaded.error().reason;
    }
  }
  return find_ ? find_(cpu::merge_symbol(kernel)) : nullptr;
}

std::string HostCode::problem() {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void run_span(cpu::SpanFunction function, const cpu::SpanFrame& frame, const domain::GroupSpan& span) {
  if (span.empty()) return;
  cpu::Pool& pool = cpu::Pool::shared();
  const std::uint64_t items = frame.local_size[0] * frame.local_size[1] * frame.local_size[2];
  const std::uint64_t least = std::max<std::uint64_t>(1, kLeastItems / std::max<std::uint64_t>(1, items));
  const std::uint64_t pieces = std::clamp<std::uint64_t>(span.size() / least, 1, pool.threads() * kPiecesPerThread);
  pool.run(pieces, [&](std::size_t i) {
    const std::uint64_t whole = span.size() / pieces;
    const std::uint64_t rest = span.size() % pieces;
    const std::uint64_t first = span.first + i * whole + std::min<std::uint64_t>(i, rest);
    function(&frame, first, first + whole + (i < rest ? 1 : 0));
  });
}

void for_each_piece(const domain::RangeSet& ranges, std::uint64_t element,
                    const std::function<void(const domain::ByteRange&)>& body) {
  const std::uint64_t step = std::max<std::uint64_t>(1, kPieceBytes / element) * element;
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

}  // namespace skmd::icd
