// SPDX-License-Identifier: Apache-2.0
// Small writes of bytes that are there already, which move nothing, and those that only look like it.
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

using EqualWrites = Commands;

TEST_F(EqualWrites, OfWhatIsThereAlreadyTakesNothingFromTheDevices) {
  auto root = storage(64);
  const domain::SpaceId space = machine.devices[0]->description().space;
  write(root, 0, Bytes(64, 1));
  ASSERT_TRUE(upload(*root, 0, domain::ByteRange{0, 64}));
  write(root, 8, Bytes(32, 1));
  EXPECT_TRUE(root->holds(space, domain::ByteRange{0, 64}));
  Bytes last(32, 1);
  last.back() = 2;
  write(root, 8, last);
  EXPECT_TRUE(root->holds(space, domain::ByteRange{0, 8}));
  EXPECT_FALSE(root->holds(space, domain::ByteRange{8, 40}));
  EXPECT_EQ(read(root, 8, 32), last);
}

TEST_F(EqualWrites, OfWhatHostMemoryHadBeforeADeviceWroteIsAWrite) {
  auto root = storage(64);
  write(root, 0, Bytes(64, 1));
  written_on_device(root, 0, {0, 64}, 7);
  write(root, 0, Bytes(64, 1));
  EXPECT_EQ(read(root), Bytes(64, 1));
  auto fresh = storage(64);
  write(fresh, 0, Bytes(64, 0));  // it was never written, though it reads as zero
  EXPECT_TRUE(fresh->holds(domain::kHostSpace, domain::ByteRange{0, 64}));
}

TEST_F(EqualWrites, OfWhatTheApplicationPutIntoItsOwnMemoryTellsTheDevices) {
  const domain::SpaceId space = machine.devices[0]->description().space;
  const domain::ByteRange all{0, 64};
  Bytes own(64, 1);
  const std::shared_ptr<Storage> root =
      *Storage::create(machine, 64, reinterpret_cast<std::byte*>(own.data()), nullptr);
  ASSERT_TRUE(upload(*root, 0, all));
  own[9] = 2;
  write(root, 0, own);  // its bytes, from elsewhere
  EXPECT_FALSE(root->holds(space, all));
  ASSERT_TRUE(upload(*root, 0, all));
  own[9] = 3;
  EXPECT_EQ(run(make_write(root, RectRegion::linear(0, 64), box(own))), CL_COMPLETE);
  EXPECT_FALSE(root->holds(space, all)) << "over themselves";
}

TEST_F(EqualWrites, OfWhatAMapMayHaveChangedTellsTheDevices) {
  auto root = storage(64);
  const domain::SpaceId space = machine.devices[0]->description().space;
  write(root, 0, Bytes(64, 1));
  ASSERT_TRUE(upload(*root, 0, domain::ByteRange{0, 64}));
  root->mapped_for_writing(domain::ByteRange{16, 32});
  write(root, 0, Bytes(16, 1));
  EXPECT_TRUE(root->holds(space, domain::ByteRange{0, 64}));
  write(root, 8, Bytes(16, 1));
  EXPECT_FALSE(root->holds(space, domain::ByteRange{8, 24}));
  root->unmapped(domain::ByteRange{16, 32});
}

}  // namespace
}  // namespace skmd::icd::test
