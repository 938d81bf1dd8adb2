// SPDX-License-Identifier: Apache-2.0
// What models cost: fitting one kernel's profile on one device, and asking for a launch on 64 devices. The profile is
// that of an H100 which is installed (profiles/), the spans of two small sizes of each kernel.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "partitioner/model/evaluation.h"
#include "partitioner/model/what_if.h"
#include "profiler/database/sample_text.h"

namespace skmd::domain {
namespace {

constexpr std::size_t kDevices = 64;

std::vector<ProfileSample> small_sizes(const std::string& file) {
  std::vector<ProfileSample> samples;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    auto sample = profiler::sample_of(line);  // fails for the first line and for calibrations
    if (sample && (sample->tag == "profile1" || sample->tag == "profile2")) samples.push_back(std::move(*sample));
  }
  return samples;
}

std::vector<Point> points_of(const SampleGroup& group) {
  std::vector<Point> points;
  for (const ProfileSample* sample : group.samples) points.push_back(point_of(*sample));
  return points;
}

void fit_kernel(benchmark::State& state, const SampleGroup& group) {
  const std::vector<Point> points = points_of(group);
  const FitOptions options{ModelKind::arctan, group.device.units, {}};
  for (auto _ : state) {
    auto model = fit(points, options);
    if (!model) state.SkipWithError("the samples cannot be fitted to");
    benchmark::DoNotOptimize(model);
  }
  state.counters["points"] = static_cast<double>(points.size());
}

/// `group` as if 64 devices had been measured: each another one to the partitioner.
void predict_devices(benchmark::State& state, const SampleGroup& group) {
  const std::vector<Point> points = points_of(group);
  const auto model = fit(points, {ModelKind::arctan, group.device.units, {}});
  if (!model) return state.SkipWithError("the samples cannot be fitted to");
  std::vector<DeviceTimes> devices(kDevices, {group.device, *model});
  for (std::size_t d = 0; d < kDevices; ++d) devices[d].device.name += " " + std::to_string(d);
  const auto launch = changed(*group.samples.back(), {});
  if (!launch) return state.SkipWithError("the launch cannot be repeated");
  const WorkEstimate work = estimate_work(group.samples, *launch);
  for (auto _ : state) benchmark::DoNotOptimize(outlook(devices, *launch, work));
}

}  // namespace
}  // namespace skmd::domain

int main(int argc, char** argv) {
  using namespace skmd::domain;
  const std::vector<ProfileSample> samples = small_sizes(SKMD_BENCH_PROFILE);
  const std::vector<SampleGroup> groups = grouped(samples);
  if (groups.empty()) {
    std::fprintf(stderr, "no samples in %s\n", SKMD_BENCH_PROFILE);
    return 1;
  }
  for (const SampleGroup& group : groups)
    benchmark::RegisterBenchmark(("fit/" + group.kernel.name).c_str(), fit_kernel, group);
  benchmark::RegisterBenchmark("predict/64", predict_devices, groups.front());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
