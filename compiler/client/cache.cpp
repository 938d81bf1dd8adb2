// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "compiler/client/client_constants.h"
#include "compiler/client/hash.h"
#include "compiler/client/process.h"
#include "compiler/client/sweep.h"
#include "compiler/client/wire.h"

namespace skmd::compiler {
namespace {

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0)
      : handle_(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode)) {}
  ~File() {
    if (handle_ >= 0) ::close(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int handle() const { return handle_; }
  [[nodiscard]] bool open() const { return handle_ >= 0; }

 private:
  int handle_;
};

std::optional<std::string> read_all(int handle, std::uint64_t size) {
  if (size > tuning::kMaxEntryBytes) return std::nullopt;
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(handle, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

bool write_all(int handle, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(handle, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

std::uint64_t modified(const struct stat& info) {
  return static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
}

bool is_ours(const struct stat& info) { return info.st_uid == ::geteuid() && (info.st_mode & 022) == 0; }

bool make_folders(const std::string& folder) {
  for (std::size_t slash = folder.find('/', 1); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    if (::mkdir(folder.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

std::string rooted(const std::string& path, const std::string& working_directory) {
  if (path.empty() || path.front() == '/' || working_directory.empty()) return path;
  return working_directory + "/" + path;
}

bool unchanged(const Dependency& file, const std::string& working_directory) {
  const std::string path = rooted(file.path, working_directory);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  if (static_cast<std::uint64_t>(info.st_size) != file.size) return false;
  if (modified(info) == file.modified) return true;
  const std::optional<Dependency> now = depend_on(path);
  return now && now->hash == file.hash;
}

}  // namespace

std::optional<Dependency> depend_on(const std::string& path) {
  const File file(path, O_RDONLY);
  struct stat info {};
  if (!file.open() || ::fstat(file.handle(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const auto bytes = read_all(file.handle(), static_cast<std::uint64_t>(info.st_size));
  if (!bytes) return std::nullopt;
  return Dependency{path, bytes->size(), modified(info), content_hash(*bytes)};
}

Cache::Cache(const std::string& folder, std::uint64_t limit) : limit_(limit) {
  struct stat info {};
  if (folder.empty() || !make_folders(folder)) return;
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || !is_ours(info)) return;
  folder_ = folder;
}

std::string Cache::path_of(const std::string& key) const { return folder_ + "/" + key + kEntrySuffix; }

std::optional<Reply> Cache::find(const std::string& key, const std::string& working_directory) const {
  if (folder_.empty()) return std::nullopt;
  const File file(path_of(key), O_RDONLY | O_NOFOLLOW);
  struct stat info {};
  if (!file.open() || ::fstat(file.handle(), &info) != 0 || !S_ISREG(info.st_mode) || !is_ours(info))
    return std::nullopt;
  const auto framed = read_all(file.handle(), static_cast<std::uint64_t>(info.st_size));
  if (!framed) return std::nullopt;
  const domain::Result<std::string> entry = unframe(*framed);
  if (!entry) return std::nullopt;
  Reader reader(*entry);
  if (reader.view() != key) return std::nullopt;
  const bool untouched = reader.flag();
  const std::string_view bytes = reader.view();
  if (!reader.complete()) return std::nullopt;
  domain::Result<Reply> reply = decode_reply(bytes);
  if (!reply) return std::nullopt;
  if (untouched) reply->answer.text = reply->answer.preprocessed;
  for (const Dependency& included : reply->files) {
    if (!unchanged(included, working_directory)) return std::nullopt;
  }
  // Says when it was used last. Most mounts keep no time of reading worth the name.
  if (info.st_mtim.tv_sec + tuning::kSecondsBetweenTouches < ::time(nullptr)) (void)::futimens(file.handle(), nullptr);
  return std::move(*reply);
}

void Cache::store(const std::string& key, const Reply& reply) const {
  if (folder_.empty()) return;
  Writer entry;
  entry.text(key);
  // Most programs need no rewriting; their text would be most of the entry twice.
  const bool untouched = reply.answer.text == reply.answer.preprocessed;
  entry.flag(untouched);
  if (untouched) {
    Reply shorter = reply;
    shorter.answer.text.clear();
    entry.text(encode(shorter));
  } else {
    entry.text(encode(reply));
  }
  const std::string bytes = frame(entry.take());
  if (bytes.size() > limit_ / 4 || !file_may_have(bytes.size())) return;
  const std::string temporary = folder_ + "/" + unique_name() + kUnfinishedSuffix;
  bool written = false;
  {
    const File file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!file.open()) return;
    written = write_all(file.handle(), bytes);
  }
  if (!written || ::rename(temporary.c_str(), path_of(key).c_str()) != 0) ::unlink(temporary.c_str());
  if (time_to_sweep(bytes.size(), limit_)) sweep(folder_, limit_);
}

}  // namespace skmd::compiler
