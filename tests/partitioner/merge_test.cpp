// SPDX-License-Identifier: Apache-2.0
#include "partitioner/merge/merge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

using Slices = std::vector<std::vector<RootFootprint>>;

RootFootprint written(const RangeSet& may) {
  RootFootprint f;
  f.may_write = may;
  return f;
}

RootFootprint unknown_write(std::uint64_t bytes) {
  RootFootprint f = written(ByteRange{0, bytes});
  f.write_unknown = true;
  return f;
}

TEST(ForbidsSplit, EachFactHasItsReason) {
  const std::pair<Fact, NotSplit> cases[] = {{kFactAtomicResultUsed, NotSplit::atomic_result_used},
                                             {kFactDeviceScopeSync, NotSplit::device_scope_sync},
                                             {kFactSpinning, NotSplit::spinning},
                                             {kFactPointerInMemory, NotSplit::pointer_in_memory},
                                             {kFactImageRead, NotSplit::image_read},
                                             {kFactImageWritten, NotSplit::image_written},
                                             {kFactMutableProgramScope, NotSplit::mutable_program_scope},
                                             {kFactPrintf, NotSplit::printf},
                                             {kFactDeviceSpecificCode, NotSplit::device_specific_code}};
  for (const auto& [fact, reason] : cases) {
    KernelTraits k;
    k.facts = fact | kFactBarrier | kFactDoubles;
    EXPECT_EQ(forbids_split(k, true), reason);
    EXPECT_EQ(forbids_split(k, false), reason);
  }
}

TEST(ForbidsSplit, HarmlessFactsForbidNothing) {
  KernelTraits k;
  k.facts = kFactBarrier | kFactLocalMemory | kFactGlobalAtomics | kFactMemoryDecidesAddress | kFactDoubles |
            kFactUsesFloat | kFactDataDecidesWork;
  EXPECT_EQ(forbids_split(k, false), std::nullopt);
}

TEST(ForbidsSplit, FloatsDecideOnlyBetweenUnlikeDevices) {
  KernelTraits k;
  k.facts = kFactFloatDecidesAddress;
  EXPECT_EQ(forbids_split(k, false), NotSplit::float_decides_address);
  EXPECT_EQ(forbids_split(k, true), std::nullopt);
}

TEST(Names, AreTheStatisticsWords) {
  std::set<std::string_view> names;
  for (std::uint8_t i = 0; i < kNotSplitCount; ++i) names.insert(name(static_cast<NotSplit>(i)));
  EXPECT_EQ(names.size(), kNotSplitCount);
  EXPECT_EQ(name(NotSplit::mode_single), "mode_single");
  EXPECT_EQ(name(NotSplit::float_decides_address), "float_decides_address");
  EXPECT_EQ(name(NotSplit::unmergeable), "unmergeable");
  EXPECT_EQ(name(Rung::diff), "diff");
  EXPECT_EQ(name(Rung::reduce), "reduce");
}

TEST(OnRoots, AliasesJoinAtTheirOffsets) {
  std::vector<Footprint> arguments(3);
  arguments[0].reads = ByteRange{0, 16};
  arguments[1].may_write = ByteRange{0, 8};
  arguments[1].must_write = ByteRange{4, 8};
  arguments[2].write_unknown = true;
  const RootView views[] = {{1, 0}, {1, 32}, {kNoRoot, 0}};
  const auto roots = on_roots(arguments, views, 2);
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_TRUE(roots[0].reads.empty());
  EXPECT_EQ(roots[1].reads, RangeSet({0, 16}));
  EXPECT_EQ(roots[1].may_write, RangeSet({32, 40}));
  EXPECT_EQ(roots[1].must_write, RangeSet({36, 40}));
  EXPECT_FALSE(roots[1].write_unknown);
}

TEST(DecideMerge, DisjointWritesNeedNothing) {
  KernelBuilder k;
  const auto out = k.buffer(64);
  k.write(out, k.gid());
  const RootView views[] = {{0, 0}};
  const Slices slices = {{written(ByteRange{0, 32})}, {written(ByteRange{32, 64})}};
  const auto decision = decide_merge(k.traits, slices, views, 1);
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::disjoint}));
  EXPECT_FALSE(decision.refused);
}

TEST(DecideMerge, InOneMemoryThereIsNothingToJoin) {
  KernelBuilder k;
  const auto out = k.buffer(64);
  k.access(AccessKind::atomic, out, k.cast(Op::zext, k.node(Op::unknown, 32), 64)).atomic = AtomicClass::other;
  const RootView views[] = {{0, 0}};
  const Slices slices = {{unknown_write(64)}};
  EXPECT_EQ(decide_merge(k.traits, slices, views, 1).per_root, std::vector<Rung>({Rung::disjoint}));
}

TEST(DecideMerge, UnwrittenRootHasNoRung) {
  KernelBuilder k;
  const auto in = k.buffer(64);
  k.read(in, k.gid());
  const RootView views[] = {{0, 0}};
  const Slices slices(2, std::vector<RootFootprint>(1));
  EXPECT_EQ(decide_merge(k.traits, slices, views, 1).per_root, std::vector<Rung>({Rung::none}));
}

TEST(DecideMerge, ScatteredStoresOfOneElementTakeTheDifference) {
  KernelBuilder k;
  const auto out = k.buffer(64);
  k.write(out, k.cast(Op::zext, k.node(Op::unknown, 32), 64), 16).element = 4;
  const RootView views[] = {{0, 8}};
  const Slices slices = {{unknown_write(64)}, {unknown_write(64)}};
  const auto decision = decide_merge(k.traits, slices, views, 1);
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::diff}));
  EXPECT_EQ(decision.element, std::vector<std::uint32_t>({4}));
}

TEST(DecideMerge, OverlappingKnownWritesTakeTheDifferenceToo) {
  KernelBuilder k;
  const auto out = k.buffer(64);
  k.write(out, k.gid());
  const RootView views[] = {{0, 0}};
  const Slices slices = {{written(ByteRange{0, 36})}, {written(ByteRange{32, 64})}};
  EXPECT_EQ(decide_merge(k.traits, slices, views, 1).per_root, std::vector<Rung>({Rung::diff}));
}

class Unmergeable : public testing::TestWithParam<int> {};

TEST_P(Unmergeable, OverlappingWritesAreRefused) {
  KernelBuilder k;
  const auto out = k.buffer(64);
  const NodeId anywhere = k.cast(Op::zext, k.node(Op::unknown, 32), 64);
  k.write(out, anywhere);
  RootView views[] = {{0, 0}};
  switch (GetParam()) {
    case 0:
      k.write(out, anywhere, 8);
      break;  // two element sizes
    case 1:
      k.access(AccessKind::atomic, out, anywhere).atomic = AtomicClass::add;
      break;  // an atomic
    case 2:
      views[0].offset = 2;
      break;  // alias at an odd place
    case 3:
      k.traits.accesses[0].element = 0;
      break;  // packed
    case 4:
      k.traits.accesses[0].offset = k.plus(k.traits.accesses[0].offset, 2);
      break;  // crosses elements
    default:
      k.traits.accesses[0].width = 6;
      break;  // half an element
  }
  const Slices slices = {{unknown_write(64)}, {unknown_write(64)}};
  const auto decision = decide_merge(k.traits, slices, views, 1);
  EXPECT_EQ(decision.refused, NotSplit::unmergeable);
}

INSTANTIATE_TEST_SUITE_P(Reasons, Unmergeable, testing::Range(0, 6));

TEST(DecideMerge, AliasesOfOneRootAreLookedAtTogether) {
  KernelBuilder k;
  const auto a = k.buffer(64);
  const auto b = k.buffer(64);
  k.write(a, k.cast(Op::zext, k.node(Op::unknown, 32), 64), 4);
  k.write(b, k.cast(Op::zext, k.node(Op::unknown, 32), 64), 8);
  const Slices one_root = {{unknown_write(64)}, {unknown_write(64)}};
  const RootView same[] = {{0, 0}, {0, 0}};
  EXPECT_EQ(decide_merge(k.traits, one_root, same, 1).refused, NotSplit::unmergeable);
  const RootView apart[] = {{0, 0}, {1, 0}};
  const Slices two_roots(2, {unknown_write(64), unknown_write(64)});
  const auto decision = decide_merge(k.traits, two_roots, apart, 2);
  EXPECT_FALSE(decision.refused);
  EXPECT_EQ(decision.element, std::vector<std::uint32_t>({4, 8}));
}

TEST(DecideMerge, RungsThatAreNotAllowedArePassedOver) {
  KernelBuilder k;
  const auto out = k.buffer(64);
  k.write(out, k.gid());
  const RootView views[] = {{0, 0}};
  const Slices apart = {{written(ByteRange{0, 32})}, {written(ByteRange{32, 64})}};
  const Rung only_difference[] = {Rung::diff};
  const auto decision = decide_merge(k.traits, apart, views, 1, RungSet::of(only_difference));
  EXPECT_EQ(decision.per_root, std::vector<Rung>({Rung::diff}));
  EXPECT_EQ(decision.element, std::vector<std::uint32_t>({4}));
  const Rung only_disjoint[] = {Rung::disjoint};
  EXPECT_FALSE(decide_merge(k.traits, apart, views, 1, RungSet::of(only_disjoint)).refused);
  const Slices crossing = {{written(ByteRange{0, 36})}, {written(ByteRange{32, 64})}};
  EXPECT_EQ(decide_merge(k.traits, crossing, views, 1, RungSet::of(only_disjoint)).refused, NotSplit::unmergeable);
}

/// out[perm[i]] = …: a merge function that loads from the second argument.
KernelBuilder scatter_with_merge_function() {
  KernelBuilder k;
  const auto out = k.buffer(64);
  const auto perm = k.buffer(64);
  k.read(perm, k.gid());
  k.write(out, k.cast(Op::zext, k.node(Op::unknown, 32), 64));
  k.traits.merge_function = true;
  k.traits.merge_loads = {perm};
  return k;
}

Slices scattered_by_two(std::size_t roots) {
  Slices slices(2, std::vector<RootFootprint>(roots));
  for (auto& slice : slices) {
    slice[0] = unknown_write(64);
    slice.back().reads = ByteRange{0, 64};
  }
  return slices;
}

TEST(DecideMerge, TheDifferenceComesBeforeAMergeFunction) {
  const auto k = scatter_with_merge_function();
  const RootView views[] = {{0, 0}, {1, 0}};
  const auto slices = scattered_by_two(2);
  EXPECT_EQ(decide_merge(k.traits, slices, views, 2).per_root, std::vector<Rung>({Rung::diff, Rung::none}));
  EXPECT_EQ(decide_merge(k.traits, slices, views, 2, RungSet().without(Rung::diff)).per_root,
            std::vector<Rung>({Rung::kernel, Rung::none}));
}

TEST(DecideMerge, DisjointWritesComeBeforeTheMergeFunction) {
  const auto k = scatter_with_merge_function();
  const RootView views[] = {{0, 0}, {1, 0}};
  const RootFootprint nothing;
  const Slices apart = {{written(ByteRange{0, 32}), nothing}, {written(ByteRange{32, 64}), nothing}};
  EXPECT_EQ(decide_merge(k.traits, apart, views, 2).per_root, std::vector<Rung>({Rung::disjoint, Rung::none}));
}

TEST(DecideMerge, MixedElementsAreNoObstacleToAMergeFunction) {
  auto k = scatter_with_merge_function();
  k.write(0, k.cast(Op::zext, k.node(Op::unknown, 32), 64), 1);
  const RootView views[] = {{0, 0}, {1, 0}};
  EXPECT_EQ(decide_merge(k.traits, scattered_by_two(2), views, 2).per_root[0], Rung::kernel);
}

TEST(DecideMerge, NothingIsReplayedWhereTheLaunchWritesWhatDecides) {
  const auto k = scatter_with_merge_function();
  // The same buffer twice, or two parts of one.
  const RootView aliased[] = {{0, 0}, {0, 128}};
  const RungSet no_difference = RungSet().without(Rung::diff);
  EXPECT_EQ(decide_merge(k.traits, scattered_by_two(1), aliased, 1, no_difference).refused, NotSplit::unmergeable);
  // Written by another slice's store, if in places that no other slice touches.
  const RootView apart[] = {{0, 0}, {1, 0}};
  auto slices = scattered_by_two(2);
  slices[1][1].may_write = ByteRange{0, 4};
  EXPECT_EQ(decide_merge(k.traits, slices, apart, 2, no_difference).refused, NotSplit::unmergeable);
  slices[1][1].may_write = {};
  EXPECT_FALSE(decide_merge(k.traits, slices, apart, 2, no_difference).refused);
}

TEST(DecideMerge, AMergeFunctionKnowsNoAtomics) {
  auto k = scatter_with_merge_function();
  k.access(AccessKind::atomic, 0, k.gid()).atomic = AtomicClass::add;
  const RootView views[] = {{0, 0}, {1, 0}};
  EXPECT_EQ(decide_merge(k.traits, scattered_by_two(2), views, 2).refused, NotSplit::unmergeable);
}

TEST(MergeSeconds, EachRungHasItsPrice) {
  const MergeCosts costs{{1.0, 100.0}, {2.0, 200.0}, {3.0, 300.0}};
  const Slices slices = {{written(ByteRange{0, 32})}, {written(ByteRange{16, 48})}};
  MergeDecision merge;
  merge.joined = {ByteRange{0, 48}};
  const auto seconds = [&](Rung rung) {
    merge.per_root = {rung};
    return merge_seconds(merge, slices, costs);
  };
  EXPECT_EQ(seconds(Rung::none), 0.0);
  EXPECT_EQ(seconds(Rung::disjoint), 0.0);
  EXPECT_EQ(seconds(Rung::kernel), 48 * 1.0 + 64 * 100.0);
  EXPECT_EQ(seconds(Rung::diff), 48 * 2.0 + 64 * 200.0);
  EXPECT_EQ(seconds(Rung::reduce), 48 * 3.0 + 64 * 300.0);
  // Only what is joined counts, and nothing where no slice has a memory of its own.
  merge.joined = {ByteRange{24, 32}};
  EXPECT_EQ(seconds(Rung::kernel), 8 * 1.0 + 16 * 100.0);
  EXPECT_EQ(merge_seconds(merge, {}, costs), 0.0);
}

TEST(MergeSeconds, RootsAddUp) {
  const MergeCosts costs{{1.0, 0.0}, {0.0, 1.0}, {}};
  const Slices slices = {{unknown_write(64), unknown_write(32), unknown_write(8)},
                         {unknown_write(64), unknown_write(32), unknown_write(8)}};
  MergeDecision merge;
  merge.per_root = {Rung::kernel, Rung::diff, Rung::disjoint};
  merge.joined = {ByteRange{0, 64}, ByteRange{0, 32}, RangeSet()};
  EXPECT_EQ(merge_seconds(merge, slices, costs), 64.0 + 2 * 32.0);
}

TEST(ParseRungs, TakesEachNameOfTheLadder) {
  const auto two = parse_rungs("kernel,diff");
  ASSERT_TRUE(two.ok());
  EXPECT_TRUE(two->contains(Rung::kernel));
  EXPECT_TRUE(two->contains(Rung::diff));
  EXPECT_FALSE(two->contains(Rung::disjoint));
  EXPECT_FALSE(two->contains(Rung::reduce));
  for (const Rung rung : {Rung::disjoint, Rung::kernel, Rung::diff, Rung::reduce}) {
    EXPECT_TRUE(RungSet().contains(rung));
    EXPECT_TRUE(parse_rungs(name(rung))->contains(rung));
  }
}

TEST(ParseRungs, TakesThePlaceOfTheMergeKernel) {
  const auto forced = parse_rungs("disjoint,kernel@device");
  ASSERT_TRUE(forced.ok());
  EXPECT_TRUE(forced->contains(Rung::kernel));
  EXPECT_TRUE(forced->contains(Rung::disjoint));
  EXPECT_FALSE(forced->contains(Rung::diff));
  EXPECT_TRUE(forced->replays_on_devices());
  EXPECT_TRUE(forced->without(Rung::disjoint).replays_on_devices());
  EXPECT_FALSE(parse_rungs("kernel")->replays_on_devices());
  EXPECT_FALSE(RungSet().replays_on_devices());
}

TEST(ParseRungs, NamesWhatItRefuses) {
  for (const char* text :
       {"", "none", "diff,", ",diff", "Diff", "diff kernel", "all", "kernel@", "diff@device", "@device"}) {
    const auto rungs = parse_rungs(text);
    ASSERT_FALSE(rungs.ok()) << text;
    EXPECT_NE(rungs.error().reason.find(std::string("SKMD_TEST_RUNGS=") + text + ":"), std::string::npos) << text;
  }
}

class Difference : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Difference, TakesWholeElementsThatChangedAndLeavesTheRest) {
  const std::uint32_t element = GetParam();
  const std::size_t count = 40;
  std::vector<std::byte> before(element * count);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::byte>(i * 37);
  std::vector<std::byte> first = before;
  std::vector<std::byte> second = before;
  std::vector<std::byte> expected = before;
  for (std::size_t e = 0; e < count; ++e) {
    std::byte* target = e % 3 == 0 ? &first[e * element] : &second[e * element];
    if (e % 4 == 3) continue;
    target[0] ^= std::byte{1};  // one byte of the element differs: all of it is taken
    std::memcpy(&expected[e * element], target, element);
  }
  std::vector<std::byte> merged = first;
  // The last elements are outside the ranges: the second device's change there must not come over.
  const RangeSet ranges({{0, element * 11u}, {element * 12u, element * 38u}});
  for (std::size_t e : {11u, 38u, 39u}) std::memcpy(&expected[e * element], &first[e * element], element);
  merge_difference(before.data(), second.data(), merged.data(), ranges, element);
  EXPECT_EQ(merged, expected);
}

INSTANTIATE_TEST_SUITE_P(Elements, Difference, testing::Values(1u, 2u, 4u, 8u, 3u, 16u));

TEST(Difference, RacingValuesAreNeverTorn) {
  // 0x0100 and 0x00FF over 0: byte by byte they would become 0x01FF.
  const std::uint32_t before = 0;
  const std::uint32_t a = 256;
  const std::uint32_t b = 255;
  std::uint32_t merged = a;
  merge_difference(reinterpret_cast<const std::byte*>(&before), reinterpret_cast<const std::byte*>(&b),
                   reinterpret_cast<std::byte*>(&merged), ByteRange{0, 4}, 4);
  EXPECT_EQ(merged, 255u);
}

}  // namespace
}  // namespace skmd::domain::test
