// SPDX-License-Identifier: Apache-2.0
// Which driver a process gets: the loader finds one library, as if no other were installed.
#pragma once

#include <map>
#include <string>

namespace bench {

struct StartSide {
  std::map<std::string, std::string> variables;
  std::string selector;  // of the programs' --device, which fail where the driver is another
};

/// The same with compiled programs kept under `folder`.
StartSide with_cache(StartSide side, const std::string& folder);

/// PoCL's thread device. `folder` is for what is written for the loader. Throws std::runtime_error if PoCL is not
/// installed.
StartSide pocl_alone(const std::string& folder);

/// The driver `library` over SKMD's CPU driver.
StartSide skmd_cpu(const std::string& folder, const std::string& library);

/// The driver `library` over two devices of PoCL.
StartSide skmd_two_pocl(const std::string& folder, const std::string& library);

}  // namespace bench
