// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

// Of the number of samples that were passed over: so many digits are written by one store, so that the text is whole if
// the process is killed there.
constexpr std::size_t kDigits = 8;
constexpr std::uint32_t kMaxPassedOver = 99'999'999;
static_assert(kJournalHead % kDigits == 0);

std::atomic_ref<std::uint64_t> word_at(char* place) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(place));
}

std::atomic_ref<std::uint64_t> length_of(char* base) { return word_at(base + 8); }

/// With blanks before it. Precondition: at most kMaxPassedOver.
std::array<char, kDigits> text_of(std::uint32_t number) {
  std::array<char, kDigits> text;
  text.fill(' ');
  std::size_t at = kDigits;
  do {
    text[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return text;
}

/// A sample's line with a number at its end, at an offset in `line` that is a multiple of kDigits from its file's
/// beginning. Returns the offset. `begin`: the line's own in the file.
std::size_t add_number(std::string& line, std::size_t begin) {
  line.back() = ',';  // its brace
  line += std::string("\"") + kPassedOver + "\":";
  line.append((kDigits - (begin + line.size()) % kDigits) % kDigits, ' ');
  const std::size_t field = line.size();
  const auto zero = text_of(0);
  line.append(zero.data(), zero.size()).append("}");
  return field;
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
  for (auto& [key, kind] : kinds_) kind.field = nullptr;
  close_file({base_, descriptor_, 0, {}});
  base_ = nullptr;
  descriptor_ = -1;
}

/// The file is the parent's, and another of its threads may have held the mutex.
bool SampleJournal::is_inherited() const { return getpid() != process_; }

bool SampleJournal::wants(std::uint64_t kind, double seconds) noexcept {
  if (is_inherited()) return false;
  try {
    const MutexGuard lock(mutex_);
    if (ended_) {
      if (const auto known = kinds_.find(kind); known != kinds_.end()) pass_over(known->second);
      return false;
    }
    if (kinds_.size() >= tuning::kMaxKinds && !kinds_.contains(kind)) return false;
    Kind& known = kinds_[kind];
    const std::uint64_t number = ++known.samples;
    known.since += seconds;
    const bool wanted = number <= tuning::kPaidForOfTheFirst
                            ? number <= tuning::kFewOfTheFirst || known.since >= tuning::kSampleWorth
                            : std::has_single_bit(number);
    if (!wanted && pass_over(known)) return false;
    known.since = 0.0;
    return true;
  } catch (...) {  // no memory
    return false;
  }
}

/// False: there is no place to count it.
bool SampleJournal::pass_over(Kind& kind) {
  if (kind.field == nullptr || kind.passed_over == kMaxPassedOver) return false;
  word_at(kind.field).store(std::bit_cast<std::uint64_t>(text_of(++kind.passed_over)), std::memory_order_relaxed);
  return true;
}

void SampleJournal::add(const domain::ProfileSample& sample, std::uint64_t kind) noexcept {
  if (is_inherited()) return;
  try {
    std::string line;
    if (sample.commit.empty() && !commit_.empty()) {
      domain::ProfileSample marked = sample;
      marked.commit = commit_;
      line = line_of(marked);
    } else {
      line = line_of(sample);
    }
    const MutexGuard lock(mutex_);
    const auto known = kind == domain::kNoKind ? kinds_.end() : kinds_.find(kind);
    append(line, known != kinds_.end() && known->second.samples >= tuning::kFewOfTheFirst ? &known->second : nullptr);
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

void SampleJournal::append(const std::string& line, Kind* kind) {
  constexpr std::size_t kMoreAtMost = 64;  // than the line: a number and a line break
  if (ended_ || line.size() + kMoreAtMost > tuning::kJournalBytes - kJournalHead) return;
  if (base_ == nullptr || kJournalHead + used_ + line.size() + kMoreAtMost > tuning::kJournalBytes) {
    ended_ = !next_file();
    if (ended_) return;
  }
  char* const place = base_ + kJournalHead + used_;
  std::string text = line;
  const std::size_t field = kind != nullptr ? add_number(text, used_) : 0;
  text += '\n';
  std::copy(text.begin(), text.end(), place);
  if (kind != nullptr) {
    kind->field = place + field;
    kind->passed_over = 0;
  }
  used_ += text.size();
  // After the line's bytes, so that the length never covers an incomplete line if the process is killed here.
  length_of(base_).store(used_, std::memory_order_release);
  ++written_;
}

SampleJournal::File SampleJournal::make_file(std::uint32_t number) const {
  const auto time = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string suffix = std::to_string(getpid()) + "-" + std::to_string(time) + "-" + std::to_string(number);
  const std::filesystem::path folder = database_.has_parent_path() ? database_.parent_path() : ".";
  std::error_code error;
  if (number == 0) std::filesystem::create_directories(folder, error);
  // It gets its name when it is locked and has its head: before, a reader would take it for one whose process has
  // ended. Until then it has none, so that a process that ends meanwhile leaves nothing behind.
  File file;
  file.name = database_.string() + ".samples-" + suffix;
  const std::string unready = database_.string() + ".unready-" + suffix;
  file.descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file.descriptor >= 0) {
    std::array<char, 32> unnamed;
    std::snprintf(unnamed.data(), unnamed.size(), "/proc/self/fd/%d", file.descriptor);
    fill(file);
    if (file.problem == 0 && linkat(AT_FDCWD, unnamed.data(), AT_FDCWD, file.name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return file;
    close_file(file);
    file.base = nullptr;
    if (file.problem != 0) return file;
  }
  // The file system makes no files without a name, or there is no /proc.
  file.descriptor = open(unready.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file.descriptor < 0) {
    file.problem = errno;
    return file;
  }
  fill(file);
  if (file.problem == 0 && rename(unready.c_str(), file.name.c_str()) != 0) file.problem = errno;
  if (file.problem != 0) {
    unlink(unready.c_str());
    close_file(file);
  }
  return file;
}

void SampleJournal::fill(File& file) {
  // Real blocks: on a full disk a write to a sparse mapping would be a signal in the application.
  file.problem = flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
                     ? posix_fallocate(file.descriptor, 0, tuning::kJournalBytes)
                     : errno;
  if (file.problem != 0) return;
  void* mapped = mmap(nullptr, tuning::kJournalBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
  if (mapped == MAP_FAILED) {
    file.problem = errno;
    return;
  }
  file.base = static_cast<char*>(mapped);
  std::memcpy(file.base, kJournalMagic, 8);
}

bool SampleJournal::take(const File& file) {
  if (file.problem != 0) return give_up("no file can be made beside the database", file.problem);
  unmap();
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
  problem_ = what + (error == 0 ? "" : ": " + std::generic_category().message(error));
  return false;
}

}  // namespace skmd::profiler
