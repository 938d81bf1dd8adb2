// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu-driver/runtime/kernel_code.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace skmd::cpu::test {

std::string span_code_of(const std::string& source) {
  static int number = 0;
  const std::string file =
      testing::TempDir() + "/span_" + std::to_string(::getpid()) + "_" + std::to_string(++number) + ".cl";
  std::ofstream(file) << source;
  std::FILE* pipe = ::popen((std::string(SKMD_TEST_COMPILER " --span-code ") + file).c_str(), "r");
  std::string code;
  char chunk[4096];
  for (std::size_t got = 0; pipe != nullptr && (got = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;)
    code.append(chunk, got);
  const bool ended_well = pipe != nullptr && ::pclose(pipe) == 0;
  ::unlink(file.c_str());
  return ended_well ? code : std::string();
}

SpanFrame line(std::uint64_t groups, std::uint64_t local) {
  SpanFrame frame;
  frame.global_size[0] = groups * local;
  frame.group_count[0] = groups;
  frame.local_size[0] = local;
  return frame;
}

}  // namespace skmd::cpu::test
