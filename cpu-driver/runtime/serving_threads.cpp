// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/serving_threads.h"

#include <array>
#include <atomic>

#include "cpu-driver/runtime/runtime_constants.h"
#include "cpu-driver/runtime/threads.h"

namespace skmd::cpu {
namespace {

struct Seat {
  std::atomic<bool> taken{false};
  std::atomic<int> thread{0};  // 0: it has not begun
  std::atomic<bool> busy{false};
};

/// Never destroyed: threads may look while the process ends.
std::array<Seat, ServingThread::kMax>& seats() {
  static auto* const all = new std::array<Seat, ServingThread::kMax>;
  return *all;
}

std::optional<std::size_t> take_seat() {
  for (std::size_t i = 0; i < seats().size(); ++i)
    if (!seats()[i].taken.exchange(true)) return i;
  return std::nullopt;
}

}  // namespace

ServingThread::ServingThread() : seat_(take_seat()) {}

ServingThread::~ServingThread() {
  ended();
  if (seat_) seats()[*seat_].taken = false;
}

void ServingThread::began() {
  if (seat_) seats()[*seat_].thread = this_thread_id();
}

void ServingThread::ended() {
  if (!seat_) return;
  seats()[*seat_].thread = 0;
  seats()[*seat_].busy = false;
}

void ServingThread::set_busy(bool busy) {
  if (seat_) seats()[*seat_].busy.store(busy, std::memory_order_relaxed);
}

bool send_serving_threads_away(int processor) {
  static constinit std::atomic<std::size_t> calls{0};
  const std::size_t first = calls.fetch_add(1, std::memory_order_relaxed);  // so that each seat has its turn
  const int own = this_thread_id();
  unsigned asked = 0;
  bool moved = false;
  for (std::size_t i = 0; i < seats().size() && asked < tuning::kMaxAsked; ++i) {
    const Seat& seat = seats()[(first + i) % seats().size()];
    if (!seat.busy.load(std::memory_order_relaxed)) continue;
    const int thread = seat.thread.load(std::memory_order_relaxed);
    if (thread == 0 || thread == own) continue;
    ++asked;
    if (waits_for(thread, processor)) moved = leave_processor(thread, processor) || moved;
  }
  return moved;
}

}  // namespace skmd::cpu
