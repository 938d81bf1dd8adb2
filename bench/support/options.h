// SPDX-License-Identifier: Apache-2.0
// Pieces of a workload's main() for programs with options of their own.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/support/runner.h"

namespace CLI {
class App;
}

namespace bench {

void add_common_options(CLI::App& app, CommonOptions& options);

/// The device that they name, with the kind of host memory that they name. Throws BadInput.
Device open_device(const CommonOptions& options);

/// Those of them that fit a program which runs once.
void add_device_and_check(CLI::App& app, std::string& device, bool& check);

/// Parses, then calls `body` guarded. Help: 0; bad options: a message on standard error and 2.
int parse_and(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// Adds seconds and verdict to `line`, prints it, and gives the exit status.
int finish(nlohmann::ordered_json line, const char* name, const Report& report);

}  // namespace bench
