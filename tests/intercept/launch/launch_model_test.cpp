// SPDX-License-Identifier: Apache-2.0
// Residency, locks and launches against one plain array: for random commands, in all modes and on several numbers of
// devices, the application sees what one device would have given.
#include <gtest/gtest.h>

#include <random>

#include "intercept/launch/make_launch.h"
#include "intercept/memory/bytes.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"
#include "tests/seed.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 512;
constexpr int kBuffers = 3;

/// A host command: runs on an executor thread like every command of the driver.
class HostCommand : public Command {
 public:
  explicit HostCommand(std::function<void()> work) : work_(std::move(work)) {}
  cl_int run(Event&) override {
    work_();
    return CL_COMPLETE;
  }

 private:
  std::function<void()> work_;
};

class Model {
 public:
  Model(FakeMachine& machine, unsigned seed) : m_(machine), random_(seed) {
    for (int i = 0; i < kBuffers; ++i) {
      storages_.push_back(m_.storage(kItems * 4));
      arrays_.emplace_back(kItems, 0);
    }
    second_ = make_object<Queue>(m_.context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{},
                                 *m_.machine.executor);
    // An index buffer that is a permutation, so that scattered writes do not race.
    const auto& index = permutation();
    write(0, 0, index);
  }

  void step() {
    switch (pick(8)) {
      case 0:
        return random_write();
      case 1:
        return random_read();
      case 2:
        return forget();
      case 3:
        return copy();
      case 4:
        return scatter();
      default:
        return launch();
    }
  }

  void check_all() {
    m_.queue->finish();
    second_->finish();
    for (int i = 0; i < kBuffers; ++i) {
      std::vector<std::uint32_t> seen(kItems);
      m_.read(storages_[i], 0, seen.data(), kItems * 4);
      ASSERT_EQ(seen, arrays_[i]) << "buffer " << i;
    }
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  /// One of two queues; the other one's newest event goes into the wait list, so that program order holds.
  void enqueue(cl_command_type type, std::shared_ptr<Command> command) {
    Queue& queue = pick(3) == 0 ? *second_ : *m_.queue;
    std::vector<Ref<Event>> after;
    if (last_) after.push_back(last_);
    last_ = queue.enqueue(type, std::move(command), after);
  }

  void on_host(std::function<void()> work) { enqueue(CL_COMMAND_USER, std::make_shared<HostCommand>(std::move(work))); }

  const std::vector<std::uint32_t>& permutation() {
    permutation_.resize(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) permutation_[i] = i;
    std::shuffle(permutation_.begin(), permutation_.end(), random_);
    return permutation_;
  }

  void write(int buffer, std::uint64_t first, std::vector<std::uint32_t> values) {
    std::copy(values.begin(), values.end(), arrays_[buffer].begin() + static_cast<std::ptrdiff_t>(first));
    on_host([this, buffer, first, values = std::move(values)] {
      m_.write(storages_[buffer], first * 4, values.data(), values.size() * 4);
    });
  }

  void random_write() {
    const std::uint64_t first = pick(kItems), count = 1 + pick(kItems - first);
    std::vector<std::uint32_t> values(count);
    for (auto& v : values) v = random_();
    write(static_cast<int>(pick(kBuffers)), first, std::move(values));
  }

  void random_read() {
    const int buffer = static_cast<int>(pick(kBuffers));
    const std::uint64_t first = pick(kItems), count = 1 + pick(kItems - first);
    const auto begin = arrays_[buffer].begin() + static_cast<std::ptrdiff_t>(first);
    on_host([this, buffer, first,
             expected = std::vector<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(count))] {
      std::vector<std::uint32_t> seen(expected.size());
      m_.read(storages_[buffer], first * 4, seen.data(), seen.size() * 4);
      EXPECT_EQ(seen, expected);
    });
  }

  void forget() {
    const int buffer = static_cast<int>(pick(kBuffers));
    const std::uint64_t first = pick(kItems), count = 1 + pick(kItems - first);
    for (std::uint64_t i = 0; i < count; ++i) arrays_[buffer][first + i] = 0;
    on_host([this, buffer, first, count] {
      const domain::RangeSet ranges(domain::ByteRange{first * 4, (first + count) * 4});
      const RangeLock lock = RangeLock::take({claim_on(storages_[buffer], ranges, true)});
      storages_[buffer]->forget(ranges);
    });
  }

  void copy() {
    const int from = static_cast<int>(pick(kBuffers)), to = static_cast<int>(pick(kBuffers));
    const std::uint64_t count = 1 + pick(kItems), source = pick(kItems - count + 1), target = pick(kItems - count + 1);
    const std::vector<std::uint32_t> moved(arrays_[from].begin() + static_cast<std::ptrdiff_t>(source),
                                           arrays_[from].begin() + static_cast<std::ptrdiff_t>(source + count));
    std::copy(moved.begin(), moved.end(), arrays_[to].begin() + static_cast<std::ptrdiff_t>(target));
    on_host([=, this] {
      const RangeLock lock =
          RangeLock::take({claim_on(storages_[from], domain::ByteRange{source * 4, (source + count) * 4}, false),
                           claim_on(storages_[to], domain::ByteRange{target * 4, (target + count) * 4}, true)});
      EXPECT_TRUE(copy_bytes(*storages_[from], source * 4, *storages_[to], target * 4, count * 4).ok());
    });
  }

  domain::NdRange random_range() {
    const std::uint64_t local = std::uint64_t{1} << pick(6);
    const std::uint64_t groups = 1 + pick(kItems / local);
    domain::NdRange range = line(local * groups, local);
    range.offset[0] = pick(kItems - local * groups + 1);
    return range;
  }

  void scatter() {
    const int target = 1 + static_cast<int>(pick(kBuffers - 1));
    write(0, 0, permutation());
    const domain::NdRange range = random_range();
    for (std::uint64_t i = range.offset[0]; i < range.offset[0] + range.global[0]; ++i)
      arrays_[target][permutation_[i]] = static_cast<std::uint32_t>(i) + 1;
    enqueue_launch(scatter_, range, {whole(storages_[target]), whole(storages_[0])});
  }

  void launch() {
    const int y = static_cast<int>(pick(kBuffers)), x = static_cast<int>(pick(kBuffers));
    const domain::NdRange range = random_range();
    const std::vector<std::uint32_t> before = arrays_[x];
    const std::uint64_t first = range.offset[0], last = first + range.global[0];
    const auto n = static_cast<std::uint32_t>(kItems);
    switch (pick(3)) {
      case 0: {
        const auto a = static_cast<std::uint32_t>(pick(1000));
        for (std::uint64_t i = first; i < last; ++i) arrays_[y][i] += a * before[i];
        return enqueue_launch(axpy_, range, {whole(storages_[y]), whole(storages_[x]), value_of(a)});
      }
      case 1:
        for (std::uint64_t i = first; i < last; ++i)
          if (i % 2 == 1) arrays_[y][i] = before[i] + 1;
        return enqueue_launch(odd_, range, {whole(storages_[y]), whole(storages_[x])});
      default:
        if (x == y) return;  // neighbours would race
        for (std::uint64_t i = first; i < last; ++i)
          arrays_[y][i] = before[i == 0 ? 0 : i - 1] + before[i] + before[std::min<std::uint64_t>(i + 1, n - 1)];
        return enqueue_launch(stencil_, range, {whole(storages_[y]), whole(storages_[x]), value_of(n)});
    }
  }

  void enqueue_launch(const std::shared_ptr<BuiltKernel>& kernel, const domain::NdRange& range,
                      std::vector<LaunchArgument> arguments) {
    auto command = make_launch(m_.machine, {kernel, range, std::move(arguments)});
    ASSERT_TRUE(command.ok());
    enqueue(CL_COMMAND_NDRANGE_KERNEL, *command);
  }

  FakeMachine& m_;
  std::mt19937 random_;
  std::vector<std::shared_ptr<Storage>> storages_;
  std::vector<std::vector<std::uint32_t>> arrays_;
  std::vector<std::uint32_t> permutation_;
  Ref<Queue> second_;
  Ref<Event> last_;
  std::shared_ptr<BuiltKernel> axpy_ = m_.kernel(axpy_traits()), scatter_ = m_.kernel(scatter_traits()),
                               odd_ = m_.kernel(odd_traits()), stencil_ = m_.kernel(stencil_traits());
};

struct Composition {
  const char* name;
  std::vector<bool> discrete;
  const char* policy;
};

class LaunchModel : public testing::TestWithParam<Composition> {};

TEST_P(LaunchModel, MatchesOnePlainArray) {
  for (unsigned seed = 1 + 3 * skmd::test::seed_offset(), end = seed + 3; seed < end; ++seed) {
    FakeMachine machine(GetParam().discrete, GetParam().policy);
    Model model(machine, seed);
    for (int i = 0; i < 300; ++i) {
      model.step();
      if (i % 50 == 49) model.check_all();
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    model.check_all();
  }
}

INSTANTIATE_TEST_SUITE_P(Compositions, LaunchModel,
                         testing::Values(Composition{"OneDiscrete", {true}, "equal"},
                                         Composition{"OneInPlace", {false}, "equal"},
                                         Composition{"TwoDiscrete", {true, true}, "equal"},
                                         Composition{"TwoInPlace", {false, false}, "equal"},
                                         Composition{"Mixed", {false, true}, "equal"},
                                         Composition{"MixedUneven", {true, false, true}, "fixed:10,70,20"},
                                         Composition{"FourDevices", {true, true, false, true}, "equal"},
                                         Composition{"Automatic", {true, true, false}, "auto"},
                                         Composition{"Linear", {true, true}, "linear"},
                                         Composition{"SingleOfThree", {true, true, true}, "single:2"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace skmd::icd::test
