// SPDX-License-Identifier: Apache-2.0
// What becomes known when slices end: residency, samples for the model, reports for the observer.
#include <algorithm>

#include "intercept/backend/port/host_clock.h"
#include "intercept/launch/account.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/profile_record.h"
#include "intercept/machine/busy_clock.h"
#include "intercept/memory/link_rates.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

bool wants_times(const Machine& machine) {
  return domain::goes_by_times(machine.settings.policy.mode) || machine.observer->wants_times() ||
         machine.profile != nullptr;
}

void commit_written(Storage& root, domain::SpaceId space, const domain::RangeSet& written) {
  const domain::RangeSet& mapped = root.write_mapped_locked();
  if (mapped.empty())
    root.residency().written(space, written);
  else
    root.residency().written(space, written.difference(mapped));
}

SliceReport account(Machine& machine, const Launch& launch, LaunchShape& shape, const SliceWork& slice,
                    std::size_t uploads, std::uint64_t upload_bytes, bool first, const BatchResult& result) {
  SliceReport report{slice.device, slice.span, 0, 0};
  report.predicted_seconds = slice.predicted_seconds;
  if (result.status != CL_SUCCESS) return report;
  TransferReport moved{slice.device, upload_bytes, 0, 0, 0, launch.kernel->traits().name};
  std::uint64_t run_ns = 0;
  std::uint64_t waited_ns = 0;
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    const OpTime& time = result.times[i];
    if (i < uploads) {
      moved.start = moved.start == 0 ? time.start : std::min(moved.start, time.start);
      moved.end = std::max(moved.end, time.end);
      continue;
    }
    if (time.end == time.start) continue;  // the device did not say
    report.start = report.start == 0 ? time.start : std::min(report.start, time.start);
    report.end = std::max(report.end, time.end);
    run_ns += time.device_ns != 0 ? time.device_ns : time.end - time.start;
    waited_ns += time.waited_ns;
  }
  if (upload_bytes != 0) {
    report.upload_bytes = upload_bytes;
    report.upload_ns = moved.end - moved.start;
    machine.observer->transfer(moved);
    if (!result.times.empty()) LinkRates::get().learn_to(slice.device, upload_bytes, moved.end - moved.start);
  }
  if (!result.times.empty()) report.run_ns = run_ns;
  // What some of a device's threads take says nothing of the device.
  if (report.run_ns != 0 && launch.part == nullptr) {
    if (!first && !slice.is_chunk) shape.paces().learn(slice.device, launch.range, slice.span.size(), run_ns);
    const auto point = [&]() -> const domain::Point& { return shape.point(launch); };
    if (!slice.is_chunk)
      machine.model->learn(
          {launch.kernel->id(), slice.device, launch.range, slice.span, run_ns, first, point, waited_ns});
    record_profile(machine, launch, shape, slice, {run_ns, moved.end - moved.start, 0, first});
  }
  return report;
}

namespace {

bool learns(const Machine& machine, const Launch& launch) {
  return machine.settings.policy.mode == domain::PartitionMode::automatic && launch.part == nullptr;
}

}  // namespace

void learn_stopped(Machine& machine, const Launch& launch, LaunchShape& shape, const Decision& decision,
                   std::uint64_t first_uses, bool divided_anew) {
  if (!learns(machine, launch)) return;
  if (machine.devices.size() > 1) shape.rounds().interrupted();
  if (!divided_anew || !(decision.alone_seconds > 0)) return;
  machine.model->launched({launch.kernel->id(), launch.range, decision.alone_seconds, 0.0, false, decision.exploring,
                           first_uses, decision.alone_round_seconds, 0, shape.eligible().devices()});
}

void learn_outcome(Machine& machine, const Launch& launch, LaunchShape& shape, const Decision& decision,
                   const Ended& ended) {
  if (!learns(machine, launch)) return;
  if (machine.devices.size() > 1 && launch.kernel->builds().under_way()) {
    shape.rounds().interrupted();  // which takes processors from the application and the launch
  } else if (machine.devices.size() > 1) {
    const BusyClock* clock = BusyClock::get();
    const auto measured =
        shape.rounds().ended(decision, ended.ns == 0 || clock == nullptr ? ended.ns : ended.ns - clock->idle_ns());
    if (measured) record_rounds(machine, launch, shape, *measured);
  }
  if (!(decision.alone_seconds > 0)) return;
  const bool split = decision.slices.size() > 1;
  std::uint64_t plan = 0;
  for (const SliceWork& slice : decision.slices) plan = domain::plan_id(plan, {slice.device, slice.span});
  machine.model->launched({launch.kernel->id(), launch.range, decision.alone_seconds, ended.seconds, split,
                           decision.exploring, ended.first_uses, decision.alone_round_seconds, plan,
                           shape.eligible().devices()});
}

bool reports_launches(const Machine& machine) {
  return machine.observer->listens() || machine.observer->logs(LogLevel::debug);
}

void report_launch(Machine& machine, const Launch& launch, const Decision& decision,
                   std::span<const SliceReport> slices, std::uint64_t begin, const PreemptReport& preempted) {
  if (!reports_launches(machine)) return;
  LaunchReport report;
  report.kernel = launch.kernel->traits().name;
  report.program = launch.kernel->program_hash();
  report.access = launch.kernel->traits().access;
  report.slices.assign(slices.begin(), slices.end());
  report.not_split = decision.whole;
  if (!decision.whole)
    for (const domain::Rung rung : decision.merge.per_root)
      if (rung != domain::Rung::none) report.rungs.push_back(rung);
  report.seconds = static_cast<double>(host_now() - begin) * 1e-9;
  report.predicted_seconds = decision.predicted_seconds;
  report.predicted_by = decision.source;
  report.preempt = preempted;
  machine.observer->launch(report);
}

}  // namespace skmd::icd
