// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/profiling_mode.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/profile_record.h"
#include "intercept/launch/profiling_spans.h"
#include "intercept/launch/running_constants.h"
#include "intercept/machine/expectation.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/model/profile_runs.h"
#include "partitioner/model/profile_sink.h"

namespace skmd::icd {
namespace {

using namespace tuning;

void append(std::string& key, const void* bytes, std::size_t count) {
  key.append(static_cast<const char*>(bytes), count);
}

/// What tells launches of one kernel apart.
std::string key_of(const Launch& launch) {
  std::string key;
  append(key, &launch.range.offset, sizeof launch.range.offset);
  append(key, &launch.range.global, sizeof launch.range.global);
  append(key, &launch.range.local, sizeof launch.range.local);
  for (const LaunchArgument& argument : launch.arguments) {
    key += static_cast<char>(argument.index());
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) append(key, value->data(), value->size());
    if (const auto* view = std::get_if<BufferView>(&argument)) append(key, &view->size, sizeof view->size);
    if (const auto* view = std::get_if<ImageView>(&argument)) append(key, &view->size, sizeof view->size);
    if (const auto* local = std::get_if<LocalBytes>(&argument)) append(key, &local->bytes, sizeof local->bytes);
  }
  return key;
}

/// Kernels whose parts or repetitions would be seen, or would not end.
bool cannot_be_repeated(domain::NotSplit reason) {
  using domain::NotSplit;
  switch (reason) {
    case NotSplit::spinning:
    case NotSplit::printf:
    case NotSplit::mutable_program_scope:
    case NotSplit::pointer_in_memory:
    case NotSplit::opaque_program:
      return true;
    default:
      return false;
  }
}

bool uses_shared_memory(const Launch& launch) {
  if (!launch.reached.empty()) return true;
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [](const LaunchArgument& argument) {
    const auto* view = std::get_if<BufferView>(&argument);
    return view != nullptr && view->storage->is_shared();
  });
}

}  // namespace

/// A launch's spans on one device.
struct ProfilingMode::OnDevice {
  std::uint32_t device = 0;
  ProfilingSpans spans;
  std::vector<domain::GroupSpan> plan;  // the longest first
  std::uint64_t to_ns = 0;
  double seconds_per_group = 0.0;  // of the host, by the longest span
};

std::size_t ProfilingMode::number_of(const Launch& launch) {
  return counters_ ? counters_->kernel(launch.kernel->program_hash(), launch.kernel->traits().name) : 0;
}

void ProfilingMode::leave_out(std::size_t kernel, std::string_view reason) {
  if (counters_) counters_->left_out(kernel, reason);
}

bool ProfilingMode::wants(const Launch& launch) {
  const std::size_t kernel = number_of(launch);
  if (counters_) counters_->launched(kernel);
  const MutexGuard lock(seen_mutex_);
  std::set<std::string>& known = seen_[launch.kernel->id()];
  std::string key = key_of(launch);
  if (known.contains(key)) {
    leave_out(kernel, "like one before");
    return false;
  }
  if (known.size() >= kMaxProfiledLaunches) {
    leave_out(kernel, "enough launches of the kernel");
    return false;
  }
  known.insert(std::move(key));
  return true;
}

std::string_view ProfilingMode::refusal(const Launch& launch) {
  if (launch.part != nullptr) return "sub_device";
  if (launch.kernel->opaque()) return domain::name(domain::NotSplit::opaque_program);
  if (uses_shared_memory(launch)) return "shared_virtual_memory";
  if (launch.range.group_total() == 0) return "no groups";
  const auto fact = domain::forbids_split(launch.kernel->traits(), true);
  if (fact && cannot_be_repeated(*fact)) return domain::name(*fact);
  return {};
}

void ProfilingMode::profile(Machine& machine, const Launch& launch, const LaunchView& view) {
  const MutexGuard lock(mutex_);
  const std::size_t kernel = number_of(launch);
  const std::string_view reason = refusal(launch);
  if (!reason.empty()) return leave_out(kernel, reason);
  if (counters_) counters_->begin(kernel, 0.0);
  try {
    const Status status = profile_on_all(machine, launch, view, kernel);
    if (!status) {
      machine.observer->log(LogLevel::info, "profiling " + launch.kernel->traits().name + ": " + status.error().reason);
      leave_out(kernel, status.error().code == CL_OUT_OF_HOST_MEMORY ? "memory" : "a device failed");
    }
  } catch (const std::bad_alloc&) {
    leave_out(kernel, "memory");
  }
  if (counters_) counters_->end();
}

Status ProfilingMode::profile_on_all(Machine& machine, const Launch& launch, const LaunchView& view,
                                     std::size_t kernel) {
  std::vector<const std::byte*> sources;
  std::vector<domain::RangeSet> ranges;
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    domain::RangeSet touched = view.whole().roots[r].reads;
    touched.add(view.whole().roots[r].may_write);
    if (auto status = view.roots()[r]->gather(touched, "profile"); !status) return status;
    auto host = view.roots()[r]->host();
    if (!host) return host.error();
    sources.push_back(*host);
    ranges.push_back(std::move(touched));
  }
  const std::uint64_t groups = launch.range.group_total();
  const bool in_parts = !domain::forbids_split(launch.kernel->traits(), true);
  std::vector<OnDevice> all;
  Status failure;
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device) {
    if (!view.shape().eligible().eligible[device]) continue;
    if (runs_elsewhere(launch, device)) {
      leave_out(kernel, "another CPU driver runs it");
      continue;
    }
    auto spans = ProfilingSpans::make(machine, launch, view, device, sources, ranges, settings_.warm);
    if (!spans) {
      failure = spans.error();
      continue;
    }
    OnDevice one{device, std::move(*spans), {{0, groups}}, 0, 0.0};
    // The same places on every device.
    if (in_parts) one.plan = domain::profile_spans(settings_.spans, groups, launch.kernel->id());
    if (auto status = time_first(machine, launch, one, kernel); !status)
      failure = status;
    else
      all.push_back(std::move(one));
  }
  if (all.empty()) return failure;
  if (counters_) counters_->profiled(kernel);
  // By now it is known how long the rest takes, on all devices: what is left of the first one alone is not what is
  // left.
  if (counters_) tell_plan(all, groups, kernel);
  for (OnDevice& one : all)
    if (auto status = time_rest(machine, launch, one, kernel); !status) failure = status;
  return {};
}

void ProfilingMode::keep(Machine& machine, const Launch& launch, std::uint32_t device, std::size_t kernel,
                         const domain::GroupSpan& span, const MeasuredSlice& measured) {
  if (machine.profile == nullptr) return;
  domain::ProfileSample sample = profile_sample(machine, launch, work_of_launch(launch), {device, span, {}}, measured);
  sample.warm = settings_.warm;
  keep_sample(machine, sample, domain::kNoKind);
  if (counters_) counters_->sampled(kernel, device);
}

Status ProfilingMode::time_span(Machine& machine, const Launch& launch, OnDevice& one, std::size_t kernel,
                                const domain::GroupSpan& span) {
  const double expected = one.seconds_per_group * static_cast<double>(span.size());
  const bool longest = span == one.plan.front();
  const std::uint64_t device = std::uint64_t{1} << one.device;
  const bool settling = (std::exchange(settled_, settled_ | device) & device) == 0;
  const double settling_time =
      settling ? domain::settling_seconds(expected_of(*machine.devices[one.device]).units) : 0.0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> times;
  MeasuredSlice measured;
  const domain::ProfileRuns runs(settings_.repeat, expected);
  for (double last = 0.0; runs.wants_another(times, last);) {
    const auto timed = one.spans.run(span);
    if (!timed) return timed.error();
    if (timed->measured.first_use) {  // at most once for each place where compilers look again
      keep(machine, launch, one.device, kernel, span, timed->measured);
      continue;
    }
    if (settling && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < settling_time)
      continue;
    times.push_back(timed->measured.kernel_ns);
    if (longest) one.seconds_per_group = timed->seconds / static_cast<double>(span.size());
    last = timed->seconds;
  }
  measured.kernel_ns = domain::middle_of(std::move(times));
  if (longest && span.size() == launch.range.group_total()) {
    const auto back = one.spans.fetch();
    if (!back) return back.error();
    measured.to_ns = one.to_ns;
    measured.from_ns = *back;
  }
  keep(machine, launch, one.device, kernel, span, measured);
  return {};
}

Status ProfilingMode::time_first(Machine& machine, const Launch& launch, OnDevice& one, std::size_t kernel) {
  const auto brought = one.spans.bring();
  if (!brought) return brought.error();
  one.to_ns = *brought;
  // A first use is kept and tells nothing of the kernel: it need not be of all groups.
  if (const domain::GroupSpan few{0, one.plan.back().size()}; few != one.plan.front()) {
    const auto first = one.spans.run(few);
    if (!first) return first.error();
    if (first->measured.first_use) keep(machine, launch, one.device, kernel, few, first->measured);
  }
  return time_span(machine, launch, one, kernel, one.plan.front());
}

void ProfilingMode::tell_plan(const std::vector<OnDevice>& all, std::uint64_t groups, std::size_t kernel) {
  double planned = 0.0, launches_per_second = 0.0;  // of the launch itself, divided over the devices
  for (const OnDevice& one : all) {
    for (std::size_t i = 1; i < one.plan.size(); ++i) planned += planned_seconds(one, one.plan[i]);
    if (const double whole = one.seconds_per_group * static_cast<double>(groups); whole > 0.0)
      launches_per_second += 1.0 / whole;
  }
  counters_->begin(kernel, planned);
  if (launches_per_second > 0.0) counters_->launch(1.0 / launches_per_second);
}

double ProfilingMode::planned_seconds(const OnDevice& one, const domain::GroupSpan& span) const {
  const double expected = one.seconds_per_group * static_cast<double>(span.size());
  return domain::ProfileRuns(settings_.repeat, expected).planned_seconds();
}

Status ProfilingMode::time_rest(Machine& machine, const Launch& launch, OnDevice& one, std::size_t kernel) {
  for (std::size_t i = 1; i < one.plan.size(); ++i) {
    if (auto status = time_span(machine, launch, one, kernel, one.plan[i]); !status) return status;
    if (counters_) counters_->done(planned_seconds(one, one.plan[i]));
  }
  return {};
}

}  // namespace skmd::icd
