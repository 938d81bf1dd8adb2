// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/stats.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "intercept/observe/json_members.h"
#include "intercept/observe/json_text.h"

namespace skmd::icd {

namespace {

constexpr std::size_t kNumberBound = 24;                             // characters of a number with its comma
constexpr std::size_t kMismatchesKept = 8;                           // the first ones
constexpr std::size_t kMismatchText = 128;                           // characters of a name or of a detail
constexpr std::size_t kElsewhereKept = 16;                           // kernels
constexpr std::size_t kBuildFailuresKept = 16;                       // the first ones
constexpr std::size_t kProgramsKept = 4096;                          // whose builds are told beside their kernels
constexpr std::size_t kStateBound = 16;                              // a BuildState's name, with quotes and comma
constexpr std::size_t kBuildsBound = 128;                            // the keys of one device's builds
constexpr double kNewest = 1.0 / 16;                                 // weight of the newest error in a kernel's
constexpr std::size_t kMismatchBound = 2 * 6 * kMismatchText + 256;  // escaped, with the numbers and keys

void append_text_or_null(std::string& out, std::string_view key, std::string_view value) {
  if (!value.empty()) return append_text_member(out, key, value);
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ":null";
}

}  // namespace

void Stats::set_devices(const std::vector<ObservedDevice>& devices) {
  devices_ = devices;
  has_cpu_driver_ = std::any_of(devices.begin(), devices.end(),
                                [](const ObservedDevice& device) { return device.backend == "cpu-driver"; });
  transfers_.resize(devices.size());
  dropped_.resize(devices.size());
  builds_.resize(devices.size());
  for (Kernel& kernel : kernels_) {
    kernel.groups.resize(devices.size());
    kernel.worked.resize(devices.size());
  }
}

Stats::Kernel& Stats::entry(const LaunchReport& report, std::size_t& index) {
  std::string key = report.kernel;
  key += '\0';
  key += report.program;
  const auto [place, fresh] = index_.try_emplace(std::move(key), kernels_.size());
  index = place->second;
  if (fresh) {
    kernels_.emplace_back();
    kernels_.back().name = report.kernel;
    kernels_.back().program = report.program;
    kernels_.back().access = report.access;
    kernels_.back().groups.resize(devices_.size());
    kernels_.back().worked.resize(devices_.size());
  }
  return kernels_[index];
}

std::size_t Stats::add_launch(const LaunchReport& report) {
  std::size_t index = 0;
  Kernel& kernel = entry(report, index);
  ++kernel.launches;
  ++launches_;
  if (report.not_split) {
    ++kernel.not_split[static_cast<std::size_t>(*report.not_split)];
  } else {
    ++kernel.split_launches;
    if (kernel.first_split == 0) kernel.first_split = kernel.launches;
    for (const domain::Rung rung : report.rungs) ++kernel.merge[static_cast<std::size_t>(rung)];
  }
  for (const SliceReport& slice : report.slices) {
    if (slice.device >= kernel.groups.size()) continue;
    kernel.groups[slice.device] += slice.span.size();
    Worked& worked = kernel.worked[slice.device];
    const double seconds = static_cast<double>(slice.run_ns) * 1e-9;
    worked.seconds += seconds;
    if (seconds > 0 && slice.predicted_seconds > 0) {
      worked.predicted_seconds += slice.predicted_seconds;
      worked.compared_seconds += seconds;
    }
    worked.upload_bytes += slice.upload_bytes;
    worked.upload_seconds += static_cast<double>(slice.upload_ns) * 1e-9;
  }
  kernel.preempt.add(report.preempt);
  kernel.seconds += report.seconds;
  kernel.predicted_seconds += report.predicted_seconds;
  if (report.predicted_seconds > 0 && report.seconds > 0) {
    const double error = std::abs(report.predicted_seconds - report.seconds) / report.seconds;
    kernel.source = report.predicted_by;
    kernel.error = kernel.error ? *kernel.error + kNewest * (error - *kernel.error) : error;
  }
  return index;
}

void Stats::add_transfer(const TransferReport& report) {
  if (report.device >= transfers_.size()) return;
  Bytes& moved = transfers_[report.device];
  moved.to += report.bytes_to;
  moved.from += report.bytes_from;
  if (report.end <= report.start) return;
  (report.bytes_to != 0 ? moved.seconds_to : moved.seconds_from) +=
      static_cast<double>(report.end - report.start) * 1e-9;
}

void Stats::add_verify(const VerifyReport& report) {
  if (report.launch == 0 || verified_.insert(report.launch).second) ++verified_launches_;
  if (report.mismatching_bytes == 0) return;
  ++mismatches_;
  if (first_mismatches_.size() >= kMismatchesKept) return;
  std::string text = "{";
  append_text_member(text, "kernel", std::string_view(report.kernel).substr(0, kMismatchText));
  append_member(text, "device", std::uint64_t{report.device});
  append_member(text, "argument", std::uint64_t{report.argument});
  append_member(text, "bytes", report.mismatching_bytes);
  append_member(text, "offset", report.first_offset);
  append_text_member(text, "detail", std::string_view(report.detail).substr(0, kMismatchText));
  first_mismatches_.push_back(text + '}');
}

void Stats::add_other_driver(const OtherDriverReport& report) {
  ++launches_elsewhere_;
  const auto kernel = std::string_view(report.kernel).substr(0, kMismatchText);
  const auto reason = std::string_view(report.reason).substr(0, kMismatchText);
  for (Elsewhere& known : elsewhere_)
    if (known.kernel == kernel && known.reason == reason) {
      ++known.launches;
      return;
    }
  if (elsewhere_.size() < kElsewhereKept) elsewhere_.push_back({std::string(kernel), std::string(reason), 1});
}

std::vector<std::size_t> Stats::add_build(const BuildReport& report) {
  std::vector<std::size_t> changed;
  if (report.device >= builds_.size()) return changed;
  Builds& builds = builds_[report.device];
  builds.built += report.state == BuildState::built ? 1 : 0;
  builds.failed += report.state == BuildState::failed ? 1 : 0;
  builds.late += report.state == BuildState::failed && report.late ? 1 : 0;
  builds.dropped += report.state == BuildState::dropped ? 1 : 0;
  builds.unneeded += report.state == BuildState::unneeded ? 1 : 0;
  builds.seconds += report.seconds;
  if (report.state == BuildState::failed && build_failures_.size() < kBuildFailuresKept) {
    std::string text = "{";
    append_text_member(text, "program", std::string_view(report.program).substr(0, kMismatchText));
    append_member(text, "device", std::uint64_t{report.device});
    text += report.late ? ",\"late\":true" : ",\"late\":false";
    append_text_member(text, "reason", std::string_view(report.reason).substr(0, kMismatchText));
    build_failures_.push_back(text + '}');
  }
  if (programs_.size() >= kProgramsKept && !programs_.contains(report.program)) return changed;
  auto& states = programs_[report.program];
  states.resize(builds_.size());
  states[report.device] = report.state;
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i].program == report.program) changed.push_back(i);
  return changed;
}

void Stats::append_builds(std::string& out) const {
  out += ",\n\"builds\":{\"devices\":[";
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    const Builds& builds = builds_[i];
    out += i == 0 ? "\n {" : ",\n {";
    append_member(out, "device", static_cast<std::uint64_t>(i));
    append_member(out, "built", builds.built);
    append_member(out, "failed", builds.failed);
    append_member(out, "failed_late", builds.late);
    append_member(out, "dropped", builds.dropped);
    append_member(out, "unneeded", builds.unneeded);
    append_member(out, "seconds", builds.seconds);
    out += '}';
  }
  out += "],\"failures\":[";
  for (const std::string& failure : build_failures_) {
    out += &failure == build_failures_.data() ? "\n " : ",\n ";
    out += failure;
  }
  out += "]}";
}

void Stats::append_profile(std::string& out) const {
  out += ",\n\"profile\":{";
  append_text_or_null(out, "file", profile_.file);
  append_member(out, "loaded", profile_.loaded);
  append_member(out, "written", profile_.written);
  const std::string& problem = profile_.write_problem.empty() ? profile_.load_problem : profile_.write_problem;
  append_text_or_null(out, "problem", std::string_view(problem).substr(0, kMismatchText));
  out += '}';
}

void Stats::add_drop(const DropReport& report) {
  if (report.device >= dropped_.size()) return;
  ++dropped_[report.device].replicas;
  dropped_[report.device].moved_out += report.moved_out;
}

void Stats::append_memory(std::string& out) const {
  out += "],\n\"memory\":[";
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    out += i == 0 ? "\n {" : ",\n {";
    append_member(out, "device", static_cast<std::uint64_t>(i));
    append_member(out, "dropped", dropped_[i].replicas);
    append_member(out, "bytes_moved_out", dropped_[i].moved_out);
    out += '}';
  }
}

void Stats::append_elsewhere(std::string& out) const {
  out += ",\n\"other_cpu_driver\":{";
  append_member(out, "launches", launches_elsewhere_);
  out += ",\"kernels\":[";
  for (const Elsewhere& kernel : elsewhere_) {
    out += &kernel == elsewhere_.data() ? "\n {" : ",\n {";
    append_text_member(out, "name", kernel.kernel);
    append_text_member(out, "reason", kernel.reason);
    append_member(out, "launches", kernel.launches);
    out += '}';
  }
  out += "]}";
}

std::string Stats::head() const {
  std::string out = "{\"version\":1,\n\"devices\":[";
  for (const ObservedDevice& device : devices_) {
    if (&device != devices_.data()) out += ',';
    out += "\n {";
    append_text_member(out, "name", device.name);
    append_text_member(out, "kind", device.kind);
    append_text_member(out, "backend", device.backend);
    if (!device.host.empty()) append_text_member(out, "host", device.host);
    out += '}';
  }
  out += "],\n\"kernels\":[";
  return out;
}

std::string Stats::kernel(std::size_t index) const {
  const Kernel& kernel = kernels_[index];
  std::string out = "\n {";
  append_text_member(out, "name", kernel.name);
  append_text_member(out, "program", kernel.program);
  append_text_member(out, "access", kernel.access == domain::AccessClass::contiguous ? "contiguous" : "discontiguous");
  append_member(out, "launches", kernel.launches);
  append_member(out, "split_launches", kernel.split_launches);
  append_member(out, "first_split", kernel.first_split);
  out += ",\"groups\":[";
  for (std::size_t i = 0; i < kernel.groups.size(); ++i) {
    if (i != 0) out += ',';
    append_json(out, kernel.groups[i]);
  }
  out += "],\"devices\":[";
  for (std::size_t i = 0; i < kernel.groups.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    append_member(out, "groups", kernel.groups[i]);
    append_member(out, "seconds", kernel.worked[i].seconds);
    append_member(out, "predicted_seconds", kernel.worked[i].predicted_seconds);
    append_member(out, "compared_seconds", kernel.worked[i].compared_seconds);
    append_member(out, "upload_bytes", kernel.worked[i].upload_bytes);
    append_member(out, "upload_seconds", kernel.worked[i].upload_seconds);
    out += '}';
  }
  out += "],\"merge\":{";
  for (const domain::Rung rung :
       {domain::Rung::disjoint, domain::Rung::kernel, domain::Rung::diff, domain::Rung::reduce}) {
    append_member(out, domain::name(rung), kernel.merge[static_cast<std::size_t>(rung)]);
  }
  out += "},\"not_split\":{";
  for (std::size_t i = 0; i < kernel.not_split.size(); ++i) {
    if (kernel.not_split[i] != 0)
      append_member(out, domain::name(static_cast<domain::NotSplit>(i)), kernel.not_split[i]);
  }
  out += "},\"builds\":[";
  const auto known = programs_.find(kernel.program);
  for (std::size_t i = 0; i < kernel.groups.size(); ++i) {
    if (i != 0) out += ',';
    const bool told = known != programs_.end() && i < known->second.size();
    append_json_string(out, name(told ? known->second[i] : BuildState::waiting));
  }
  out += ']';
  append_member(out, "seconds", kernel.seconds);
  append_member(out, "predicted_seconds", kernel.predicted_seconds);
  out += ",\"model\":{";
  append_text_member(out, "source", icd::name(kernel.source));
  if (kernel.error)
    append_member(out, "error", *kernel.error);
  else
    out += ",\"error\":null";
  out += '}';
  kernel.preempt.append(out, kernel.groups.size());
  out += '}';
  return out;
}

std::string Stats::tail() const { return tail(std::nullopt); }

std::string Stats::tail(std::optional<std::uint64_t> cached) const {
  std::string out = "],\n\"transfers\":[";
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (i != 0) out += ',';
    out += "\n {";
    append_member(out, "device", static_cast<std::uint64_t>(i));
    append_member(out, "bytes_to", transfers_[i].to);
    append_member(out, "bytes_from", transfers_[i].from);
    append_member(out, "seconds_to", transfers_[i].seconds_to);
    append_member(out, "seconds_from", transfers_[i].seconds_from);
    out += '}';
  }
  append_memory(out);
  out += "],\n\"partition\":{";
  append_text_member(out, "mode", domain::name(mode_));
  append_member(out, "count", partition_.count());
  append_member(out, "p50_us", partition_.percentile_us(0.5));
  append_member(out, "p99_us", partition_.percentile_us(0.99));
  append_member(out, "max_us", partition_.max_us());
  if (cached) append_member(out, "cached", *cached);
  out += "}";
  append_builds(out);
  append_profile(out);
  if (!hosts_.empty()) append_hosts(out);
  if (has_cpu_driver_) append_elsewhere(out);
  traps_.append(out);
  checkpoints_.append(out);
  out += ",\n\"verify\":{";
  append_member(out, "launches", verified_launches_);
  append_member(out, "mismatches", mismatches_);
  for (const std::string& mismatch : first_mismatches_) {
    out += &mismatch == first_mismatches_.data() ? ",\"first\":[\n " : ",\n ";
    out += mismatch;
  }
  out += first_mismatches_.empty() ? "}}\n" : "]}}\n";
  return out;
}

std::string Stats::document() const {
  std::string out = head();
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (i != 0) out += ',';
    out += kernel(i);
  }
  return out + tail(launches_ - std::min(launches_, partition_.count()));
}

std::size_t Stats::kernel_bound(std::size_t index) const {
  const std::size_t devices = kernels_[index].groups.size();
  const std::size_t numbers = 7 * devices + kernels_[index].merge.size() + 6 + PreemptStats::numbers(devices);
  // Keys and brackets take under 512 bytes, and no reason's name is longer than 32.
  return kernel(index).size() + 512 + numbers * kNumberBound + domain::kNotSplitCount * (32 + kNumberBound) +
         (devices + 1) * kStateBound + PreemptStats::kNames;
}

std::size_t Stats::tail_bound() const {
  return tail().size() + (4 * transfers_.size() + 2 * dropped_.size() + 4 * hosts_.size() + 10) * kNumberBound +
         builds_.size() * (7 * kNumberBound + kBuildsBound) +
         (kMismatchesKept + kElsewhereKept + kBuildFailuresKept + 1) * kMismatchBound + TrapStats::kBound +
         CheckpointStats::kBound;
}

}  // namespace skmd::icd
