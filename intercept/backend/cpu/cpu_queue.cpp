// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_queue.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

#include "intercept/backend/cpu/cpu_constants.h"
#include "intercept/backend/port/threads.h"
#include "partitioner/base/look_again.h"

namespace skmd::icd {
namespace {

using namespace tuning;

}  // namespace

CpuQueue::CpuQueue(Execute execute, std::shared_ptr<Health> health)
    : execute_(std::move(execute)), health_(std::move(health)), generation_(fork_generation()) {}

bool CpuQueue::forked() const { return generation_ != fork_generation(); }

Ticket CpuQueue::submit(Batch&& batch) {
  if (forked()) {
    // Locks may be held by threads that do not exist here, so nothing can be queued: the batch fails at once.
    if (batch.done)
      batch.done(BatchResult{
          CL_OUT_OF_RESOURCES, "the process was forked after the device was opened", {}, Fault::resources, 0});
    return 0;
  }
  MutexLock lock(mutex_);
  if (batches_.empty()) row_began_ = Clock::now();
  const bool left = batch.helped && expects_help_ && dozing_ && Clock::now() - doze_began_ < 2 * kDoze;
  batches_.push_back(std::move(batch));
  const Ticket ticket = ++last_ticket_;
  posted_.store(ticket, std::memory_order_relaxed);
  if (!started_) start_thread();
  // To wake a thread takes longer than to submit a batch. One that dozes looks by itself before long, except where the
  // system's clock was set back meanwhile.
  const bool wake = asleep_ && !running_ && !left;
  if (wake) server_.set_busy(true);
  const bool others_wait = running_ && batches_.size() == 2;  // the first behind the one that runs
  lock.unlock();
  if (others_wait) look_again();  // a launch that is to give way does
  if (wake) wake_.notify_one();
  return ticket;
}

void CpuQueue::help(Ticket ticket) {
  lock_order::expect_may_take(LockRank::help);
  if (completed_.load(std::memory_order_acquire) >= ticket || forked()) return;
  MutexLock lock(mutex_);
  if (Clock::now() - row_began_ < kHelpedSoon) expects_help_ = true;
  while (completed_ < ticket) {
    if (!running_) {
      run_front(lock);
      continue;
    }
    lock.unlock();
    const auto turned = [&] { return completed_.load(std::memory_order_acquire) >= ticket || !running_; };
    const bool soon = spin_until(turned, kLinger);
    lock.lock();
    if (soon || turned()) continue;
    // The thread that runs the front goes on to the next one: only the end of this one is worth waking up for.
    ++waiters_;
    while (!turned()) {
      first_awaited_ = std::min(first_awaited_, ticket);
      ended_.wait(lock);
    }
    --waiters_;
  }
  // Those that wait for later batches were not told of the ends before: one of them goes on.
  if (waiters_ > 0 && !batches_.empty() && !running_) wake_waiters();
  // submit() wakes no thread while one is running the front batch: this thread hands over what was submitted meanwhile.
  const bool wake = !batches_.empty() && asleep_ && !running_;
  if (wake) server_.set_busy(true);
  lock.unlock();
  if (wake) wake_.notify_one();
}

void CpuQueue::start_thread() {
  try {
    thread_ = quiet_thread([self = shared_from_this()] { self->serve(); });
    started_ = true;
  } catch (const std::exception&) {
    // Helpers complete batches as well; the next submit tries again.
  }
}

void CpuQueue::serve() {
  const auto ready = [this] { return completed_.load() < posted_.load() && !running_.load(); };
  server_.began();
  MutexLock lock(mutex_);
  while (!stopping_ || !batches_.empty()) {
    if (ready()) {
      server_.set_busy(true);
      run_front(lock);
      continue;
    }
    server_.set_busy(false);
    lock.unlock();
    spin_until([&] { return ready() || stopping_.load(); }, kLinger);
    lock.lock();
    asleep_ = true;
    if (!ready()) doze(lock);
    while (!ready() && !(stopping_ && batches_.empty())) {
      server_.set_busy(false);  // another thread may have taken the batch that this one was woken for
      wake_.wait(lock);
    }
    asleep_ = false;
    if (expects_help_ && ready() && batches_.front().helped) leave_to_helper(lock);
  }
  server_.ended();
}

void CpuQueue::doze(Lock& lock) {
  server_.set_busy(false);
  dozing_ = true;
  Ticket seen = last_ticket_;
  for (int times = 0; times < kDozes && expects_help_ && !stopping_; ++times) {
    doze_began_ = Clock::now();
    if (wake_.wait_until(lock, std::chrono::system_clock::now() + kDoze) == std::cv_status::no_timeout) break;
    if (completed_ < last_ticket_ && !running_) break;  // the thread that was expected may not come
    if (std::exchange(seen, last_ticket_) != last_ticket_) times = -1;
  }
  dozing_ = false;
}

void CpuQueue::leave_to_helper(Lock& lock) {
  lock.unlock();
  const bool helped = spin_until([&] { return running_.load() || stopping_.load(); }, kLeftToHelper);
  lock.lock();
  expects_help_ = helped;
}

BatchResult CpuQueue::result_of(const Batch& batch) const {
  BatchResult result;
  if (health_->aside()) {
    result = {CL_OUT_OF_RESOURCES, "the CPU driver was set aside after a failure", {}, Fault::none, 0};
  } else {
    try {
      result = execute_(batch);
    } catch (const std::bad_alloc&) {
      result = {CL_OUT_OF_HOST_MEMORY, {}, {}, Fault::memory, 0};
    } catch (const std::exception&) {  // a thread or a lock that the system did not give
      result = {CL_OUT_OF_RESOURCES, {}, {}, Fault::resources, 0};
    }
  }
  if (!batch.work().empty()) health_->batch_ended(result.fault, result.reason);
  return result;
}

void CpuQueue::run_front(Lock& lock) {
  running_ = true;  // no other thread takes the front, and push_back() keeps references to a deque's elements valid
  Batch& front = batches_.front();
  lock.unlock();
  BatchResult result = result_of(front);
  const bool failed = result.status != CL_SUCCESS || result.fault != Fault::none;
  auto done = std::move(front.done);
  front.ops.clear();
  front.shared_ops = nullptr;
  if (done) done(std::move(result));
  if (failed) health_->failure_told();
  // It may hold the last reference to anything, up to a context whose destructor callbacks are the application's code.
  done = nullptr;
  lock.lock();
  batches_.pop_front();
  completed_.store(completed_ + 1, std::memory_order_release);
  running_ = false;
  if (waiters_ > 0 && completed_ >= first_awaited_) wake_waiters();
  if (asleep_ && stopping_) wake_.notify_one();
}

void CpuQueue::wake_waiters() {
  first_awaited_ = kNoTicket;
  ended_.notify_all();
}

void CpuQueue::stop() { end_thread(mutex_, stopping_, wake_, thread_, forked()); }

}  // namespace skmd::icd
