// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/vendor_build.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "compiler/client/late_failures.h"
#include "intercept/backend/vendor/vendor_visit.h"
#include "intercept/machine/device_query.h"
#include "intercept/object/build_queue.h"

namespace skmd::icd {
namespace {

/// VendorInput that owns what it needs.
struct Order {
  VendorInput input;
  std::vector<VendorBlob> blobs;
};

std::shared_ptr<NativeProgram> load_blob(Device& device, const Order& order) {
  if (order.blobs.empty()) return nullptr;
  // Checked code is made of the text.
  if (device.description().leaves_at_traps && !order.input.text.empty()) return nullptr;
  const std::string key = driver_key(device);
  for (const VendorBlob& blob : order.blobs) {
    if (blob.driver != key) continue;
    if (auto program = device.load(blob.bytes, order.input.options)) return *program;
  }
  return nullptr;
}

NativeBuilds::Made build_on(Device& device, const Order& order) {
  if (auto loaded = load_blob(device, order)) return {std::move(loaded), {}};
  const VendorInput& input = order.input;
  std::string log;
  auto built = input.units.empty() ? device.build(input.text, input.options, log)
                                   : device.build_linked(input.units, input.options, log);
  if (built) return {std::move(*built), {}};
  std::string failure = built.error().reason + (log.empty() || log == built.error().reason ? "" : "\n" + log);
  if (failure.empty()) failure = "the build failed with " + std::to_string(built.error().code);
  return {nullptr, std::move(failure)};
}

/// Threads that are building a program, or have not let go of it yet.
class Builders {
 public:
  void enter() { count_.fetch_add(1, std::memory_order_relaxed); }
  void leave() {
    count_.fetch_sub(1, std::memory_order_release);
    count_.notify_all();
  }
  /// Blocks until all that entered have left.
  void wait() const {
    for (int inside = count_.load(std::memory_order_acquire); inside != 0;
         inside = count_.load(std::memory_order_acquire))
      count_.wait(inside, std::memory_order_acquire);
  }

 private:
  std::atomic<int> count_{0};
};

/// On a thread of its own, the caller's if there is no other.
void begin(Machine& machine, const std::shared_ptr<NativeBuilds>& builds, std::uint32_t device,
           const std::shared_ptr<Builders>& builders) {
  if (!builds->open(device)) return;
  try {
    machine.executor->post([mine = builds, device, builders]() mutable {
      builders->enter();
      mine->run(device);
      {
        const CompilerVisit leaving;
        mine.reset();  // perhaps the last to hold it
      }
      builders->leave();
    });
  } catch (const std::exception&) {  // no memory to hand it over
    builds->run(device);
  }
}

/// Begins all but the order's first and those that are stopped, side by side.
void begin_others(Machine& machine, const std::shared_ptr<NativeBuilds>& builds,
                  const std::shared_ptr<Builders>& builders) {
  const auto& order = builds->order();
  for (std::size_t i = 1; i < order.size(); ++i)
    if (!is_stopped(machine, order[i])) begin(machine, builds, order[i], builders);
}

/// The devices behind the first that run our own code.
std::vector<std::uint32_t> own_devices(const Machine& machine, const NativeBuilds& builds) {
  std::vector<std::uint32_t> own;
  for (const std::uint32_t device : builds.order())
    if (device != builds.order().front() && !machine.devices[device]->description().code_target.empty())
      own.push_back(device);
  return own;
}

/// The order's first on another thread, so that this one can go on when another device is sooner. Our own code is
/// compiled meanwhile, and the first launch waits for the first device all the same: it may be far stronger.
void build_any(Machine& machine, const std::shared_ptr<NativeBuilds>& builds,
               const std::shared_ptr<Builders>& builders) {
  const std::uint32_t first = builds->order().front();
  const BuildQueue::Delays& delays = machine.builds->delays();
  begin(machine, builds, first, builders);
  const auto begun = std::chrono::steady_clock::now();
  if (machine.builds->has_room()) {
    builds->wait_until(first, begun + delays.before_own);
    if (builds->pending(first)) machine.builds->follow_on(builds, own_devices(machine, *builds));
  }
  builds->wait_until(first, begun + delays.for_first);
  if (builds->wait_for_one(std::chrono::milliseconds(0))) return;
  machine.builds->follow(builds, std::chrono::milliseconds(0));
  (void)builds->wait_for_one(std::nullopt);
}

}  // namespace

std::vector<SourceUnit> source_units(const std::vector<Unit>& units) {
  std::vector<SourceUnit> out;
  out.reserve(units.size());
  for (const Unit& unit : units) out.push_back({unit.text, unit.vendor_options});
  return out;
}

Needed needed_builds(const Machine& machine, bool opaque) {
  using domain::PartitionMode;
  if (machine.builds == nullptr) return Needed::all;
  const PartitionMode mode = machine.settings.policy.mode;
  if (opaque || mode == PartitionMode::single || machine.devices.size() == 1) return Needed::first;
  return mode == PartitionMode::automatic ? Needed::any : Needed::all;
}

std::vector<std::uint32_t> build_order(const Machine& machine) {
  std::vector<std::uint32_t> order;
  const auto add = [&](std::uint32_t device) {
    if (std::find(order.begin(), order.end(), device) == order.end()) order.push_back(device);
  };
  const domain::PartitionPolicy& policy = machine.settings.policy;
  const int index = policy.mode == domain::PartitionMode::single ? policy.single_index : -1;
  if (index >= 0 && static_cast<std::size_t>(index) < machine.devices.size()) add(static_cast<std::uint32_t>(index));
  add(acting_anchor(machine));
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) add(i);
  return order;
}

void prepare_builds(Machine& machine) {
  if (machine.executor == nullptr || machine.prepared.exchange(true)) return;
  const std::uint32_t first = build_order(machine).front();
  if (is_stopped(machine, first)) return;
  // The build may be over, and the process on its way through exit(), while the device is still at it.
  let_compilers_end_at_exit();
  let_visits_end_at_exit();
  try {
    machine.executor->post([device = machine.devices[first]] {
      try {
        device->prepare_builds();
      } catch (const std::bad_alloc&) {  // the build makes it itself
      }
    });
  } catch (const std::bad_alloc&) {  // likewise
  }
}

std::string code_needed(const Machine& machine) {
  const bool alone = machine.devices.size() == 1 || needed_builds(machine, false) == Needed::first;
  const std::uint32_t first = build_order(machine).front();
  return alone && machine.code_ahead ? machine.devices[first]->description().code_target : std::string();
}

std::shared_ptr<NativeBuilds> open_builds(const Machine& machine, const VendorInput& input,
                                          const std::string& program) {
  auto order = std::make_shared<Order>();
  order->input = input;
  if (input.blobs != nullptr) order->blobs = *input.blobs;
  order->input.blobs = nullptr;
  auto ended = [observer = machine.observer, cache = machine.code_folder, devices = machine.devices, program](
                   std::uint32_t device, const BuildRecord::Entry& entry, bool late) {
    if (observer != nullptr) observer->build({program, device, entry.state, entry.reason, entry.seconds, late});
    if (late && entry.state == BuildState::failed)
      compiler::keep_late_failure(cache, {program, driver_key(*devices[device]), entry.reason});
  };
  return std::make_shared<NativeBuilds>(
      build_order(machine),
      [devices = machine.devices, far_build = machine.before_far_build,
       order = std::move(order)](std::uint32_t device) {
        if (far_build && !devices[device]->description().host.empty()) far_build();
        return build_on(*devices[device], *order);
      },
      std::move(ended));
}

void build_on_devices(Machine& machine, const std::shared_ptr<NativeBuilds>& builds, Needed needed) {
  let_compilers_end_at_exit();
  const std::uint32_t first = builds->order().front();
  const auto builders = std::make_shared<Builders>();
  if (needed == Needed::any) {
    build_any(machine, builds, builders);
  } else {
    if (needed == Needed::all) begin_others(machine, builds, builders);
    builds->wait(first);
  }
  if (needed == Needed::all) {
    for (const std::uint32_t device : builds->order())
      if (!is_stopped(machine, device)) builds->wait(device);
  }
  if (!builds->any_built()) {
    // Also on devices that are stopped: a program that is built nowhere is an error.
    for (const std::uint32_t device : builds->order()) begin(machine, builds, device, builders);
    builds->wait_for_any();
  }
  // A program that the application releases at once goes on its own thread: PoCL aborts in a process that releases a
  // context which PoCL failed to make while another one lives.
  if (needed == Needed::all) builders->wait();
  if (needed == Needed::any && builds->any_built())
    machine.builds->follow(builds, machine.builds->delays().before_others);
  builds->told();
}

std::string driver_key(const Device& device) {
  return device.description().platform + '\n' + device.description().name + '\n' +
         query_text(device, CL_DRIVER_VERSION);
}

std::vector<VendorBlob> collect_blobs(Machine& machine, const std::shared_ptr<NativeBuilds>& native) {
  std::vector<VendorBlob> out;
  native->wait_for_wanted();
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    const auto program = native->program(i);
    if (program == nullptr) continue;
    auto bytes = machine.devices[i]->binary(*program);
    if (bytes && !bytes->empty()) out.push_back({driver_key(*machine.devices[i]), std::move(*bytes)});
  }
  return out;
}

}  // namespace skmd::icd
