// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "profiler/database/sample_text.h"

namespace skmd::profiler {
namespace {

constexpr std::uint64_t kAllOfTheFirst = 256;
constexpr std::size_t kMostKinds = 1u << 16;

std::atomic_ref<std::uint64_t> length_of(char* base) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(base + 8));
}

}  // namespace

SampleJournal::SampleJournal(std::filesystem::path database, std::string commit)
    : database_(std::move(database)), commit_(std::move(commit)), process_(getpid()) {}

SampleJournal::~SampleJournal() { unmap(); }

void SampleJournal::unmap() {
  if (base_ != nullptr) munmap(base_, kJournalBytes);
  if (descriptor_ >= 0) close(descriptor_);
  base_ = nullptr;
  descriptor_ = -1;
}

/// The file is the parent's, and another of its threads may have held the mutex.
bool SampleJournal::is_inherited() const { return getpid() != process_; }

bool SampleJournal::wants(std::uint64_t kind) noexcept {
  if (is_inherited()) return false;
  try {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    if (counts_.size() >= kMostKinds && !counts_.contains(kind)) return false;
    const std::uint64_t number = ++counts_[kind];
    return number <= kAllOfTheFirst || std::has_single_bit(number);
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
    const std::lock_guard lock(mutex_);
    append(line);
  } catch (...) {  // no memory
  }
}

domain::SinkProgress SampleJournal::progress() const noexcept {
  if (is_inherited()) return {};
  try {
    const std::lock_guard lock(mutex_);
    return {written_, problem_};
  } catch (...) {  // no memory
    return {};
  }
}

void SampleJournal::append(const std::string& line) {
  if (ended_ || line.size() > kJournalBytes - kJournalHead) return;
  if (base_ == nullptr || kJournalHead + used_ + line.size() > kJournalBytes) {
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

bool SampleJournal::next_file() {
  if (files_ == kMostJournals) return give_up("all files that a process may have are full", 0);
  const auto time = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string suffix = std::to_string(getpid()) + "-" + std::to_string(time) + "-" + std::to_string(files_);
  const std::string name = database_.string() + ".samples-" + suffix;
  // Until it is locked and has its head: a reader would take it for one whose process has ended.
  const std::string unready = database_.string() + ".unready-" + suffix;
  std::error_code error;
  if (files_ == 0 && database_.has_parent_path()) std::filesystem::create_directories(database_.parent_path(), error);
  ++files_;
  descriptor_ = open(unready.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor_ < 0) return give_up("no file can be made beside the database", errno);
  // Real blocks: on a full disk a write to a sparse mapping would be a signal in the application.
  int problem = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? posix_fallocate(descriptor_, 0, kJournalBytes) : errno;
  void* mapped =
      problem == 0 ? mmap(nullptr, kJournalBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0) : MAP_FAILED;
  if (problem == 0 && mapped == MAP_FAILED) problem = errno;
  if (mapped != MAP_FAILED) {
    base_ = static_cast<char*>(mapped);
    used_ = 0;
    std::memcpy(base_, kJournalMagic, 8);
    if (rename(unready.c_str(), name.c_str()) == 0) return true;
    problem = errno;
  }
  unlink(unready.c_str());
  return give_up("no file can be made beside the database", problem);
}

bool SampleJournal::give_up(const std::string& what, int error) {
  unmap();
  problem_ = what + (error == 0 ? "" : ": " + std::generic_category().message(error));
  return false;
}

}  // namespace skmd::profiler
