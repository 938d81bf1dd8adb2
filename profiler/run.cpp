// SPDX-License-Identifier: Apache-2.0
// skmd-run: an application under SKMD, without installing anything. It sees the SKMD platform and no other; its exit
// status is this command's. Statistics are written here, after the application has ended, also by a signal.
#include <cstdio>
#include <fstream>
#include <functional>

#include "compiler/client/cache_folder.h"
#include "profiler/application.h"
#include "profiler/database/profile_place.h"
#include "profiler/database/take_in.h"
#include "profiler/held_signals.h"
#include "profiler/run_options.h"
#include "profiler/settings/variables.h"
#include "profiler/stats_documents.h"

namespace {

using namespace skmd::profiler;
using ValueOf = std::function<std::string(const char*)>;
namespace settings = skmd::settings;

void complain(const std::string& text) { std::fprintf(stderr, "skmd-run: %s\n", text.c_str()); }

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

/// What the application's processes measured goes to the profile database. A database that cannot be had is no failure
/// of the application: what was measured waits beside it.
void keep_samples(const ValueOf& value) {
  const ProfilePlace place = profile_place(value(settings::kProfileDb.name), skmd::compiler::cache_folder(value));
  if (place.file.empty() || place.read_only || !has_journals(place.file)) return;
  const auto taken = take_in_journals(place.file);
  if (taken && !taken->notice.empty()) complain(taken->notice);
  if (!taken && place.named) complain("what was measured is not in the profile database yet: " + taken.error().reason);
}

/// After the application's end. Its status is kept unless --verify or a file of ours failed.
int finish(const Environment& environment, const std::string& shared_folder, int status) {
  const ValueOf value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  keep_samples(value);
  const bool verify = value(settings::kVerify.name) == "1";
  const std::string stats_path = value(settings::kStats.name);
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

int run(const RunOptions& options) {
  const HeldSignals signals;  // until `folders` is removed
  const PrivateFolder folders;
  const ApplicationEnd end = run_application(options, folders, signals);
  if (!end.failure.empty()) {
    complain(end.failure);
    return end.status;
  }
  return finish(end.environment, end.counters, end.status);
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
