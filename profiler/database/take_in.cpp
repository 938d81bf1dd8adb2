// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/take_in.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "profiler/database/database.h"
#include "profiler/database/database_constants.h"
#include "profiler/database/journal.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::ProfileSample;

/// Those whose names go on after `ending`.
std::vector<fs::path> files_of(const fs::path& database, const char* ending) {
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path folder = database.has_parent_path() ? database.parent_path() : fs::path(".");
  const std::string start = database.filename().string() + ending;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(start)) found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Files of processes that were killed while they made them.
void clear_unready(const fs::path& database) {
  std::error_code error;
  for (const fs::path& file : files_of(database, ".unready-")) {
    const auto written = fs::last_write_time(file, error);
    if (!error && fs::file_time_type::clock::now() - written > tuning::kMakingTakes) fs::remove(file, error);
  }
}

/// A journal file, opened for reading. Locked once text() succeeded: its process has ended.
class Journal {
 public:
  explicit Journal(const fs::path& file)
      : file_(file), descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~Journal() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Its text; nothing if its process lives, or another one has just taken it in.
  std::optional<std::string> text() {
    if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
    struct stat state {};
    if (fstat(descriptor_, &state) != 0 || state.st_nlink == 0) return std::nullopt;
    std::string bytes(tuning::kJournalBytes, '\0');
    std::size_t there = 0;
    while (there < bytes.size()) {
      const ssize_t got = pread(descriptor_, bytes.data() + there, bytes.size() - there, static_cast<off_t>(there));
      if (got <= 0) break;
      there += static_cast<std::size_t>(got);
    }
    bytes.resize(there);
    // A process that ended while it made the file.
    if (bytes.size() < kJournalHead || bytes.compare(0, 8, kJournalMagic) != 0) return std::string();
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + 8, sizeof length);
    return bytes.substr(kJournalHead, std::min<std::uint64_t>(length, bytes.size() - kJournalHead));
  }
  void remove() { unlink(file_.c_str()); }

 private:
  const fs::path file_;
  const int descriptor_;
};

/// Lines that are no samples, which only damage makes, are passed over.
std::vector<ProfileSample> samples_in(const std::string& text) {
  std::vector<ProfileSample> samples;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto sample = sample_of(std::string_view(text).substr(at, end - at))) samples.push_back(std::move(*sample));
    at = end + 1;
  }
  return samples;
}

/// Opens it where it is not open. If a large file of which not all was inspected (`quick`) turns out to be damaged
/// where the samples go, all is inspected: then it is set aside, and a new one takes them.
domain::Result<std::size_t> add(const fs::path& database, const DatabaseLimits& quick, const DatabaseLimits& limits,
                                const std::vector<ProfileSample>& samples, std::optional<ProfileDatabase>& into,
                                std::string& notice) {
  for (const DatabaseLimits& attempt : {quick, limits}) {
    if (!into) {
      auto opened = ProfileDatabase::open(database, ProfileDatabase::Mode::create, attempt);
      if (!opened && is_damage(opened.error()) && attempt.inspected_bytes != limits.inspected_bytes) continue;
      if (!opened) return opened.error();
      into.emplace(std::move(*opened));
      if (notice.empty()) notice = into->notice();
    }
    auto added = into->add(samples);
    if (added || !is_damage(added.error()) || attempt.inspected_bytes == limits.inspected_bytes) return added;
    into.reset();
  }
  return std::size_t{0};
}

}  // namespace

bool has_journals(const fs::path& database) { return count_journals(database) != 0; }

domain::Result<TakenIn> take_in_journals(const fs::path& database, const DatabaseLimits& limits) {
  clear_unready(database);
  TakenIn taken;
  std::optional<ProfileDatabase> into;
  const std::vector<fs::path> journals = journals_of(database);
  // Of several, the first ones' samples would be set aside with a file that a later one finds damaged.
  DatabaseLimits quick = limits;
  if (journals.size() == 1) quick.inspected_bytes = std::min(limits.inspected_bytes, tuning::kInspectedBytes);
  for (const fs::path& file : journals) {
    Journal journal(file);
    const auto text = journal.text();
    if (!text) continue;
    const auto added = add(database, quick, limits, samples_in(*text), into, taken.notice);
    if (!added) return added.error();
    journal.remove();
    ++taken.files;
    taken.samples += *added;
  }
  return taken;
}

}  // namespace skmd::profiler
