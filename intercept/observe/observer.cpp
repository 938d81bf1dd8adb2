// SPDX-License-Identifier: Apache-2.0
// Fans reports out to stats, trace and log. Counting takes a short lock and touches memory only; the stats file is
// written by a thread of ours, and by the caller when a context ends, since the process may be gone right after.
#include "intercept/observe/observer.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "intercept/observe/files.h"
#include "intercept/observe/log_sink.h"
#include "intercept/observe/shared_pieces.h"
#include "intercept/observe/stats.h"
#include "intercept/observe/trace_file.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

namespace {

// Files are at most this old; half of what is promised, the rest is for the writing.
constexpr std::chrono::milliseconds kWriteDelay{50};

/// Threads of a library must not receive the application's signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

std::string describe(const LaunchReport& report) {
  std::string text = "launch " + report.kernel + ":";
  for (const SliceReport& slice : report.slices) {
    text += " device " + std::to_string(slice.device) + " groups [" + std::to_string(slice.span.first) + ", " +
            std::to_string(slice.span.last) + ")";
  }
  if (report.not_split) text += " whole: " + std::string(domain::name(*report.not_split));
  for (const domain::Rung rung : report.rungs) text += " merge " + std::string(domain::name(rung));
  text += " in " + std::to_string(report.seconds * 1e3) + " ms";
  if (report.predicted_seconds > 0) text += ", predicted " + std::to_string(report.predicted_seconds * 1e3) + " ms";
  return text;
}

std::string describe(const VerifyReport& report) {
  return "verify: kernel " + report.kernel + ", argument " + std::to_string(report.argument) + ", device " +
         std::to_string(report.device) + ": " + std::to_string(report.mismatching_bytes) +
         " bytes differ, first at offset " + std::to_string(report.first_offset) +
         (report.detail.empty() ? "" : "; " + report.detail);
}

std::string describe(const BuildReport& report) {
  std::string text = "program " + report.program + " on device " + std::to_string(report.device) + ": " +
                     name(report.state) + " in " + std::to_string(report.seconds * 1e3) + " ms";
  if (!report.reason.empty()) text += "; it takes no part: " + report.reason;
  return text;
}

}  // namespace

const char* name(BuildState state) {
  switch (state) {
    case BuildState::waiting:
      return "waiting";
    case BuildState::building:
      return "building";
    case BuildState::built:
      return "built";
    case BuildState::failed:
      return "failed";
    case BuildState::dropped:
      return "dropped";
    case BuildState::unneeded:
      return "unneeded";
  }
  return "unknown";
}

const char* name(ModelSource source) {
  switch (source) {
    case ModelSource::none:
      return "none";
    case ModelSource::process:
      return "process";
    case ModelSource::database:
      return "database";
    case ModelSource::shipped:
      return "shipped";
  }
  return "unknown";
}

struct Observer::State {
  explicit State(const ObserverOptions& options) : log(options.log), stats_path(with_process_id(options.stats_file)) {
    if (!options.shared_folder.empty() && !pieces.open_in(options.shared_folder)) {
      log.write(LogLevel::warn, "cannot share counters in '" + options.shared_folder + "'");
    }
    stats_on = options.count || !stats_path.empty() || pieces.is_open();
    std::string reason;
    const std::string trace_path = with_process_id(options.trace_file);
    trace_on = !trace_path.empty() && trace.open(trace_path, reason);
    if (!reason.empty()) log.write(LogLevel::error, "SKMD_TRACE: cannot write '" + trace_path + "': " + reason);
    listening = stats_on || trace_on || log.takes(LogLevel::error);
  }

  /// Called with stats_mutex held.
  void share_kernel(std::size_t index) SKMD_REQUIRES(stats_mutex) {
    if (!pieces.is_open()) return;
    if (index == kernel_pieces.size()) {
      const auto bound = static_cast<std::uint32_t>(stats.kernel_bound(index));
      kernel_pieces.push_back(pieces.add(SharedPieces::Kind::element, bound));
    }
    pieces.set(kernel_pieces[index], stats.kernel(index));
  }
  void share_tail() SKMD_REQUIRES(stats_mutex) {
    if (pieces.is_open() && tail_piece != SharedPieces::kNoPiece) pieces.set(tail_piece, stats.tail());
  }
  void share_devices() SKMD_REQUIRES(stats_mutex) {
    if (!pieces.is_open()) return;
    const std::string head = stats.head();
    head_piece = pieces.add(SharedPieces::Kind::head, static_cast<std::uint32_t>(head.size()));
    tail_piece = pieces.add(SharedPieces::Kind::tail, static_cast<std::uint32_t>(stats.tail_bound()));
    pieces.set(tail_piece, stats.tail());
    pieces.set(head_piece, head);
  }

  /// Changes what the statistics hold beside devices and kernels; does nothing without statistics.
  template <class Change>
  void change_tail(Change change) {
    if (!stats_on) return;
    {
      const MutexGuard lock(stats_mutex);
      change(stats);
      share_tail();
    }
    changed();
  }
  void changed() {
    if (stats_path.empty()) return;
    if (dirty.exchange(true, std::memory_order_acq_rel)) return;
    const MutexGuard lock(writer_mutex);
    if (!writer_started) start_writer();
    wake.notify_one();
  }
  void start_writer() SKMD_REQUIRES(writer_mutex) {
    const SignalsBlocked blocked;
    try {
      writer = std::thread([this] { write_loop(); });
      writer_started = true;
    } catch (...) {
      log.write(LogLevel::error, "no thread for writing statistics: they are written when a context ends");
    }
  }
  void write_loop() {
    MutexLock lock(writer_mutex);
    while (!stop) {
      wake.wait(lock, [this]() SKMD_REQUIRES(writer_mutex) { return stop || dirty.load(std::memory_order_acquire); });
      lock.unlock();
      write_stats();
      lock.lock();
      // Written at once, since short programs do not live to a later time; then not again for a while.
      wake.wait_until(lock, std::chrono::system_clock::now() + kWriteDelay,
                      [this]() SKMD_REQUIRES(writer_mutex) { return stop; });
    }
  }
  /// Any thread. The file is written by one of them at a time, and is new when this returns.
  void write_stats() {
    try {
      const MutexGuard lock(file_mutex);
      if (!dirty.exchange(false, std::memory_order_acq_rel)) return;
      std::string text;
      {
        const MutexGuard stats_lock(stats_mutex);
        text = stats.document();
      }
      std::string reason;
      if (!replace_file(stats_path, text, reason) && !complained.exchange(true)) {
        log.write(LogLevel::error, "SKMD_STATS: cannot write '" + stats_path + "': " + reason);
      }
    } catch (...) {  // out of memory: the next change tries again
    }
  }

  LogSink log;
  std::string stats_path;
  std::atomic<bool> stats_on = false, trace_on = false, listening = false;

  Mutex stats_mutex{LockRank::stats};  // stats, pieces
  Stats stats SKMD_GUARDED_BY(stats_mutex);
  SharedPieces pieces SKMD_GUARDED_BY(stats_mutex);
  SharedPieces::Piece head_piece SKMD_GUARDED_BY(stats_mutex) = SharedPieces::kNoPiece;
  SharedPieces::Piece tail_piece SKMD_GUARDED_BY(stats_mutex) = SharedPieces::kNoPiece;
  std::vector<SharedPieces::Piece> kernel_pieces SKMD_GUARDED_BY(stats_mutex);

  TraceFile trace;

  std::atomic<bool> dirty = false, complained = false;
  std::atomic<bool> unwritten = false;  // it was logged that samples are not kept any more
  Mutex file_mutex{LockRank::stats_file};
  Mutex writer_mutex{LockRank::stats_writer};
  Condition wake;
  bool writer_started SKMD_GUARDED_BY(writer_mutex) = false;
  bool stop SKMD_GUARDED_BY(writer_mutex) = false;
  std::thread writer;
};

Observer::Observer(const ObserverOptions& options) : state_(new State(options)) {}

Observer::~Observer() {
  {
    const MutexGuard lock(state_->writer_mutex);
    state_->stop = true;
    state_->wake.notify_one();
  }
  if (state_->writer.joinable()) state_->writer.join();
  state_->write_stats();
  delete state_;
}

// A report that fails for want of memory is lost; the caller goes on.
void Observer::hosts(const std::vector<ObservedHost>& hosts) try {
  state_->change_tail([&](Stats& stats) { stats.set_hosts(hosts); });
} catch (...) {
}

void Observer::devices(const std::vector<ObservedDevice>& devices) try {
  if (state_->trace_on) state_->trace.name_tracks(devices);
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    state_->stats.set_devices(devices);
    state_->share_devices();
  }
  state_->changed();
} catch (...) {
}

void Observer::partition_mode(domain::PartitionMode mode) try {
  if (!state_->stats_on) return;
  const MutexGuard lock(state_->stats_mutex);
  state_->stats.set_mode(mode);
} catch (...) {
}

void Observer::launch(const LaunchReport& report) try {
  if (!state_->listening.load(std::memory_order_relaxed)) return;
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    state_->share_kernel(state_->stats.add_launch(report));
  }
  if (state_->trace_on) state_->trace.add(report);
  if (logs(LogLevel::debug)) log(LogLevel::debug, describe(report));
  state_->changed();
} catch (...) {
}

void Observer::transfer(const TransferReport& report) try {
  if (!state_->listening.load(std::memory_order_relaxed)) return;
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    state_->stats.add_transfer(report);
    state_->share_tail();
  }
  if (state_->trace_on) state_->trace.add(report);
  state_->changed();
} catch (...) {
}

void Observer::merge(const MergeReport& report) try {
  if (!state_->trace_on) return;
  state_->trace.add(report);
} catch (...) {
}

void Observer::dropped(const DropReport& report) try {
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    state_->stats.add_drop(report);
    state_->share_tail();
  }
  if (logs(LogLevel::debug))
    log(LogLevel::debug, "device " + std::to_string(report.device) + " dropped a buffer to make room, " +
                             std::to_string(report.moved_out) + " bytes of it moved out first");
  state_->changed();
} catch (...) {
}

void Observer::partition(std::uint64_t nanoseconds) try {
  if (!state_->stats_on) return;
  const MutexGuard lock(state_->stats_mutex);
  state_->stats.add_partition(nanoseconds);
  state_->share_tail();
} catch (...) {
}

void Observer::verify(const VerifyReport& report) try {
  if (!state_->listening.load(std::memory_order_relaxed)) return;
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    state_->stats.add_verify(report);
    state_->share_tail();
  }
  if (report.mismatching_bytes != 0) log(LogLevel::error, describe(report));
  state_->changed();
} catch (...) {
}

void Observer::other_driver(const OtherDriverReport& report) try {
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    state_->stats.add_other_driver(report);
    state_->share_tail();
  }
  if (logs(LogLevel::debug))
    log(LogLevel::debug, "kernel " + report.kernel + " runs on another CPU driver: " + report.reason);
  state_->changed();
} catch (...) {
}

void Observer::left(const LeftReport& report) try {
  state_->change_tail([&](Stats& stats) { stats.add_left(report); });
} catch (...) {
}

void Observer::trap(const TrapReport& report) try {
  state_->change_tail([&](Stats& stats) { stats.add_trap(report); });
} catch (...) {
}

void Observer::checkpoint(const CheckpointReport& report) try {
  state_->change_tail([&](Stats& stats) { stats.add_checkpoint(report); });
} catch (...) {
}

void Observer::profile_file(const std::string& file) try {
  if (!state_->stats_on) return;
  const MutexGuard lock(state_->stats_mutex);
  state_->stats.set_profile_file(file);
} catch (...) {
}

void Observer::profile_written(std::uint64_t samples, const std::string& problem) try {
  if (!problem.empty() && !state_->unwritten.exchange(true)) log(LogLevel::warn, "profile database: " + problem);
  state_->change_tail([&](Stats& stats) { stats.set_profile_written(samples, problem); });
} catch (...) {
}

void Observer::profile_loaded(std::uint64_t samples, const std::string& problem) try {
  if (!problem.empty()) log(LogLevel::warn, "profile database: " + problem);
  state_->change_tail([&](Stats& stats) { stats.set_profile_loaded(samples, problem); });
} catch (...) {
}

void Observer::build(const BuildReport& report) try {
  if (state_->stats_on) {
    const MutexGuard lock(state_->stats_mutex);
    for (const std::size_t index : state_->stats.add_build(report)) state_->share_kernel(index);
    state_->share_tail();
  }
  const bool failed = report.state == BuildState::failed;
  const LogLevel level = !failed ? LogLevel::debug : report.late ? LogLevel::warn : LogLevel::info;
  if (logs(level)) log(level, describe(report));
  state_->changed();
} catch (...) {
}

void Observer::context_ended() { state_->write_stats(); }

bool Observer::logs(LogLevel level) const { return state_->log.takes(level); }

void Observer::log(LogLevel level, const std::string& text) try { state_->log.write(level, text); } catch (...) {
}

bool Observer::listens() const { return state_->stats_on.load(std::memory_order_relaxed) || wants_times(); }

bool Observer::wants_times() const { return state_->trace_on.load(std::memory_order_relaxed); }

std::string Observer::stats_json() const {
  const MutexGuard lock(state_->stats_mutex);
  return state_->stats.document();
}

}  // namespace skmd::icd
