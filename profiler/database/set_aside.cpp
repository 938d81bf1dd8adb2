// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/set_aside.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "profiler/database/database_constants.h"
#include "profiler/database/date.h"
#include "profiler/database/folder_lock.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::Error;
using domain::Result;

Error system_error(const fs::path& file, int code) { return {-1, file.string() + ": " + std::strerror(code)}; }

/// Never the name of another file. A journal goes with its database, or it would be played into the next one.
Result<fs::path> rename_damaged(const fs::path& file) {
  const std::string name = file.string() + ".damaged-" + today(), journal = file.string() + "-journal";
  for (int i = 0; i < tuning::kMaxDamagedOfADay; ++i) {
    const fs::path to = i == 0 ? name : name + "-" + std::to_string(i + 1);
    if (::link(file.c_str(), to.c_str()) != 0) {
      if (errno == EEXIST) continue;
      return system_error(to, errno);
    }
    const bool with_journal = std::rename(journal.c_str(), (to.string() + "-journal").c_str()) == 0;
    if (::unlink(file.c_str()) == 0) return to;
    const int problem = errno;
    if (with_journal) std::rename((to.string() + "-journal").c_str(), journal.c_str());
    ::unlink(to.c_str());
    return system_error(file, problem);
  }
  return Error{-1, file.string() + ": there are a thousand damaged ones of today beside it"};
}

}  // namespace

ino_t file_at(const fs::path& file) {
  struct stat state {};
  return ::stat(file.c_str(), &state) == 0 ? state.st_ino : 0;
}

Result<fs::path> set_aside(const fs::path& file, ino_t damaged, int patience) {
  const FolderLock lock(file, FolderLock::Kind::exclusive, patience);
  if (!lock.held()) return Error{-1, file.string() + " is damaged, and others do not let go of its folder"};
  if (file_at(file) != damaged) return fs::path();
  return rename_damaged(file);
}

}  // namespace skmd::profiler
