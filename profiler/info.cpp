// SPDX-License-Identifier: Apache-2.0
// skmd-info: the real devices, what is left out and why, the virtual device, and how kernels are classified; and, as
// `skmd-info explain`, what a statistics file or a program means.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "profiler/cached_kernels.h"
#include "profiler/driver.h"
#include "profiler/explain.h"
#include "profiler/info_text.h"
#include "profiler/profile_file.h"

int main(int argc, char** argv) {
  CLI::App app("Shows the devices that SKMD makes one of, and what it knows.", "skmd-info");
  bool as_json = false;
  app.add_flag("--json", as_json, "the same as one JSON document");
  std::string file;
  CLI::App* explain =
      app.add_subcommand("explain", "says in words what a statistics file (SKMD_STATS) or OpenCL C means");
  explain->add_option("FILE", file, "the file; build options of OpenCL C may follow")->required();
  explain->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (explain->parsed()) return skmd::profiler::explain(file, explain->remaining());
  const std::string driver = skmd::profiler::find_driver();
  if (driver.empty()) {
    std::fputs("skmd-info: libskmd.so is not in the lib folder beside this command's own\n", stderr);
    return 1;
  }
  std::string reason;
  auto document = skmd::profiler::describe(driver, reason);
  if (!document) {
    if (as_json) std::printf("%s\n", nlohmann::json{{"version", 1}, {"error", reason}}.dump(1).c_str());
    std::fprintf(stderr, "skmd-info: %s\n", reason.c_str());
    return 1;
  }
  // This process built nothing; what applications built is in the cache.
  (*document)["kernels"] = skmd::profiler::cached_kernels(skmd::profiler::cache_folder());
  (*document)["programs"] = skmd::profiler::cached_failures(skmd::profiler::cache_folder());
  (*document)["profile"] = skmd::profiler::profile_summary();
  std::fputs(as_json ? (document->dump(1) + "\n").c_str() : skmd::profiler::info_text(*document, driver).c_str(),
             stdout);
  return 0;
}
