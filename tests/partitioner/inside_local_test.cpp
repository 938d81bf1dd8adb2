// SPDX-License-Identifier: Apache-2.0
// Whether a launch is proved to stay inside of its local memory.
#include <gtest/gtest.h>

#include "partitioner/footprint/inside.h"
#include "partitioner/traits/traits_codec.h"
#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

NodeId int_lid(KernelBuilder& k) { return k.cast(Op::trunc, k.lid(), 32); }
NodeId index_of(KernelBuilder& k, NodeId value) { return k.cast(Op::sext, value, 64); }

/// tile[index] for tiles of `bytes` bytes and groups of 16 items.
bool stays(KernelBuilder& k, const NdRange& range = range_1d(64, 16)) {
  EXPECT_TRUE(check_traits(k.traits));
  return stays_inside(k.traits, range, k.arguments());
}

TEST(StaysInside, OfALocalArgumentUpToItsLastByte) {
  for (const std::uint64_t bytes : {63u, 64u, 65u}) {
    KernelBuilder k;
    const auto tile = k.local(bytes);
    k.local_access(tile, k.lid());
    EXPECT_EQ(stays(k), bytes >= 64) << bytes;
  }
}

TEST(StaysInside, OfALocalVariable) {
  for (const std::uint64_t bytes : {60u, 64u}) {
    KernelBuilder k;
    k.local(4);
    k.traits.local_variables = {1024, bytes};
    k.local_access(2, k.sub(k.constant(15), k.lid()));
    EXPECT_EQ(stays(k), bytes == 64) << bytes;
  }
}

TEST(StaysInside, NothingLiesBeforeLocalMemory) {
  KernelBuilder k;
  const auto tile = k.local(4096);
  k.local_access(tile, k.plus(k.lid(), -1));
  EXPECT_FALSE(stays(k));
}

TEST(StaysInside, LocalIndicesThatWrapAround) {
  for (const std::int64_t factor : {INT64_C(1) << 27, INT64_C(1) << 28, INT64_C(3000000000)}) {
    KernelBuilder k;
    const auto tile = k.local(64);
    // (int)(l * factor), which is negative or 0 from some item on.
    k.local_access(tile, index_of(k, k.times(int_lid(k), factor)));
    EXPECT_FALSE(stays(k)) << factor;
  }
  KernelBuilder k;
  const auto tile = k.local(1 << 16);
  k.local_access(tile, k.cast(Op::zext, k.plus(int_lid(k), -1), 64));  // 2^32 - 1 for the first item
  EXPECT_FALSE(stays(k));
}

TEST(StaysInside, LocalIndicesFarAway) {
  for (const std::int64_t index : {INT64_C(1) << 40, INT64_C(1) << 61, -(INT64_C(1) << 60), INT64_MAX, INT64_MIN}) {
    KernelBuilder k;
    const auto tile = k.local(4096);
    k.local_access(tile, k.plus(k.lid(), index), 1);
    EXPECT_FALSE(stays(k)) << index;
  }
}

TEST(StaysInside, ALocalIndexFromMemory) {
  KernelBuilder k;
  const auto tile = k.local(4096);
  k.local_access(tile, index_of(k, k.node(Op::unknown, 32)));
  EXPECT_FALSE(stays(k));
}

TEST(StaysInside, ALocalIndexFromMemoryThatIsMasked) {
  for (const std::int64_t mask : {1023, 1024}) {
    KernelBuilder k;
    const auto tile = k.local(4096);
    k.local_access(tile, k.cast(Op::zext, k.binary(Op::bit_and, k.node(Op::unknown, 32), k.constant(mask, 32)), 64));
    EXPECT_EQ(stays(k), mask == 1023) << mask;
  }
}

TEST(StaysInside, LoopsOverLocalMemoryGoByScalars) {
  for (const std::int64_t rounds : {4, 5, 0x7FFFFFFF}) {
    KernelBuilder k;
    const auto tile = k.local(4 * 16 * 5);
    const auto loop = k.loop(k.cast(Op::zext, k.scalar(rounds), 64));
    k.local_access(tile, k.add(k.lid(), k.times(k.iteration(loop), 16))).loops = {loop};
    EXPECT_EQ(stays(k), rounds == 4) << rounds;
    EXPECT_EQ(deciding_values(k.traits), (std::vector<bool>{false, true}));
  }
}

TEST(StaysInside, GuardsOfLocalAccessesCount) {
  for (const std::int64_t limit : {8, 9}) {
    KernelBuilder k;
    const auto tile = k.local(4 * 24);
    Access& access = k.local_access(tile, k.plus(k.lid(), 16));
    access.guards.push_back({k.compare(Predicate::ult, k.lid(), k.constant(limit)), true});
    EXPECT_EQ(stays(k), limit == 8) << limit;
  }
}

TEST(StaysInside, NotWhereLocalAccessesAreNotKnown) {
  KernelBuilder k;
  k.local(64);
  EXPECT_TRUE(stays(k));
  k.traits.locals_known = false;
  EXPECT_FALSE(stays(k));
}

TEST(StaysInside, BuffersCountBesideLocalMemory) {
  KernelBuilder k;
  const auto out = k.buffer(256);
  const auto tile = k.local(64);
  k.local_access(tile, k.lid());
  k.write(out, k.gid());
  EXPECT_TRUE(stays(k));
  EXPECT_FALSE(stays(k, range_1d(80, 16)));
}

TEST(StaysInside, LocalSizesOfLargerGroups) {
  KernelBuilder k;
  const auto tile = k.local(64);
  k.local_access(tile, k.lid());
  EXPECT_TRUE(stays(k, range_1d(64, 16)));
  EXPECT_FALSE(stays(k, range_1d(64, 32)));
}

TEST(TraitsCodec, LocalAccessesComeBack) {
  KernelBuilder k;
  const auto tile = k.local(64);
  k.traits.local_variables = {12, 1u << 20};
  k.local_access(tile, k.lid());
  k.local_access(2, k.lid());
  const std::string bytes = encode({k.traits});
  const auto read = decode_traits(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front(), k.traits);
  k.traits.local_accesses.back().argument = 3;
  EXPECT_FALSE(check_traits(k.traits));
}

TEST(TraitsCheck, LocalAccessesAreOfLocalMemory) {
  KernelBuilder k;
  const auto buffer = k.buffer(64);
  const auto tile = k.local(64);
  k.local_access(tile, k.lid());
  ASSERT_TRUE(check_traits(k.traits));
  k.traits.local_accesses.back().argument = buffer;
  const Status status = check_traits(k.traits);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().reason.find("no local pointer"), std::string::npos) << status.error().reason;
}

}  // namespace
}  // namespace skmd::domain::test
