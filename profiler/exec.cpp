// SPDX-License-Identifier: Apache-2.0
#include "profiler/exec.h"

#include <poll.h>
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

std::optional<std::string> read_unless(int interrupt, int descriptor) {
  pollfd sources[] = {{interrupt, POLLIN, 0}, {descriptor, POLLIN, 0}};
  while (poll(sources, 2, -1) < 0 && errno == EINTR) {
  }
  if (sources[0].revents != 0) return std::nullopt;
  return read_to_end(descriptor);
}

}  // namespace skmd::profiler
