// SPDX-License-Identifier: Apache-2.0
// What is known of accesses, and which of them are updates.
#include "cpu-driver/codegen/vector/access_facts.h"

#include <gtest/gtest.h>

#include "cpu-driver/codegen/vector/groups.h"
#include "cpu-driver/codegen/vector/updates.h"
#include "tests/cpu-driver/codegen/vector/masked_function.h"

namespace skmd::codegen::test {
namespace {

constexpr const char* kLoads = R"(
  %bytes = shl i64 %id, 2
  %back = sub i64 0, %bytes
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  %q = getelementptr i8, ptr addrspace(1) %in, i64 %back
  %wide = shl i64 %id, 3
  %r = getelementptr i8, ptr addrspace(1) %in, i64 %wide
  %next = call i32 @skmd.load.i32(ptr addrspace(1) align 16 %p, i1 %live)
  %before = call i32 @skmd.load.i32(ptr addrspace(1) align 4 %q, i1 %live)
  %apart = call i32 @skmd.load.i32(ptr addrspace(1) align 4 %r, i1 true)
  %some = call i1 @skmd.any(i1 %live)
  br i1 %some, label %then, label %end
then:
  %s = getelementptr i8, ptr addrspace(3) %counters, i64 %id
  %under = call i8 @skmd.load.i8(ptr addrspace(3) align 1 %s, i1 %live)
  br label %end
end:
  %t = getelementptr i8, ptr addrspace(3) %counters, i64 %id
  %behind = call i8 @skmd.load.i8(ptr addrspace(3) align 1 %t, i1 %live)
  ret void
)";

class AccessFactsTest : public testing::Test {
 protected:
  MaskedFunction source_{kLoads};
  AccessFacts facts_{source_.shapes(), source_.layout(), source_.dominators(), MaskedFunction::kLanes};
};

TEST_F(AccessFactsTest, NeighboursAreElementsThatOneStrideParts) {
  EXPECT_EQ(facts_.direction(source_.load("next")), 1);
  EXPECT_EQ(facts_.direction(source_.load("before")), -1);
  EXPECT_EQ(facts_.direction(source_.load("apart")), 0);
}

TEST_F(AccessFactsTest, APieceIsAlignedAsItsElements) {
  EXPECT_EQ(facts_.lane_align(source_.load("next")), llvm::Align(16));
  EXPECT_EQ(facts_.piece_align(source_.load("next")), llvm::Align(4));
}

TEST_F(AccessFactsTest, ALaneAccessesWhereTheMaskIsFullOrWasAsked) {
  EXPECT_TRUE(facts_.in_some_lane(source_.load("apart")));
  EXPECT_FALSE(facts_.in_some_lane(source_.load("next")));
  EXPECT_TRUE(facts_.in_some_lane(source_.load("under")));
  EXPECT_FALSE(facts_.in_some_lane(source_.load("behind")));
}

TEST_F(AccessFactsTest, OnlyLocalMemoryIsReadAroundWhereALaneReads) {
  EXPECT_FALSE(facts_.reads_around(source_.load("apart")));
  EXPECT_TRUE(facts_.reads_around(source_.load("under")));
  EXPECT_FALSE(facts_.reads_around(source_.load("behind")));
}

/// ++counters[in[id]], with `between` before the store.
std::string counting(const std::string& between, const std::string& operation = "add i8 %x, 1") {
  return R"(
  %bytes = shl i64 %id, 2
  %at = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  %i = call i32 @skmd.load.i32(ptr addrspace(1) align 4 %at, i1 %live)
  %e = sext i32 %i to i64
  %p = getelementptr i8, ptr addrspace(3) %counters, i64 %e
  %x = call i8 @skmd.load.i8(ptr addrspace(3) align 1 %p, i1 %live)
  %y = )" +
         operation + "\n" + between + R"(
  call void @skmd.store.i8(i8 %y, ptr addrspace(3) align 1 %p, i1 %live)
  ret void
)";
}

struct Found {
  explicit Found(const std::string& body) : source(body) {}
  MaskedFunction source;
  AccessGroups groups{source.function(), source.shapes(), source.layout(), MaskedFunction::kLanes};
  Updates updates{source.function(), source.shapes(), groups};
};

TEST(Updates, AreALoadAnOperationAndAStoreOfOneElement) {
  Found found(counting(""));
  const Update* update = found.updates.of(*found.source.store(0).instruction);
  ASSERT_NE(update, nullptr);
  EXPECT_EQ(update->load, &found.source["x"]);
  EXPECT_EQ(update->operation, &found.source["y"]);
  EXPECT_TRUE(found.updates.inside(found.source.instruction("x")));
  EXPECT_TRUE(found.updates.inside(found.source.instruction("y")));
  EXPECT_FALSE(found.updates.inside(found.source.instruction("i")));
}

TEST(Updates, AreNoneWhereSomethingElseIsStoredBetween) {
  Found found(counting("  call void @skmd.store.i8(i8 0, ptr addrspace(3) align 1 %counters, i1 %live)"));
  EXPECT_EQ(found.updates.of(*found.source.store(1).instruction), nullptr);
  EXPECT_FALSE(found.updates.inside(found.source.instruction("x")));
}

TEST(Updates, AreNoneWhereTheOldElementIsWantedAsWell) {
  Found found(counting("  call void @skmd.store.i8(i8 %x, ptr addrspace(3) align 1 %counters, i1 %live)"));
  EXPECT_EQ(found.updates.of(*found.source.store(1).instruction), nullptr);
}

TEST(Updates, AreNoDivisions) {
  Found found(counting("", "udiv i8 %x, 3"));
  EXPECT_EQ(found.updates.of(*found.source.store(0).instruction), nullptr);
}

}  // namespace
}  // namespace skmd::codegen::test
