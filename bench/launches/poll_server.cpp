// SPDX-License-Identifier: Apache-2.0
// A persistent kernel: its one group polls a word in a buffer for requests, which the host writes through a second
// queue while it runs, and answers them. Only a driver that lets transfers in while a group runs can serve it: on
// others this program ends itself.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/start/process.h"
#include "bench/support/options.h"

namespace bench {
namespace {

constexpr int kTimedOut = 3;
/// Seconds that skmd-ctl may take. Source: chosen: far more than a stop, which it waits for.
constexpr double kAskSeconds = 60;
/// Times that it is asked where the kernel runs. Source: chosen: it is on a device most of the time.
constexpr int kAttempts = 100;

/// Requests and answers have their number first, from 1, so that 0 says that there is none yet.
constexpr const char* kSource = R"(
kernel void serve(global volatile uint* request, global volatile uint* answer, uint requests) {
  for (uint number = 1; number <= requests; ++number) {
    while (request[0] < number) {}
    answer[1] = request[1] * 2654435761u ^ number;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    answer[0] = number;
  }
}
)";

cl_uint answer_to(cl_uint value, cl_uint number) { return value * 2654435761u ^ number; }

struct Options {
  cl_uint requests = 1000, move_after = 0;
  std::string move_command, device;
  double timeout = 20;
  bool check = false;
};

/// What is printed, by either end of the program.
struct Progress {
  std::atomic<cl_uint> answered{0};
  std::atomic<bool> asked_to_move{false};

  nlohmann::ordered_json line(const Options& options) const {
    nlohmann::ordered_json line = {{"program", "poll_server"}, {"requests", options.requests}};
    line["answered"] = answered.load();
    if (options.move_after != 0) line["asked_to_move"] = asked_to_move.load();
    return line;
  }
};

/// Ends the process, however its other threads wait inside a driver, unless it is destroyed in time.
class Deadline {
 public:
  Deadline(const Options& options, const Progress& progress) : thread_([&] { wait(options, progress); }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  void wait(const Options& options, const Progress& progress) {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> limit(options.timeout);
    if (ended_.wait_for(lock, limit, [&] { return over_; })) return;
    nlohmann::ordered_json line = progress.line(options);
    line["timed_out"] = true;
    line["ok"] = false;
    std::cout << line.dump() << std::endl;
    std::cerr << "poll_server: no end after " << options.timeout << " seconds\n";
    // Exit handlers would wait for the kernel.
    ::_exit(kTimedOut);
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

class PollServer {
 public:
  PollServer(const Options& options, Progress& progress)
      : options_(options),
        progress_(progress),
        device_(options.device),
        request_(device_.buffer(CL_MEM_READ_WRITE, 2 * sizeof(cl_uint))),
        answer_(device_.buffer(CL_MEM_READ_WRITE, 2 * sizeof(cl_uint))),
        program_(device_.build(kSource)),
        kernel_(program_, "serve") {
    cl_int code = CL_SUCCESS;
    mail_ = Queue(clCreateCommandQueue(device_.context(), device_.id(), 0, &code));
    check_call(code, "clCreateCommandQueue");
  }

  Verdict run() {
    const cl_uint none[2] = {0, 0};
    write(request_, 0, 2, none);
    write(answer_, 0, 2, none);
    kernel_.set(request_, answer_, options_.requests);
    device_.launch(kernel_, range_1d(1, 1));
    check_call(clFlush(device_.queue()), "clFlush");
    Verdict verdict{options_.check ? "all" : "none", true, ""};
    for (cl_uint number = 1; number <= options_.requests; ++number) {
      const cl_uint value = number * 7919u, got = ask(number, value);
      if (options_.check && got != answer_to(value, number) && verdict.ok) {
        verdict.ok = false;
        verdict.detail = "request " + std::to_string(number) + " was answered by " + std::to_string(got);
      }
      progress_.answered = number;
      if (number == options_.move_after) ask_to_move();
    }
    check_call(clFinish(device_.queue()), "clFinish");
    return verdict;
  }

 private:
  void write(const Buffer& to, std::size_t first, std::size_t count, const cl_uint* words) const {
    check_call(clEnqueueWriteBuffer(mail_.get(), to.get(), CL_TRUE, first * sizeof(cl_uint), count * sizeof(cl_uint),
                                    words, 0, nullptr, nullptr),
               "clEnqueueWriteBuffer");
  }

  /// The number is written when the value is there.
  cl_uint ask(cl_uint number, cl_uint value) const {
    write(request_, 1, 1, &value);
    write(request_, 0, 1, &number);
    for (;;) {
      cl_uint got[2] = {};
      check_call(clEnqueueReadBuffer(mail_.get(), answer_.get(), CL_TRUE, 0, sizeof got, got, 0, nullptr, nullptr),
                 "clEnqueueReadBuffer");
      if (got[0] < number) continue;
      // A read may have taken the answer before its number: it is there now.
      check_call(clEnqueueReadBuffer(mail_.get(), answer_.get(), CL_TRUE, 0, sizeof got, got, 0, nullptr, nullptr),
                 "clEnqueueReadBuffer");
      return got[1];
    }
  }

  void ask_to_move() const {
    if (options_.move_command.empty()) {
      progress_.asked_to_move = move_elsewhere();
      return;
    }
    if (std::system(options_.move_command.c_str()) != 0) throw BadInput("--move-command failed");
    progress_.asked_to_move = true;
  }

  /// Has skmd-ctl move the kernel to a device on which it does not run. False: there is none.
  static bool move_elsewhere() {
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
    const auto ask = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {own / "bin" / "skmd-ctl", "--json", std::to_string(::getpid())});
      return answer_of(words, run_to_end(words, {}, kAskSeconds));
    };
    // Between two of the host's transfers the kernel is on no device for a moment.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const nlohmann::json status = ask({"status"});
      const nlohmann::json& devices = status.at("devices");
      for (const nlohmann::json& kernel : status.at("kernels")) {
        const auto groups = kernel.at("running_groups").get<std::vector<std::uint64_t>>();
        if (std::count(groups.begin(), groups.end(), 0) == static_cast<std::ptrdiff_t>(groups.size())) continue;
        for (std::size_t d = 0; d < groups.size(); ++d) {
          if (groups[d] != 0 || devices.at(d).at("state") != "open") continue;
          (void)ask({"move", kernel.at("name"), std::to_string(d)});
          return true;
        }
        return false;
      }
    }
    throw BadInput("the kernel was on no device");
  }

  const Options& options_;
  Progress& progress_;
  Device device_;
  Queue mail_;
  Buffer request_, answer_;
  Program program_;
  Kernel kernel_;
};

int run(const Options& options) {
  Progress progress;
  const Deadline deadline(options, progress);
  PollServer server(options, progress);
  const Verdict verdict = server.run();
  nlohmann::ordered_json line = progress.line(options);
  line["checked"] = verdict.kind;
  line["ok"] = verdict.ok;
  std::cout << line.dump() << std::endl;
  if (!verdict.ok) std::cerr << "poll_server: " << verdict.detail << '\n';
  return verdict.ok ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app(
      "A kernel that polls for requests, which the host writes while it runs; 3 if the driver does not let them in",
      "poll_server");
  bench::Options options;
  app.add_option("--requests", options.requests, "How many until the kernel ends")->check(CLI::Range(1, 1 << 30));
  app.add_option("--move-after", options.move_after, "After how many answers the kernel is to go on on another device")
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--move-command", options.move_command,
                 "What asks the driver for that, for the shell; default: skmd-ctl");
  app.add_option("--timeout", options.timeout, "Seconds after which the program ends itself")
      ->check(CLI::Range(0.01, 86400.0));
  bench::add_device_and_check(app, options.device, options.check);
  return bench::parse_and(app, argc, argv, [&] {
    // Read by SKMD when it is opened; other drivers know nothing of it.
    if (options.move_after != 0 && options.move_command.empty()) ::setenv("SKMD_CONTROL", "1", 0);
    return bench::run(options);
  });
}
