// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/plan.h"

#include <algorithm>
#include <string_view>

namespace skmd::test {
namespace {

/// What the selection takes of them: a prime, so that no loop of the driver's is always met at the same place.
constexpr std::size_t kAllocationsPerRun = 97;
/// But of one configuration all of this step, whose callbacks hold the only references to objects.
constexpr std::string_view kWholeStep = "new@gates", kWholeStepOf = "one";

bool is_command(const std::string& call) { return call.starts_with("clEnqueue"); }
bool is_release(const std::string& call) { return call.starts_with("clRelease"); }
bool is_query(const std::string& call) {
  return call.find("Info") != std::string::npos && call != "clGetEventInfo" && call != "clGetEventProfilingInfo";
}
bool has_device(const std::string& call) {
  return is_command(call) || call == "clFlush" || call == "clFinish" || call == "clWaitForEvents" ||
         call == "clGetEventInfo" || call == "clCreateBuffer" || call == "clCreateContext" ||
         call == "clCreateCommandQueue";
}

/// Codes that vendors give at this call.
std::vector<int> codes_of(const std::string& call, bool full) {
  if (!full || is_query(call) || is_release(call)) return {-5};
  if (call == "clBuildProgram") return {-11, -5};
  if (call == "clCompileProgram") return {-15, -5};
  if (call == "clLinkProgram") return {-17, -5};
  if (call == "clCreateBuffer" || call == "clCreateImage" || is_command(call)) return {-4, -5, -36};
  if (call == "clSetKernelArg") return {-50, -5};
  return {-5, -6};
}

}  // namespace

void plan(const Configuration& configuration, const std::map<std::string, std::size_t>& uses, bool full,
          std::vector<Run>& runs) {
  const auto add = [&](const std::string& failure) { runs.push_back({&configuration, failure}); };
  for (const auto& [call, count] : uses) {
    if (call.starts_with(kAllocation)) {
      const bool every = call == kAllocation ? full : !full && call == kWholeStep && configuration.name == kWholeStepOf;
      if (call != kAllocation && !every) continue;
      for (std::size_t n = 1; n <= count; n += every ? 1 : kAllocationsPerRun) add(call + ":" + std::to_string(n));
      continue;
    }
    for (std::size_t use = 1; use <= (full ? count : std::min<std::size_t>(count, 2)); ++use) {
      const std::string at = call + ":" + std::to_string(use);
      for (const int code : codes_of(call, full)) add(at + ":" + std::to_string(code));
      if (is_command(call)) add("run:" + at + ":-5");
      if (!full) continue;
      add(at + "+:-5");
      if (is_command(call)) add("run:" + at + "+:-5");
      if (is_command(call)) add("lost:run:" + at + ":-5");
      if (has_device(call)) add("lost:" + at + ":-2");
    }
    if (!full && has_device(call)) add("lost:" + call + ":1:-2");
    if (!full && is_command(call)) add("lost:run:" + call + ":2:-5");
  }
}

}  // namespace skmd::test
