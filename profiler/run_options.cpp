// SPDX-License-Identifier: Apache-2.0
#include "profiler/run_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace skmd::profiler {

namespace {

namespace fs = std::filesystem;

struct Option {
  const char* name;
  const char* variable;
  const char* help;
  bool is_path;
};

constexpr Option kOptions[] = {
    {"--devices", "SKMD_DEVICES",
     "what the virtual device is made of: cpu or platform:device, comma-separated, each with an optional @discrete",
     false},
    {"--device-type", "SKMD_DEVICE_TYPE", "as what the virtual device is found: auto, cpu, gpu or all", false},
    {"--partition", "SKMD_PARTITION", "auto, equal, linear, paper, dynamic, dynamic:MIN, single, single:INDEX or fixed:P0,P1,…", false},
    {"--stats", "SKMD_STATS", "write a JSON summary to this file (%p: process id)", true},
    {"--trace", "SKMD_TRACE", "write a timeline for chrome://tracing or Perfetto to this file (%p: process id)", true},
    {"--cache-dir", "SKMD_CACHE_DIR", "folder of compiled programs", true},
    {"--vendors", "SKMD_VENDORS", "folder of the real drivers' .icd files", true},
    {"--profile-db", "SKMD_PROFILE_DB", "the database of measured times; read:FILE: keep nothing in it; off: use none",
     false},
    {"--profile-tag", "SKMD_PROFILE_TAG", "mark what is measured with this word", false},
};

std::string absolute(const std::string& path) {
  // The application may change its directory before it first uses OpenCL.
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error || path.empty() ? path : whole.lexically_normal().string();
}

std::string absolute_log(const std::string& setting) {
  const std::size_t colon = setting.find(':');
  return colon == std::string::npos ? setting : setting.substr(0, colon + 1) + absolute(setting.substr(colon + 1));
}

/// SKMD_PROFILE_DB: FILE, read:FILE or off.
std::string absolute_database(const std::string& setting) {
  constexpr std::string_view kRead = "read:";
  if (setting == "off") return setting;
  return setting.starts_with(kRead) ? "read:" + absolute(setting.substr(kRead.size())) : absolute(setting);
}

/// Number of leading arguments that are ours.
std::size_t own_arguments(const std::vector<std::string>& arguments, const CLI::App& app) {
  std::size_t i = 0;
  while (i < arguments.size() && arguments[i] != "--" && arguments[i].starts_with("-")) {
    const CLI::Option* option = app.get_option_no_throw(arguments[i]);
    i += option != nullptr && option->get_expected_min() > 0 ? 2 : 1;
  }
  return std::min(i, arguments.size());
}

}  // namespace

std::optional<EarlyEnd> parse_run_options(const std::vector<std::string>& arguments, RunOptions& options) {
  CLI::App app("Runs an application on all OpenCL devices of this machine, shown to it as one.", "skmd-run");
  app.footer("Everything after `--`, or from the first word that is no option, is the application and its arguments.");
  std::map<std::string, std::string> values;
  for (const Option& option : kOptions) app.add_option(option.name, values[option.variable], option.help);
  std::string log;
  bool verify = false, mixed = false;
  app.add_option("--log", log, "off, error, warn, info or debug, with an optional :file");
  app.add_flag("--verify", verify,
               "compare every slice with a whole run on the same device; exit status 1 on a difference");
  app.add_flag("--split-mixed", mixed, "also split kernels whose addresses depend on floats over unlike devices");

  const std::size_t own = own_arguments(arguments, app);
  std::vector<std::string> mine(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(own));
  std::reverse(mine.begin(), mine.end());  // as CLI11 takes a vector
  try {
    app.parse(mine);
  } catch (const CLI::CallForHelp&) {
    return EarlyEnd{0, app.help()};
  } catch (const CLI::ParseError& error) {
    return EarlyEnd{125, std::string("skmd-run: ") + error.what() + "\nTry skmd-run --help.\n"};
  }
  for (const Option& option : kOptions) {
    if (app.count(option.name) == 0) continue;
    options.variables[option.variable] = option.is_path ? absolute(values[option.variable]) : values[option.variable];
  }
  if (!log.empty()) options.variables["SKMD_LOG"] = absolute_log(log);
  if (!values["SKMD_PROFILE_DB"].empty())
    options.variables["SKMD_PROFILE_DB"] = absolute_database(values["SKMD_PROFILE_DB"]);
  if (verify) options.variables["SKMD_VERIFY"] = "1";
  if (mixed) options.variables["SKMD_SPLIT_MIXED"] = "1";

  const std::size_t first = own < arguments.size() && arguments[own] == "--" ? own + 1 : own;
  options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end());
  if (options.command.empty()) {
    return EarlyEnd{125, "skmd-run: no application is given\nUsage: skmd-run [options] -- application [arguments…]\n"};
  }
  return std::nullopt;
}

Vendors vendors_of(const Environment& environment) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const std::string setting = value(name);
    if (setting.empty()) continue;
    std::error_code error;
    if (fs::is_directory(setting, error)) return {absolute(setting), ""};
    // ocl-icd also takes one .icd file, or a library.
    if (!setting.ends_with(".icd")) return {"", setting};
    std::string line;
    std::ifstream file(setting);
    if (std::getline(file, line)) return {"", line};
  }
  return {"/etc/OpenCL/vendors", ""};
}

Environment application_environment(const Environment& outer, const RunOptions& options, const Icd& icd,
                                    const std::string& vendors_folder, const std::string& shared_folder) {
  Environment result = outer;
  for (const auto& [name, value] : options.variables) result[name] = value;
  if (result["SKMD_VENDORS"].empty()) result["SKMD_VENDORS"] = vendors_folder;
  for (const char* name : {"SKMD_STATS", "SKMD_TRACE"}) {
    if (const auto found = result.find(name); found != result.end()) found->second = absolute(found->second);
  }
  if (const auto found = result.find("SKMD_PROFILE_DB"); found != result.end() && !found->second.empty())
    found->second = absolute_database(found->second);
  result["SKMD_STATS_SHM"] = shared_folder;
  result["OCL_ICD_VENDORS"] = icd.folder;
  result["OPENCL_VENDOR_PATH"] = icd.folder;
  // For loaders like the one of CUDA's toolkit, which finds nothing in a folder whose name has no '/' at its end.
  // Khronos' loads a library once that is named twice; ocl-icd does not know this variable.
  result["OCL_ICD_FILENAMES"] = icd.library;
  return result;
}

}  // namespace skmd::profiler
