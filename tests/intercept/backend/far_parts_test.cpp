// SPDX-License-Identifier: Apache-2.0
// Large transfers of a device in another machine go in parts. Each test needs a process of its own: see
// far_discovery_test.cpp.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>

#include "intercept/backend/vendor/vendor_constants.h"
#include "tests/intercept/backend/far_fixture.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = tuning::kFarPiece * 5 / 2;
constexpr std::uint64_t kWords = kBytes / 4;

class FarParts : public OneFarDevice {
 protected:
  /// `delay`: microseconds that the device takes before each command, "" for none.
  void open(const char* delay = "") {
    setenv("STUB_FAR_LOG", log_.c_str(), 1);
    if (*delay != 0) setenv("STUB_FAR_DELAY_US", delay, 1);
    open_far(kBytes);
    std::iota(words_.begin(), words_.end(), 7);
  }
  [[nodiscard]] std::size_t calls(const std::string& name) const {
    std::ifstream file(log_);
    std::size_t found = 0;
    for (std::string line; std::getline(file, line);) found += line.find(name) != std::string::npos ? 1 : 0;
    return found;
  }
  const std::string log_ = folder_.path() + "/calls";
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(kWords);
};

TEST_F(FarParts, EachWayInParts) {
  open();
  ASSERT_EQ(run_batch(*device_, {WriteOp{memory_, bytes_at(words_.data()), plain_rows(0, kBytes)}}).status, CL_SUCCESS);
  std::vector<std::uint32_t> back(kWords);
  ASSERT_EQ(run_batch(*device_, {ReadOp{memory_, bytes_at(back.data()), plain_rows(0, kBytes)}}).status, CL_SUCCESS);
  EXPECT_EQ(back, words_);
  EXPECT_EQ(calls("clEnqueueWriteBuffer"), 3u);
  EXPECT_EQ(calls("clEnqueueReadBuffer"), 3u);
}

TEST_F(FarParts, RowsWithGapsStayWhole) {
  open();
  const domain::RowRun rows{64, 4000, 4096, kBytes / 4096};
  const FillOp nothing{memory_, bytes_of(std::uint32_t{0}), 0, kBytes};
  ASSERT_EQ(run_batch(*device_, {nothing, WriteOp{memory_, bytes_at(words_.data()), rows}}).status, CL_SUCCESS);
  std::vector<std::uint32_t> back(kWords);
  ASSERT_EQ(run_batch(*device_, {ReadOp{memory_, bytes_at(back.data()), rows}}).status, CL_SUCCESS);
  for (std::size_t i = 0; i < kWords; ++i) {
    const bool inside = i % 1024 >= 16 && i % 1024 < 1016;
    ASSERT_EQ(back[i], inside ? words_[i] : 0) << "word " << i;
  }
  EXPECT_EQ(calls("clEnqueueWriteBufferRect"), 3u);
  EXPECT_EQ(calls("clEnqueueReadBufferRect"), 3u);
}

TEST_F(FarParts, AFailureOfOnePartIsTheTransfers) {
  setenv("STUB_FAR_FAIL", "run:clEnqueueReadBuffer:2", 1);
  open();
  ASSERT_EQ(run_batch(*device_, {WriteOp{memory_, bytes_at(words_.data()), plain_rows(0, kBytes)}}).status, CL_SUCCESS);
  std::vector<std::uint32_t> back(kWords);
  EXPECT_NE(run_batch(*device_, {ReadOp{memory_, bytes_at(back.data()), plain_rows(0, kBytes)}}).status, CL_SUCCESS);
}

TEST_F(FarParts, TheTimeOfAllIsTold) {
  open("3000");
  const BatchResult all = run_batch(*device_, {WriteOp{memory_, bytes_at(words_.data()), plain_rows(0, kBytes)}}, true);
  ASSERT_EQ(all.status, CL_SUCCESS);
  ASSERT_EQ(all.times.size(), 1u);
  EXPECT_GT(all.times[0].end - all.times[0].start, 5'000'000u) << "from the first of three parts on";
}

}  // namespace
}  // namespace skmd::icd
