// SPDX-License-Identifier: Apache-2.0
// The shape of simulations and solvers: buffers are written once, many launches follow, the host reads once at the end.
#include "bench/workloads/iterate.h"

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/support/options.h"

namespace bench {
namespace {

using Maker = std::unique_ptr<Workload> (*)(const Device&, std::size_t size, int steps);

int run(int argc, char** argv) {
  const std::map<std::string, Maker> makers = {
      {"axpy", make_axpy}, {"stencil3d", make_stencil3d}, {"nbody", make_iterated_nbody}};
  CLI::App app("Launches one kernel many times on buffers that stay on the device", "iterate");
  CommonOptions options;
  std::string kernel = "axpy";
  std::size_t size = 0;
  int steps = 100;
  app.add_option("--kernel", kernel, "axpy, stencil3d or nbody")->check(CLI::IsMember(&makers));
  app.add_option(
      "--size", size,
      "axpy: numbers, a multiple of 256 (default 1048576); stencil3d: points along an edge, a multiple of 16 "
      "(64); nbody: bodies, a multiple of 256 (2048)");
  app.add_option("--steps", steps, "Launches (default 100)")->check(CLI::Range(1, 1000000));
  add_common_options(app, options);
  return parse_and(app, argc, argv, [&] {
    const std::map<std::string, std::size_t> defaults = {{"axpy", 1 << 20}, {"stencil3d", 64}, {"nbody", 2048}};
    if (app.count("--size") == 0) size = defaults.at(kernel);
    const Device device = open_device(options);
    const auto workload = makers.at(kernel)(device, size, steps);
    nlohmann::ordered_json line;
    line["workload"] = "iterate";
    line["kernel"] = kernel;
    line["size"] = std::to_string(size);
    line["steps"] = steps;
    line["memory"] = options.memory;
    const Report report = measure(*workload, options);
    device.release_host_memory();
    return finish(line, "iterate", report);
  });
}

}  // namespace

void require_multiple(std::size_t size, std::size_t unit, std::size_t limit) {
  if (size == 0 || size % unit != 0 || size > limit) {
    throw BadInput("--size " + std::to_string(size) + ": expected a multiple of " + std::to_string(unit) + " up to " +
                   std::to_string(limit));
  }
}

}  // namespace bench

int main(int argc, char** argv) { return bench::run(argc, argv); }
