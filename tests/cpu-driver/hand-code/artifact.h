// SPDX-License-Identifier: Apache-2.0
// hand_code.cpp as an artifact.
#pragma once

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "cpu-driver/span_code.h"

namespace skmd::cpu::test {

/// SKMD_TEST_HAND_CODE names the shared object.
inline std::string hand_code(SpanTarget target = SpanTarget::x86_64_v2) {
  std::ifstream file(SKMD_TEST_HAND_CODE, std::ios::binary);
  std::stringstream object;
  object << file.rdbuf();
  SpanHeader header;
  header.target = target;
  header.bytes = object.str().size();
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes + object.str();
}

}  // namespace skmd::cpu::test
