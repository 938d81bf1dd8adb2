// SPDX-License-Identifier: Apache-2.0
#include "profiler/driver.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "profiler/describe.h"
#include "profiler/exec.h"
#include "profiler/held_signals.h"
#include "profiler/loaded_driver.h"
#include "profiler/settings/variables.h"

namespace skmd::profiler {

namespace {

namespace fs = std::filesystem;

std::optional<nlohmann::json> parsed(const char* function, const char* text, std::string& reason) {
  auto document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_object()) return document;
  reason = std::string(function) + " does not answer a JSON object";
  return std::nullopt;
}

/// What clSkmdCalibrate's callbacks get as `user`.
struct Listener {
  const std::function<void(double, const std::string&)>* progress = nullptr;
  std::string text;
};

void CL_CALLBACK on_progress(double part, const char* what, void* user) {
  (*static_cast<Listener*>(user)->progress)(part, what);
}
void CL_CALLBACK on_answer(const char* json, void* user) { static_cast<Listener*>(user)->text = json; }

/// What the child of platform_error() has to say; never returns.
[[noreturn]] void answer_and_leave(const std::string& driver, int pipe_end) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  // This process is not the application: it must not write the application's files.
  for (const settings::Variable& variable : {settings::kStats, settings::kStatsShm, settings::kTrace, settings::kLog})
    unsetenv(variable.name);
  std::string reason;
  if (describe(driver, reason)) reason.clear();
  [[maybe_unused]] const ssize_t written = write(pipe_end, reason.data(), reason.size());
  _exit(0);
}

}  // namespace

std::string find_driver() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path library = self.parent_path().parent_path() / "lib" / "libskmd.so";
  return !error && fs::exists(library, error) ? library.string() : "";
}

std::optional<nlohmann::json> describe(const std::string& driver, std::string& reason) {
  const auto loaded = load_driver(driver, reason);
  if (!loaded) return std::nullopt;
  const auto function = loaded->extension<DescribeFunction>(kDescribeFunction);
  if (function == nullptr) {
    reason = std::string("the driver has no ") + kDescribeFunction;
    return std::nullopt;
  }
  std::size_t size = 0;
  cl_int status = function(loaded->platform, 0, nullptr, &size);
  std::vector<char> text(size);
  if (status == CL_SUCCESS && size > 0) status = function(loaded->platform, size, text.data(), nullptr);
  if (status == CL_SUCCESS && size > 0) return parsed(kDescribeFunction, text.data(), reason);
  reason = std::string(kDescribeFunction) + " answers " + std::to_string(status);
  return std::nullopt;
}

std::optional<nlohmann::json> calibrate(const std::string& driver, double seconds,
                                        const std::function<void(double part, const std::string& what)>& progress,
                                        std::string& reason) {
  const auto loaded = load_driver(driver, reason);
  if (!loaded) return std::nullopt;
  const auto function = loaded->extension<CalibrateFunction>(kCalibrateFunction);
  if (function == nullptr) {
    reason = std::string("the driver has no ") + kCalibrateFunction;
    return std::nullopt;
  }
  Listener listener{&progress, {}};
  const cl_int status = function(loaded->platform, seconds, progress ? on_progress : nullptr, on_answer, &listener);
  if (status == CL_SUCCESS) return parsed(kCalibrateFunction, listener.text.c_str(), reason);
  reason = std::string(kCalibrateFunction) + " answers " + std::to_string(status);
  return std::nullopt;
}

std::string platform_error(const std::string& driver, const HeldSignals* held) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  const pid_t child = fork();
  if (child == 0) {
    if (held != nullptr) sigprocmask(SIG_SETMASK, &held->before(), nullptr);
    answer_and_leave(driver, ends[1]);
  }
  close(ends[1]);
  const std::optional<std::string> text = read_unless(held != nullptr ? held->descriptor() : -1, ends[0]);
  close(ends[0]);
  if (!text && child > 0) kill(child, SIGKILL);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // The terminal's signals reach both processes: the child may have ended first.
  if (!text || (held != nullptr && held->came())) return "ended by a signal while devices were looked for";
  if (WIFSIGNALED(status)) return std::string("a driver ended the process: ") + strsignal(WTERMSIG(status));
  return *text;
}

}  // namespace skmd::profiler
