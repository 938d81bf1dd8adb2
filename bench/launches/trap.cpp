// SPDX-License-Identifier: Apache-2.0
// A launch of which one work-item traps: what its event says, and whether the groups that ran are whole. Under
// SKMD_CHECK=stop the first trap ends the launch; under SKMD_CHECK=deopt all groups run.
#include <CL/cl_ext.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/support/options.h"
#include "bench/support/random.h"

namespace bench {
namespace {

/// The trap comes first, so that a launch has most of its work before it when it is known.
constexpr const char* kSource = R"(
kernel void trap(global const uint* in, global const uint* by, global uint* out, uint count, uint bad, uint rounds) {
  const uint i = get_global_id(0);
#if KIND == 0
  uint x = in[i == bad ? count : i];  // trap 0
#elif KIND == 1
  uint x = in[i] / by[i];  // trap 1
#elif KIND == 2
  if (i == bad) arm_terminate_kernel(ARM_TERMINATION_FAILURE);  // trap 2
  uint x = in[i];
#else
  uint x = in[i];
#endif
  for (uint k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
  out[i] = x;
}
)";

const std::map<std::string, int> kKinds = {{"out_of_bounds", 0}, {"division_by_zero", 1}, {"terminated", 2}};
constexpr int kOutOfBounds = 0, kTerminated = 2, kNone = 3;
constexpr std::size_t kGroup = 64;
constexpr cl_uint kUntouched = 0xFFFFFFFF;

struct Options {
  std::string at = "half", kind = "out_of_bounds", device;
  std::size_t groups = 1024;
  cl_uint rounds = 20000;
  bool check = false;
};

/// All of the kernel's steps at once.
class Steps {
 public:
  explicit Steps(cl_uint rounds) {
    for (cl_uint k = 0; k < rounds; ++k) {
      factor_ *= 1664525u;
      sum_ = sum_ * 1664525u + 1013904223u;
    }
  }
  cl_uint operator()(cl_uint x) const { return x * factor_ + sum_; }

 private:
  cl_uint factor_ = 1, sum_ = 0;
};

/// The line of the kernel's text, from 1, on which it traps.
std::size_t line_of_trap(int kind) {
  const std::string text = kSource;
  const auto mark = static_cast<std::ptrdiff_t>(text.find("// trap " + std::to_string(kind)));
  return static_cast<std::size_t>(std::count(text.begin(), text.begin() + mark, '\n')) + 1;
}

bool offers_termination(cl_device_id device) {
  std::size_t size = 0;
  check_call(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &size), "clGetDeviceInfo");
  std::string names(size, '\0');
  check_call(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, names.data(), nullptr), "clGetDeviceInfo");
  return names.find("cl_arm_controlled_kernel_termination") != std::string::npos;
}

class Trap {
 public:
  explicit Trap(const Options& options)
      : options_(options), device_(options.device), count_(options.groups * kGroup), steps_(options.rounds) {
    if (options.at == "never") return;
    // Without checks a kernel that traps may do anything.
    if (!offers_termination(device_.id())) throw BadInput("the device tells of no traps: set SKMD_CHECK=stop or deopt");
    kind_ = kKinds.at(options.kind);
    bad_ = options.at == "first" ? 0 : options.at == "half" ? options.groups / 2 * kGroup + 7 : count_ - 1;
  }

  void run() {
    in_ = random_words(count_);
    std::vector<cl_uint> by(count_, 1);
    if (kind_ == 1) by[bad_] = 0;
    out_.assign(count_, kUntouched);
    const Buffer in = device_.buffer(CL_MEM_READ_ONLY, count_ * sizeof(cl_uint));
    const Buffer divisors = device_.buffer(CL_MEM_READ_ONLY, count_ * sizeof(cl_uint));
    const Buffer out = device_.buffer(CL_MEM_READ_WRITE, count_ * sizeof(cl_uint));
    device_.write(in, in_);
    device_.write(divisors, by);
    device_.write(out, out_);
    const Program program = device_.build(kSource, "-DKIND=" + std::to_string(kind_));
    Kernel kernel(program, "trap");
    kernel.set(in, divisors, out, static_cast<cl_uint>(count_), static_cast<cl_uint>(bad_), options_.rounds);
    cl_event event = nullptr;
    check_call(clEnqueueNDRangeKernel(device_.queue(), kernel.get(), 1, nullptr, &count_, &kGroup, 0, nullptr, &event),
               "clEnqueueNDRangeKernel");
    waited_ = clWaitForEvents(1, &event);
    const cl_int asked = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status_, &status_, nullptr);
    clReleaseEvent(event);
    check_call(asked, "clGetEventInfo");
    device_.read(out, out_);
  }

  Verdict check() {
    Verdict verdict{"all", true, ""};
    const bool traps = kind_ != kNone;
    // A device that lets the other work-items end says what others say where a kernel leaves its buffers.
    ran_to_end_ = traps && kind_ != kTerminated && status_ == CL_OUT_OF_RESOURCES;
    const cl_int wanted = !traps        ? CL_COMPLETE
                          : ran_to_end_ ? CL_OUT_OF_RESOURCES
                                        : CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM;
    if (status_ != wanted)
      return {"all", false, "the event's status is " + std::to_string(status_) + ", not " + std::to_string(wanted)};
    if ((waited_ != CL_SUCCESS) != traps) return {"all", false, "clWaitForEvents gave " + std::to_string(waited_)};
    for (std::size_t group = 0; group < options_.groups && verdict.ok; ++group) verdict = check_group(group);
    if (verdict.ok && (!traps || ran_to_end_) && untouched_ != 0) return {"all", false, "groups never ran"};
    return verdict;
  }

  nlohmann::ordered_json line() const {
    nlohmann::ordered_json line = {{"program", "trap"}, {"at", options_.at}, {"status", status_}};
    if (kind_ != kNone) {
      line["kind"] = options_.kind;
      line["line"] = line_of_trap(kind_);
      line["item"] = bad_;
    }
    line["groups"] = options_.groups;
    if (options_.check) {
      line["written_groups"] = written_;
      line["untouched_groups"] = untouched_;
    }
    return line;
  }

 private:
  /// The group in which an item trapped was under way: each of its items may have written or not.
  Verdict check_group(std::size_t group) {
    std::size_t written = 0;
    for (std::size_t i = group * kGroup; i < (group + 1) * kGroup; ++i) {
      if (out_[i] == kUntouched) continue;
      ++written;
      const bool trapped = kind_ != kNone && i == bad_;
      if (trapped && !(ran_to_end_ && kind_ == kOutOfBounds)) continue;  // what it has is undefined
      if (out_[i] != steps_(trapped ? 0 : in_[i]))                       // an access outside reads 0
        return {"all", false, "work-item " + std::to_string(i) + " wrote " + std::to_string(out_[i])};
    }
    if (kind_ != kNone && !ran_to_end_ && group == bad_ / kGroup) return {"all", true, ""};
    if (written == kGroup)
      ++written_;
    else if (written == 0)
      ++untouched_;
    else
      return {"all", false, "group " + std::to_string(group) + " wrote " + std::to_string(written) + " of its results"};
    return {"all", true, ""};
  }

  /// None of them ends as what says that nothing was written.
  std::vector<cl_uint> random_words(std::size_t count) const {
    Random random(1);
    std::vector<cl_uint> words(count);
    for (cl_uint& word : words) {
      word = random.bits();
      if (steps_(word) == kUntouched) ++word;
    }
    return words;
  }

  const Options& options_;
  Device device_;
  std::size_t count_, bad_ = kUntouched;
  int kind_ = kNone;
  const Steps steps_;
  std::vector<cl_uint> in_, out_;
  cl_int waited_ = CL_SUCCESS, status_ = CL_QUEUED;
  std::size_t written_ = 0, untouched_ = 0;
  bool ran_to_end_ = false;  // all groups did, although a work-item trapped
};

int run(const Options& options) {
  Trap trap(options);
  trap.run();
  const Verdict verdict = options.check ? trap.check() : Verdict{"none", true, ""};
  nlohmann::ordered_json line = trap.line();
  line["checked"] = verdict.kind;
  line["ok"] = verdict.ok;
  std::cout << line.dump() << std::endl;
  if (!verdict.ok) std::cerr << "trap: " << verdict.detail << '\n';
  return verdict.ok ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("A launch of which one work-item traps; the device has to tell of traps (SKMD_CHECK=stop or deopt)",
               "trap");
  bench::Options options;
  app.add_option("--at", options.at, "In which group: first, half, last or never")
      ->check(CLI::IsMember({"first", "half", "last", "never"}));
  app.add_option("--kind", options.kind, "out_of_bounds, division_by_zero or terminated")
      ->check(CLI::IsMember({"out_of_bounds", "division_by_zero", "terminated"}));
  app.add_option("--groups", options.groups, "How many, of 64 work-items each")->check(CLI::Range(1, 1 << 20));
  app.add_option("--rounds", options.rounds, "Steps that each work-item computes")->check(CLI::Range(1, 1 << 30));
  bench::add_device_and_check(app, options.device, options.check);
  return bench::parse_and(app, argc, argv, [&] { return bench::run(options); });
}
