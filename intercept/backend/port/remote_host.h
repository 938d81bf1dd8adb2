// SPDX-License-Identifier: Apache-2.0
// Another machine whose devices were asked for.
#pragma once

#include <cstdint>
#include <string>

namespace skmd::icd {

struct RemoteHost {
  std::string address;        // as SKMD_HOSTS names it
  std::string away = {};      // why its devices cannot be had; "": they can
  std::uint32_t devices = 0;  // that it offers
};

}  // namespace skmd::icd
