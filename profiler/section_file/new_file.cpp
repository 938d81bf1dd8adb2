// SPDX-License-Identifier: Apache-2.0
#include "profiler/section_file/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "profiler/section_file/section_file_constants.h"

namespace skmd::section_file {

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string::npos) return ".";
  return name == 0 ? "/" : path.substr(0, name);
}

/// Of `path` in its folder. Other machines may share that, and have processes of the same number.
std::string hidden_name(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;  // 0 where there is no folder
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid()) + "-" + std::to_string(now);
}

}  // namespace

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      before_(std::move(other.before_)),
      file_(std::exchange(other.file_, -1)),
      written_(other.written_),
      begun_(other.begun_) {}

NewFile::~NewFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(before_.c_str());
}

domain::Error NewFile::refused(const char* what, int error) const {
  return {-1, path_ + ": cannot be " + what + ": " + std::strerror(error)};
}

domain::Result<NewFile> NewFile::create(const std::string& path, unsigned mode) {
  int file = -1, error = EEXIST;
  std::string before;
  while (file < 0 && error == EEXIST) {
    before = hidden_name(path);
    file = open(before.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    error = errno;
  }
  NewFile made(path, std::move(before), file);
  if (file < 0) return made.refused("made", error);
  return made;
}

domain::Status NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return refused("written", done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    written_ += static_cast<std::uint64_t>(done);
  }
  if (written_ - begun_ >= tuning::kFlushedBytes) {
    // Where that is not possible, all is left to the flush at the end.
    (void)sync_file_range(file_, static_cast<off_t>(begun_), static_cast<off_t>(written_ - begun_),
                          SYNC_FILE_RANGE_WRITE);
    begun_ = written_;
  }
  return {};
}

domain::Status NewFile::finish() {
  if (fsync(file_) != 0) return refused("written", errno);
  if (rename(before_.c_str(), path_.c_str()) != 0) return refused("renamed", errno);
  close(std::exchange(file_, -1));
  // The new name is on the medium with its folder. Some file systems cannot be told so, and do it by themselves.
  if (const int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    (void)fsync(folder);
    close(folder);
  }
  return {};
}

}  // namespace skmd::section_file
