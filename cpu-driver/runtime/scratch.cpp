// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "cpu-driver/runtime/runtime_constants.h"

namespace skmd::cpu {

namespace {

constexpr std::uint64_t kLeastBlock = 4096;  // bytes: a page

/// A running sum that stays above every limit once it has been there.
class Sum {
 public:
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool too_much() const { return bytes_ > tuning::kMaxScratch; }
  void add(std::uint64_t bytes) { bytes_ = std::min(bytes_, kTop) + std::min(bytes, kTop); }
  void add_product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    add(__builtin_mul_overflow(a, b, &product) ? kTop : product);
  }
  void align() { bytes_ = (bytes_ + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment; }

 private:
  static constexpr std::uint64_t kTop = std::uint64_t{1} << 62;  // two of them still have room
  std::uint64_t bytes_ = 0;
};

struct Block {
  std::byte* bytes = nullptr;  // and as many as may be read before and behind them
  std::uint64_t size = 0;

  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { free(); }
  void free() {
    if (bytes != nullptr) std::free(bytes - kReadAroundScratch);
    bytes = nullptr;
    size = 0;
  }
};

thread_local Block block;

}  // namespace

domain::Result<ScratchLayout> scratch_layout(const KernelFacts& facts, const std::uint64_t (&local)[3],
                                             std::span<const std::uint64_t> sizes) {
  ScratchLayout layout;
  Sum sum;
  sum.add(facts.local_bytes);
  for (const std::uint64_t size : sizes) {
    sum.align();
    layout.local_arguments.push_back(sum.bytes());
    sum.add(size);
  }
  sum.align();
  layout.items_offset = sum.bytes();
  const std::uint64_t width = std::max<std::uint32_t>(1, facts.width);
  const std::uint64_t row = (local[0] + width - 1) / width * width;
  std::uint64_t items = 0;
  if (__builtin_mul_overflow(row, local[1], &items) || __builtin_mul_overflow(items, local[2], &items))
    items = tuning::kMaxScratch + 1;
  sum.add(facts.fixed_bytes);
  sum.add_product(facts.item_bytes, items);
  const std::uint64_t local_bytes = layout.items_offset;
  if (facts.lane_groups != 0 && local_bytes != 0 && local_bytes <= tuning::kMaxLaneBytes) {
    layout.lane_groups = facts.lane_groups;
    sum.align();
    layout.lanes_offset = sum.bytes();
    layout.lane_bytes = local_bytes;
    sum.add_product(facts.lane_groups, 2 * local_bytes + kBetweenLanes);
  }
  layout.bytes = sum.bytes();
  if (sum.too_much())
    return domain::Error{0, "a group of this kernel needs more than " + std::to_string(tuning::kMaxScratch >> 20) +
                                " MiB of local and private memory"};
  return layout;
}

std::byte* scratch_of_this_thread(std::uint64_t bytes) {
  if (block.size >= bytes && block.bytes != nullptr) return block.bytes;
  if (bytes > tuning::kMaxScratch) return nullptr;
  block.free();
  const std::uint64_t size = (std::max(bytes, kLeastBlock) + kLeastBlock - 1) / kLeastBlock * kLeastBlock;
  static_assert(kReadAroundScratch % kScratchAlignment == 0);
  auto* whole = static_cast<std::byte*>(std::aligned_alloc(kScratchAlignment, size + 2 * kReadAroundScratch));
  if (whole == nullptr) return nullptr;
  block.bytes = whole + kReadAroundScratch;
  block.size = size;
  return block.bytes;
}

void leave_scratch() {
  if (block.size > tuning::kScratchKept) block.free();
}

}  // namespace skmd::cpu
