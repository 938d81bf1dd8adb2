// SPDX-License-Identifier: Apache-2.0
#include "tests/stub-icd/control.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/stub-icd/stub.h"

namespace stub {

std::atomic<std::size_t> live{0};

namespace {

// Nobody may be reading it.
constexpr std::size_t kMaxLog = 100'000;

struct Failure {
  std::string call;
  int count = -1;  // calls until it strikes; 0: always; negative: never
  cl_int code = CL_OUT_OF_RESOURCES;
};

// Leaked on purpose: the driver is used until the very end of the process.
struct State {
  std::mutex mutex;
  std::string devices = "2";
  int delay_us = -1;
  std::vector<std::string> log;
  std::string log_file;
  std::string platform_name = "Stub";
  Failure failure;
  bool held = false;
  std::condition_variable released;
};

Failure parsed(const std::string& text) {
  Failure failure;
  std::string rest = text;
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
    made->devices = environment("STUB_DEVICES", "2");
    made->delay_us = std::atoi(environment("STUB_DELAY_US", "-1").c_str());
    made->log_file = environment("STUB_LOG", "");
    made->failure = parsed(environment("STUB_FAIL", ""));
    return made;
  }();
  return *one;
}

/// Whether the failure strikes this call.
bool strikes(Failure& failure, const std::string& call) {
  if (failure.call != call || failure.count < 0) return false;
  if (failure.count == 0) return true;
  if (--failure.count > 0) return false;
  failure.count = -1;
  return true;
}

Settings read_settings() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  Settings settings;
  settings.delay_us = s.delay_us;
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
  static const bool on = environment("STUB_QUIET", "0") != "1";
  return on;
}

cl_int record(const char* call, const std::string& details) {
  if (!recording()) return CL_SUCCESS;
  State& s = state();
  std::lock_guard lock(s.mutex);
  const std::string line = details.empty() ? call : call + (" " + details);
  if (!s.log_file.empty()) std::ofstream(s.log_file, std::ios::app) << line << '\n';
  if (s.log.size() < kMaxLog) s.log.push_back(line);
  return strikes(s.failure, call) ? s.failure.code : CL_SUCCESS;
}

cl_int run_failure(const char* call) {
  if (!recording()) return CL_SUCCESS;
  State& s = state();
  std::lock_guard lock(s.mutex);
  return strikes(s.failure, std::string("run:") + call) ? s.failure.code : CL_SUCCESS;
}

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
}

std::vector<std::string> take_log() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return std::exchange(s.log, {});
}

std::size_t live_objects() { return live.load(); }

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
