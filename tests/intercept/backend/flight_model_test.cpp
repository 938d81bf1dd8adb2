// SPDX-License-Identifier: Apache-2.0
// Batches through random sequences of what may happen to them, beside the table of their states. The stub driver is as
// NVIDIA's: batches that are not waited for go without an event of their own.
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "intercept/backend/vendor/submission_queue.h"
#include "intercept/backend/vendor/vendor_driver.h"
#include "tests/intercept/backend/device_fixture.h"
#include "tests/intercept/backend/flight_states.h"
#include "tests/stub-icd/control.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = 64;
/// As SubmissionQueue's: one batch in so many has an event of its own.
constexpr Ticket kBunch = 32;

/// The stub's GPU, without the device that would own the queue.
std::shared_ptr<NativeContext> stub_context() {
  const auto files = read_icd_files(STUB_ICD_VENDORS);
  EXPECT_TRUE(files);
  const auto platforms = load_vendor(files->front().library, "");
  EXPECT_TRUE(platforms);
  const VendorPlatform& platform = platforms->front();
  cl_device_id device = nullptr;
  EXPECT_EQ(platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  return *NativeContext::create(platform.cl, platform.id, device);
}

class FlightModel : public testing::Test {
 protected:
  FlightModel() {
    stub::set_failure("");
    context_ = stub_context();
    cl_int code = CL_SUCCESS;
    cl_mem mem = context_->cl->clCreateBuffer(context_->context, CL_MEM_READ_WRITE, kBytes, nullptr, &code);
    memory_ = std::make_shared<VendorMemory>(owned_memory(context_, mem), kBytes, ImageShape{}, nullptr);
    QueueHabits habits;
    habits.failures_stay = true;
    native_ = *NativeQueue::create(context_, "stub", habits);
  }
  ~FlightModel() override {
    stub::release();
    stub::set_failure("");
    if (line_) line_->stop();
  }
  void open(bool blocking = false) { line_ = std::make_shared<SubmissionQueue>(std::move(native_), blocking, health_); }
  [[nodiscard]] std::vector<Op> fill() const { return {FillOp{memory_, {std::byte{1}}, 0, kBytes}}; }
  /// Counts its `done`, and what it was told.
  Ticket submit(bool quiet) {
    Batch batch;
    batch.ops = fill();
    batch.quiet = quiet;
    const std::size_t id = submitted_++;
    batch.done = [this, id](BatchResult&& result) {
      const std::lock_guard lock(mutex_);
      done_.push_back(id);
      failed_ += result.status != CL_SUCCESS ? 1 : 0;
    };
    return line_->submit(std::move(batch));
  }
  void expect_all_done_once_in_order() {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(done_.size(), submitted_);
    for (std::size_t i = 0; i < done_.size(); ++i) ASSERT_EQ(done_[i], i);
  }

  std::shared_ptr<NativeContext> context_;
  std::shared_ptr<NativeMemory> memory_;
  std::unique_ptr<NativeQueue> native_;
  std::shared_ptr<Health> health_ = std::make_shared<Health>();
  std::shared_ptr<SubmissionQueue> line_;
  std::mutex mutex_;
  std::vector<std::size_t> done_;
  std::size_t submitted_ = 0;
  int failed_ = 0;
};

bool may_follow(FlightState from, FlightState to) { return test::kFlights.reachable(from).count(to) != 0; }

TEST_F(FlightModel, StatesAreThoseOfTheTableAndOfWhatWasAskedFor) {
  open();
  std::mt19937 random(5);
  for (int round = 0; round < 12; ++round) {
    const bool aside = round == 11;  // the last: the device is disabled
    if (aside) health_->set_aside();
    std::map<Ticket, FlightState> model;
    stub::hold();
    for (std::size_t i = 0; i < 1 + random() % 100; ++i) {
      const bool quiet = random() % 4 != 0;
      const bool without_event = quiet && (submitted_ + 1) % kBunch != 0;
      const Ticket ticket = submit(quiet);
      ASSERT_EQ(ticket, submitted_);
      FlightState state = FlightState::made;
      const FlightInput usual = without_event ? FlightInput::enqueue_quietly : FlightInput::enqueue;
      kFlightTransitions.apply(aside ? FlightInput::refuse : usual, state);
      model[ticket] = state;
      if (random() % 3 == 0) line_->tidy(ticket);
      const auto states = line_->states();
      for (const auto& [listed, now] : states) {
        ASSERT_TRUE(may_follow(model.at(listed), now)) << listed << " is " << test::kFlights.name(now);
        ASSERT_NE(now, FlightState::settled) << "it leaves the list with that";
        // The device is held: only the oldest is looked at, by the queue's own thread.
        if (listed != states.front().first) {
          ASSERT_EQ(now, model.at(listed)) << listed;
        }
      }
    }
    stub::release();
    line_->help(submitted_);
    expect_all_done_once_in_order();
    EXPECT_TRUE(line_->states().empty());
    EXPECT_EQ(failed_ > 0, aside);
  }
}

TEST_F(FlightModel, SeenByOtherThreadsStatesFollowTheTable) {
  open();
  std::atomic<bool> over{false};
  std::atomic<Ticket> newest{0};
  std::set<FlightState> seen;  // of the witness
  const auto look_on = [&] {
    std::map<Ticket, FlightState> last;
    while (!over) {
      for (const auto& [ticket, now] : line_->states()) {
        const auto [known, first] = last.emplace(ticket, now);
        EXPECT_TRUE(first || may_follow(known->second, now))
            << test::kFlights.name(known->second) << " to " << test::kFlights.name(now);
        known->second = now;
        seen.insert(now);
      }
      std::this_thread::yield();
    }
  };
  const auto help = [&] {
    while (!over) {
      line_->help(newest);
      std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(look_on);
  for (int t = 0; t < 2; ++t) threads.emplace_back(help);
  std::mt19937 random(9);
  for (int i = 0; i < 600; ++i) {
    if (i % 100 == 0) stub::set_failure(i % 200 == 0 ? "" : "clEnqueueMarkerWithWaitList:0:-6");
    newest = submit(random() % 8 != 0);
    line_->tidy(newest);
  }
  line_->help(newest);
  over = true;
  for (auto& thread : threads) thread.join();
  expect_all_done_once_in_order();
  EXPECT_EQ(failed_, 0);
  EXPECT_EQ(seen.count(FlightState::made), 0u);
  EXPECT_EQ(seen.count(FlightState::settled), 0u);
}

TEST_F(FlightModel, ABlockingDriversBatchIsMadeUntilItIsCompleted) {
  open(true);
  std::atomic<bool> inside{false};
  std::atomic<bool> seen{false};
  Batch first;
  first.done = [&](BatchResult&&) {
    inside = true;
    while (!seen) std::this_thread::yield();
  };
  line_->submit(std::move(first));
  ++submitted_;
  done_.push_back(0);
  while (!inside) std::this_thread::yield();
  submit(false);
  const auto states = line_->states();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].second, FlightState::completing);
  EXPECT_EQ(states[1].second, FlightState::made);
  seen = true;
  line_->help(submitted_);
  expect_all_done_once_in_order();
}

// The three ways to make the end of a batch without events observable, as SubmissionQueue takes them.
TEST_F(FlightModel, MarkingSaysWhichWayItWent) {
  struct Way {
    const char* failure;
    bool later, finishing;
    FlightInput input;
    std::size_t events;  // afterwards, of one op
  };
  constexpr std::array<Way, 4> kWays{{{"", true, true, FlightInput::mark, 2},
                                      {"", false, false, FlightInput::mark, 2},
                                      {"", false, true, FlightInput::leave_to_queue, 1},
                                      {"clEnqueueMarkerWithWaitList:0:-6", false, false, FlightInput::finish, 1}}};
  const auto enqueued = [&](FlightInput input) {
    Batch batch;
    batch.ops = fill();
    auto flight = std::make_unique<InFlightBatch>(std::move(batch));
    EXPECT_TRUE(kFlightTransitions.apply(input, flight->state));
    native_->enqueue(*flight);
    return flight;
  };
  for (const Way& way : kWays) {
    const auto flight = enqueued(FlightInput::enqueue_quietly);
    const auto later = enqueued(FlightInput::enqueue);
    EXPECT_EQ(flight->last, nullptr);
    ASSERT_NE(later->last, nullptr);
    stub::set_failure(way.failure);
    const FlightInput input = native_->mark(*flight, way.later ? later.get() : nullptr, way.finishing);
    stub::set_failure("");
    EXPECT_EQ(input, way.input) << test::kFlights.name(input);
    EXPECT_TRUE(kFlightTransitions.apply(input, flight->state));
    EXPECT_EQ(flight->events.size(), way.events);
    native_->wait(*flight, flight->state);
    EXPECT_TRUE(flight->ended_well);
    EXPECT_EQ(native_->ended(*flight, flight->state), flight->state != FlightState::with_queue)
        << "only waiting shows the end of a batch with the queue";
    const BatchResult result = native_->result(*flight, flight->state, false);
    EXPECT_EQ(result.status, CL_SUCCESS);
    EXPECT_EQ(result.accepted, 1u) << "the event that was made for it is no op";
    native_->wait(*later, later->state);
  }
}

}  // namespace
}  // namespace skmd::icd
