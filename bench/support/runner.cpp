// SPDX-License-Identifier: Apache-2.0
#include "bench/support/runner.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/support/options.h"

namespace bench {

Report measure(Workload& workload, const CommonOptions& options) {
  Report report;
  for (int i = 0; i < options.repeat; ++i) {
    workload.prepare();
    const auto start = std::chrono::steady_clock::now();
    workload.run();
    report.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (options.check && report.verdict.ok) report.verdict = workload.check();
  }
  return report;
}

void serve(Workload& workload, Spent* spent, std::istream& requests, std::ostream& answers) {
  for (std::string request; std::getline(requests, request);) {
    nlohmann::ordered_json answer;
    if (request == "run") {
      if (spent != nullptr) spent->kernels = spent->processor = 0;
      answer["seconds"] = measure(workload, {}).seconds[0];
      if (spent != nullptr) answer.update({{"kernels", spent->kernels}, {"processor", spent->processor}});
    } else if (request == "check") {
      const Verdict verdict = workload.check();
      answer = {{"checked", verdict.kind}, {"ok", verdict.ok}, {"detail", verdict.detail}};
    } else if (request == "build" && spent != nullptr) {
      answer["build"] = spent->build;
    } else {
      throw BadInput("--serve: no such request: " + request);
    }
    answers << answer.dump() << std::endl;
  }
}

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--repeat", options.repeat, "How often to write, run and read")->check(CLI::Range(1, 1000000));
  app.add_option("--memory", options.memory,
                 "Where the application's arrays are: pageable memory (default), or pinned: mapped buffers made with "
                 "CL_MEM_ALLOC_HOST_PTR")
      ->check(CLI::IsMember({"pageable", "pinned"}));
  add_device_and_check(app, options.device, options.check);
}

Device open_device(const CommonOptions& options) {
  return Device(options.device, options.memory == "pinned" ? Memory::pinned : Memory::pageable);
}

void add_device_and_check(CLI::App& app, std::string& device, bool& check) {
  app.add_option("--device", device,
                 "platform:device, by parts of their names or the device's index on its platform; default: the first");
  app.add_flag("--check", check, "Compare every result with a reference computed on the host");
}

int finish(nlohmann::ordered_json line, const char* name, const Report& report) {
  line["seconds"] = report.seconds;
  line["checked"] = report.verdict.kind;
  line["ok"] = report.verdict.ok;
  std::cout << line.dump() << std::endl;
  if (!report.verdict.ok) std::cerr << name << ": wrong result: " << report.verdict.detail << '\n';
  return report.verdict.ok ? 0 : 1;
}

int parse_and(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return guarded(app.get_name().c_str(), body);
}

int guarded(const char* name, const std::function<int()>& body) {
  try {
    return body();
  } catch (const BadInput& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 1;
  }
}

int run_workload(int argc, char** argv, const char* name, const char* description, const Factory& factory) {
  CLI::App app(description, name);
  CommonOptions options;
  std::string size = "small";
  const std::vector<std::string> sizes = {"small", "profile1", "profile2", "paper"};
  app.add_option("--size", size, "small, profile1, profile2 or paper")->check(CLI::IsMember(sizes));
  bool serves = false, plain = false;
  CLI::Option* const serve_option =
      app.add_flag("--serve", serves, "Do what the lines of standard input say: run, check, build");
  app.add_flag("--plain", plain, "With --serve: no kernel is timed, which takes a queue with profiling")
      ->needs(serve_option);
  add_common_options(app, options);
  return parse_and(app, argc, argv, [&] {
    const auto index = std::find(sizes.begin(), sizes.end(), size) - sizes.begin();
    Device device = open_device(options);
    Spent spent;
    Spent* const account = serves && !plain ? &spent : nullptr;
    if (account != nullptr) device.account(account);
    const auto workload = factory(device, static_cast<Size>(index));
    if (serves) {
      serve(*workload, account, std::cin, std::cout);
      device.release_host_memory();
      return 0;
    }
    nlohmann::ordered_json line;
    line["workload"] = name;
    line["size"] = size;
    line["memory"] = options.memory;
    const Report report = measure(*workload, options);
    device.release_host_memory();
    return finish(line, name, report);
  });
}

}  // namespace bench
