// SPDX-License-Identifier: Apache-2.0
// Launches that are enqueued again and again share what was worked out for them.
#include "intercept/launch/frozen_launch.h"

#include <gtest/gtest.h>

#include <vector>

#include "intercept/launch/make_launch.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 1024;
constexpr int kLaunches = 100;
using Words = std::vector<std::uint32_t>;

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete = {true}, const std::string& policy = "single")
      : FakeMachine(discrete, policy), x(storage(kItems * 4)), y(storage(kItems * 4)), axpy(kernel(axpy_traits())) {
    Words values(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i;
    write(x, 0, values.data(), kItems * 4);
    write(y, 0, Words(kItems).data(), kItems * 4);
  }
  std::shared_ptr<const FrozenLaunch> frozen(std::uint32_t factor) {
    return std::make_shared<const FrozenLaunch>(machine,
                                                Launch{axpy, line(kItems, 64), {whole(y), whole(x), value_of(factor)}});
  }
  Ref<Event> again(std::shared_ptr<const Launch> launch) {
    return queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, repeat_launch(machine, std::move(launch), false), {});
  }
  void expect(std::uint32_t factor) {
    Words seen(kItems);
    read(y, 0, seen.data(), kItems * 4);
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(seen[i], factor * i) << i;
  }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> axpy;
};

TEST(FrozenLaunch, EachCommandOfItRuns) {
  for (const auto& [discrete, policy] : {std::pair{std::vector<bool>{true}, "single"},
                                         {std::vector<bool>{false}, "single"},
                                         {std::vector<bool>{true, true}, "equal"},
                                         {std::vector<bool>{true, false}, "auto"}}) {
    World w(discrete, policy);
    const auto launch = w.frozen(3);
    Ref<Event> last;
    for (int i = 0; i < kLaunches; ++i) last = w.again(launch);
    EXPECT_EQ(last->wait(), CL_COMPLETE);
    w.expect(3 * kLaunches);
  }
}

TEST(FrozenLaunch, AnotherOneMayRunBetween) {
  World w;
  const auto launch = w.frozen(1);
  const auto other = w.frozen(10);
  Ref<Event> last;
  for (int i = 0; i < kLaunches; ++i) {
    last = w.again(launch);
    if (i % 3 == 0) last = w.again(other);
  }
  EXPECT_EQ(last->wait(), CL_COMPLETE);
  w.expect(kLaunches + 10 * ((kLaunches + 2) / 3));
}

TEST(FrozenLaunch, BytesThatTheHostWroteBetweenAreSent) {
  World w;
  const auto launch = w.frozen(1);
  EXPECT_EQ(w.again(launch)->wait(), CL_COMPLETE);
  const Words twos(kItems, 2);
  w.write(w.x, 0, twos.data(), kItems * 4);
  EXPECT_EQ(w.again(launch)->wait(), CL_COMPLETE);
  Words seen(kItems);
  w.read(w.y, 0, seen.data(), kItems * 4);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(seen[i], i + 2) << i;
}

TEST(FrozenLaunch, ItsRunsAreMadeOncePerDevice) {
  World w({true, true}, "auto");
  const auto launch = w.frozen(1);
  ASSERT_TRUE(launch->has_fixed_runs());
  const auto first = launch->fixed_runs(0);
  const auto second = launch->fixed_runs(1);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(*launch->fixed_runs(0), *first);
  EXPECT_EQ(*launch->fixed_runs(1), *second);
  ASSERT_EQ((*first)->size(), 1u);
  const auto& run = std::get<RunOp>((*first)->front());
  EXPECT_EQ(run.range, line(kItems, 64));
  EXPECT_EQ(std::get<BufferArgument>(run.arguments->front()).memory, *w.y->native(0));
}

TEST(FrozenLaunch, HasAShapeOfItsOwnWhereItsValuesDecideWhatIsTouched) {
  World w;
  EXPECT_EQ(&w.frozen(1)->view().shape(), &w.frozen(2)->view().shape()) << "a factor";
  TraitsBuilder traits(w.axpy->traits().name);
  traits.buffer().value(8).value(8);
  traits.access(domain::AccessKind::write, 0, traits.op(domain::Op::add, traits.global_id(0), traits.argument(1)), 4);
  const auto shifted = w.kernel(traits.take());
  const auto shape = [&](std::uint64_t shift, std::uint64_t other) {
    const FrozenLaunch launch(w.machine,
                              {shifted, line(kItems / 2, 64), {whole(w.y), value_of(shift), value_of(other)}});
    const auto& written = launch.view().shape().whole()->roots.front().may_write;
    EXPECT_EQ(written, domain::RangeSet(domain::ByteRange{4 * shift, 4 * shift + 2 * kItems}));
    return &launch.view().shape();
  };
  EXPECT_EQ(shape(3, 1), shape(3, 2));
  EXPECT_NE(shape(3, 1), shape(4, 1));
}

TEST(FrozenLaunch, WithImagesItsRunsAreMadeEachTime) {
  World w;
  TraitsBuilder traits(w.axpy->traits().name);
  traits.buffer();
  ImageShape shape;
  shape.format = {CL_R, CL_UNSIGNED_INT32};
  shape.desc.image_type = CL_MEM_OBJECT_IMAGE1D;
  shape.desc.image_width = kItems;
  shape.element_bytes = 4;
  const auto storage = Storage::create_image(w.machine, shape, kItems * 4, nullptr, nullptr);
  ASSERT_TRUE(storage.ok());
  const FrozenLaunch launch(
      w.machine, {w.kernel(traits.take()), line(kItems, 64), {ImageView{*storage, 0, nullptr, 0, kItems * 4}}});
  EXPECT_FALSE(launch.has_fixed_runs());
}

TEST(FrozenLaunch, ADeviceThatWasSetAsideMakesItAnew) {
  World w({true, true}, "auto");
  std::shared_ptr<const Launch> launch = w.frozen(1);
  EXPECT_TRUE(repeat_launch(w.machine, std::shared_ptr<const Launch>(launch), false));
  w.machine.losses.fetch_add(1);
  EXPECT_FALSE(repeat_launch(w.machine, std::move(launch), false));
  EXPECT_TRUE(launch) << "it was not taken";  // NOLINT(bugprone-use-after-move): says so
}

TEST(FrozenLaunch, ACommandThatFailsOnItsDeviceRunsElsewhere) {
  World w({true, true});
  const auto launch = w.frozen(2);
  EXPECT_EQ(w.again(launch)->wait(), CL_COMPLETE);
  w.expect(2);
  ASSERT_GT(w.fakes[0]->counters.runs, 0u);
  w.fakes[0]->pause();
  w.fakes[0]->refuse_runs = 1;
  Ref<Event> last;
  for (int i = 1; i < kLaunches; ++i) last = w.again(launch);
  w.fakes[0]->resume();
  EXPECT_EQ(last->wait(), CL_COMPLETE);
  EXPECT_GT(w.fakes[1]->counters.runs, 0u);
  w.expect(2 * kLaunches);
}

}  // namespace
}  // namespace skmd::icd::test
