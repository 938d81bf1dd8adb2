// SPDX-License-Identifier: Apache-2.0
// Launches that a device is given a quantum at a time, on a device that this file makes up: each group counts its
// rounds in memory, and leaves at random rounds with the next one in its state.
#include "intercept/backend/vendor/stoppable_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>

namespace skmd::icd {
namespace {

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
  MadeUpDevice(Counted& counted, unsigned seed, bool together) : counted_(counted), random_(seed) {
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
              return ++ticket_;
            }};
  }
  [[nodiscard]] const StoppableKernelCode& code() const { return code_; }

  // Until nothing is queued.
  void work() {
    while (!queue_.empty()) {
      Batch batch = std::move(queue_.front());
      queue_.pop_front();
      BatchResult result;
      if (fails_at != 0 && --fails_at == 0) {
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

  std::uint64_t memory_bytes = UINT64_MAX;  // of one buffer at most
  std::uint64_t used_bytes = UINT64_MAX;    // of one buffer at most when it is first used
  int fails_at = 0;                         // the number of the batch that fails, from 1
  std::size_t runs = 0;                     // launches
  std::uint32_t quantum = 0;                // of the last launch

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
      std::memcpy(memory(write->memory).content.data() + write->rows.begin, write->host + write->rows.begin,
                  write->rows.width);
    } else if (const auto* read = std::get_if<ReadOp>(&op)) {
      const domain::RowRun& rows = read->rows;
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
    ++runs;
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
  Ticket ticket_ = 0;
};

struct Ended {
  int calls = 0;
  BatchResult result;
};

Batch batch_of(const std::shared_ptr<SavedGroups>& saved, const std::shared_ptr<StopToken>& stop,
               const domain::GroupSpan& groups, Ended& ended) {
  RunOp run;
  run.kernel = std::make_shared<NoKernel>();
  run.arguments = std::make_shared<const std::vector<NativeArgument>>();
  run.range.work_dim = 2;
  run.range.local = {kItems, 1, 1};
  run.range.global = {kItems * 8, kGroupsInAll / 8, 1};
  run.saved = saved;
  run.stop = stop;
  run.quantum_ns = 1000;
  run.groups = groups;
  Batch batch;
  batch.ops.emplace_back(std::move(run));
  batch.want_times = true;
  batch.done = [&ended](BatchResult&& result) {
    ++ended.calls;
    ended.result = std::move(result);
  };
  return batch;
}

void run_on(MadeUpDevice& device, Batch&& batch) {
  ASSERT_TRUE(StoppableRun::takes(batch.work()));
  const auto run = std::make_shared<StoppableRun>(std::move(batch), device.code(), device.native());
  run->begin();
  device.work();
  EXPECT_EQ(run->under_way(), 0u);
}

void expect_each_once(const Counted& counted, const domain::GroupSpan& groups, bool together) {
  for (std::uint64_t group = 0; group < kGroupsInAll; ++group) {
    const bool runs = group >= groups.first && group < groups.last;
    const int times = !runs ? 0 : together ? 1 : static_cast<int>(kItems);
    EXPECT_EQ(counted.rounds[group], std::vector<int>(kRounds, times)) << group;
    EXPECT_TRUE(counted.local_is_right[group]) << group;
  }
}

class StoppableRuns : public testing::TestWithParam<bool> {};

TEST_P(StoppableRuns, GoOnUntilAllGroupsHaveEnded) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Counted counted;
    MadeUpDevice device(counted, seed, GetParam());
    Ended ended;
    const domain::GroupSpan groups{seed, kGroupsInAll - seed / 2};
    run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, groups, ended));
    EXPECT_EQ(ended.calls, 1);
    EXPECT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
    EXPECT_FALSE(ended.result.left);
    ASSERT_EQ(ended.result.times.size(), 1u);
    EXPECT_EQ(ended.result.times[0].device_ns, device.runs);
    EXPECT_GT(device.runs, 1u);
    expect_each_once(counted, groups, GetParam());
  }
}

// Stopped after every launch, and moved to another device.
TEST_P(StoppableRuns, GoOnElsewhereFromWhatWasSaved) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Counted counted;
    MadeUpDevice one(counted, seed, GetParam()), other(counted, seed + 1000, GetParam());
    const auto saved = std::make_shared<SavedGroups>();
    domain::GroupSpan left{0, kGroupsInAll};
    int stops = 0;
    while (!left.empty()) {
      const auto stop = std::make_shared<StopToken>();
      stop->request();
      Ended ended;
      run_on(stops % 2 == 0 ? one : other, batch_of(saved, stop, left, ended));
      ASSERT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
      if (!ended.result.left) break;
      EXPECT_GE(ended.result.left->begun, ended.result.left->groups);
      EXPECT_LE(ended.result.left->begun, left.size());
      left.first += ended.result.left->groups;
      ASSERT_LT(++stops, 1000);
    }
    EXPECT_GT(stops, 1);
    EXPECT_EQ(saved->stopped(), 0u);
    expect_each_once(counted, {0, kGroupsInAll}, GetParam());
  }
}

TEST_P(StoppableRuns, FailOnceWithTheDevice) {
  Counted counted;
  for (int at = 1; at <= 4; ++at) {
    MadeUpDevice device(counted, 3, GetParam());
    device.fails_at = at;
    Ended ended;
    run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended));
    EXPECT_EQ(ended.calls, 1);
    EXPECT_EQ(ended.result.status, CL_OUT_OF_RESOURCES);
    EXPECT_EQ(ended.result.accepted, at <= 2 ? 0 : SIZE_MAX) << "whether the launch may have run";
  }
  MadeUpDevice device(counted, 3, GetParam());
  device.memory_bytes = 0;
  Ended ended;
  run_on(device, batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended));
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.result.status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_P(StoppableRuns, RefuseStatesOfAnotherSize) {
  Counted counted;
  for (const bool local : {false, true}) {
    MadeUpDevice device(counted, 5, GetParam());
    const auto saved = std::make_shared<SavedGroups>();
    saved->put(3, {7, std::vector<std::uint32_t>(GetParam() ? 3 : 6), std::vector<std::byte>(local ? 1024 : 0)});
    if (!local && !GetParam()) saved->put(3, {7, std::vector<std::uint32_t>(7), {}});
    Ended ended;
    run_on(device, batch_of(saved, nullptr, {0, kGroupsInAll}, ended));
    EXPECT_EQ(ended.result.status, CL_OUT_OF_RESOURCES);
    EXPECT_NE(ended.result.reason.find("the state of group 3"), std::string::npos) << ended.result.reason;
    EXPECT_EQ(device.runs, 0u);
  }
}

// `used`: it shows only when memory is first used.
void expect_fewer_groups_at_a_time(bool together, bool used) {
  Counted counted;
  MadeUpDevice device(counted, 5, together);
  (used ? device.used_bytes : device.memory_bytes) = 700;  // words of control take 128, and a group 16
  const auto saved = std::make_shared<SavedGroups>();
  saved->put(kGroupsInAll - 1, {});
  Ended ended;
  run_on(device, batch_of(saved, nullptr, {0, kGroupsInAll}, ended));
  EXPECT_EQ(ended.result.status, CL_SUCCESS) << ended.result.reason;
  expect_each_once(counted, {0, kGroupsInAll - 1}, together);
}

TEST_P(StoppableRuns, TakeFewerGroupsAtATimeWhereMemoryIsShort) {
  expect_fewer_groups_at_a_time(GetParam(), false);
  expect_fewer_groups_at_a_time(GetParam(), true);
}

TEST_P(StoppableRuns, FailRatherThanTakeFewerOfGroupsThatWaitForEachOther) {
  Counted counted;
  MadeUpDevice device(counted, 5, GetParam());
  device.memory_bytes = 700;
  Ended ended;
  Batch batch = batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended);
  std::get<RunOp>(batch.ops.back()).groups_wait = true;
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(device.runs, 0u);
}

// Kernels take them for negative numbers from 2^31 on.
TEST_P(StoppableRuns, KeepLongQuantaPositive) {
  Counted counted;
  MadeUpDevice device(counted, 5, GetParam());
  Ended ended;
  Batch batch = batch_of(std::make_shared<SavedGroups>(), nullptr, {0, kGroupsInAll}, ended);
  std::get<RunOp>(batch.ops.back()).quantum_ns = std::uint64_t{1} << 62;
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_SUCCESS);
  EXPECT_EQ(device.quantum, static_cast<std::uint32_t>(INT32_MAX));
}

TEST_P(StoppableRuns, DoWhatComesBeforeAlsoIfAllGroupsHaveEnded) {
  Counted counted;
  MadeUpDevice device(counted, 3, GetParam());
  const auto saved = std::make_shared<SavedGroups>();
  saved->put(0, {});
  Ended ended;
  Batch batch = batch_of(saved, nullptr, {0, 1}, ended);
  const auto memory = std::make_shared<HostMemory>(4);
  const std::uint32_t word = 42;
  batch.ops.insert(batch.ops.begin(), WriteOp{memory, reinterpret_cast<const std::byte*>(&word), {0, 4, 4, 1}});
  run_on(device, std::move(batch));
  EXPECT_EQ(ended.result.status, CL_SUCCESS);
  EXPECT_EQ(memory->words()[0], 42u);
  EXPECT_EQ(device.runs, 0u);
  EXPECT_EQ(ended.result.times.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(ItemsLeave, StoppableRuns, testing::Bool(),
                         [](const auto& param) { return param.param ? "together" : "one_by_one"; });

}  // namespace
}  // namespace skmd::icd
