// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace skmd::profiler {

FolderLock::FolderLock(const std::filesystem::path& file, Kind kind, int patience)
    : descriptor_(
          ::open(file.has_parent_path() ? file.parent_path().c_str() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) return;
  const int operation = (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
  while (::flock(descriptor_, operation) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() >= end) {
      ::close(descriptor_);
      descriptor_ = -1;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void FolderLock::release() {
  if (descriptor_ < 0) return;
  ::flock(descriptor_, LOCK_UN);  // a child that was forked meanwhile has the descriptor, too
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace skmd::profiler
