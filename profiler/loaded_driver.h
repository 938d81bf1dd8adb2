// SPDX-License-Identifier: Apache-2.0
// The SKMD driver in this process, without an OpenCL loader between.
#pragma once

#include <CL/cl_icd.h>

#include <optional>
#include <string>

namespace skmd::profiler {

/// Makes the driver write its errors to a file in memory for as long as this lives, unless the user already has them
/// written somewhere. Only a driver that is loaded meanwhile.
class ErrorLog {
 public:
  ErrorLog();
  ~ErrorLog();
  ErrorLog(const ErrorLog&) = delete;
  ErrorLog& operator=(const ErrorLog&) = delete;

  /// Texts of the lines, without time and level.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::string path() const;

  int descriptor_ = -1;  // of a file in memory; -1: none
};

/// The driver with its platform; stays loaded.
struct LoadedDriver {
  void* library = nullptr;
  cl_platform_id platform = nullptr;

  /// An extension function of ours, or null.
  template <class Function>
  [[nodiscard]] Function extension(const char* name) const {
    return reinterpret_cast<Function>(address(name));
  }
  [[nodiscard]] void* address(const char* name) const;
  /// The functions of the OpenCL API.
  [[nodiscard]] const cl_icd_dispatch& api() const;
};

/// None: `reason` is set, to what the driver logged while `log` lived if it did.
std::optional<LoadedDriver> load_driver(const std::string& driver, const ErrorLog& log, std::string& reason);
/// The same with a log for as long as that takes.
std::optional<LoadedDriver> load_driver(const std::string& driver, std::string& reason);

}  // namespace skmd::profiler
