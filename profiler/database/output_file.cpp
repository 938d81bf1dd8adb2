// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <system_error>

#include "profiler/section_file/new_file.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::Error;
using domain::Status;

constexpr int kMaxLinks = 40;  // as many as Linux follows

Error failure(const fs::path& file, int code) {
  return {-1, file.string() + ": cannot be written: " + std::strerror(code)};
}

/// An errno; 0: all was written.
int write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    at += static_cast<std::size_t>(written);
  }
  return 0;
}

/// An errno; 0: done.
int write_into(const fs::path& file, const std::string& text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return errno;
  const int problem = write_all(descriptor, text);
  return ::close(descriptor) != 0 && problem == 0 ? errno : problem;
}

/// What `file` is a symbolic link to, directly or by way of others; there or not.
fs::path target_of(fs::path file) {
  std::error_code error;
  for (int links = 0; links < kMaxLinks && fs::is_symlink(file, error); ++links) {
    const fs::path next = fs::read_symlink(file, error);
    if (error) break;
    file = next.is_absolute() ? next : file.parent_path() / next;
  }
  return file;
}

}  // namespace

bool is_standard_output(const fs::path& file) {
  if (file == "-") return true;
  struct stat named {
  }, output{};
  return ::stat(file.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 && named.st_dev == output.st_dev &&
         named.st_ino == output.st_ino;
}

Status write_output(const fs::path& file, const std::string& text) {
  if (is_standard_output(file)) {
    std::fflush(stdout);
    const int problem = write_all(STDOUT_FILENO, text);
    return problem == 0 ? Status() : Status(failure("standard output", problem));
  }
  struct stat there {};
  // A descriptor's name is no place for another file.
  const bool is_descriptor = file.native().starts_with("/dev/fd/") || file.native().starts_with("/proc/") ||
                             file == "/dev/stderr" || file == "/dev/stdin";
  if (is_descriptor || (::stat(file.c_str(), &there) == 0 && !S_ISREG(there.st_mode))) {
    const int problem = write_into(file, text);
    return problem == 0 ? Status() : Status(failure(file, problem));
  }
  auto made = section_file::NewFile::create(target_of(file).string(), 0666);
  if (!made) return made.error();
  if (Status written = made->write(std::as_bytes(std::span(text))); !written) return written;
  return made->finish();
}

}  // namespace skmd::profiler
