// SPDX-License-Identifier: Apache-2.0
// Another machine that is asked for.
#pragma once

#include <string>

namespace skmd::icd {

struct HostServer {
  std::string name;    // as the user wrote it
  std::string server;  // what the engine connects to, HOST:PORT or unix:FOLDER; "": skmd-run could not reach the host
};

}  // namespace skmd::icd
