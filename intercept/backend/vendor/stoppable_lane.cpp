// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/stoppable_lane.h"

#include <algorithm>
#include <utility>

namespace skmd::icd {

namespace {

namespace control = compiler::control;

std::byte* bytes_of(std::vector<std::uint32_t>& words) { return reinterpret_cast<std::byte*>(words.data()); }

domain::RowRun row(std::uint64_t begin, std::uint64_t bytes) { return {begin, bytes, 0, 1}; }

}  // namespace

void StoppableLane::try_memory(std::uint64_t group_bytes, std::vector<Op>& ops) const {
  ops.emplace_back(FillOp{states_, std::vector<std::byte>(4), 0, capacity_ * group_bytes});
  ops.emplace_back(FillOp{control_, std::vector<std::byte>(4), 0, control_bytes(capacity_)});
}

void StoppableLane::take(StateChunk&& chunk, const domain::GroupSpan& span, std::uint64_t group_bytes,
                         std::vector<Op>& ops) {
  chunk_ = std::move(chunk);
  span_ = span;
  open_ = true;
  left_ = false;
  oldest_ = 1;
  chunk_.control[control::kRun] = 0;
  ops.emplace_back(FillOp{states_, std::vector<std::byte>(4), 0, chunk_.groups.size() * group_bytes});
  if (const StateWords* const begun = chunk_.begun.words.get(); begun != nullptr) {
    const std::uint64_t begin = chunk_.begun.first * group_bytes;
    ops.emplace_back(
        WriteOp{states_, reinterpret_cast<std::byte*>(begun->data()) - begin, row(begin, begun->size() * 4)});
  }
}

std::size_t StoppableLane::run(const RunOp& launch, const StoppableKernelCode& code, std::uint64_t group_bytes,
                               std::uint32_t fuel, std::vector<Op>& ops) {
  const std::uint32_t number = ++chunk_.control[control::kRun];
  std::vector<std::uint32_t>& header = headers_[number % kRuns];
  // The first one brings the list, the others what changes.
  const std::size_t words = number == 1 ? chunk_.control.size() : std::size_t{control::kGroups};
  header.assign(chunk_.control.begin(), chunk_.control.begin() + static_cast<std::ptrdiff_t>(words));
  header[control::kFuel] = fuels_[number % kRuns] = fuel;
  ops.emplace_back(WriteOp{control_, bytes_of(header), row(0, header.size() * 4)});
  auto arguments = std::make_shared<std::vector<NativeArgument>>();
  if (launch.arguments != nullptr) *arguments = *launch.arguments;
  if (!launch.record.empty()) arguments->emplace_back(launch.record);
  arguments->emplace_back(BufferArgument{states_, 0, capacity_ * group_bytes});
  arguments->emplace_back(BufferArgument{control_, 0, 0});
  RunOp run{code.kernel, std::move(arguments), {}, launch.range};
  run.range.work_dim = 3;
  run.range.offset = {0, 0, 0};
  run.range.global = {launch.range.local[0] * chunk_.groups.size(), launch.range.local[1], launch.range.local[2]};
  const std::size_t launch_at = ops.size();
  ops.emplace_back(std::move(run));
  static_assert(control::kLeft == 0);  // a read's bytes lie in host memory where they lie in the buffer
  auto* const answer = reinterpret_cast<std::byte*>(&answers_[number % kRuns]);
  ops.emplace_back(ReadOp{control_, answer, row(control::kLeft * 4, 4)});
  ++under_way_;
  return launch_at;
}

void StoppableLane::ended() {
  --under_way_;
  left_ = answers_[oldest_++ % kRuns] != 0;
  if (!left_ && under_way_ == 0) open_ = false;
  chunk_.begun.words.reset();  // page-locked memory, which the next stop wants
}

void StoppableLane::read_stages(std::vector<Op>& ops) {
  const std::uint64_t begin = chunk_.stages() * 4;
  ops.emplace_back(ReadOp{control_, bytes_of(chunk_.control), row(begin, chunk_.control.size() * 4 - begin)});
}

void StoppableLane::read_states(std::uint64_t group_words, const std::shared_ptr<PinnedPieces>& pieces,
                                std::vector<Op>& ops) {
  // Most groups have ended or not begun: their states need not be moved.
  std::size_t first = chunk_.groups.size(), last = 0;
  for (std::size_t i = 0; i < chunk_.groups.size(); ++i)
    if (stage_of(chunk_, i) == GroupStage::inside) first = std::min(first, i), last = i + 1;
  if (last == 0) return;
  read_.first = first;
  read_.words = std::make_shared<StateWords>((last - first) * group_words, pieces);
  ops.emplace_back(ReadOp{states_, reinterpret_cast<std::byte*>(read_.words->data()),
                          row(first * group_words * 4, read_.words->size() * 4), true});
}

}  // namespace skmd::icd
