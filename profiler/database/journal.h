// SPDX-License-Identifier: Apache-2.0
// The samples of one process, in mapped files beside the database: written without a system call for each sample, there
// after any end of the process, and taken into the database by another one (take_in.h).
//
// A file is DATABASE.samples-PID-TIME-N: 64 bytes of head (magic, then the number of bytes of text), then lines of
// text. Its process holds a lock (flock) on it for as long as the process lives, and children that it forked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "partitioner/base/mutex.h"
#include "partitioner/model/profile_sink.h"
#include "profiler/database/database_constants.h"

namespace skmd::profiler {

inline constexpr char kJournalMagic[] = "SKMDSMP1";  // 8 characters
inline constexpr std::size_t kJournalHead = 64;      // bytes before the first sample

/// Files of samples beside a database, those of living processes included, in order.
std::vector<std::filesystem::path> journals_of(const std::filesystem::path& database);
std::size_t count_journals(const std::filesystem::path& database);

/// If a file cannot be created (no folder, no space, no permission), this process stops recording, without any other
/// effect. The child of a fork does not record with an inherited object.
class SampleJournal : public domain::ProfileSink {
 public:
  /// Creates nothing yet. `commit`: of SKMD; samples without one get it.
  explicit SampleJournal(std::filesystem::path database, std::string commit = {});
  ~SampleJournal() override;
  SampleJournal(const SampleJournal&) = delete;
  SampleJournal& operator=(const SampleJournal&) = delete;

  /// Creates the first file, if there is none: the first sample would wait for the disk otherwise. Thread-safe; samples
  /// added meanwhile do not wait for it. If there are tuning::kMaxWaiting files already, this process stops recording.
  void prepare() noexcept;

  /// True for samples 1 to 8 of a kind; for samples 9 to 256 if at least 0.5 ms of launches of the kind, this one
  /// included, were counted since the last true; then for samples whose number is a power of two. The others count as
  /// passed_over of the last one in the file; true if the file has none of the kind.
  bool wants(std::uint64_t kind, double seconds) noexcept override;
  void add(const domain::ProfileSample& sample, std::uint64_t kind) noexcept override;
  [[nodiscard]] domain::SinkProgress progress() const noexcept override;

 private:
  struct Kind {
    std::uint64_t samples = 0;      // that wants() was asked for
    char* field = nullptr;          // of its last sample in the mapped file: passed_over as text; null: there is none
    std::uint32_t passed_over = 0;  // as in the field
    double since = 0.0;             // seconds of launches since the last sample that was wanted
  };
  struct File {
    char* base = nullptr;
    int descriptor = -1;
    int problem = 0;  // an errno; then there is none
    std::string name;
  };
  [[nodiscard]] bool is_inherited() const;
  [[nodiscard]] File make_file(std::uint32_t number) const;
  /// Locks an empty file, takes its blocks, maps it and writes its head; sets its `base` or `problem`.
  static void fill(File& file);
  static void close_file(const File& file);
  bool take(const File& file) SKMD_REQUIRES(mutex_);
  /// `kind`: of which later samples may be passed over; null: they are not.
  void append(const std::string& line, Kind* kind) SKMD_REQUIRES(mutex_);
  static bool pass_over(Kind& kind);
  bool next_file() SKMD_REQUIRES(mutex_);
  /// Ends the recording; what is passed over is still counted where it can be. `error`: an errno; 0 for none.
  bool give_up(const std::string& what, int error) SKMD_REQUIRES(mutex_);
  /// Samples that follow cannot be counted in this file any more.
  void unmap() SKMD_REQUIRES(mutex_);

  const std::filesystem::path database_;
  const std::string commit_;
  const int process_;
  mutable Mutex mutex_{LockRank::sample_journal};
  std::unordered_map<std::uint64_t, Kind> kinds_ SKMD_GUARDED_BY(mutex_);
  char* base_ SKMD_GUARDED_BY(mutex_) = nullptr;
  int descriptor_ SKMD_GUARDED_BY(mutex_) = -1;
  std::size_t used_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint32_t files_ SKMD_GUARDED_BY(mutex_) = 0;
  bool ended_ SKMD_GUARDED_BY(mutex_) = false;
  std::uint64_t written_ SKMD_GUARDED_BY(mutex_) = 0;
  std::string problem_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::profiler
