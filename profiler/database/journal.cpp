// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "profiler/database/database_constants.h"
#include "profiler/database/sample_text.h"

namespace skmd::profiler {
namespace {

std::atomic_ref<std::uint64_t> length_of(char* base) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(base + 8));
}

}  // namespace

std::vector<std::filesystem::path> journals_of(const std::filesystem::path& database) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  const std::filesystem::path folder = database.has_parent_path() ? database.parent_path() : std::filesystem::path(".");
  const std::string start = database.filename().string() + ".samples-";
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(start)) found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::size_t count_journals(const std::filesystem::path& database) { return journals_of(database).size(); }

SampleJournal::SampleJournal(std::filesystem::path database, std::string commit)
    : database_(std::move(database)), commit_(std::move(commit)), process_(getpid()) {}

SampleJournal::~SampleJournal() { unmap(); }

void SampleJournal::close_file(const File& file) {
  if (file.base != nullptr) munmap(file.base, tuning::kJournalBytes);
  if (file.descriptor >= 0) close(file.descriptor);
}

void SampleJournal::unmap() {
  close_file({base_, descriptor_, 0, {}});
  base_ = nullptr;
  descriptor_ = -1;
}

/// The file is the parent's, and another of its threads may have held the mutex.
bool SampleJournal::is_inherited() const { return getpid() != process_; }

bool SampleJournal::wants(std::uint64_t kind) noexcept {
  if (is_inherited()) return false;
  try {
    const MutexGuard lock(mutex_);
    if (ended_) return false;
    if (counts_.size() >= tuning::kMaxKinds && !counts_.contains(kind)) return false;
    const std::uint64_t number = ++counts_[kind];
    return number <= tuning::kAllOfTheFirst || std::has_single_bit(number);
  } catch (...) {  // no memory
    return false;
  }
}

void SampleJournal::add(const domain::ProfileSample& sample) noexcept {
  if (is_inherited()) return;
  try {
    std::string line;
    if (sample.commit.empty() && !commit_.empty()) {
      domain::ProfileSample marked = sample;
      marked.commit = commit_;
      line = line_of(marked) + "\n";
    } else {
      line = line_of(sample) + "\n";
    }
    const MutexGuard lock(mutex_);
    append(line);
  } catch (...) {  // no memory
  }
}

domain::SinkProgress SampleJournal::progress() const noexcept {
  if (is_inherited()) return {};
  try {
    const MutexGuard lock(mutex_);
    return {written_, problem_};
  } catch (...) {  // no memory
    return {};
  }
}

void SampleJournal::append(const std::string& line) {
  if (ended_ || line.size() > tuning::kJournalBytes - kJournalHead) return;
  if (base_ == nullptr || kJournalHead + used_ + line.size() > tuning::kJournalBytes) {
    unmap();
    ended_ = !next_file();
    if (ended_) return;
  }
  std::memcpy(base_ + kJournalHead + used_, line.data(), line.size());
  used_ += line.size();
  // After the line's bytes, so that the length never covers an incomplete line if the process is killed here.
  length_of(base_).store(used_, std::memory_order_release);
  ++written_;
}

SampleJournal::File SampleJournal::make_file(std::uint32_t number) const {
  const auto time = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string suffix = std::to_string(getpid()) + "-" + std::to_string(time) + "-" + std::to_string(number);
  // Until it is locked and has its head: a reader would take it for one whose process has ended.
  const std::string unready = database_.string() + ".unready-" + suffix;
  File file;
  file.name = database_.string() + ".samples-" + suffix;
  std::error_code error;
  if (number == 0 && database_.has_parent_path()) std::filesystem::create_directories(database_.parent_path(), error);
  file.descriptor = open(unready.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file.descriptor < 0) {
    file.problem = errno;
    return file;
  }
  // Real blocks: on a full disk a write to a sparse mapping would be a signal in the application.
  file.problem = flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
                     ? posix_fallocate(file.descriptor, 0, tuning::kJournalBytes)
                     : errno;
  if (file.problem == 0) {
    void* mapped = mmap(nullptr, tuning::kJournalBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
    if (mapped == MAP_FAILED) file.problem = errno;
    if (mapped != MAP_FAILED) file.base = static_cast<char*>(mapped);
  }
  if (file.problem == 0) {
    std::memcpy(file.base, kJournalMagic, 8);
    if (rename(unready.c_str(), file.name.c_str()) != 0) file.problem = errno;
  }
  if (file.problem != 0) {
    unlink(unready.c_str());
    close_file(file);
  }
  return file;
}

bool SampleJournal::take(const File& file) {
  if (file.problem != 0) return give_up("no file can be made beside the database", file.problem);
  base_ = file.base;
  descriptor_ = file.descriptor;
  used_ = 0;
  return true;
}

bool SampleJournal::next_file() {
  if (files_ == tuning::kMaxJournals) return give_up("all files that a process may have are full", 0);
  return take(make_file(files_++));
}

void SampleJournal::prepare() noexcept {
  if (is_inherited()) return;
  try {
    std::uint32_t number = 0;
    {
      const MutexGuard lock(mutex_);
      if (files_ != 0 || ended_) return;
      number = files_++;
    }
    if (count_journals(database_) >= tuning::kMaxWaiting) {
      const MutexGuard lock(mutex_);
      ended_ = !give_up("too many files of samples wait beside the database: skmd-profile show takes them in", 0);
      return;
    }
    const File file = make_file(number);
    const MutexGuard lock(mutex_);
    if (base_ == nullptr && !ended_) {
      ended_ = !take(file);
    } else if (file.problem == 0) {  // a sample came sooner, and made one
      unlink(file.name.c_str());
      close_file(file);
    }
  } catch (...) {  // no memory
  }
}

bool SampleJournal::give_up(const std::string& what, int error) {
  unmap();
  problem_ = what + (error == 0 ? "" : ": " + std::generic_category().message(error));
  return false;
}

}  // namespace skmd::profiler
