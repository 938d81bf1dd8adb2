// SPDX-License-Identifier: Apache-2.0
// Mappings whose unmap never ran, ended while host memory is short: inside the release of another command's ranges,
// which must not throw.
#include <new>
#include <optional>

#include "tests/intercept/command/command_fixture.h"
#include "tests/intercept/launch/allocation_counter.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = 64;

class MapsWithoutMemory : public Commands {
 protected:
  ~MapsWithoutMemory() override { fail_allocation(0); }

  Mapping map(const Ref<Memory>& memory, const RectRegion& region) {
    auto mapping = open_mapping(*memory, region, CL_MAP_WRITE, *memory->storage()->host() + region.begin);
    EXPECT_TRUE(mapping.ok());
    EXPECT_EQ(run(make_map(*memory, *mapping, {})), CL_COMPLETE);
    return *mapping;
  }
  /// All bytes are in host memory and on the first device.
  Ref<Memory> shared_buffer(std::uint8_t value) {
    auto memory = buffer(kBytes);
    written_on_device(memory->storage(), 0, {0, kBytes}, value);
    read(memory->storage());
    return memory;
  }
  /// A command that runs holds the root until memory is short: each allocation of the release fails or, with `n`, the
  /// n-th alone.
  void end_behind_a_command(const std::shared_ptr<Storage>& storage, const Mapping& mapping, std::size_t n = 0) {
    std::optional<RangeLock> held = RangeLock::take({claim_on(storage, domain::ByteRange{0, kBytes}, false)});
    end_mapping(mapping);
    EXPECT_FALSE(storage->write_mapped().empty()) << "the command still holds the bytes";
    fail_allocation(n == 0 ? 1 : n, n == 0 ? SIZE_MAX : 1);
    bool thrown = false;
    try {
      held->release();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    fail_allocation(0);
    EXPECT_FALSE(thrown);
  }
  static void fill(const std::shared_ptr<Storage>& storage, const domain::RangeSet& ranges, std::uint8_t value) {
    for (const domain::ByteRange& range : ranges.ranges())
      std::fill_n(*storage->host() + range.begin, range.size(), std::byte{value});
  }
  static Bytes filled(const domain::RangeSet& ranges, std::uint8_t value, std::uint8_t rest) {
    Bytes bytes(kBytes, rest);
    for (std::uint64_t i = 0; i < kBytes; ++i)
      if (ranges.contains(domain::ByteRange{i, i + 1})) bytes[i] = value;
    return bytes;
  }
  domain::RangeSet on_device(Storage& storage) {
    const MutexGuard lock(storage.mutex());
    return storage.residency().valid(1, domain::ByteRange{0, kBytes});
  }
};

const RectRegion kInside = RectRegion::linear(8, 16);
/// Three rows, which no piece of residency ends with.
const RectRegion kRows{4, 4, 3, 1, 20, kBytes};

TEST_F(MapsWithoutMemory, EndWithTheBytesThatTheApplicationWrote) {
  for (const RectRegion& region : {kInside, kRows})
    for (std::size_t n = 0; n < 6; ++n) {
      const auto memory = shared_buffer(6);
      const auto& storage = memory->storage();
      const Mapping mapping = map(memory, region);
      fill(storage, mapping.ranges, 2);
      end_behind_a_command(storage, mapping, n);
      EXPECT_TRUE(storage->write_mapped().empty());
      EXPECT_FALSE(on_device(*storage).intersects(mapping.ranges)) << "the device's copy is stale";
      EXPECT_EQ(read(storage), filled(mapping.ranges, 2, 6));
    }
}

TEST_F(MapsWithoutMemory, EndWhereTheObjectWasUndefined) {
  const auto memory = buffer(kBytes);
  const auto& storage = memory->storage();
  const Mapping mapping = map(memory, kRows);
  fill(storage, mapping.ranges, 2);
  end_behind_a_command(storage, mapping);
  EXPECT_TRUE(storage->write_mapped().empty());
  ASSERT_TRUE(upload(*storage, 0, domain::ByteRange{0, kBytes}));
  EXPECT_EQ(read(storage), filled(mapping.ranges, 2, 0));
}

TEST_F(MapsWithoutMemory, EndAloneAmongOthers) {
  const auto memory = shared_buffer(6);
  const auto& storage = memory->storage();
  const Mapping first = map(memory, RectRegion::linear(0, 16));
  const Mapping middle = map(memory, RectRegion::linear(16, 32));
  const Mapping last = map(memory, RectRegion::linear(48, 16));
  fill(storage, middle.ranges, 2);
  end_behind_a_command(storage, middle);
  EXPECT_EQ(storage->write_mapped(), (domain::RangeSet{{0, 16}, {48, 64}}));
  fill(storage, first.ranges, 2);
  fill(storage, last.ranges, 2);
  end_behind_a_command(storage, last);
  EXPECT_EQ(storage->write_mapped(), domain::RangeSet(first.ranges));
  end_behind_a_command(storage, first);
  EXPECT_EQ(read(storage), Bytes(kBytes, 2));
}

TEST_F(MapsWithoutMemory, OfManyRowsEndInAnyOrder) {
  const auto memory = shared_buffer(6);
  const auto& storage = memory->storage();
  const auto column = [](std::uint64_t first) { return RectRegion{first, 4, 4, 1, 16, kBytes}; };
  const std::vector<Mapping> columns = {map(memory, column(0)), map(memory, column(4)), map(memory, column(8)),
                                        map(memory, column(12))};
  EXPECT_EQ(storage->write_mapped(), domain::RangeSet(domain::ByteRange{0, kBytes})) << "they are one range together";
  domain::RangeSet left = storage->write_mapped();
  for (const std::size_t i : {1, 3, 0, 2}) {
    fill(storage, columns[i].ranges, 2);
    end_behind_a_command(storage, columns[i]);
    left.remove(columns[i].ranges);
    EXPECT_EQ(storage->write_mapped(), left);
  }
  EXPECT_EQ(read(storage), Bytes(kBytes, 2));
}

/// Without memory for holding the bytes it ends in the next release of others.
TEST_F(MapsWithoutMemory, EndAlsoWhereNothingHoldsTheBytes) {
  for (std::size_t n = 0; n < 4; ++n) {
    const auto memory = shared_buffer(6);
    const auto& storage = memory->storage();
    const Mapping mapping = map(memory, kInside);
    fill(storage, mapping.ranges, 2);
    const auto other = this->storage(kBytes);
    RangeLock held = RangeLock::take({claim_on(other, domain::ByteRange{0, kBytes}, false)});
    fail_allocation(n == 0 ? 1 : n, n == 0 ? SIZE_MAX : 1);
    end_mapping(mapping);
    fail_allocation(0);
    held.release();
    EXPECT_TRUE(storage->write_mapped().empty()) << n;
    EXPECT_EQ(read(storage), filled(mapping.ranges, 2, 6)) << n;
  }
}

/// What reserve_write_map() keeps is given back without memory, too: else later maps of the place would be refused.
TEST_F(MapsWithoutMemory, LeaveTheirPlaceToLaterOnes) {
  const auto storage = this->storage(kBytes);
  const domain::RangeSet rows{{4, 8}, {24, 28}, {44, 48}};
  ASSERT_TRUE(storage->reserve_write_map(rows));
  fail_allocation(1, SIZE_MAX);
  storage->release_write_map(rows);
  fail_allocation(0);
  EXPECT_TRUE(storage->reserve_write_map(rows));
}

/// A device may write what was not mapped of an image, although commands claim all of it.
TEST_F(MapsWithoutMemory, OfAnImageLeaveTheRestToItsDevice) {
  const ImageShape shape = {{CL_R, CL_UNSIGNED_INT8}, {CL_MEM_OBJECT_IMAGE2D, 16, 4, 0, 0, 0, 0, 0, 0, {}}, 1};
  const auto storage = *Storage::create_image(machine, shape, kBytes, nullptr, nullptr);
  const auto image =
      make_object<Memory>(context, cl_mem_object_type{CL_MEM_OBJECT_IMAGE2D}, cl_mem_flags{CL_MEM_READ_WRITE}, storage,
                          std::uint64_t{0}, kBytes, nullptr, nullptr, std::vector<cl_mem_properties>{});
  const Mapping mapping = map(image, RectRegion::linear(0, 16));
  fill(storage, mapping.ranges, 2);
  written_on_device(storage, 0, {16, kBytes}, 7);
  end_mapping(mapping);
  EXPECT_EQ(read(storage), filled(mapping.ranges, 2, 7));
}

}  // namespace
}  // namespace skmd::icd::test
