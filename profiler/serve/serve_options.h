// SPDX-License-Identifier: Apache-2.0
// skmd-serve's command line. Values in, values out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/run_options.h"
#include "profiler/serve/listen_address.h"

namespace skmd::profiler {

struct ServeOptions {
  ListenAddress address;
  std::string devices;  // "": as SKMD chooses
  bool each = false;    // the real devices, not SKMD's
  bool until_eof = false;
};

/// What parse leaves to do instead of serving, if anything.
std::optional<EarlyEnd> parse_serve_options(const std::vector<std::string>& arguments, ServeOptions& options);

/// The daemon's environment: `outer` with `options`' devices, without what would make the daemon's SKMD a client of
/// other hosts, with show_drivers(drivers). `vendors_folder`: of the real drivers.
Environment daemon_environment(const Environment& outer, const ServeOptions& options, const Icd& drivers,
                               const std::string& vendors_folder);

/// Whether a line of an .icd file names a driver that skmd-serve --each leaves out: SKMD itself, and PoCL's remote
/// client, by which a host would serve other hosts' devices.
bool is_left_out(const std::string& icd_line);

}  // namespace skmd::profiler
