// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace skmd::icd {

std::string with_process_id(std::string path) {
  const std::string id = std::to_string(getpid());
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at + id.size())) {
    path.replace(at, 2, id);
  }
  return path;
}

bool write_at(int descriptor, std::string_view text, long offset) {
  while (!text.empty()) {
    const ssize_t written = pwrite(descriptor, text.data(), text.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return true;
}

bool replace_file(const std::string& path, std::string_view text, std::string& reason) {
  // Several processes may have been given one name: each has a temporary of its own.
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool ok = descriptor >= 0 && write_at(descriptor, text, 0);
  if (!ok) reason = std::strerror(errno);
  if (descriptor >= 0) close(descriptor);
  if (ok && std::rename(temporary.c_str(), path.c_str()) != 0) {
    reason = std::strerror(errno);
    ok = false;
  }
  if (!ok) unlink(temporary.c_str());
  return ok;
}

}  // namespace skmd::icd
