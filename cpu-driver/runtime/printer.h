// SPDX-License-Identifier: Apache-2.0
// Output of a launch's kernels: threads' records (PrintRoom in span_code.h) are formatted and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cpu-driver/runtime/print_format.h"
#include "cpu-driver/runtime/runtime_constants.h"
#include "cpu-driver/span_code.h"
#include "partitioner/base/mutex.h"

namespace skmd::cpu {

/// A program's table, ready for use.
struct PrintFormats {
  /// What PrintTable lists; its pointers stay valid as long as the result is used.
  static PrintFormats of(const PrintTable& table);

  std::vector<PrintFormat> formats;
  std::map<std::uint64_t, std::uint64_t> strings;  // bytes, by address
};

/// Writes to the application's standard output, in order with its own printf, and flushes it.
void write_to_stdout(std::string_view text);

/// One per launch. The output of one piece stays in order; pieces are in the order of their groups as long as the text
/// is no more than kMaxKept, beyond which it is written early.
class Printer {
 public:
  using Write = std::function<void(std::string_view)>;

  /// `write` is called by one thread at a time, with whole lines unless a line is longer than kMaxKept.
  explicit Printer(const PrintFormats& formats, Write write = write_to_stdout)
      : formats_(formats), write_(std::move(write)) {}

  /// Provides memory for the calling thread's records, from construction to destruction on the same thread.
  class Piece {
   public:
    Piece(Printer& printer, std::uint64_t first);
    ~Piece();
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;

   private:
    friend std::byte* print_room(std::uint64_t bytes);
    std::byte* room(std::uint64_t bytes);
    void format_records();
    void send_lines();

    Printer& printer_;
    const std::uint64_t first_;
    Piece* const outer_;  // a thread that waits may help another launch
    std::vector<std::uint64_t> records_;
    std::string text_;
  };

  /// Writes the remaining text. Precondition: all pieces have ended.
  void finish();

  /// Bytes of text, and of records of each thread.
  static constexpr std::size_t kMaxKept = tuning::kMaxKeptText;

 private:
  void keep(std::uint64_t first, std::string&& text);
  void send(std::string_view text);
  void send_kept() SKMD_REQUIRES(mutex_);

  const PrintFormats& formats_;
  const Write write_;
  Mutex mutex_{LockRank::printer};
  std::multimap<std::uint64_t, std::string> kept_ SKMD_GUARDED_BY(mutex_);  // by the piece's first group
  std::size_t kept_bytes_ SKMD_GUARDED_BY(mutex_) = 0;
};

/// A PrintRoom: of the calling thread's innermost piece.
std::byte* print_room(std::uint64_t bytes);

}  // namespace skmd::cpu
