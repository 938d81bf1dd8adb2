// SPDX-License-Identifier: Apache-2.0
// Large transfers of a driver that copies pageable memory slowly: through page-locked memory, with the same bytes at
// the end after any failure.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/backend/vendor/pinned_pieces.h"
#include "intercept/backend/vendor/staged_writes.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "tests/intercept/backend/device_fixture.h"
#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = 24u << 20;

std::vector<std::byte> random_bytes(std::uint64_t bytes, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> made(bytes);
  for (std::uint64_t at = 0; at + 8 <= bytes; at += 8) {
    const std::uint64_t value = random();
    std::memcpy(&made[at], &value, 8);
  }
  return made;
}

class StagedWritesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto found = discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = "stub:0", .own_library = ""});
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
    memory_ = *device_->allocate(kBytes, nullptr);
    ASSERT_EQ(write_plain(expected_).status, CL_SUCCESS);
    stub::take_log();
  }
  void TearDown() override { stub::set_failure(""); }

  /// In parts that are too small to be staged.
  BatchResult write_plain(const std::vector<std::byte>& bytes) {
    std::vector<Op> ops;
    for (std::uint64_t at = 0; at < kBytes; at += tuning::kStagedLeast / 2)
      ops.emplace_back(WriteOp{memory_, bytes.data(), plain_rows(at, tuning::kStagedLeast / 2)});
    return run_batch(*device_, std::move(ops));
  }
  std::vector<std::byte> contents() {
    std::vector<std::byte> bytes(kBytes);
    EXPECT_EQ(run_batch(*device_, {ReadOp{memory_, bytes.data(), plain_rows(0, kBytes)}}).status, CL_SUCCESS);
    return bytes;
  }
  /// With `staged` the source is overwritten as soon as the batch was submitted: by then its bytes have left it.
  BatchResult write(const domain::RowRun& rows, bool want_times = false, bool staged = true) {
    std::vector<std::byte> source = random_bytes(kBytes, ++seed_);
    for (std::uint64_t row = 0; row < rows.rows; ++row)
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(rows.begin + row * rows.stride), rows.width,
                  expected_.begin() + static_cast<std::ptrdiff_t>(rows.begin + row * rows.stride));
    BatchResult result{1, "done was not called", {}};
    Batch batch;
    batch.ops.emplace_back(WriteOp{memory_, source.data(), rows});
    batch.want_times = want_times;
    batch.done = [&](BatchResult&& r) { result = std::move(r); };
    const Ticket ticket = device_->submit(std::move(batch));
    if (staged && StagedWrites::worth(rows)) std::fill(source.begin(), source.end(), std::byte{0});
    device_->help(ticket);
    return result;
  }
  std::size_t calls(const std::string& name) {
    std::size_t found = 0;
    for (const std::string& line : stub::take_log()) found += line.starts_with(name) ? 1 : 0;
    return found;
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
  std::vector<std::byte> expected_ = random_bytes(kBytes, 1);
  unsigned seed_ = 1;
};

TEST_F(StagedWritesTest, LargeOnesGoInPieces) {
  ASSERT_EQ(write(plain_rows(12345, 10 * tuning::kPinnedPiece + 7)).status, CL_SUCCESS);
  EXPECT_EQ(calls("clEnqueueWriteBuffer"), 11u);
  EXPECT_EQ(contents(), expected_);
  ASSERT_EQ(write(plain_rows(5, tuning::kStagedLeast - 1)).status, CL_SUCCESS);
  EXPECT_EQ(calls("clEnqueueWriteBuffer"), 1u);
  EXPECT_EQ(contents(), expected_);
}

TEST_F(StagedWritesTest, AnyRowsArrive) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 24; ++i) {
    domain::RowRun rows;
    rows.rows = 1 + random() % 12;
    rows.stride = kBytes / (rows.rows + 1);
    rows.width = std::min<std::uint64_t>(rows.stride, 200'000 + random() % (4 * tuning::kPinnedPiece));
    if (i % 4 == 0) rows.width = rows.stride / tuning::kPinnedPiece * tuning::kPinnedPiece;  // whole pieces
    if (i % 4 == 1) {                                                                        // narrow ones, many
      rows.stride = 2000 + random() % 9000;
      rows.rows = kBytes / rows.stride - 1;
      rows.width = tuning::kStagedWidth + random() % (rows.stride - tuning::kStagedWidth);
    }
    rows.begin = random() % rows.stride;
    const BatchResult result = write(rows, i % 3 == 0);
    ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
    if (i % 3 == 0) {
      ASSERT_EQ(result.times.size(), 1u);
      EXPECT_LE(result.times[0].start, result.times[0].end);
    }
    ASSERT_EQ(contents(), expected_) << i;
  }
}

TEST_F(StagedWritesTest, TheTimeOfAWriteCountsFromItsFirstPiece) {
  const std::uint64_t before = host_now();
  const BatchResult result = write(plain_rows(0, kBytes), true);
  ASSERT_EQ(result.times.size(), 1u);
  EXPECT_GE(result.times[0].start, before);
  // What is left of it for the last piece alone is a 24th.
  EXPECT_GT(result.times[0].end - result.times[0].start, 2 * result.times[0].device_ns);
}

TEST_F(StagedWritesTest, APieceThatFailsFailsTheBatch) {
  for (const char* failure :
       {"clEnqueueWriteBuffer:9:-5", "clEnqueueWriteBuffer:24:-5", "run:clEnqueueWriteBuffer:24:-5", "clFlush:3:-5"}) {
    stub::set_failure(failure);
    EXPECT_NE(write(plain_rows(0, kBytes)).status, CL_SUCCESS) << failure;
    stub::set_failure("");
    ASSERT_EQ(write(plain_rows(0, kBytes)).status, CL_SUCCESS) << "after " << failure;
    ASSERT_EQ(contents(), expected_) << "after " << failure;
  }
}

TEST_F(StagedWritesTest, WithoutPageLockedMemoryTheDriverCopies) {
  auto found = discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = "stub:1", .own_library = ""});
  device_ = found->devices.front();
  memory_ = *device_->allocate(kBytes, nullptr);
  ASSERT_EQ(write_plain(expected_).status, CL_SUCCESS);  // the device's own queue is there
  stub::set_failure("clCreateBuffer:0:-6");
  stub::take_log();
  ASSERT_EQ(write(plain_rows(0, kBytes), false, false).status, CL_SUCCESS);
  EXPECT_EQ(device_->pinned_pieces(), nullptr);
  EXPECT_EQ(calls("clEnqueueWriteBuffer"), 1u);
  stub::set_failure("");
  EXPECT_EQ(contents(), expected_);
  ASSERT_EQ(write(plain_rows(0, kBytes), false, false).status, CL_SUCCESS) << "asked once";
  EXPECT_EQ(calls("clCreateBuffer"), 0u);
}

TEST_F(StagedWritesTest, BytesInLockedPagesGoStraight) {
  const std::vector<std::byte> bytes = random_bytes(kBytes, 3);
  std::byte* const host = map_host(kBytes);
  std::copy(bytes.begin(), bytes.end(), host);
  std::shared_ptr<void> locked = device_->page_lock(host, kBytes);
  ASSERT_NE(locked, nullptr);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), host)) << "locking changes no byte";
  stub::take_log();
  ASSERT_EQ(run_batch(*device_, {WriteOp{memory_, host, plain_rows(5, kBytes - 9), locked}}).status, CL_SUCCESS);
  EXPECT_EQ(calls("clEnqueueWriteBuffer"), 1u);
  std::memset(host, 0, kBytes);
  ASSERT_EQ(run_batch(*device_, {ReadOp{memory_, host, plain_rows(5, kBytes - 9), false, locked}}).status, CL_SUCCESS);
  EXPECT_TRUE(std::equal(bytes.begin() + 5, bytes.end() - 4, host + 5));
  locked.reset();
  EXPECT_EQ(calls("clReleaseMemObject"), 1u);
  stub::set_failure("clCreateBuffer:0:-6");
  EXPECT_EQ(device_->page_lock(host, kBytes), nullptr) << "the driver refuses";
  munmap(host, kBytes);
}

TEST_F(StagedWritesTest, PagesAreLentAndGivenBack) {
  PinnedPieces* pieces = device_->pinned_pieces();
  ASSERT_NE(pieces, nullptr);
  EXPECT_EQ(device_->pinned_pieces(), pieces);
  std::vector<std::byte*> taken;
  for (std::byte* piece = pieces->try_take(); piece != nullptr; piece = pieces->try_take()) taken.push_back(piece);
  EXPECT_EQ(taken.size(), tuning::kPinnedPieces);
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 1; i < taken.size(); ++i)
    EXPECT_GE(static_cast<std::uint64_t>(taken[i] - taken[i - 1]), tuning::kPinnedPiece);
  pieces->give(taken.back());
  EXPECT_EQ(pieces->take(), taken.back());
  for (std::byte* piece : taken) pieces->give(piece);
}

TEST_F(StagedWritesTest, ChildrenDoNotShareThePages) {
  std::byte* const piece = device_->pinned_pieces()->take();
  const pid_t child = fork();
  if (child == 0) _exit(msync(piece, 4096, MS_ASYNC) == 0 ? 1 : 0);  // fails where nothing is mapped
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  device_->pinned_pieces()->give(piece);
}

TEST_F(StagedWritesTest, SmallPagesAreMadeForThoseWhoReadOften) {
  for (int i = 0; i < 16; ++i) EXPECT_EQ(device_->small_pieces(), nullptr);
  PinnedPieces* pieces = device_->small_pieces();
  ASSERT_NE(pieces, nullptr);
  EXPECT_EQ(device_->small_pieces(), pieces);
  std::vector<PinnedLoan> loans;
  for (std::size_t i = 0; i < tuning::kSmallPieces; ++i) {
    loans.emplace_back(pieces);
    ASSERT_NE(loans.back().piece(), nullptr);
    std::memset(loans.back().piece(), static_cast<int>(i), tuning::kSmallPiece);
  }
  EXPECT_EQ(PinnedLoan(pieces).piece(), nullptr);
  for (std::size_t i = 0; i < tuning::kSmallPieces; ++i)
    EXPECT_EQ(loans[i].piece()[tuning::kSmallPiece - 1], static_cast<std::byte>(i)) << "they do not overlap";
  loans.pop_back();
  EXPECT_NE(PinnedLoan(pieces).piece(), nullptr);
  EXPECT_EQ(PinnedLoan(nullptr).piece(), nullptr);
}

TEST_F(StagedWritesTest, WithoutPageLockedMemoryNobodyAsksForSmallPagesAgain) {
  stub::set_failure("clCreateBuffer:0:-6");
  for (int i = 0; i < 40; ++i) EXPECT_EQ(device_->small_pieces(), nullptr);
  EXPECT_EQ(calls("clCreateBuffer"), 1u);
}

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("STUB_INFO", "VENDOR=NVIDIA Corporation", 1);
  stub::configure("gpu,gpu", 0);
  return RUN_ALL_TESTS();
}
