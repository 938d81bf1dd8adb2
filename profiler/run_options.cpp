// SPDX-License-Identifier: Apache-2.0
#include "profiler/run_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiler/settings/host_list.h"
#include "profiler/settings/variables.h"

namespace skmd::profiler {

namespace {

namespace fs = std::filesystem;
using settings::Kind;
using settings::Variable;

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

/// What an option sets its variable to: file names absolute, flags 1.
std::string value_of(const Variable& variable, const std::string& given) {
  switch (variable.kind) {
    case Kind::flag:
      return "1";
    case Kind::path:
      return absolute(given);
    case Kind::log:
      return absolute_log(given);
    case Kind::database:
      return given.empty() ? given : absolute_database(given);
    case Kind::text:
      break;
  }
  return given;
}

/// What the command line says of one variable.
struct Given {
  std::string text;
  bool flag = false;
};
using GivenByName = std::map<std::string, Given>;

/// An option for each variable that has one.
void add_options(CLI::App& app, GivenByName& given) {
  for (const Variable& variable : settings::kVariables) {
    if (*variable.option == 0) continue;
    Given& entry = given[variable.name];
    if (variable.kind == Kind::flag)
      app.add_flag(variable.option, entry.flag, variable.help);
    else
      app.add_option(variable.option, entry.text, variable.help);
  }
}

/// The options that were given, as variables. A flag that is off and a log without a level leave the environment's.
Environment variables_of(const CLI::App& app, const GivenByName& given) {
  Environment result;
  for (const Variable& variable : settings::kVariables) {
    if (*variable.option == 0 || app.count(variable.option) == 0) continue;
    const Given& entry = given.at(variable.name);
    if (variable.kind == Kind::flag && !entry.flag) continue;
    if (variable.kind == Kind::log && entry.text.empty()) continue;
    result[variable.name] = value_of(variable, entry.text);
  }
  return result;
}

/// The hosts in a file.
domain::Result<std::string> read_hosts(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) return domain::Error{0, "--hosts: '@" + file + "' cannot be read"};
  return settings::hosts_of_file(file, text.str());
}

/// Puts a file's hosts in its place in --hosts, and checks the list, so that a wrong one is an error before the
/// application starts.
domain::Status expand_hosts(Environment& variables) {
  const auto found = variables.find(settings::kHosts.name);
  if (found == variables.end()) return {};
  if (found->second.starts_with("@")) {
    auto listed = read_hosts(found->second.substr(1));
    if (!listed) return listed.error();
    found->second = std::move(*listed);
  }
  if (const auto hosts = settings::parse_hosts(settings::kHosts.option, found->second); !hosts) return hosts.error();
  return {};
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
  GivenByName given;
  add_options(app, given);

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
  options.variables = variables_of(app, given);
  if (const auto expanded = expand_hosts(options.variables); !expanded)
    return EarlyEnd{125, "skmd-run: " + expanded.error().reason + "\n"};

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

void show_drivers(Environment& environment, const Icd& icd) {
  environment["OCL_ICD_VENDORS"] = icd.folder;
  environment["OPENCL_VENDOR_PATH"] = icd.folder;
  // For loaders like the one of CUDA's toolkit, which finds nothing in a folder whose name has no '/' at its end.
  // Khronos' loads a library once that is named twice; ocl-icd does not know this variable.
  environment["OCL_ICD_FILENAMES"] = icd.library;
}

Environment application_environment(const Environment& outer, const RunOptions& options, const Icd& icd,
                                    const std::string& vendors_folder, const std::string& shared_folder) {
  Environment result = outer;
  for (const auto& [name, value] : options.variables) result[name] = value;
  std::string& vendors = result[settings::kVendors.name];
  if (vendors.empty()) vendors = vendors_folder;
  for (const Variable& variable : {settings::kStats, settings::kTrace}) {
    if (const auto found = result.find(variable.name); found != result.end()) found->second = absolute(found->second);
  }
  if (const auto found = result.find(settings::kProfileDb.name); found != result.end() && !found->second.empty())
    found->second = absolute_database(found->second);
  result[settings::kStatsShm.name] = shared_folder;
  show_drivers(result, icd);
  return result;
}

}  // namespace skmd::profiler
