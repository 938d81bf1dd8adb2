// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/far_links.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "intercept/backend/port/host_clock.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// Runs one batch to its end; its nanoseconds on the host's clock, or nothing if it failed.
std::optional<std::uint64_t> timed(Device& device, Op op) {
  struct End {
    Mutex mutex{LockRank::link_end};
    Condition changed;
    std::optional<cl_int> status SKMD_GUARDED_BY(mutex);
    std::uint64_t at SKMD_GUARDED_BY(mutex) = 0;
  };
  const auto end = std::make_shared<End>();
  Batch batch;
  batch.ops.push_back(std::move(op));
  batch.done = [end](BatchResult&& result) {
    {
      const MutexGuard lock(end->mutex);
      end->status = result.status;
      end->at = host_now();
    }
    end->changed.notify_all();
  };
  const std::uint64_t begin = host_now();
  device.help(device.submit(std::move(batch)));
  MutexLock lock(end->mutex);
  end->changed.wait(lock, [&]() SKMD_REQUIRES(end->mutex) { return end->status.has_value(); });
  if (*end->status != CL_SUCCESS) return std::nullopt;
  return end->at - begin;
}

/// One link by the transfers of one device.
class LinkTest {
 public:
  LinkTest(Device& device, std::uint32_t index) : device_(device), index_(index), host_(kFarLarge) {}

  void run() {
    auto memory = device_.allocate(kFarLarge, nullptr);
    if (!memory) return;
    memory_ = *memory;
    // First uses are slower each way: they make pages there, and a far GPU's driver its page-locked memory.
    if (!both_ways(kFarMiddle)) return;
    std::optional<std::uint64_t> best;
    for (int i = 0; i < kFarRounds; ++i) {
      const auto taken = write(kFarSmall);
      if (!taken) return;
      best = std::min(best.value_or(*taken), *taken);
    }
    LinkRates::get().learn_round_trip(index_, *best);
    const auto middle = both_ways(kFarMiddle);
    if (!middle) return;
    // On a slow link a larger transfer would take longer than it is worth.
    const double growing =
        (static_cast<double>(std::max(middle->to, middle->from)) - static_cast<double>(*best)) * 1e-9;
    const bool slow = growing * (static_cast<double>(kFarLarge) / kFarMiddle) > kFarLongest;
    if (slow || !both_ways(kFarLarge)) return learn(kFarMiddle, *middle);
    if (const auto large = both_ways(kFarLarge)) learn(kFarLarge, *large);
  }

 private:
  struct Times {
    std::uint64_t to = 0, from = 0;  // nanoseconds
  };
  static domain::RowRun row(std::uint64_t bytes) { return {.begin = 0, .width = bytes, .stride = bytes, .rows = 1}; }
  std::optional<std::uint64_t> write(std::uint64_t bytes) {
    return timed(device_, WriteOp{memory_, host_.data(), row(bytes)});
  }
  /// Nothing: a transfer failed.
  std::optional<Times> both_ways(std::uint64_t bytes) {
    const auto to = write(bytes);
    const auto from = to ? timed(device_, ReadOp{memory_, host_.data(), row(bytes)}) : std::nullopt;
    if (!from) return std::nullopt;
    return Times{*to, *from};
  }
  void learn(std::uint64_t bytes, const Times& times) {
    LinkRates::get().learn_measured(index_, bytes, times.to, times.from);
  }

  Device& device_;
  const std::uint32_t index_;
  std::vector<std::byte> host_;
  std::shared_ptr<NativeMemory> memory_;
};

/// The first device of each host, by index.
std::vector<std::uint32_t> first_devices(const Machine& machine) {
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i)
    if (!machine.devices[i]->description().host.empty() && LinkRates::get().link_of(i) == i) first.push_back(i);
  return first;
}

std::optional<double> gigabytes(std::optional<double> rate) {
  if (!rate) return std::nullopt;
  return *rate * 1e-9;
}

ObservedHost observed(const Machine& machine, const RemoteHost& host) {
  ObservedHost told{.address = host.address, .lost = true};
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    const Device& device = *machine.devices[i];
    if (device.description().host != host.address) continue;
    if (!device.health()->aside()) told.lost = false;
    if (const double seconds = LinkRates::get().known_round_trip(i); seconds > 0) told.round_trip_us = seconds * 1e6;
    const LinkRate rate = LinkRates::get().of(i);
    told.to_gbps = gigabytes(rate.to);
    told.from_gbps = gigabytes(rate.from);
  }
  // None of its devices was selected.
  const bool unused = std::none_of(machine.devices.begin(), machine.devices.end(),
                                   [&](const auto& device) { return device->description().host == host.address; });
  if (unused) told.lost = !host.away.empty();
  return told;
}

}  // namespace

void set_up_far_links(Machine& machine) {
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    const std::string& host = machine.devices[i]->description().host;
    if (host.empty()) continue;
    std::uint32_t first = 0;
    while (machine.devices[first]->description().host != host) ++first;
    LinkRates::get().set_far(i, first);
  }
  machine.hosts_changed = [&machine] { report_hosts(machine); };
  machine.before_far_build = [&machine] { measure_far_links(machine); };
  report_hosts(machine);
}

void measure_far_links(Machine& machine) {
  if (machine.hosts.empty() || machine.links_asked.exchange(true)) return;
  try {
    for (const std::uint32_t i : first_devices(machine))
      machine.executor->post([&machine, i] {
        try {
          LinkTest(*machine.devices[i], i).run();
          report_hosts(machine);
        } catch (const std::bad_alloc&) {  // the link is learned from other transfers
        }
      });
  } catch (const std::bad_alloc&) {  // likewise
  }
}

void report_hosts(const Machine& machine) try {
  if (machine.hosts.empty() || machine.observer == nullptr) return;
  const MutexGuard lock(machine.report_mutex);
  std::vector<ObservedHost> hosts;
  for (const RemoteHost& host : machine.hosts) hosts.push_back(observed(machine, host));
  machine.observer->hosts(hosts);
} catch (const std::bad_alloc&) {  // a report that fails for want of memory is lost
}

}  // namespace skmd::icd
