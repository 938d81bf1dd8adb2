// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

#include "intercept/backend/port/threads.h"
#include "intercept/calibration/calibration_constants.h"
#include "intercept/calibration/measure.h"
#include "intercept/calibration/timing.h"
#include "partitioner/model/calibration_curves.h"

namespace skmd::icd::calibration {
namespace {

using namespace tuning;

using domain::Direction;
using domain::Error;
using domain::LinkCalibration;
using domain::LinkWay;
using domain::Result;
using domain::Status;

/// Seconds of transfers like this one; the first, which may pay for more, is not counted.
Result<double> seconds_of(LinkProbe& probe, const ProbedTransfer& transfer, const Clock& clock, double seconds) {
  const auto work = [&] { return probe.transfer(transfer); };
  if (Status first = work(); !first) return first.error();
  const auto runs = timed(clock, seconds, {1, 30}, work);
  if (!runs) return runs.error();
  return std::max(1e-9, median_of(*runs));
}

Result<LinkWay> measure_way(LinkProbe& probe, ProbedTransfer transfer, const Effort& effort, double seconds) {
  const Stopwatch all(effort.clock, seconds);
  LinkWay way;
  way.threads = transfer.threads;
  const std::vector<std::uint64_t> sizes = domain::sizes_between(kLeastTransfer, effort.most_bytes, effort.step);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > kAlways && !domain::is_affordable(way.points, 2 * sizes[i], all.left())) break;
    transfer.bytes = sizes[i];
    const double share = all.left() / static_cast<double>(sizes.size() - i);
    const auto taken = seconds_of(probe, transfer, effort.clock, share / 2);
    if (!taken) return taken.error();
    way.points.push_back({sizes[i], *taken});
    effort.tick();
  }
  way.line = domain::transfer_line(way.points);
  return way;
}

Result<std::uint32_t> threads_for(LinkProbe& probe, ProbedTransfer transfer, const Effort& effort, double seconds) {
  std::vector<domain::ThreadsRate> rates;
  transfer.bytes = std::min(kThreadsTransfer, effort.most_bytes);
  const std::uint32_t most = probe.most_threads();
  for (std::uint32_t threads = 1; threads <= most; threads = threads == most ? most + 1 : std::min(2 * threads, most)) {
    transfer.threads = threads;
    const auto taken = seconds_of(probe, transfer, effort.clock, seconds / 4);
    if (!taken) return taken.error();
    rates.push_back({threads, static_cast<double>(transfer.bytes) / *taken});
    effort.tick();
  }
  return std::max(1u, domain::saturating_threads(rates));
}

}  // namespace

Result<LinkCalibration> measure_link(LinkProbe& probe, Direction direction, const Effort& effort) {
  const Stopwatch all(effort.clock, effort.seconds);
  LinkCalibration link;
  link.direction = direction;
  ProbedTransfer transfer{TransferWay::direct, direction == Direction::to, 0, 1};
  const std::uint32_t most = probe.most_threads();
  const double ways = most == 0 ? 1 : most == 1 ? 2 : 3;
  auto direct = measure_way(probe, transfer, effort, effort.seconds / ways);
  if (!direct) return direct.error();
  link.direct = std::move(*direct);
  if (most == 0) return link;
  transfer.way = TransferWay::pinned;
  auto pinned = measure_way(probe, transfer, effort, effort.seconds / ways);
  if (!pinned) return pinned.error();
  link.pinned = std::move(*pinned);
  if (most == 1) return link;
  transfer.way = TransferWay::staged;
  const auto threads = threads_for(probe, transfer, effort, kThreadsTime * all.left());
  if (!threads) return threads.error();
  transfer.threads = *threads;
  auto staged = measure_way(probe, transfer, effort, all.left());
  if (!staged) return staged.error();
  link.staged = std::move(*staged);
  return link;
}

ProbedTransfer best_way(const LinkCalibration& link, std::uint64_t bytes) {
  const bool to_device = link.direction == Direction::to;
  const double direct = link.direct ? link.direct->line.bytes_per_second : 0.0;
  if (link.staged && link.staged->line.bytes_per_second > direct)
    return {TransferWay::staged, to_device, bytes, link.staged->threads};
  return {TransferWay::direct, to_device, bytes, 1};
}

namespace {

/// What one side of measure_together() did.
struct Side {
  double bytes = 0.0, seconds = 0.0;
  std::optional<Error> failure;

  void go_on_until(const Contender& contender, const Clock& clock, const std::function<bool()>& stop) {
    const double begin = clock();
    do {
      const auto moved = contender();
      if (!moved) {
        failure = moved.error();
        return;
      }
      bytes += *moved;
      seconds = clock() - begin;
    } while (!stop());
  }
  [[nodiscard]] double per_second() const { return seconds > 0 ? bytes / seconds : 0.0; }
};

}  // namespace

Result<Together> measure_together(const Contender& first, const Contender& second, const Clock& clock, double seconds) {
  Side ours, theirs;
  std::atomic<bool> begun{false}, ended{false};
  std::thread other;
  try {
    other = quiet_thread([&] {
      begun = true;
      theirs.go_on_until(second, clock, [&] { return ended.load(); });
      ended = true;
    });
  } catch (const std::system_error& error) {
    return Error{-1, std::string("no thread: ") + error.what()};
  }
  while (!begun) std::this_thread::yield();
  const Stopwatch all(clock, seconds);
  ours.go_on_until(first, clock, [&] { return ended || all.left() <= 0; });
  ended = true;
  other.join();
  if (ours.failure) return *ours.failure;
  if (theirs.failure) return *theirs.failure;
  return Together{ours.per_second(), theirs.per_second()};
}

}  // namespace skmd::icd::calibration
