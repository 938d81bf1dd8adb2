// SPDX-License-Identifier: Apache-2.0
#include "profiler/exec.h"

#include <unistd.h>

#include <cerrno>

namespace skmd::profiler {

std::string read_to_end(int descriptor) {
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(descriptor, bytes, sizeof bytes)) != 0;) {
    if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  return text;
}

}  // namespace skmd::profiler
