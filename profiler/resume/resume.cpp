// SPDX-License-Identifier: Apache-2.0
// skmd-resume: completes a kernel launch that another process began and that was written to a file.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiler/checkpoint/launch_file.h"
#include "profiler/driver.h"
#include "profiler/loaded_driver.h"
#include "profiler/resume/resume_options.h"
#include "profiler/resume/resumed_launch.h"

namespace {

using namespace skmd::profiler;
using skmd::checkpoint::LaunchCheckpoint;

int refused(const ResumeOptions& options, const std::string& reason) {
  const nlohmann::json answer = {{"ok", false}, {"reason", reason}};
  if (options.as_json)
    std::printf("%s\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fprintf(stderr, "skmd-resume: %s\n", reason.c_str());
  return kResumeFailed;
}

/// Groups that were stopped inside.
std::uint64_t groups_inside(const LaunchCheckpoint& launch) {
  std::uint64_t groups = 0;
  for (const auto& rest : launch.rest.spans)
    for (const auto& saved : rest.saved) groups += saved.words.empty() ? 0 : 1;
  return groups;
}

std::uint64_t groups_left(const LaunchCheckpoint& launch) {
  std::uint64_t groups = 0;
  for (const auto& rest : launch.rest.spans) groups += rest.span.size();
  return groups;
}

void print(const ResumeOptions& options, const LaunchCheckpoint& launch,
           const std::vector<ResumedLaunch::Written>& buffers) {
  if (!options.as_json) {
    for (const auto& buffer : buffers)
      std::printf("argument %zu of %s: %llu bytes in %s\n", buffer.argument, launch.kernel.c_str(),
                  static_cast<unsigned long long>(buffer.bytes), buffer.file.c_str());
    return;
  }
  nlohmann::ordered_json answer = {{"ok", true}, {"kernel", launch.kernel}, {"groups", groups_left(launch)}};
  answer["stopped_inside"] = groups_inside(launch);
  answer["buffers"] = nlohmann::ordered_json::array();
  for (const auto& buffer : buffers)
    answer["buffers"].push_back({{"argument", buffer.argument}, {"bytes", buffer.bytes}, {"file", buffer.file}});
  std::printf("%s\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int resume(const ResumeOptions& options) {
  auto file = skmd::checkpoint::LaunchFile::open(options.file);
  if (!file) return refused(options, file.error().reason);
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) return refused(options, options.folder + ": cannot be made: " + error.message());
  const std::string driver = find_driver();
  if (driver.empty()) return refused(options, "libskmd.so is not in the lib folder beside this command's own");
  const ErrorLog log;
  std::string reason;
  const auto loaded = load_driver(driver, log, reason);
  if (!loaded) return refused(options, reason);
  const auto failed = [&](const skmd::domain::Error& why) {
    const std::string logged = log.text();
    return refused(options, why.reason + (logged.empty() ? "" : ": " + logged));
  };
  ResumedLaunch launch(*loaded);
  if (const auto status = launch.load(*file); !status) return failed(status.error());
  if (const auto status = launch.run(file->launch()); !status) return failed(status.error());
  const auto written = launch.write(file->launch(), options.folder);
  if (!written) return failed(written.error());
  print(options, file->launch(), *written);
  return kResumeDone;
}

}  // namespace

int main(int argc, char** argv) {
  ResumeOptions options;
  try {
    if (const auto end = parse_resume_options({argv + 1, argv + argc}, options)) {
      std::fputs(end->text.c_str(), end->status == 0 ? stdout : stderr);
      return end->status;
    }
    return resume(options);
  } catch (const std::exception& error) {
    return refused(options, error.what());
  }
}
