// SPDX-License-Identifier: Apache-2.0
// skmd-run: an application under SKMD, without installing anything. It sees the SKMD platform and no other; its exit
// status is this command's. Statistics are written here, after the application's end, whatever end that was.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/child.h"
#include "profiler/driver.h"
#include "profiler/run_options.h"
#include "profiler/stats_documents.h"

namespace {

namespace fs = std::filesystem;
using namespace skmd::profiler;

constexpr int kOwnFailure = 125;  // as timeout, env and nohup have it

void complain(const std::string& text) { std::fprintf(stderr, "skmd-run: %s\n", text.c_str()); }

Environment current_environment() {
  Environment result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

void adopt(const Environment& environment) {
  clearenv();
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
}

/// Folders that live as long as the application: loader's folder, vendors' folder where one is needed, counters.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "skmd-run-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  [[nodiscard]] bool exists() const { return !path_.empty(); }
  [[nodiscard]] std::string folder(const char* name) const {
    fs::create_directories(fs::path(path_) / name);
    return (fs::path(path_) / name).string();
  }
  /// A folder with one .icd file that names `library`.
  [[nodiscard]] std::string icd_folder(const char* name, const std::string& library) const {
    const std::string made = folder(name);
    std::ofstream(made + "/skmd.icd") << library << '\n';
    return made;
  }

 private:
  std::string path_;
};

bool write_text(const std::string& path, const nlohmann::ordered_json& document) {
  std::ofstream file(path, std::ios::trunc);
  file << document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  file.close();
  if (!file) complain("cannot write '" + path + "'");
  return static_cast<bool>(file);
}

std::string replaced(std::string path, long process) {
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(process));
  }
  return path;
}

bool write_stats(const std::string& path, const std::vector<ProcessStats>& processes) {
  if (path.find("%p") == std::string::npos) return write_text(path, add_up(processes));
  bool ok = true;
  for (const ProcessStats& process : processes)
    ok = write_text(replaced(path, process.process), process.document) && ok;
  return ok;
}

/// After the application's end. Its status is kept unless --verify or a file of ours failed.
int finish(const Environment& environment, const std::string& shared_folder, int status) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  const bool verify = value("SKMD_VERIFY") == "1";
  const std::string stats_path = value("SKMD_STATS");
  const std::vector<ProcessStats> processes = read_folder(shared_folder);
  if (processes.empty()) {
    if (verify || !stats_path.empty()) complain("the application did not use OpenCL: nothing to verify or to count");
    return status;
  }
  if (!stats_path.empty() && !write_stats(stats_path, processes) && status == 0) status = kOwnFailure;
  if (!verify) return status;
  const nlohmann::ordered_json counts = add_up(processes)["verify"];
  if (counts.value("mismatches", 0ull) == 0) return status;
  complain("verify: " + counts["mismatches"].dump() + " results differ in " + counts["launches"].dump() + " launches");
  return 1;
}

/// Bundles bring libraries that a system may lack, OpenCL's loader first of all. The system's own go first.
void offer_fallback_libraries(const std::string& driver) {
  const fs::path folder = fs::path(driver).parent_path() / "fallback";
  if (!fs::is_directory(folder)) return;
  if (void* loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    dlclose(loader);
    return;
  }
  const char* before = getenv("LD_LIBRARY_PATH");
  const std::string path = (before != nullptr && *before != 0 ? before + std::string(":") : "") + folder.string();
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
}

int run(const RunOptions& options) {
  const std::string driver = find_driver();
  if (driver.empty()) {
    complain("libskmd.so is not in the lib folder beside this command's own");
    return kOwnFailure;
  }
  const PrivateFolder folders;
  if (!folders.exists()) {
    complain("cannot make a folder in " + fs::temp_directory_path().string());
    return kOwnFailure;
  }
  const Environment outer = current_environment();
  Vendors vendors = vendors_of(outer);
  if (vendors.folder.empty()) vendors.folder = folders.icd_folder("vendors", vendors.icd_line);
  const std::string shared = folders.folder("counters");
  const Environment environment =
      application_environment(outer, options, {folders.icd_folder("icd", driver), driver}, vendors.folder, shared);
  adopt(environment);

  // An application whose platform is missing says so in many ways, seldom why: settings are tried first.
  if (environment.contains("SKMD_DEVICES") || environment.contains("SKMD_PARTITION") ||
      environment.contains("SKMD_DEVICE_TYPE") || options.variables.contains("SKMD_VENDORS")) {
    if (const std::string error = platform_error(driver); !error.empty()) {
      complain(error);
      return kOwnFailure;
    }
  }
  offer_fallback_libraries(driver);
  const ChildResult child = run_child(options.command);
  if (!child.failure.empty()) {
    complain("cannot run '" + options.command.front() + "': " + child.failure);
    return child.status;
  }
  return finish(environment, shared, child.status);
}

}  // namespace

int main(int argc, char** argv) {
  RunOptions options;
  if (const auto end = parse_run_options({argv + 1, argv + argc}, options)) {
    std::fputs(end->text.c_str(), end->status == 0 ? stdout : stderr);
    return end->status;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    complain(error.what());
    return kOwnFailure;
  }
}
