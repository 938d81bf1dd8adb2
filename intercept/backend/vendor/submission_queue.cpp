// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/submission_queue.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <system_error>

#include "cpu-driver/runtime/processors.h"
#include "intercept/backend/port/recycled.h"
#include "intercept/backend/port/threads.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "intercept/backend/vendor/vendor_visit.h"

namespace skmd::icd {
namespace {

using namespace tuning;

}  // namespace

SubmissionQueue::SubmissionQueue(std::unique_ptr<NativeQueue> queue, bool blocking, std::shared_ptr<Health> health,
                                 std::shared_ptr<Mutex> turns)
    : queue_(std::move(queue)),
      blocking_(blocking),
      one_processor_(cpu::usable_processors() == 1),
      health_(std::move(health)),
      turns_(std::move(turns)),
      generation_(fork_generation()) {}

bool SubmissionQueue::forked() const { return generation_ != fork_generation(); }

Ticket SubmissionQueue::submit(Batch&& batch) {
  if (forked()) {
    // Locks may be held by threads that do not exist here, so nothing can be queued: the batch fails at once.
    BatchResult failed{
        CL_OUT_OF_RESOURCES, "the process was forked after the device was opened", {}, Fault::resources, 0};
    if (batch.done) batch.done(std::move(failed));
    return 0;
  }
  auto flight = std::allocate_shared<InFlightBatch>(Recycling<InFlightBatch>(), std::move(batch));
  if (flight->batch.first_use && queue_->habits().compiles_at_launch) {
    let_compilers_end_at_exit();
    flight->compiling.emplace();
  }
  bool wake = false;
  Ticket ticket = 0;
  {
    MutexGuard in_order(submit_mutex_);
    const auto self = std::this_thread::get_id();
    alone_ = submitter_ == self ? alone_ + 1 : 0;
    submitter_ = self;
    // Finishing the queue waits for what other threads submit as well.
    const bool quiet = flight->batch.quiet || (flight->batch.awaited && alone_ >= kBunch);
    flight->at_rest = completed_.load(std::memory_order_acquire) == last_ticket_;
    // One in a bunch has an event of its own, for tidy() to look at.
    const bool quietly = quiet && queue_->habits().failures_stay && (last_ticket_ + 1) % kBunch != 0;
    if (!blocking_) enqueue(*flight, quietly);
    MutexGuard lock(mutex_);
    ticket = flight->ticket = ++last_ticket_;
    flights_.push_back(std::move(flight));
    if (!started_) start_thread();
    wake = resting_ && !woken_ && (blocking_ || !glancing_);
    woken_ = woken_ || wake;
  }
  if (wake) wake_.notify_one();
  return ticket;
}

void SubmissionQueue::enqueue(InFlightBatch& flight, bool quietly) {
  const bool aside = health_->aside();
  // A blocking driver's batch is `completing` by now, and stays so.
  if (!blocking_) {
    const FlightInput usual = quietly ? FlightInput::enqueue_quietly : FlightInput::enqueue;
    kFlightTransitions.apply(aside ? FlightInput::refuse : usual, flight.state);
  }
  try {
    if (aside)
      queue_->refuse(flight);
    else
      queue_->enqueue(flight);
  } catch (const std::bad_alloc&) {
    // Some of it may be under way: the batch ends as a failed one does.
    flight.context = &queue_->context();
    flight.status = CL_OUT_OF_HOST_MEMORY;
    flight.strays = true;
  }
}

BatchResult SubmissionQueue::result_of(const InFlightBatch& flight, FlightState state, bool good) const {
  BatchResult result;
  try {
    result = queue_->result(flight, state, good);
  } catch (const std::bad_alloc&) {  // no memory to find out: the batch counts as failed
    result = BatchResult{CL_OUT_OF_HOST_MEMORY, {}, {}, Fault::memory, flight.events.size()};
  }
  if (!flight.batch.work().empty()) health_->batch_ended(result.fault, result.reason);
  return result;
}

void SubmissionQueue::mark(InFlightBatch& flight, bool finishing) {
  const auto later = flights_.find(
      0, [](const InFlightBatch& other) { return other.state != FlightState::unmarked && other.last != nullptr; });
  flight.covers = later ? later->ticket : last_ticket_;
  kFlightTransitions.apply(queue_->mark(flight, later.get(), finishing), flight.state);
}

std::vector<std::pair<Ticket, FlightState>> SubmissionQueue::states() {
  std::vector<std::pair<Ticket, FlightState>> all;
  const MutexGuard lock(mutex_);
  static_cast<void>(flights_.find(0, [&all](const InFlightBatch& flight) {
    all.emplace_back(flight.ticket, flight.state);
    return false;
  }));
  return all;
}

void SubmissionQueue::start_thread() {
  try {
    thread_ = quiet_thread([self = shared_from_this()] { self->progress(); });
    started_ = true;
    let_visits_end_at_exit();  // the driver has been used by now
  } catch (const std::exception&) {
    // Helpers complete batches as well; the next submit tries again.
  }
}

void SubmissionQueue::help(Ticket ticket) {
  lock_order::expect_may_take(LockRank::help);
  if (completed_.load(std::memory_order_acquire) >= ticket || forked()) return;
  MutexLock lock(mutex_);
  ticket = std::min(ticket, last_ticket_);
  ++helpers_;
  while (completed_.load(std::memory_order_relaxed) < ticket) advance(lock);
  --helpers_;
  const bool wake = helpers_ == 0 && !flights_.empty() && resting_ && !glancing_ && !woken_;
  woken_ = woken_ || wake;
  lock.unlock();
  if (wake) wake_.notify_one();
}

void SubmissionQueue::tidy(Ticket ticket) {
  if (blocking_ || ticket % kBunch != 0 || completed_.load(std::memory_order_relaxed) + 2 * kBunch > ticket) return;
  if (forked()) return;
  if (!mutex_.try_lock()) return;
  MutexLock lock(mutex_, std::adopt_lock);
  if (completing() || flights_.size() < 2 * kBunch) return;
  // In order: with this one, everything before it has ended.
  std::shared_ptr<InFlightBatch> probe =
      flights_.find(kBunch - 1, [](const InFlightBatch& flight) { return flight.state != FlightState::unmarked; });
  if (!probe) return;
  const FlightState state = probe->state;
  ++probe->watchers;
  lock.unlock();
  const bool ended = queue_->ended(*probe, state);
  lock.lock();
  --probe->watchers;
  const Ticket until = ended ? probe->ticket : 0;
  lock.unlock();
  probe.reset();  // its last watcher destroys it, which calls the vendor
  lock.lock();
  // A batch `with_queue` is left out: completing it calls clFinish(), which would wait for commands that have not
  // ended.
  while (!completing() && !flights_.empty() && flights_.front()->ticket <= until &&
         flights_.front()->state != FlightState::with_queue)
    complete(lock);
}

void SubmissionQueue::advance(Lock& lock) {
  if (completing()) {
    ++waiters_;
    ended_.wait(lock, [this]() SKMD_REQUIRES(mutex_) { return !completing(); });
    --waiters_;
    return;
  }
  std::shared_ptr<InFlightBatch> front = flights_.front();
  if (!blocking_ && front->ticket > good_until_) {
    // Without a thread in help(), the progress thread waits for an event and not by clFinish(): a driver may block
    // submitting threads until that returns.
    if (front->state == FlightState::unmarked) mark(*front, helpers_ > 0);
    const FlightState state = front->state;
    ++front->watchers;
    lock.unlock();
    queue_->wait(*front, state);
    lock.lock();
    --front->watchers;
    if (completing() || flights_.empty() || flights_.front() != front) {
      // Its last watcher may destroy it here, which calls the vendor.
      lock.unlock();
      front.reset();
      lock.lock();
      return;
    }
  }
  complete(lock);
}

bool SubmissionQueue::front_ended(Lock& lock) {
  std::shared_ptr<InFlightBatch> front = flights_.front();
  if (completing() || front->ticket <= good_until_) return true;
  if (front->state == FlightState::unmarked) mark(*front, false);
  const FlightState state = front->state;
  if (front->strays || state == FlightState::with_queue) return true;
  ++front->watchers;
  lock.unlock();
  const bool ended = queue_->ended(*front, state);
  lock.lock();
  --front->watchers;
  // Its last watcher may destroy it here, which calls the vendor.
  lock.unlock();
  front.reset();
  lock.lock();
  return ended;
}

void SubmissionQueue::complete(Lock& lock) {
  InFlightBatch* const front = flights_.front().get();  // only the completing thread removes it
  const bool good = front->ticket <= good_until_;
  if (front->state == FlightState::unmarked && !good) mark(*front, false);
  const FlightState state = front->state;
  if (!kFlightTransitions.apply(FlightInput::complete, front->state)) return;  // another thread does
  const bool watched = front->watchers > 0;
  lock.unlock();
  if (blocking_) {
    // No batch waits for another device's commands, so the thread that holds `turns_` always releases it.
    UniqueLock turn;
    if (turns_ != nullptr) turn = MutexLock(*turns_);
    enqueue(*front, false);
    queue_->wait(*front, state);
  }
  front->compiling.reset();
  BatchResult result = result_of(*front, state, good);
  const bool failed = result.status != CL_SUCCESS || result.fault != Fault::none;
  const bool asked = front->last != nullptr || state == FlightState::with_queue;
  const bool tells = !good && asked && queue_->habits().failures_stay && result.status == CL_SUCCESS;
  auto done = std::move(front->batch.done);
  front->batch.ops.clear();
  front->batch.shared_ops = nullptr;
  front->held.clear();
  if (!watched) front->release_events();
  if (done) done(std::move(result));
  if (failed) health_->failure_told();
  // It may hold the last reference to anything, up to a context whose destructor callbacks are the application's code.
  done = nullptr;
  lock.lock();
  const Ticket ticket = front->ticket;
  if (tells) good_until_ = std::max(ticket, front->covers);
  kFlightTransitions.apply(FlightInput::settle, front->state);
  flights_.pop_front();
  completed_.store(ticket, std::memory_order_release);
  if (waiters_ > 0) ended_.notify_all();
}

void SubmissionQueue::progress() {
  MutexLock lock(mutex_);
  Ticket until = last_ticket_;
  while (!stopping_ || !flights_.empty()) {
    // What is submitted while it completes older batches is left for the next glance: chasing a thread that launches in
    // a row costs both of them more than it gains.
    const bool enough = !blocking_ && completed_.load(std::memory_order_relaxed) >= until;
    if (flights_.empty() || ((helpers_ > 0 || enough || submitter_tidies()) && !stopping_)) {
      rest(lock);
      until = last_ticket_;
      continue;
    }
    if (look(lock)) continue;
    rest(lock);
    until = last_ticket_;
  }
}

bool SubmissionQueue::look(Lock& lock) {
  const VendorVisit visit;
  // Waiting for a device in another machine takes no processor, and finds out that it is gone.
  const bool asks = one_processor_ && !blocking_ && !queue_->habits().far;
  if (asks && !stopping_ && !front_ended(lock)) return false;
  if (!flights_.empty()) advance(lock);
  return true;
}

bool SubmissionQueue::submitter_tidies() const {
  // Where batches are quiet, looking takes an event that would not be there otherwise, and a lock that the submitter
  // wants: one submission is sign enough that more will come.
  const Ticket row = queue_->habits().failures_stay ? 1 : kRow;
  return !blocking_ && last_ticket_ - seen_ >= row && flights_.size() < 4 * kBunch;
}

void SubmissionQueue::rest(Lock& lock) {
  quiet_rests_ = seen_ == last_ticket_ ? quiet_rests_ + 1 : 0;
  seen_ = last_ticket_;
  resting_ = true;
  glancing_ = !blocking_ && quiet_rests_ < kQuietGlances;
  const auto ready = [this]() SKMD_REQUIRES(mutex_) { return woken_ || stopping_; };
  if (glancing_ || (one_processor_ && !blocking_ && helpers_ == 0 && !flights_.empty())) {
    // On the system's clock: ThreadSanitizer does not see waits on the steady one.
    const std::chrono::microseconds several = queue_->habits().far ? kFarGlance : kGlance;
    const auto pause = one_processor_ ? kGlanceOnOneProcessor : several;
    wake_.wait_until(lock, std::chrono::system_clock::now() + pause, ready);
  } else {
    wake_.wait(lock, ready);
  }
  resting_ = false;
  woken_ = false;
}

void SubmissionQueue::stop() { end_thread(mutex_, stopping_, wake_, thread_, forked()); }

}  // namespace skmd::icd
