// SPDX-License-Identifier: Apache-2.0
// Many programs of one small kernel: one for each type, address space and operation. Each is built; each, or every so
// many, runs once.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/support/options.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kItems = 16, kWidest = 16;

struct Type {
  const char* name;
  std::size_t bytes;
  bool is_float;
};
constexpr Type kTypes[] = {{"char", 1, false},   {"uchar", 1, false}, {"short", 2, false},
                           {"ushort", 2, false}, {"int", 4, false},   {"uint", 4, false},
                           {"long", 8, false},   {"ulong", 8, false}, {"float", 4, true}};
constexpr std::size_t kWidths[] = {1, 2, 4, 8, 16};
constexpr const char* kSpaces[] = {"__global", "__constant", "__local", "__private"};
constexpr const char* kOperations[] = {"+", "-", "*"};

/// Program `number`: all types, widths, address spaces and operations come up before the constant changes.
struct Tiny {
  explicit Tiny(std::size_t number) {
    const auto digit = [&number](std::size_t base) {
      const std::size_t result = number % base;
      number /= base;
      return result;
    };
    type = kTypes[digit(std::size(kTypes))];
    space = kSpaces[digit(std::size(kSpaces))];
    width = kWidths[digit(std::size(kWidths))];
    operation = kOperations[digit(std::size(kOperations))];
    constant = 3 + number % 90;
  }

  std::string source() const {
    const std::string vector = type.name + (width == 1 ? "" : std::to_string(width));
    const bool by_argument = space == std::string("__global") || space == std::string("__constant");
    std::string text = "__kernel void tiny(" + std::string(by_argument ? space : "__global") + " const " + vector +
                       "* in, __global " + vector + "* out) {\n  const int i = get_global_id(0);\n";
    std::string value = "in[i]";
    if (!by_argument) {
      text += "  " + (space == std::string("__local") ? "__local " : std::string()) + vector + " kept[" +
              std::to_string(kItems) + "];\n  kept[i] = in[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n";
      value = "kept[i]";
    }
    return text + "  out[i] = " + value + " " + operation + " (" + vector + ")(" + std::to_string(constant) + ");\n}\n";
  }

  /// The result for one number of `type.bytes` bytes. Integers, signed or not, wrap modulo their size.
  void expected(const unsigned char* in, unsigned char* out) const {
    if (type.is_float) {
      float value = 0;
      std::memcpy(&value, in, sizeof value);
      const auto other = static_cast<float>(constant);
      value = *operation == '+' ? value + other : *operation == '-' ? value - other : value * other;
      std::memcpy(out, &value, sizeof value);
      return;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, in, type.bytes);
    value = *operation == '+' ? value + constant : *operation == '-' ? value - constant : value * constant;
    std::memcpy(out, &value, type.bytes);
  }

  Type type{};
  const char* space = nullptr;
  std::size_t width = 1;
  const char* operation = nullptr;
  std::uint64_t constant = 0;
};

std::vector<unsigned char> input_of(const Tiny& tiny) {
  std::vector<unsigned char> result(kItems * tiny.width * tiny.type.bytes);
  for (std::size_t i = 0; i < kItems * tiny.width; ++i) {
    unsigned char* to = result.data() + i * tiny.type.bytes;
    const std::uint64_t whole = i * 7 + 1;
    const auto real = static_cast<float>(whole);
    if (tiny.type.is_float) {
      std::memcpy(to, &real, sizeof real);
    } else {
      std::memcpy(to, &whole, tiny.type.bytes);
    }
  }
  return result;
}

struct Options {
  std::size_t count = 1000, run_every = 1;
  std::string device;
  bool check = false;
};

class TinyBuilds {
 public:
  TinyBuilds(const Device& device, const Options& options)
      : device_(device),
        options_(options),
        in_(device.buffer(CL_MEM_READ_ONLY, kItems * kWidest * sizeof(cl_ulong))),
        out_(device.buffer(CL_MEM_WRITE_ONLY, kItems * kWidest * sizeof(cl_ulong))) {}

  Report run() {
    Report report;
    double seconds = 0;
    for (std::size_t number = 0; number < options_.count && report.verdict.ok; ++number) {
      const auto start = Clock::now();
      const Tiny tiny(number);
      const Program program = device_.build(tiny.source().c_str());
      Kernel kernel(program, "tiny");
      const auto built = Clock::now();
      build_seconds_ += std::chrono::duration<double>(built - start).count();
      const bool runs = number % options_.run_every == 0;
      if (runs) run_one(tiny, kernel);
      seconds += std::chrono::duration<double>(Clock::now() - start).count();
      if (runs && options_.check) report.verdict = check_one(tiny, number);
    }
    report.seconds = {seconds};
    return report;
  }

  double build_seconds() const { return build_seconds_; }

 private:
  void run_one(const Tiny& tiny, Kernel& kernel) {
    const std::vector<unsigned char> input = input_of(tiny);
    result_.assign(input.size(), 0xCD);
    device_.write(in_, input);
    kernel.set(in_, out_);
    device_.launch(kernel, range_1d(kItems, kItems));
    device_.read(out_, result_);
  }

  Verdict check_one(const Tiny& tiny, std::size_t number) const {
    const std::vector<unsigned char> input = input_of(tiny);
    std::vector<unsigned char> wanted(input.size());
    for (std::size_t at = 0; at < input.size(); at += tiny.type.bytes) tiny.expected(&input[at], &wanted[at]);
    Verdict verdict{"all", wanted == result_, ""};
    if (!verdict.ok) verdict.detail = "program " + std::to_string(number) + ":\n" + tiny.source();
    return verdict;
  }

  const Device& device_;
  Options options_;
  Buffer in_, out_;
  std::vector<unsigned char> result_;
  double build_seconds_ = 0;
};

int run(const Options& options) {
  const Device device(options.device);
  TinyBuilds builds(device, options);
  const Report report = builds.run();
  nlohmann::ordered_json line = {{"workload", "start_tiny_builds"}, {"size", options.count}};
  line["run_every"] = options.run_every;
  line["build_seconds"] = builds.build_seconds();
  return finish(line, "start_tiny_builds", report);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Builds many programs of one small kernel", "start_tiny_builds");
  bench::Options options;
  app.add_option("--count", options.count, "How many programs")->check(CLI::Range(1, 1000000));
  app.add_option("--run-every", options.run_every, "Runs the first of every so many; default: each")
      ->check(CLI::Range(1, 1000000));
  bench::add_device_and_check(app, options.device, options.check);
  return bench::parse_and(app, argc, argv, [&] { return bench::run(options); });
}
