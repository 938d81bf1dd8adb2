// SPDX-License-Identifier: Apache-2.0
// The fault matrix: one application's session over the stub driver, again and again, each time with one vendor call
// failing at one of its uses. Every run is a process of its own, since a driver that has lost a device stays that way.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "partitioner/base/fnv.h"
#include "tests/faults/allocations.h"
#include "tests/faults/plan.h"
#include "tests/faults/session.h"
#include "tests/stub-icd/control.h"

extern "C" __attribute__((weak)) int __lsan_do_recoverable_leak_check();

namespace {

using skmd::test::Configuration;
using skmd::test::kAllocation;
using skmd::test::kConfigurations;
using skmd::test::kLikeNvidia;
using skmd::test::Outcome;
using skmd::test::Run;

constexpr int kWrong = 1, kLeak = 2;
constexpr const char* kDriver = "libskmd.so";

struct Options {
  bool full = false;
  std::size_t every = 1;
  /// Of one run. Generous: a machine that is busy with other things is no hang.
  int seconds = 300;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string only_configuration, only_call, only_failure, json;
};

void prepare(const Configuration& c) {
  setenv("STUB_DEVICES", c.devices, 1);
  setenv("STUB_DELAY_US", c.delay, 1);
  setenv("SKMD_DEVICES", c.selected, 1);
  setenv("SKMD_PARTITION", c.partition, 1);
  setenv("SKMD_TEST_RUNGS", c.rungs, 1);
  setenv("STUB_INFO", c.info, 1);
}

/// Without a failure, where only merge functions may merge, they have to: else the configuration tests nothing.
bool merges_by_kernel(const std::string& stats) {
  for (int i = 0; i < 1000; ++i) {  // written within a tenth of a second
    std::ifstream file(stats);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t at = 0; (at = text.find("\"kernel\":", at)) != std::string::npos;)
      if (std::atoi(text.c_str() + (at += std::strlen("\"kernel\":"))) > 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Likewise on a device.
bool merges_on_devices() {
  const std::vector<std::string> calls = stub::take_log();
  return std::any_of(calls.begin(), calls.end(), [](const std::string& call) {
    return call.starts_with("clEnqueueNDRangeKernel") && call.find("skmd_merge_") != std::string::npos;
  });
}

/// Where what is read is on one device that is slow with pageable memory, some goes through page-locked memory.
bool reads_from_one_device(const Configuration& configuration) {
  const bool one = std::strchr(configuration.selected, ',') == nullptr ||
                   std::string_view(configuration.partition).starts_with("single");
  return one && std::strcmp(configuration.info, kLikeNvidia) == 0;
}

/// Objects of the application are gone as soon as its last commands are; what stays, pinned memory too, belongs to the
/// devices.
std::string leaked() {
  std::string kinds;
  for (int i = 0; i < 2000; ++i) {
    kinds = stub::live_kinds();
    const bool settled = kinds.find("memory") == std::string::npos && kinds.find("kernels") == std::string::npos &&
                         kinds.find("programs") == std::string::npos && kinds.find("events") == std::string::npos;
    if (settled) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return kinds;
}

/// Memory that a thread is just freeing may be unreachable for a moment; leaked memory stays so.
bool leaks_memory() {
  if (__lsan_do_recoverable_leak_check == nullptr) return false;
  for (int i = 0; i < 5; ++i) {
    if (__lsan_do_recoverable_leak_check() == 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

[[noreturn]] void child(const Run& run) {
  prepare(*run.configuration);
  if (run.failure.starts_with(kAllocation)) {
    const std::size_t colon = run.failure.find(':'), at = std::min(run.failure.find('@'), colon);
    skmd::test::watch_allocations(kDriver, std::stoul(run.failure.substr(colon + 1)),
                                  at == colon ? "" : run.failure.substr(at + 1, colon - at - 1));
  } else
    stub::set_failure(run.failure);
  const Outcome outcome = skmd::test::run_session();
  int code = outcome.good ? 0 : kWrong;
  if (const std::string kinds = leaked(); !kinds.empty()) {
    std::fprintf(stderr, "native objects are left: %s\n", kinds.c_str());
    code = kLeak;
  }
  if (leaks_memory()) code = kLeak;
  std::fflush(stderr);
  _exit(code);
}

/// What the session uses without any failure, by call; empty if it does not even pass then.
std::map<std::string, std::size_t> count_uses(const Configuration& configuration) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    prepare(configuration);
    const bool by_kernel = *configuration.rungs != '\0';
    const std::string stats = std::filesystem::temp_directory_path() / ("fault_matrix." + std::to_string(getpid()));
    if (by_kernel) setenv("SKMD_STATS", stats.c_str(), 1);
    skmd::test::watch_allocations(kDriver, 0);
    const Outcome outcome = skmd::test::run_session();
    const std::string kinds = leaked();
    if (!outcome.good || outcome.errors != 0 || !kinds.empty()) {
      std::fprintf(stderr, "%s: without any failure: %zu errors, left: %s\n", configuration.name, outcome.errors,
                   kinds.c_str());
      _exit(kWrong);
    }
    if (by_kernel && !merges_by_kernel(stats)) {
      std::fprintf(stderr, "%s: nothing was merged by a merge function\n", configuration.name);
      _exit(kWrong);
    }
    if (configuration.rungs == std::string_view("kernel@device") && !merges_on_devices()) {
      std::fprintf(stderr, "%s: nothing was merged on a device\n", configuration.name);
      _exit(kWrong);
    }
    if (reads_from_one_device(configuration) && stub::live_kinds().find("pinned") == std::string::npos) {
      std::fprintf(stderr, "%s: nothing was read through page-locked memory\n", configuration.name);
      _exit(kWrong);
    }
    std::filesystem::remove(stats);
    std::string text;
    for (const auto& [call, uses] : stub::uses()) text += call + ' ' + std::to_string(uses) + '\n';
    text += kAllocation + (' ' + std::to_string(skmd::test::watched_allocations())) + '\n';
    for (const auto& [step, count] : skmd::test::watched_steps())
      text += kAllocation + ('@' + step) + ' ' + std::to_string(count) + '\n';
    const bool told = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(told ? 0 : kWrong);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  std::map<std::string, std::size_t> uses;
  if (status != 0) return uses;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = text.find(' ', at), end = text.find('\n', at);
    uses[text.substr(at, blank - at)] = std::stoul(text.substr(blank + 1, end - blank - 1));
    at = end + 1;
  }
  return uses;
}

struct Child {
  pid_t pid = 0;
  int errors = -1;  // its standard error
  Run* run = nullptr;
  std::chrono::steady_clock::time_point begun;
  std::string text{};  // its standard error so far, or the begin of it
};

Child start(Run& run) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  Child started{fork(), ends[0], &run, std::chrono::steady_clock::now()};
  if (started.pid == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    child(run);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return started;
}

/// A report that fills the pipe would stop the child.
void drain(Child& running) {
  constexpr std::size_t kMax = 4000;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(running.errors, buffer, sizeof buffer)) > 0;)
    if (running.text.size() < kMax) running.text.append(buffer, static_cast<std::size_t>(got));
}

/// True if the run was good. Standard error of good runs is thrown away.
bool finish(Child& ended, int status, bool timed_out) {
  drain(ended);
  close(ended.errors);
  if (status == 0) return true;
  const char* const how = timed_out                      ? "hangs"
                          : WIFSIGNALED(status)          ? "crashes"
                          : WEXITSTATUS(status) == kLeak ? "leaks"
                                                         : "is wrong";
  std::printf("FAILED %s %s: %s\n%s", ended.run->configuration->name, ended.run->failure.c_str(), how,
              ended.text.substr(0, 4000).c_str());
  std::fflush(stdout);
  return false;
}

/// Evenly over kinds of failures and configurations: a call's runs follow each other by kind, in even numbers, so that
/// every other one of a row would have some kinds only.
std::uint32_t share_of(const Run& run) { return skmd::domain::fnv(run.configuration->name + (" " + run.failure)) >> 8; }

std::size_t run_all(std::vector<Run>& runs, const Options& options) {
  std::vector<Child> children;
  std::size_t next = 0, failures = 0;
  while (next < runs.size() || !children.empty()) {
    while (next < runs.size() && children.size() < options.jobs) children.push_back(start(runs[next++]));
    bool any = false;
    for (std::size_t i = 0; i < children.size(); ++i) {
      drain(children[i]);
      const auto age = std::chrono::steady_clock::now() - children[i].begun;
      const bool timed_out = age > std::chrono::seconds(options.seconds);
      if (timed_out) kill(children[i].pid, SIGKILL);
      int status = 0;
      if (waitpid(children[i].pid, &status, timed_out ? 0 : WNOHANG) == 0) continue;
      children[i].run->failed = !finish(children[i], status, timed_out);
      failures += children[i].run->failed ? 1 : 0;
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i--));
      any = true;
    }
    if (!any) std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return failures;
}

/// What docs/results/faults.md is made of.
void write_json(const std::string& path, const std::vector<Run>& runs) {
  std::ofstream file(path);
  const char* before = "[";
  for (const Configuration& configuration : kConfigurations) {
    std::size_t calls = 0, allocations = 0, failures = 0;
    for (const Run& run : runs) {
      if (run.configuration != &configuration) continue;
      ++(run.failure.starts_with(kAllocation) ? allocations : calls);
      failures += run.failed ? 1 : 0;
    }
    file << before << "\n {\"configuration\": \"" << configuration.name << "\", \"calls\": " << calls
         << ", \"allocations\": " << allocations << ", \"failures\": " << failures << "}";
    before = ",";
  }
  file << "\n]\n";
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--full") options.full = true;
    if (argument == "--only" && i + 1 < argc) options.only_call = argv[++i];
    if (argument == "--jobs" && i + 1 < argc) options.jobs = static_cast<unsigned>(std::max(1, std::atoi(argv[++i])));
    if (argument == "--every" && i + 1 < argc)
      options.every = static_cast<std::size_t>(std::max(1, std::atoi(argv[++i])));
    if (argument == "--seconds" && i + 1 < argc) options.seconds = std::max(1, std::atoi(argv[++i]));
    if (argument == "--configuration" && i + 1 < argc) options.only_configuration = argv[++i];
    if (argument == "--json" && i + 1 < argc) options.json = argv[++i];
    if (argument == "--failure" && i + 1 < argc) options.only_failure = argv[++i];
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  // Loaded once, and only mapped in the runs: nothing of it runs before a child's first call.
  if (dlopen(SKMD_LIBRARY, RTLD_NOW | RTLD_LOCAL) == nullptr) std::printf("%s\n", dlerror());
  std::vector<Run> runs;
  std::size_t failures = 0;
  for (const Configuration& configuration : kConfigurations) {
    if (!options.only_configuration.empty() && options.only_configuration != configuration.name) continue;
    if (!options.only_failure.empty()) {
      runs.push_back({&configuration, options.only_failure});
      continue;
    }
    const auto uses = count_uses(configuration);
    const std::size_t before = runs.size();
    if (uses.empty()) ++failures;
    skmd::test::plan(configuration, uses, options.full, runs);
    if (!options.only_call.empty())
      std::erase_if(runs,
                    [&](const Run& run) { return run.failure.find(options.only_call + ":") == std::string::npos; });
    std::size_t functions = 0, calls = 0;
    for (const auto& [call, count] : uses) {
      if (call.starts_with(kAllocation)) continue;
      ++functions;
      calls += count;
    }
    std::printf("%s: %zu vendor functions, %zu calls, %zu runs\n", configuration.name, functions, calls,
                runs.size() - before);
    std::fflush(stdout);
  }
  std::vector<Run> chosen;
  for (const Run& run : runs)
    if (share_of(run) % options.every == 0) chosen.push_back(run);
  runs.swap(chosen);
  failures += run_all(runs, options);
  if (!options.json.empty()) write_json(options.json, runs);
  std::printf("%zu runs, %zu failures\n", runs.size(), failures);
  return failures == 0 && !runs.empty() ? 0 : 1;
}
