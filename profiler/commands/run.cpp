// SPDX-License-Identifier: Apache-2.0
// skmd-profile run: an application in profiling mode. The driver does the work, in the application's process
// (intercept/launch/profiling_mode.h); here it is asked for, and told about.
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"
#include "partitioner/model/profile_spans.h"
#include "profiler/application.h"
#include "profiler/commands/command.h"
#include "profiler/commands/progress.h"
#include "profiler/database/output_file.h"
#include "profiler/held_signals.h"
#include "profiler/run_report/run_counters.h"
#include "profiler/settings/variables.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string devices, tag = "run", spans = "paper", report;
  unsigned repeat = 0;  // 0: by the length of each span
  bool warm = false;
  std::vector<std::string> command;
};

/// Shows what the driver counts until it is destroyed.
class Watcher {
 public:
  Watcher(bool wanted, const std::string& folder) {
    if (!wanted) return;
    // Signals are for the thread that waits for the application and passes them on.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this, folder] { watch(folder); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Watcher() {
    {
      const MutexGuard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void watch(const std::string& folder) {
    Progress progress(true);
    PlannedWork work;
    const auto begin = std::chrono::steady_clock::now();
    MutexLock lock(mutex_);
    const auto ended = [this]() SKMD_REQUIRES(mutex_) { return ended_; };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200), ended)) {
      const RunProgress now = read_progress(folder);
      if (now.planned <= 0.0) continue;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const auto left = work.left(now.planned, now.done, now.launch, seconds);
      progress.show(now.done / now.planned, now.kernel.empty() ? "the application" : now.kernel,
                    left.value_or(Progress::kNotKnown));
    }
  }

  Mutex mutex_{LockRank::profile_watcher};
  Condition changed_;
  bool ended_ SKMD_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

json report_of(const Options& options, const std::vector<KernelCounts>& counts, int status, double seconds) {
  json kernels = json::array();
  for (const KernelCounts& kernel : counts)
    kernels.push_back({{"name", kernel.name},
                       {"program", kernel.program},
                       {"launches", kernel.launches},
                       {"profiled", kernel.profiled},
                       {"samples", kernel.samples},
                       {"left_out", kernel.left_out}});
  return {{"version", 1}, {"tag", options.tag}, {"status", status}, {"seconds", seconds}, {"kernels", kernels}};
}

void summarise(const fs::path& database, const std::vector<KernelCounts>& counts) {
  std::uint64_t samples = 0;
  for (const KernelCounts& kernel : counts) {
    for (const std::uint64_t count : kernel.samples) samples += count;
    for (const auto& [reason, launches] : kernel.left_out)
      if (kernel.profiled == 0)
        std::fprintf(stderr, "skmd-profile: %s: %llu launches left out: %s\n", kernel.name.c_str(),
                     static_cast<unsigned long long>(launches), reason.c_str());
  }
  if (counts.empty())
    std::fprintf(stderr, "skmd-profile: the application launched no kernel: nothing was profiled\n");
  else
    std::fprintf(stderr, "skmd-profile: %zu kernels, %llu samples in %s\n", counts.size(),
                 static_cast<unsigned long long>(samples), database.c_str());
}

RunOptions run_options(const Options& options, const fs::path& database, const std::string& counts) {
  RunOptions run;
  run.variables = {{settings::kProfileDb.name, database.string()},
                   {settings::kProfileTag.name, options.tag},
                   {settings::kProfileSpans.name, options.spans},
                   {settings::kProfileRepeat.name, options.repeat == 0 ? "" : std::to_string(options.repeat)},
                   {settings::kProfileWarm.name, options.warm ? "1" : "0"},
                   {settings::kProfileCounts.name, counts}};
  if (!options.devices.empty()) run.variables[settings::kDevices.name] = options.devices;
  run.command = options.command;
  return run;
}

int refuse(const ProfileOptions& general, const std::string& reason, int status) {
  fail(general, reason);
  return status;
}

int run(const ProfileOptions& general, const Options& options) {
  const auto path = database_path(general);
  if (!path) return refuse(general, path.error().reason, kOwnFailure);
  std::error_code error;
  const fs::path database = fs::absolute(*path, error);
  if (const auto plan = domain::parse_span_plan(options.spans); !plan)
    return refuse(general, plan.error().reason, kBadUsage);
  // A database that cannot be written is told before the application runs, not after.
  if (const auto opened = open_database(general, ProfileDatabase::Mode::create); !opened)
    return refuse(general, opened.error().reason, kOwnFailure);

  const HeldSignals signals;  // until `folders` is removed
  const PrivateFolder folders;
  if (!folders.exists()) return refuse(general, "cannot make a temporary folder", kOwnFailure);
  const std::string counted = folders.folder("profiled");
  const auto begin = std::chrono::steady_clock::now();
  ApplicationEnd end;
  {
    const Watcher watcher(!general.no_progress, counted);
    end = run_application(run_options(options, database, counted), folders, signals);
  }
  if (!end.failure.empty()) return refuse(general, end.failure, end.status);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::vector<KernelCounts> counts = read_counts(counted);
  int status = end.status;
  // Takes in what the application's processes measured.
  if (const auto opened = open_database(general, ProfileDatabase::Mode::create); !opened) {
    fail(general, opened.error().reason);
    if (status == 0) status = kOwnFailure;
  }
  const json report = report_of(options, counts, end.status, seconds);
  if (!options.report.empty()) {
    const std::string text = report.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
    if (const auto written = write_output(options.report, text); !written) {
      fail(general, written.error().reason);
      if (status == 0) status = kOwnFailure;
    }
  }
  if (general.as_json)
    print(report);
  else
    summarise(database, counts);
  return status;
}

}  // namespace

std::function<int()> make_run(CLI::App& app, const ProfileOptions& general) {
  app.description("runs an application and times each new launch on every device");
  const auto options = std::make_shared<Options>();
  app.add_option("--devices", options->devices, "what the virtual device is made of, as of skmd-run");
  app.add_option("--tag", options->tag, "word that marks the samples; default: run");
  app.add_option("--spans", options->spans, "paper, or random:N for N spans of random lengths; default: paper");
  app.add_option(
         "--repeat", options->repeat,
         "times that each span is run, of which the median is kept; default: 5, from 1 ms on 3, from 20 ms on 1")
      ->check(CLI::Range(1u, 1000u));
  app.add_flag("--warm", options->warm, "caches are not emptied before each span");
  app.add_option("--report", options->report, "write what was profiled and what was not to this file, as JSON");
  app.add_option("APPLICATION", options->command, "after --: the application and its arguments")->required();
  return [&general, options] { return run(general, *options); };
}

}  // namespace skmd::profiler
