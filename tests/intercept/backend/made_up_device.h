// SPDX-License-Identifier: Apache-2.0
// A device that is not there, for launches that are given a quantum at a time: each group counts its rounds in memory,
// and leaves at random rounds with the next one in its state.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "intercept/backend/vendor/stoppable_run.h"

namespace skmd::icd {

namespace control = compiler::control;

struct HostMemory final : NativeMemory {
  explicit HostMemory(std::uint64_t bytes) : content(bytes) {}
  [[nodiscard]] std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(content.data()); }
  std::vector<std::byte> content;
};
struct NoKernel final : NativeKernel {
  [[nodiscard]] const KernelLimits& limits() const override { return bounds; }
  KernelLimits bounds;
};

constexpr std::uint32_t kRounds = 5;
constexpr std::uint64_t kItems = 3, kGroupsInAll = 40;
constexpr std::uint64_t kLocalBytes = 10;

// What was counted of one launch, whichever devices it ran on.
struct Counted {
  std::vector<std::vector<int>> rounds = std::vector<std::vector<int>>(kGroupsInAll, std::vector<int>(kRounds));
  std::vector<bool> local_is_right = std::vector<bool>(kGroupsInAll, true);
};

class MadeUpDevice {
 public:
  MadeUpDevice(Counted& counted, unsigned seed, bool together, bool runs_ahead)
      : ahead(runs_ahead), counted_(counted), random_(seed) {
    code_.kernel = std::make_shared<NoKernel>();
    code_.facts.facts.schema = 7;
    code_.facts.facts.together = together ? 1 : 0;
    code_.facts.facts.group_words = together ? 3 : 0;  // two points, and the next round
    code_.facts.facts.item_words = together ? 0 : 2;   // a point, and the next round
    code_.facts.facts.points = 1;
    code_.facts.local_bytes = together ? kLocalBytes : 0;
  }

  StoppableRun::Native native() {
    return {[this](std::uint64_t bytes) -> Result<std::shared_ptr<NativeMemory>> {
              if (bytes > memory_bytes) return domain::Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "none"};
              return std::shared_ptr<NativeMemory>(std::make_shared<HostMemory>(bytes));
            },
            [this](Batch&& batch) {
              queue_.push_back(std::move(batch));
              most_queued_ = std::max(most_queued_, queue_.size());
              return ++ticket_;
            },
            [this](bool make) {
              if (make && lends_pieces && pieces == nullptr) pieces = made_pieces();
              return pieces;
            },
            ahead};
  }
  static std::shared_ptr<PinnedPieces> made_pieces() {
    const std::shared_ptr<std::byte[]> bytes(new std::byte[tuning::kStatePieces * tuning::kStatePiece]);
    return std::make_shared<PinnedPieces>(bytes.get(), std::static_pointer_cast<void>(bytes), tuning::kStatePieces,
                                          tuning::kStatePiece);
  }
  [[nodiscard]] const StoppableKernelCode& code() const { return code_; }
  /// Batches that were submitted and have not been carried out, at most.
  [[nodiscard]] std::size_t most_queued() const { return most_queued_; }

  /// Asks for a stop during the `runs_from_now`th launch from now on.
  void stop_during(unsigned runs_from_now, std::shared_ptr<StopToken> stop) {
    stop_at_ = runs + runs_from_now;
    stop_ = std::move(stop);
  }

  // Until nothing is queued.
  void work() {
    while (!queue_.empty()) {
      Batch batch = std::move(queue_.front());
      queue_.pop_front();
      BatchResult result;
      if (fails_at != 0 && --fails_at == 0) lost_ = true;
      if (lost_) {
        result = {CL_OUT_OF_RESOURCES, "lost", {}, Fault::device, 0};
      } else if (!has_room_for(batch)) {
        result = {CL_MEM_OBJECT_ALLOCATION_FAILURE, "full", {}, Fault::memory, 0};
      } else {
        for (const Op& op : batch.ops) carry_out(op);
        result.times.resize(batch.ops.size(), OpTime{1, 2, 1, 0});
      }
      batch.done(std::move(result));
    }
  }

  const bool ahead;                         // StoppableRun::Native::ahead
  std::uint64_t memory_bytes = UINT64_MAX;  // of one buffer at most
  std::uint64_t used_bytes = UINT64_MAX;    // of one buffer at most when it is first used
  int fails_at = 0;                         // the number of the first batch that fails, from 1
  bool lends_pieces = false;                // of page-locked memory
  std::shared_ptr<PinnedPieces> pieces;     // once they were made
  std::size_t runs = 0;                     // launches
  std::uint32_t quantum = 0;                // of the last launch
  const std::byte* states_read = nullptr;   // where the last states were read to
  std::vector<const std::byte*> written;    // what was written from

 private:
  static HostMemory& memory(const std::shared_ptr<NativeMemory>& given) { return static_cast<HostMemory&>(*given); }

  [[nodiscard]] bool has_room_for(const Batch& batch) const {
    return std::none_of(batch.ops.begin(), batch.ops.end(), [this](const Op& op) {
      const auto* fill = std::get_if<FillOp>(&op);
      return fill != nullptr && fill->bytes > used_bytes;
    });
  }

  void carry_out(const Op& op) {
    if (const auto* write = std::get_if<WriteOp>(&op)) {
      written.push_back(write->host + write->rows.begin);
      std::memcpy(memory(write->memory).content.data() + write->rows.begin, write->host + write->rows.begin,
                  write->rows.width);
    } else if (const auto* read = std::get_if<ReadOp>(&op)) {
      const domain::RowRun& rows = read->rows;
      if (read->packed) states_read = read->host;
      for (std::uint64_t row = 0; row < rows.rows; ++row)
        std::memcpy(read->host + (read->packed ? row * rows.width : rows.begin + row * rows.stride),
                    memory(read->memory).content.data() + rows.begin + row * rows.stride, rows.width);
    } else if (const auto* fill = std::get_if<FillOp>(&op)) {
      std::memset(memory(fill->memory).content.data() + fill->offset, 0, fill->bytes);
    } else {
      launch(std::get<RunOp>(op));
    }
  }

  void launch(const RunOp& run) {
    if (++runs == stop_at_) stop_->request();
    const auto& arguments = *run.arguments;
    std::uint32_t* words = memory(std::get<BufferArgument>(arguments.back()).memory).words();
    std::uint32_t* states = memory(std::get<BufferArgument>(arguments[arguments.size() - 2]).memory).words();
    EXPECT_EQ(run.range.local, (domain::Extent3{kItems, 1, 1}));
    quantum = words[control::kQuantum];
    EXPECT_EQ(words[control::kLeft], 0u);
    EXPECT_EQ(words[control::kStart], 0u);
    EXPECT_EQ(words[control::kGroupCounts] * words[control::kGroupCounts + 1], kGroupsInAll);
    const std::uint64_t groups = run.range.global[0] / kItems;
    for (std::uint64_t slot = 0; slot < groups; ++slot) {
      std::uint32_t* own = states + slot * words[control::kStateWords];
      const std::uint32_t group = words[control::kGroups + slot];
      std::uint32_t* stages = words + control::kGroups + groups + slot * control::kStages;
      saved_ = fresh_ = ended_ = false;
      code_.facts.facts.together != 0 ? run_together(own, group) : run_alone(own, group);
      if (saved_ || fresh_) words[control::kLeft] = 1;
      if (saved_) stages[control::kSavedIn] = words[control::kRun];
      if (fresh_) stages[control::kFreshIn] = words[control::kRun];
      if (ended_) stages[control::kAnyEnded] = 1;
    }
  }

  bool leaves() { return std::uniform_int_distribution<int>(0, 2)(random_) == 0; }

  void run_together(std::uint32_t* own, std::uint32_t group) {
    const std::uint32_t point = own[1];
    if (point == cpu::kPointDone) return;
    auto* local = reinterpret_cast<unsigned char*>(own + 3);
    std::uint32_t round = 0;
    if (point == 0) {
      fresh_ = leaves();
      if (fresh_) return;
    } else {
      EXPECT_EQ(point, 1u);
      round = own[2];
      for (std::uint64_t i = 0; i < kLocalBytes; ++i)
        if (local[i] != static_cast<unsigned char>(group + i)) counted_.local_is_right[group] = false;
    }
    own[1] = cpu::kPointDone;
    while (round < kRounds) {
      ++counted_.rounds[group][round++];
      if (round == kRounds || !leaves()) continue;
      own[1] = 1;
      own[2] = round;
      for (std::uint64_t i = 0; i < kLocalBytes; ++i) local[i] = static_cast<unsigned char>(group + i);
      saved_ = true;
      return;
    }
  }

  void run_alone(std::uint32_t* own, std::uint32_t group) {
    for (std::uint64_t item = 0; item < kItems; ++item) {
      std::uint32_t& point = own[item];
      std::uint32_t& next = own[kItems + item];
      if (point == cpu::kPointDone) continue;
      std::uint32_t round = point == 0 ? 0 : next;
      if (point == 0 && leaves()) {
        fresh_ = true;
        continue;
      }
      point = cpu::kPointDone;
      while (round < kRounds) {
        ++counted_.rounds[group][round++];
        if (round == kRounds || !leaves()) continue;
        point = 1;
        next = round;
        saved_ = true;
        break;
      }
      ended_ = ended_ || point == cpu::kPointDone;
    }
  }

  Counted& counted_;
  std::mt19937 random_;
  bool saved_ = false, fresh_ = false, ended_ = false;  // of the group that runs: its items
  StoppableKernelCode code_;
  std::deque<Batch> queue_;
  std::size_t most_queued_ = 0, stop_at_ = SIZE_MAX;
  std::shared_ptr<StopToken> stop_;
  bool lost_ = false;
  Ticket ticket_ = 0;
};

}  // namespace skmd::icd
