// SPDX-License-Identifier: Apache-2.0
#include "bench/launches/preempt_file.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>

#include "bench/cpu/child.h"
#include "bench/start/process.h"
#include "bench/start/sides.h"

namespace bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Variables = std::map<std::string, std::string>;

constexpr double kLimit = 600;  // seconds that a process may take
constexpr int kRefused = 1;     // status of skmd-resume

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Files {
 public:
  Files(const PreemptPlace& place, const FileOptions& options)
      : options_(options),
        side_(with_cache(skmd_cpu(folder_.path(), place.library), folder_.path())),
        commands_(fs::path(place.library).parent_path().parent_path() / "bin"),
        child_({place.program, "held", "--device", side_.selector, "--long-seconds",
                std::to_string(options.long_seconds), "--mib", std::to_string(options.mib)},
               variables("best:1")) {}

  [[nodiscard]] std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

  /// The launch without a stop.
  void run_whole() {
    child_.ask("begin");
    child_.ask("end " + file("whole"));
  }
  /// The launch again, with a checkpoint in the middle. What skmd-ctl says.
  json run_stopped() {
    child_.ask("begin");
    std::this_thread::sleep_for(std::chrono::duration<double>(options_.long_seconds / 3));
    const std::string process = fs::directory_iterator(file("sockets"))->path().filename();
    const std::vector<std::string> command = {
        commands_ / "skmd-ctl", "--json", "--folder", file("sockets"), process, "checkpoint", file("launch")};
    json answer = answer_of(command, run_to_end(command, {}, kLimit));
    child_.ask("end " + file("stopped"));
    return answer;
  }
  [[nodiscard]] Ended resume() const {
    return run_to_end({commands_ / "skmd-resume", file("launch"), "--out", file("out"), "--json"}, variables("sse:1"),
                      kLimit);
  }
  [[nodiscard]] json resume_well() const { return answer_of({commands_ / "skmd-resume"}, resume()); }

  /// Of so many lengths of the file, at how many it is refused.
  [[nodiscard]] int refused() const {
    std::mt19937_64 random(1);
    std::vector<std::uintmax_t> lengths(static_cast<std::size_t>(options_.cut_off));
    const std::uintmax_t whole = fs::file_size(file("launch"));
    for (auto& length : lengths) length = random() % whole;
    std::sort(lengths.rbegin(), lengths.rend());
    int count = 0;
    for (const std::uintmax_t length : lengths) {
      fs::resize_file(file("launch"), length);
      count += resume().status == kRefused ? 1 : 0;
    }
    return count;
  }

 private:
  [[nodiscard]] Variables variables(const std::string& processors) const {
    Variables all = side_.variables;
    all["SKMD_TEST_CPUS"] = processors;
    all["SKMD_PREEMPT"] = "item";
    all["SKMD_CONTROL"] = file("sockets");
    return all;
  }

  const FileOptions options_;
  TemporaryFolder folder_;
  StartSide side_;
  fs::path commands_;
  Child child_;
};

}  // namespace

nlohmann::ordered_json measure_file(const PreemptPlace& place, const FileOptions& options) {
  if (!fs::exists(place.library)) throw std::runtime_error("there is no " + place.library);
  Files files(place, options);
  files.run_whole();
  const json written = files.run_stopped();
  const json resumed = files.resume_well();
  const std::string whole = read_file(files.file("whole"));
  const bool equal = !whole.empty() && whole == read_file(files.file("stopped")) &&
                     whole == read_file(files.file("out") + "/arg0.bin");
  return {{"equal", equal},
          {"in_kernel", resumed.at("stopped_inside").get<std::uint64_t>() > 0},
          {"bytes", written.at("bytes")},
          {"seconds", written.at("seconds")},
          {"refused", files.refused()}};
}

}  // namespace bench
