// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/command/command_fixture.h"

#include "partitioner/base/mutex.h"

namespace skmd::icd::test {
namespace {

class Maps : public Commands {
 protected:
  Mapping map(const Ref<Memory>& memory, std::uint64_t offset, std::uint64_t size, cl_map_flags flags) {
    std::byte* pointer = *memory->storage()->host() + offset;
    auto mapping = open_mapping(*memory, RectRegion::linear(offset, size), flags, pointer);
    EXPECT_TRUE(mapping.ok());
    EXPECT_EQ(run(make_map(*memory, *mapping, {})), CL_COMPLETE);
    return *mapping;
  }
  void unmap(const Ref<Memory>& memory, void* pointer) {
    const auto mapping = close_mapping(*memory, pointer);
    ASSERT_TRUE(mapping.ok());
    EXPECT_EQ(run(make_unmap(*memory, *mapping, {})), CL_COMPLETE);
  }
  static std::uint8_t* bytes_of(const Mapping& mapping) { return static_cast<std::uint8_t*>(mapping.pointer); }
};

TEST_F(Maps, AWriteMapFetchesSoThatBytesNotWrittenSurvive) {
  auto memory = buffer(64);
  written_on_device(memory->storage(), 0, {0, 64}, 6);
  const Mapping mapping = map(memory, 0, 32, CL_MAP_WRITE);
  EXPECT_EQ(bytes_of(mapping)[31], 6);
  bytes_of(mapping)[0] = 1;
  unmap(memory, mapping.pointer);
  Bytes expected(64, 6);
  expected[0] = 1;
  EXPECT_EQ(read(memory->storage()), expected);
}

TEST_F(Maps, AnInvalidatingMapFetchesNothingAndUnwrittenReadersDoNotDisturbIt) {
  auto memory = buffer(64);
  written_on_device(memory->storage(), 0, {0, 64}, 6);
  const Mapping mapping = map(memory, 0, 64, CL_MAP_WRITE_INVALIDATE_REGION);
  EXPECT_EQ(gathered(), 0u);
  std::fill_n(bytes_of(mapping), 64, std::uint8_t{2});
  read(memory->storage());  // another reader must not fetch over what was written
  unmap(memory, mapping.pointer);
  EXPECT_EQ(read(memory->storage()), Bytes(64, 2));
}

TEST_F(Maps, UnmappingAMapThatFailedCommitsNothing) {
  auto memory = buffer(64);
  written_on_device(memory->storage(), 0, {0, 64}, 6);
  auto* pointer = reinterpret_cast<std::uint8_t*>(*memory->storage()->host());
  ASSERT_TRUE(open_mapping(*memory, RectRegion::linear(0, 64), CL_MAP_WRITE, pointer));
  devices[0]->fail_reads = 1;
  EXPECT_EQ(run(make_map(*memory, memory->mappings().front(), {})), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  std::fill_n(pointer, 64, std::uint8_t{9});
  unmap(memory, pointer);
  EXPECT_EQ(read(memory->storage()), Bytes(64, 6));
}

TEST_F(Maps, AMappingWhoseUnmapNeverRanEndsAllTheSame) {
  auto memory = buffer(64);
  written_on_device(memory->storage(), 0, {0, 64}, 6);
  const Mapping mapping = map(memory, 0, 32, CL_MAP_WRITE);
  std::fill_n(bytes_of(mapping), 32, std::uint8_t{2});
  end_mapping(mapping);
  EXPECT_TRUE(memory->storage()->write_mapped().empty());
  Bytes expected(64, 2);
  std::fill(expected.begin() + 32, expected.end(), std::uint8_t{6});
  EXPECT_EQ(read(memory->storage()), expected);
}

/// The event of an unmap that ran fails if a command before it does; a later mapping of the same bytes stays open.
TEST_F(Maps, AMappingWhoseUnmapRanDoesNotEndAgain) {
  auto memory = buffer(64);
  const Mapping first = map(memory, 0, 32, CL_MAP_WRITE);
  unmap(memory, first.pointer);
  const Mapping second = map(memory, 0, 32, CL_MAP_WRITE);
  end_mapping(first);
  EXPECT_EQ(memory->storage()->write_mapped(), (domain::RangeSet{{0, 32}}));
  end_mapping(second);
  EXPECT_TRUE(memory->storage()->write_mapped().empty());
}

TEST_F(Maps, DeviceCopiesBecomeStaleAtTheUnmapNotAtTheMap) {
  auto memory = buffer(64);
  auto& storage = *memory->storage();
  written_on_device(memory->storage(), 0, {0, 64}, 6);
  const Mapping mapping = map(memory, 0, 16, CL_MAP_WRITE);
  const auto on_device = [&] {
    const MutexGuard lock(storage.mutex());
    return storage.residency().valid(1, domain::ByteRange{0, 64});
  };
  EXPECT_EQ(on_device(), domain::RangeSet(domain::ByteRange{0, 64}));
  unmap(memory, mapping.pointer);
  EXPECT_EQ(on_device(), domain::RangeSet(domain::ByteRange{16, 64}));
}

TEST_F(Maps, UnmappingAReadDirtiesNothing) {
  auto memory = buffer(64);
  written_on_device(memory->storage(), 0, {0, 64}, 6);
  const Mapping mapping = map(memory, 0, 64, CL_MAP_READ);
  bytes_of(mapping)[0] = 99;  // forbidden
  unmap(memory, mapping.pointer);
  auto& storage = *memory->storage();
  const MutexGuard lock(storage.mutex());
  EXPECT_EQ(storage.residency().valid(1, domain::ByteRange{0, 64}), domain::RangeSet(domain::ByteRange{0, 64}));
}

TEST_F(Maps, WriteMapsOfOneRootMayNotOverlapReadMapsMay) {
  auto memory = buffer(64);
  const auto child =
      make_object<Memory>(context, cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, cl_mem_flags{}, memory->storage(),
                          std::uint64_t{16}, std::uint64_t{48}, nullptr, memory, std::vector<cl_mem_properties>{});
  const Mapping first = map(memory, 0, 32, CL_MAP_WRITE);
  const auto over_child = open_mapping(*child, RectRegion::linear(16, 8), CL_MAP_WRITE, nullptr);
  ASSERT_FALSE(over_child.ok());
  EXPECT_EQ(over_child.error().code, CL_INVALID_OPERATION);
  EXPECT_TRUE(child->mappings().empty());
  EXPECT_TRUE(open_mapping(*memory, RectRegion::linear(0, 32), CL_MAP_READ, first.pointer).ok());
  EXPECT_TRUE(open_mapping(*child, RectRegion::linear(32, 8), CL_MAP_WRITE, nullptr).ok());
  unmap(memory, first.pointer);  // the one for reading
  EXPECT_FALSE(open_mapping(*memory, RectRegion::linear(0, 1), CL_MAP_WRITE, nullptr).ok());
  unmap(memory, first.pointer);  // the one for writing
  EXPECT_TRUE(open_mapping(*memory, RectRegion::linear(0, 1), CL_MAP_WRITE, nullptr).ok());
}

TEST_F(Maps, UnmapWantsAPointerThatIsMappedThroughThisObject) {
  auto memory = buffer(64);
  auto other = buffer(64);
  const Mapping mapping = map(memory, 0, 64, CL_MAP_READ);
  EXPECT_EQ(close_mapping(*memory, bytes_of(mapping) + 1).error().code, CL_INVALID_VALUE);
  EXPECT_EQ(close_mapping(*other, mapping.pointer).error().code, CL_INVALID_VALUE);
  unmap(memory, mapping.pointer);
  EXPECT_EQ(close_mapping(*memory, mapping.pointer).error().code, CL_INVALID_VALUE);
}

TEST_F(Maps, RangesMappedForWritingAreKnownFromTheMapsEndToTheUnmapsEnd) {
  auto memory = buffer(64);
  auto mapping = open_mapping(*memory, RectRegion::linear(8, 8), CL_MAP_WRITE, *memory->storage()->host() + 8);
  EXPECT_TRUE(memory->storage()->write_mapped().empty());
  EXPECT_EQ(run(make_map(*memory, *mapping, {})), CL_COMPLETE);
  EXPECT_EQ(memory->storage()->write_mapped(), domain::RangeSet(domain::ByteRange{8, 16}));
  const auto closed = close_mapping(*memory, mapping->pointer);
  EXPECT_EQ(memory->storage()->write_mapped(), domain::RangeSet(domain::ByteRange{8, 16}));
  EXPECT_EQ(run(make_unmap(*memory, *closed, {})), CL_COMPLETE);
  EXPECT_TRUE(memory->storage()->write_mapped().empty());
}

TEST_F(Maps, AMapThatFailedLeavesNoTrace) {
  auto memory = buffer(64);
  const auto mapping = open_mapping(*memory, RectRegion::linear(0, 64), CL_MAP_WRITE, nullptr);
  drop_mapping(*memory, *mapping);
  EXPECT_TRUE(memory->mappings().empty());
  EXPECT_TRUE(open_mapping(*memory, RectRegion::linear(0, 64), CL_MAP_WRITE, nullptr).ok());
}

}  // namespace
}  // namespace skmd::icd::test
