// SPDX-License-Identifier: Apache-2.0
// Finding and loading the SKMD driver from a command of ours, as any OpenCL client could.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace skmd::profiler {

class HeldSignals;

/// ../lib/libskmd.so beside the folder of the running executable: true for a build tree and for an installed bundle.
/// Empty if it is not there.
std::string find_driver();

/// Loads the driver into this process and asks clSkmdDescribe. `reason` is set when there is no answer, to the driver's
/// log message if there is one. Sets SKMD_LOG in this process, if it is not set, to get it.
std::optional<nlohmann::json> describe(const std::string& driver, std::string& reason);

/// Likewise clSkmdCalibrate, which measures for about `seconds`. `progress` is told the part that is done, 0 to 1, and
/// what comes next.
std::optional<nlohmann::json> calibrate(const std::string& driver, double seconds,
                                        const std::function<void(double part, const std::string& what)>& progress,
                                        std::string& reason);

/// The reason for which the driver offers no platform under the present environment, empty if it does. Asked in a
/// child, so that neither vendors' threads nor a vendor's crash stay with the caller. A signal that `held` holds
/// back meanwhile ends the child, and is the reason; the child holds none back.
std::string platform_error(const std::string& driver, const HeldSignals* held = nullptr);

}  // namespace skmd::profiler
