// SPDX-License-Identifier: Apache-2.0
// A driver that is slow at times and at events, and whose failures stay, as NVIDIA's: batches that are not waited for
// go without an event of their own, those that want times through a queue of their own; order and results are the same.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::icd {
namespace {

constexpr std::uint32_t kWords = 16;

class QuietBatch : public testing::Test {
 protected:
  void SetUp() override {
    auto found = discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = "stub:0", .own_library = ""});
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
    memory_ = *device_->allocate(kWords * 4, nullptr);
    fill_ = kernel_of(*device_, stub::kKernelSource, "stub_fill");
    count_ = kernel_of(*device_, stub::kKernelSource, "stub_count");
    ASSERT_EQ(run_batch(*device_, {FillOp{memory_, {std::byte{0}}, 0, kWords * 4}}).status, CL_SUCCESS);
    stub::take_log();
  }
  void TearDown() override {
    stub::release();
    stub::set_failure("");
  }
  Batch batch(std::vector<Op> ops, int id, bool quiet = true) {
    Batch made;
    made.ops = std::move(ops);
    made.quiet = quiet;
    made.done = [this, id](BatchResult&& r) {
      const std::lock_guard lock(mutex_);
      order_.push_back(id);
      if (r.status != CL_SUCCESS) ++failed_;
    };
    return made;
  }
  RunOp count() const {
    RunOp run;
    run.kernel = count_;
    run.range = line_range(0, kWords, 4);
    run.arguments = arguments_of({BufferArgument{memory_, 0, kWords * 4}});
    return run;
  }
  RunOp fill(std::uint32_t value) const {
    RunOp run;
    run.kernel = fill_;
    run.range = line_range(0, kWords, 4);
    run.arguments = arguments_of({BufferArgument{memory_, 0, kWords * 4}, bytes_of(value)});
    return run;
  }
  std::vector<std::uint32_t> contents(bool times = false) {
    std::vector<std::uint32_t> words(kWords);
    const auto result =
        run_batch(*device_, {ReadOp{memory_, bytes_at(words.data()), plain_rows(0, kWords * 4)}}, times);
    EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
    return words;
  }
  std::size_t calls(const std::string& name) {
    std::size_t found = 0;
    for (const std::string& line : log_) found += line.starts_with(name) ? 1 : 0;
    return found;
  }
  void expect_order(int count) {
    const std::lock_guard lock(mutex_);
    std::vector<int> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order_, expected);
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
  std::shared_ptr<NativeKernel> fill_, count_;
  std::vector<std::string> log_;
  std::mutex mutex_;
  std::vector<int> order_;
  int failed_ = 0;
};

TEST_F(QuietBatch, ARowOfThemHasFewEventsAndFlushes) {
  stub::hold();  // no end is seen, so no event is asked for
  Ticket last = 0;
  for (int i = 0; i < 200; ++i) last = device_->submit(batch({count()}, i));
  log_ = stub::take_log();
  EXPECT_EQ(calls("clEnqueueNDRangeKernel"), 200u);
  EXPECT_LE(calls("clFlush"), 200u / 16 + 4);
  EXPECT_LE(calls("clEnqueueMarker"), 2u);
  stub::release();
  device_->help(last);
  expect_order(200);
  EXPECT_EQ(failed_, 0);
  log_ = stub::take_log();
  EXPECT_LE(calls("clWaitForEvents"), 60u) << "one that ended well tells of all before it";
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 200));
}

TEST_F(QuietBatch, OneThatIsWaitedForAfterAllEnds) {
  for (int i = 0; i < 40; ++i) {
    device_->help(device_->submit(batch({count()}, i)));
    expect_order(i + 1);
  }
}

TEST_F(QuietBatch, OneThatIsWaitedForAtOnceCostsOneCallMore) {
  // The device's own thread may come first, where this one is kept waiting between the two.
  std::uint32_t tries = 0;
  bool cheap = false;
  while (!cheap && tries < 100) {
    stub::take_log();
    device_->help(device_->submit(batch({count()}, 0)));
    ++tries;
    log_ = stub::take_log();
    const std::size_t dear = calls("clEnqueueMarker") + calls("clFlush") + calls("clWaitForEvents");
    cheap = calls("clFinish") == 1 && dear + calls("clRetainEvent") == 0;
  }
  EXPECT_TRUE(cheap);
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, tries));
}

TEST_F(QuietBatch, NoneIsWaitedForTwice) {
  std::size_t fewest = 9;
  for (int i = 0; i < 100 && fewest != 1; ++i) {  // the device's own thread may wait as well
    stub::take_log();
    device_->help(device_->submit(batch({count()}, 0, false)));
    log_ = stub::take_log();
    fewest = std::min(fewest, calls("clWaitForEvents"));
  }
  EXPECT_EQ(fewest, 1u) << "what waiting said is kept";
}

TEST_F(QuietBatch, ACallThatFailsOnceWhileWaitingIsNoFailureOfIt) {
  for (const bool quiet : {true, false}) {
    stub::set_failure(quiet ? "clFinish:1:-6" : "clWaitForEvents:1:-6");
    device_->help(device_->submit(batch({count()}, 0, quiet)));
    EXPECT_EQ(failed_, 0) << quiet;
    stub::set_failure("");
  }
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 2));
}

TEST_F(QuietBatch, OneThatIsAwaitedIsQuietWhereOneThreadSubmits) {
  const auto events_of_one = [&] {
    Batch made = batch({count()}, 0, false);
    made.awaited = true;
    stub::take_log();
    device_->help(device_->submit(std::move(made)));
    log_ = stub::take_log();
    return calls("clWaitForEvents");
  };
  std::size_t events = 0;
  for (int i = 0; i < 100; ++i) events += i < 20 ? 0 * events_of_one() : events_of_one();
  EXPECT_LT(events, 40u) << "the one in a bunch, and where the device's own thread came first";
  std::thread([&] { device_->help(device_->submit(batch({count()}, 0))); }).join();
  EXPECT_GE(events_of_one(), 1u) << "finishing the queue might wait for the other thread's batches";
}

TEST_F(QuietBatch, ThatFailsIsNoticedByWhoFinishesTheQueue) {
  stub::set_failure("run:clEnqueueNDRangeKernel:1:-5");
  device_->help(device_->submit(batch({count()}, 0)));
  EXPECT_EQ(failed_, 1);
  expect_order(1);
}

TEST_F(QuietBatch, OneThatNobodyWaitsForEnds) {
  std::atomic<bool> ended{false};
  Batch last = batch({count()}, 0);
  last.done = [&](BatchResult&&) {
    ended = true;
    ended.notify_all();
  };
  device_->submit(std::move(last));
  ended.wait(false);
}

TEST_F(QuietBatch, EachIsDoneOnceAndInOrderWhoeverHelps) {
  std::mt19937 random(3);
  std::atomic<Ticket> newest{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> helpers;
  for (int t = 0; t < 3; ++t)
    helpers.emplace_back([&] {
      while (!over) {
        device_->help(newest);
        std::this_thread::yield();
      }
    });
  std::uint32_t expected = 0;
  for (int i = 0; i < 600; ++i) {
    const bool quiet = random() % 8 != 0;
    const bool reset = random() % 50 == 0;
    Batch made = reset ? batch({fill(7)}, i, quiet) : batch({count()}, i, quiet);
    made.want_times = !quiet && random() % 2 == 0;
    expected = reset ? 7 : expected + 1;
    newest = device_->submit(std::move(made));
    device_->tidy(newest);
  }
  device_->help(newest);
  over = true;
  for (std::thread& helper : helpers) helper.join();
  expect_order(600);
  EXPECT_EQ(failed_, 0);
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, expected));
}

TEST_F(QuietBatch, AFailedLaunchIsNoticedThoughItsEventSaysComplete) {
  for (const bool quiet : {false, true}) {
    failed_ = 0;
    order_.clear();
    Ticket last = 0;
    device_->help(device_->submit(batch({count()}, 0, quiet)));
    EXPECT_EQ(failed_, 0);
    stub::set_failure("run:clEnqueueNDRangeKernel:1:-5");
    for (int i = 1; i < 40; ++i) {
      last = device_->submit(batch({count()}, i, quiet));
      device_->tidy(last);
    }
    device_->help(last);
    expect_order(40);
    EXPECT_GE(failed_, 1);
    stub::set_failure("");
  }
}

TEST_F(QuietBatch, OneThatWasNotAcceptedFailsAlone) {
  stub::set_failure("clEnqueueNDRangeKernel:2:-5");
  Ticket last = 0;
  for (int i = 0; i < 4; ++i) last = device_->submit(batch({count()}, i));
  device_->help(last);
  EXPECT_EQ(failed_, 1);
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 3));
}

TEST_F(QuietBatch, OneThatWasNotAcceptedHasRunNothing) {
  stub::set_failure("clEnqueueNDRangeKernel:1:-5");
  for (const bool quiet : {false, true}) {
    std::size_t accepted = 7;
    Batch made = batch({FillOp{memory_, {std::byte{1}}, 0, 4}, count()}, 0, quiet);
    made.done = [&](BatchResult&& r) { accepted = r.accepted; };
    device_->help(device_->submit(std::move(made)));
    EXPECT_EQ(accepted, 1u) << "the fill, and not the launch";
    stub::set_failure("clEnqueueNDRangeKernel:1:-5");
  }
}

TEST_F(QuietBatch, OnlyTheLastOpOfABatchHasAnEvent) {
  std::uint32_t value = 4;
  const std::vector<Op> ops = {WriteOp{memory_, bytes_at(&value), plain_rows(0, 4)}, fill(5),
                               CopyOp{memory_, memory_, 0, 8, 4}, count(), FillOp{memory_, {std::byte{0}}, 0, 0}};
  run_batch(*device_, ops);
  log_ = stub::take_log();
  EXPECT_EQ(calls("clReleaseEvent"), 1u);
  run_batch(*device_, ops, true);  // each has its times
  log_ = stub::take_log();
  EXPECT_GE(calls("clReleaseEvent"), 4u);
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 6));
}

TEST_F(QuietBatch, UploadsGoBeforeTheirLaunchesInARow) {
  std::vector<std::uint32_t> words(200 * kWords);
  Ticket last = 0;
  std::vector<std::uint32_t> expected(kWords);
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::uint32_t* const own = words.data() + i * kWords;
    std::fill_n(own, kWords, 3 * i);
    last = device_->submit(
        batch({WriteOp{memory_, bytes_at(own), plain_rows(0, kWords * 4)}, count()}, static_cast<int>(i)));
    if (i % 50 == 49) {
      expected.assign(kWords, 3 * i + 1);
      EXPECT_EQ(contents(), expected);
    }
  }
  device_->help(last);
  expect_order(200);
  EXPECT_EQ(failed_, 0);
}

TEST_F(QuietBatch, WhatOneThatFailedHalfWayUsesIsHeldUntilTheDeviceIsDoneWithIt) {
  std::vector<std::uint32_t> words(kWords, 8);
  Ticket last = 0;
  stub::set_failure("clEnqueueNDRangeKernel:31:-5");
  stub::hold();
  // Ticket 32, after one of the set-up's, is what tidy() looks at. Of it the write is under way.
  for (int i = 0; i < 60; ++i) {
    std::vector<Op> ops = {count()};
    if (i == 30) ops.insert(ops.begin(), WriteOp{memory_, bytes_at(words.data()), plain_rows(0, kWords * 4)});
    last = device_->submit(batch(std::move(ops), i));
    device_->tidy(last);
  }
  expect_order(0);
  stub::release();
  device_->help(last);
  expect_order(60);
  EXPECT_EQ(failed_, 1);
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 8 + 29));
}

TEST_F(QuietBatch, WithoutMarkersTheQueueIsFinished) {
  stub::set_failure("clEnqueueMarkerWithWaitList:0:-6");
  for (int i = 0; i < 8; ++i) device_->help(device_->submit(batch({count()}, i)));
  for (int i = 0; i < 4; ++i) contents(i % 2 == 0);
  EXPECT_EQ(failed_, 0);
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 8));
}

TEST_F(QuietBatch, TimesComeFromAQueueOfTheirOwnBehindWhatWasBefore) {
  for (std::uint32_t i = 1; i <= 30; ++i) {
    const bool times = i % 3 == 0;
    const auto result = run_batch(*device_, {fill(i), count()}, times);
    ASSERT_EQ(result.times.size(), times ? 2u : 0u);
    EXPECT_TRUE(!times || result.times[0].device_ns + result.times[1].device_ns > 0);
    EXPECT_EQ(contents(i % 2 == 0), std::vector<std::uint32_t>(kWords, i + 1));
  }
  log_ = stub::take_log();
  EXPECT_EQ(calls("clCreateCommandQueue"), 1u) << "and the usual one in the beginning";
  EXPECT_GT(calls("clEnqueueBarrier"), 0u);
}

class OverlappingViews : public QuietBatch {
 protected:
  static constexpr std::uint32_t kMany = 8192;
  void SetUp() override {
    QuietBatch::SetUp();
    large_ = *device_->allocate(kMany * 4, nullptr);
    ASSERT_EQ(run_batch(*device_, {FillOp{large_, {std::byte{0}}, 0, kMany * 4}}).status, CL_SUCCESS);
    copy_ = kernel_of(*device_, stub::kKernelSource, "stub_copy");
  }
  static RunOp line(std::shared_ptr<NativeKernel> kernel, std::uint32_t items, std::vector<NativeArgument> arguments) {
    RunOp run;
    run.kernel = std::move(kernel);
    run.range = line_range(0, items, 4);
    run.arguments = arguments_of(std::move(arguments));
    return run;
  }
  std::shared_ptr<NativeMemory> large_;
  std::shared_ptr<NativeKernel> copy_;
};

TEST_F(OverlappingViews, AreNeverThereAtTheSameTime) {
  std::mt19937 random(11);
  std::vector<std::uint32_t> expected(kMany, 0);
  Ticket last = 0;
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t first = 32 * (random() % 200);
    const std::uint32_t words = 32 * (1 + random() % 40);
    last = device_->submit(batch({line(count_, words, {BufferArgument{large_, first * 4, words * 4}})}, i));
    for (std::uint32_t w = first; w < first + words; ++w) ++expected[w];
  }
  device_->help(last);
  expect_order(400);
  EXPECT_EQ(failed_, 0) << "the stub refuses what would crash NVIDIA's driver";
  std::vector<std::uint32_t> words(kMany);
  ASSERT_EQ(run_batch(*device_, {ReadOp{large_, bytes_at(words.data()), plain_rows(0, kMany * 4)}}).status, CL_SUCCESS);
  EXPECT_EQ(words, expected);
}

TEST_F(OverlappingViews, ThatStandApartStay) {
  for (int i = 0; i < 30; ++i)
    for (std::uint32_t part = 1; part < 6; ++part)
      run_batch(*device_, {line(count_, 64, {BufferArgument{large_, part * 1024, 1024}})});
  log_ = stub::take_log();
  EXPECT_EQ(calls("clCreateSubBuffer"), 5u);
}

TEST_F(OverlappingViews, OfOneLaunchAreRefused) {
  const auto both = [&](std::uint64_t offset) {
    return run_batch(*device_,
                     {line(copy_, 64, {BufferArgument{large_, 512, 1024}, BufferArgument{large_, offset, 1024}})});
  };
  const BatchResult refused = both(1024);
  EXPECT_NE(refused.status, CL_SUCCESS);
  EXPECT_NE(refused.reason.find("overlap"), std::string::npos) << refused.reason;
  EXPECT_EQ(both(1536).status, CL_SUCCESS);
  EXPECT_EQ(both(512).status, CL_SUCCESS) << "one and the same";
}

TEST_F(QuietBatch, WithoutAQueueForThemThereAreNoTimes) {
  stub::set_failure("clCreateCommandQueue:0:-6");
  const auto result = run_batch(*device_, {fill(5)}, true);
  EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
  EXPECT_EQ(contents(), std::vector<std::uint32_t>(kWords, 5));
}

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("STUB_INFO", "VENDOR=NVIDIA Corporation", 1);
  stub::configure("gpu", 0);
  return RUN_ALL_TESTS();
}
