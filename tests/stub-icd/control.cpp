// SPDX-License-Identifier: Apache-2.0
#include "tests/stub-icd/control.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "tests/stub-icd/stub.h"

namespace stub {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> live_by_kind[static_cast<std::size_t>(Kind::count)]{};

namespace {

// The log may never be read.
constexpr std::size_t kMaxLog = 100'000;

struct Failure {
  std::string call;
  int count = -1;         // calls until it strikes; 0: always; negative: never
  bool for_good = false;  // once it has struck it strikes always
  bool loses = false;     // the device is lost by it
  cl_int code = CL_OUT_OF_RESOURCES;
};

// Leaked on purpose: the driver is used until the very end of the process.
struct State {
  std::mutex mutex;
  std::string devices = "2";
  int delay_us = -1;
  std::int64_t memory = 0;
  std::vector<std::string> log;
  std::map<std::string, std::size_t> uses;
  std::string log_file;
#ifdef STUB_REMOTE
  std::string platform_name = "Portable Computing Language";
#else
  std::string platform_name = "Stub";
#endif
  Failure failure;
  std::atomic<std::uint32_t> lost{0};      // bit per device
  std::atomic<std::uint32_t> poisoned{0};  // likewise
  Failure silence;
  std::atomic<std::uint32_t> silent{0};  // likewise
  bool held = false;
  std::condition_variable released;
};

Failure parsed(const std::string& text) {
  Failure failure;
  std::string rest = text;
  if (rest.starts_with("lost:")) {
    failure.loses = true;
    rest = rest.substr(5);
  }
  if (rest.starts_with("run:")) {
    failure.call = "run:";
    rest = rest.substr(4);
  }
  std::istringstream parts(rest);
  std::string call;
  std::string count;
  std::string code;
  std::getline(parts, call, ':');
  std::getline(parts, count, ':');
  std::getline(parts, code, ':');
  failure.call += call;
  if (!call.empty()) failure.count = std::max(0, std::atoi(count.c_str()));
  failure.for_good = count.ends_with('+');
  if (!code.empty()) failure.code = std::atoi(code.c_str());
  return failure;
}

std::string environment(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

State& state() {
  static State* const one = [] {
    auto* const made = new State;
    made->devices = environment(STUB_VARIABLE("DEVICES"), "2");
    made->delay_us = std::atoi(environment(STUB_VARIABLE("DELAY_US"), "-1").c_str());
    made->memory = std::strtoll(environment(STUB_VARIABLE("MEMORY"), "9223372036854775807").c_str(), nullptr, 10);
    made->log_file = environment(STUB_VARIABLE("LOG"), "");
    made->failure = parsed(environment(STUB_VARIABLE("FAIL"), ""));
    made->silence = parsed(environment(STUB_VARIABLE("SILENT"), ""));
    return made;
  }();
  return *one;
}

/// Whether the failure strikes this call.
bool strikes(Failure& failure, const std::string& call) {
  if (failure.call != call || failure.count < 0) return false;
  if (failure.count == 0) return true;
  if (--failure.count > 0) return false;
  failure.count = failure.for_good ? 0 : -1;
  return true;
}

/// Which device a recorded call is for, if its details tell.
int device_in(const std::string& details) {
  const auto at = details.find("device=");
  return at == std::string::npos ? -1 : std::atoi(details.c_str() + at + 7);
}

void lose(State& s, int device) {
  if (s.failure.loses && device >= 0) s.lost.fetch_or(1u << device);
}

Settings read_settings() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  Settings settings;
  settings.delay_us = s.delay_us;
  settings.memory = s.memory;
  std::istringstream parts(s.devices);
  for (std::string part; std::getline(parts, part, ',') && settings.devices.size() < 4;) {
    if (part == "cpu") {
      settings.devices.push_back(CL_DEVICE_TYPE_CPU);
    } else if (part == "gpu") {
      settings.devices.push_back(CL_DEVICE_TYPE_GPU);
    } else if (part == "accelerator") {
      settings.devices.push_back(CL_DEVICE_TYPE_ACCELERATOR);
    } else {
      for (int i = std::atoi(part.c_str()); i > 0 && settings.devices.size() < 4; --i) {
        settings.devices.push_back(CL_DEVICE_TYPE_GPU);
      }
    }
  }
  return settings;
}

}  // namespace

const Settings& settings() {
  static const Settings* const one = new Settings(read_settings());
  return *one;
}

bool recording() {
  static const bool on = environment(STUB_VARIABLE("QUIET"), "0") != "1";
  return on;
}

cl_int record(const char* call, const std::string& details) {
  if (!recording()) return CL_SUCCESS;
  State& s = state();
  std::lock_guard lock(s.mutex);
  const std::string line = details.empty() ? call : call + (" " + details);
  if (!s.log_file.empty()) std::ofstream(s.log_file, std::ios::app) << line << '\n';
  if (s.log.size() < kMaxLog) s.log.push_back(line);
  ++s.uses[call];
  const int device = device_in(details);
  if (device >= 0 && (s.lost.load() >> device & 1) != 0) return s.failure.code;
  if (!strikes(s.failure, call)) return CL_SUCCESS;
  lose(s, device);
  return s.failure.code;
}

cl_int lost(cl_uint device) {
  State& s = state();
  if ((s.lost.load() >> device & 1) == 0) return CL_SUCCESS;
  std::lock_guard lock(s.mutex);
  return s.failure.code;
}

void poison(cl_uint device) { state().poisoned.fetch_or(1u << device); }

bool poisoned(cl_uint device) { return (state().poisoned.load() >> device & 1) != 0; }

cl_int run_failure(const char* call, cl_uint device) {
  if (!recording()) return CL_SUCCESS;
  State& s = state();
  std::lock_guard lock(s.mutex);
  if (!strikes(s.failure, std::string("run:") + call)) return CL_SUCCESS;
  lose(s, static_cast<int>(device));
  return s.failure.code;
}

bool falls_silent(const char* call, cl_uint device) {
  State& s = state();
  if (silent(device)) return true;
  std::lock_guard lock(s.mutex);
  if (s.silence.call.empty() || !strikes(s.silence, call)) return false;
  s.silent.fetch_or(1u << device);
  return true;
}

bool silent(cl_uint device) { return (state().silent.load() >> device & 1) != 0; }

void wait_while_held() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  s.released.wait(lock, [&] { return !s.held; });
}

std::uint64_t device_clock() {
  // Far from the host's clock, as a real device's may be.
  constexpr std::uint64_t kSkewNs = 7'000'000'000'000u;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return kSkewNs + static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void configure(const std::string& devices, int delay_us) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.devices = devices;
  s.delay_us = delay_us;
}

void set_platform_name(const std::string& name) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.platform_name = name;
}

std::string platform_name() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return s.platform_name;
}

void set_failure(const std::string& text) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.failure = parsed(text);
  s.lost = 0;
  s.poisoned = 0;
}

std::map<std::string, std::size_t> uses() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return s.uses;
}

std::vector<std::string> take_log() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return std::exchange(s.log, {});
}

std::size_t live_objects() { return live.load(); }

std::string live_kinds() {
  constexpr const char* kNames[] = {"contexts", "queues",  "memory",   "pinned",
                                    "programs", "kernels", "samplers", "events"};
  std::string text;
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (const std::size_t count = live_by_kind[i].load(); count != 0)
      text += (text.empty() ? "" : " ") + (kNames[i] + ("=" + std::to_string(count)));
  return text;
}

void hold() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.held = true;
}

void release() {
  State& s = state();
  {
    std::lock_guard lock(s.mutex);
    s.held = false;
  }
  s.released.notify_all();
}

}  // namespace stub
