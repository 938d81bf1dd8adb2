// SPDX-License-Identifier: Apache-2.0
#include "bench/start/first_run.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "bench/support/options.h"

namespace bench {

int run_first(int argc, char** argv, const char* name, const char* description, const FirstFactory& factory) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  CLI::App app(description, name);
  std::string size = "small", selector;
  bool check = false;
  app.add_option("--size", size, "small or paper")->check(CLI::IsMember({"small", "paper"}));
  add_device_and_check(app, selector, check);
  return parse_and(app, argc, argv, [&] {
    const Device device(selector);
    const auto program = factory(device, size == "small" ? FirstSize::small : FirstSize::paper);
    const auto start = Clock::now();
    program->build();
    const auto built = Clock::now();
    program->run();
    Report report;
    report.seconds = {Seconds(Clock::now() - start).count()};
    if (check) report.verdict = program->check();
    nlohmann::ordered_json line = {{"workload", name}, {"size", size}};
    line["build_seconds"] = Seconds(built - start).count();
    return finish(line, name, report);
  });
}

}  // namespace bench
