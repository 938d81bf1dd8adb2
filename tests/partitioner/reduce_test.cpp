// SPDX-License-Identifier: Apache-2.0
#include "partitioner/merge/reduce.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "partitioner/merge/merge.h"
#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

constexpr std::uint64_t kBytes = 1024;

NodeId anywhere(KernelBuilder& k) { return k.cast(Op::zext, k.node(Op::unknown, 32), 64); }

Access& atomic(KernelBuilder& k, std::uint32_t buffer, NodeId index, AtomicClass operation = AtomicClass::add,
               std::uint32_t width = 4) {
  Access& access = k.access(AccessKind::atomic, buffer, index, width);
  access.atomic = operation;
  return access;
}

/// Two equal slices of 64 items, arguments at `views`.
MergeDecision decide(const KernelBuilder& k, std::span<const RootView> views, std::uint32_t roots = 1) {
  const NdRange range = range_1d(64, 8);
  const auto arguments = k.arguments();
  std::vector<std::vector<RootFootprint>> slices;
  std::vector<std::vector<AtomicFootprint>> atomics;
  for (const GroupSpan span : {GroupSpan{0, 4}, GroupSpan{4, 8}}) {
    slices.push_back(on_roots(evaluate(k.traits, range, span, arguments), views, roots));
    atomics.push_back(evaluate_atomics(k.traits, range, span, arguments, views, roots));
  }
  return decide_merge(k.traits, slices, views, roots, {}, atomics);
}

MergeDecision decide(const KernelBuilder& k) {
  const RootView views[] = {{0, 0}};
  return decide(k, std::span(views).first(std::min<std::size_t>(1, k.arguments().size())));
}

TEST(DecideReduce, AtomicsOfOneClassAtUnknownPlacesAreCombined) {
  KernelBuilder k;
  const auto bins = k.buffer(kBytes);
  atomic(k, bins, anywhere(k));
  const auto decision = decide(k);
  EXPECT_FALSE(decision.refused);
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::reduce}));
  EXPECT_EQ(decision.commuting[0], (std::vector<CommutingBytes>{{AtomicClass::add, 4, ByteRange{0, kBytes}}}));
  EXPECT_EQ(decision.joined[0], RangeSet({0, kBytes}));
}

TEST(DecideReduce, AtomicsOfDisjointSlicesNeedNoCombining) {
  KernelBuilder k;
  const auto bins = k.buffer(kBytes);
  atomic(k, bins, k.gid());
  const auto decision = decide(k);
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::disjoint}));
  EXPECT_TRUE(decision.joined[0].empty());
}

TEST(DecideReduce, EachCounterHasItsOwnClass) {
  KernelBuilder k;
  const auto counters = k.buffer(kBytes);
  atomic(k, counters, k.constant(0));
  atomic(k, counters, k.constant(1), AtomicClass::max_signed);
  atomic(k, counters, k.constant(2));
  atomic(k, counters, k.constant(2), AtomicClass::bit_xor, 8);
  const auto decision = decide(k);
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::reduce}));
  EXPECT_EQ(decision.commuting[0], (std::vector<CommutingBytes>{{AtomicClass::add, 4, RangeSet({{0, 4}, {8, 12}})},
                                                                {AtomicClass::max_signed, 4, ByteRange{4, 8}},
                                                                {AtomicClass::bit_xor, 8, ByteRange{16, 24}}}));
}

TEST(DecideReduce, OtherAccessesMayTouchOtherBytes) {
  KernelBuilder k;
  const auto data = k.buffer(kBytes);
  atomic(k, data, k.constant(200));
  k.read(data, k.gid());
  k.write(data, k.plus(k.gid(), 64));
  const auto decision = decide(k);
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::reduce}));
  EXPECT_EQ(decision.joined[0], RangeSet({800, 804}));
}

class NotCombined : public testing::TestWithParam<int> {};

TEST_P(NotCombined, IsRefused) {
  KernelBuilder k;
  const auto data = k.buffer(kBytes);
  Access& counter = atomic(k, data, k.constant(3));
  switch (GetParam()) {
    case 0:
      atomic(k, data, k.constant(3), AtomicClass::bit_or);
      break;  // two classes in one place
    case 1:
      atomic(k, data, k.constant(1), AtomicClass::add, 8);
      break;  // two widths
    case 2:
      k.read(data, k.gid());
      break;  // a plain read of the counter by some slice
    case 3:
      k.write(data, k.constant(3));
      break;
    case 4:
      k.write(data, k.constant(100));
      break;  // elsewhere, but every slice writes it
    case 5:
      k.write(data, anywhere(k));
      break;
    case 6:
      counter.atomic_result_used = true;
      break;
    case 7:
      counter.atomic = AtomicClass::other;
      break;
    case 8:
      counter.width = 2;
      break;
    default:
      atomic(k, data, anywhere(k), AtomicClass::min_unsigned);
      break;
  }
  EXPECT_EQ(decide(k).refused, NotSplit::unmergeable);
}

INSTANTIATE_TEST_SUITE_P(Reasons, NotCombined, testing::Range(0, 10));

TEST(DecideReduce, AliasesAreLookedAtTogether) {
  KernelBuilder k;
  const auto bins = k.buffer(256);
  const auto other = k.buffer(256);
  atomic(k, bins, anywhere(k));
  k.read(other, k.gid());
  const RootView meeting[] = {{0, 0}, {0, 128}};
  EXPECT_EQ(decide(k, meeting).refused, NotSplit::unmergeable);
  const RootView beside[] = {{0, 256}, {0, 0}};
  const auto decision = decide(k, beside);
  EXPECT_FALSE(decision.refused);
  EXPECT_EQ(decision.joined[0], RangeSet({256, 512}));
}

TEST(DecideReduce, ValuesLieAtMultiplesOfTheirWidthInTheRoot) {
  KernelBuilder k;
  const auto bins = k.buffer(256);
  atomic(k, bins, anywhere(k), AtomicClass::add, 8);
  const RootView odd[] = {{0, 4}};
  EXPECT_EQ(decide(k, odd).refused, NotSplit::unmergeable);
  const RootView even[] = {{0, 16}};
  EXPECT_FALSE(decide(k, even).refused);
}

template <class T>
T apply(AtomicClass operation, T value, T operand) {
  using Signed = std::make_signed_t<T>;
  switch (operation) {
    case AtomicClass::add:
      return static_cast<T>(value + operand);
    case AtomicClass::bit_and:
      return value & operand;
    case AtomicClass::bit_or:
      return value | operand;
    case AtomicClass::bit_xor:
      return value ^ operand;
    case AtomicClass::min_unsigned:
      return operand < value ? operand : value;
    case AtomicClass::max_unsigned:
      return operand > value ? operand : value;
    case AtomicClass::min_signed:
      return static_cast<Signed>(operand) < static_cast<Signed>(value) ? operand : value;
    default:
      return static_cast<Signed>(operand) > static_cast<Signed>(value) ? operand : value;
  }
}

constexpr AtomicClass kClasses[] = {AtomicClass::add,          AtomicClass::min_signed,   AtomicClass::max_signed,
                                    AtomicClass::min_unsigned, AtomicClass::max_unsigned, AtomicClass::bit_and,
                                    AtomicClass::bit_or,       AtomicClass::bit_xor};

/// Three devices' atomics on 64 values, the first of them in place, against all of them one after another.
template <class T>
void check_class(AtomicClass operation) {
  std::mt19937_64 random(static_cast<unsigned>(operation) * 100 + sizeof(T));
  std::vector<T> before(64);
  for (T& value : before) value = static_cast<T>(random());
  std::vector<T> expected = before;
  std::vector<std::vector<T>> results(3, before);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t at = random() % before.size();
    const T operand = static_cast<T>(random());
    expected[at] = apply(operation, expected[at], operand);
    T& own = results[random() % results.size()][at];
    own = apply(operation, own, operand);
  }
  std::vector<T> merged = results[0];
  const auto bytes = [](std::vector<T>& values) { return reinterpret_cast<std::byte*>(values.data()); };
  for (std::size_t device = 1; device < results.size(); ++device)
    merge_commuting(bytes(before), bytes(results[device]), bytes(merged), ByteRange{0, before.size() * sizeof(T)},
                    operation, sizeof(T));
  EXPECT_EQ(merged, expected) << "class " << static_cast<int>(operation) << " of " << sizeof(T) << " bytes";
}

TEST(MergeCommuting, PartialValuesMakeWhatAllAtomicsInOnePlaceWouldHaveMade) {
  for (const AtomicClass operation : kClasses) {
    check_class<std::uint32_t>(operation);
    check_class<std::uint64_t>(operation);
  }
}

TEST(MergeCommuting, SumsWrapAround) {
  const std::uint32_t before = 0xFFFFFFF0u;
  const std::uint32_t result = 5;      // + 21
  std::uint32_t merged = 0xFFFFFFFFu;  // + 15
  merge_commuting(reinterpret_cast<const std::byte*>(&before), reinterpret_cast<const std::byte*>(&result),
                  reinterpret_cast<std::byte*>(&merged), ByteRange{0, 4}, AtomicClass::add, 4);
  EXPECT_EQ(merged, before + 36);
}

TEST(MergeCommuting, ValuesThatAreInTheRangesInPartAreLeftAlone) {
  const std::uint32_t before[4] = {1, 1, 1, 1};
  const std::uint32_t result[4] = {3, 3, 3, 3};
  std::uint32_t merged[4] = {10, 10, 10, 10};
  merge_commuting(reinterpret_cast<const std::byte*>(before), reinterpret_cast<const std::byte*>(result),
                  reinterpret_cast<std::byte*>(merged), RangeSet({{2, 9}, {12, 16}}), AtomicClass::add, 4);
  EXPECT_EQ(std::vector<std::uint32_t>(merged, merged + 4), (std::vector<std::uint32_t>{10, 12, 10, 12}));
}

}  // namespace
}  // namespace skmd::domain::test
