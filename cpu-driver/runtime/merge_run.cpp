// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/merge_run.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace skmd::cpu {

namespace {

/// Small enough that threads end together, large enough that handing out costs nothing.
constexpr std::uint64_t kPiecesPerThread = 8;
constexpr std::uint64_t kLeastItems = 16384;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kBits = 64;

/// Zeros, of which only pages that were written exist; in large pages where it is as large as one.
class Map {
 public:
  Map() = default;
  explicit Map(std::uint64_t words)
      : bytes_((words * sizeof(std::uint64_t) + kLargePage - 1) / kLargePage * kLargePage) {
    void* pages =
        mmap(nullptr, bytes_ + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return;
    pages_ = static_cast<std::byte*>(pages);
    const auto address = reinterpret_cast<std::uintptr_t>(pages_);
    std::byte* aligned = pages_ + (kLargePage - address % kLargePage) % kLargePage;
    words_ = reinterpret_cast<std::uint64_t*>(aligned);
    if (words * sizeof(std::uint64_t) >= kLargePage / 2) (void)madvise(aligned, bytes_, MADV_HUGEPAGE);
  }
  Map(Map&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)), words_(other.words_), bytes_(other.bytes_) {}
  Map& operator=(Map&& other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(words_, other.words_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Map() {
    if (pages_ != nullptr) munmap(pages_, bytes_ + kLargePage);
  }
  [[nodiscard]] std::uint64_t* words() const { return words_; }

 private:
  static constexpr std::uint64_t kLargePage = std::uint64_t{1} << 21;
  std::byte* pages_ = nullptr;
  std::uint64_t* words_ = nullptr;
  std::uint64_t bytes_ = 0;
};

std::uint64_t words_of(const SpanArgument& argument, std::uint32_t unit) {
  return (argument.size / unit + kBits - 1) / kBits;
}

/// One thread's view of the launch: bits are set without atomics, so each has maps of its own.
struct Worker {
  std::vector<SpanArgument> arguments;
  std::vector<Map> maps;
  bool ran = false;

  Worker(std::span<const SpanArgument> of, const std::uint8_t* units) : arguments(of.begin(), of.end()) {
    maps.resize(units == nullptr ? 0 : arguments.size());
    for (std::size_t i = 0; i < maps.size(); ++i) {
      SpanArgument& argument = arguments[i];
      if (units[i] == 0 || argument.result == nullptr || argument.size < units[i]) continue;
      maps[i] = Map(words_of(argument, units[i]));
      argument.marks = maps[i].words();  // null for lack of memory
      argument.marked = argument.marks == nullptr ? 0 : argument.size;
    }
  }
};

/// So few that all maps together take at most half of what they describe.
std::uint64_t most_workers(const std::uint8_t* units, std::size_t arguments) {
  std::uint64_t least = kBits;
  for (std::size_t i = 0; units != nullptr && i < arguments; ++i)
    if (units[i] != 0) least = std::min<std::uint64_t>(least, units[i]);
  return least * 4;
}

void copy_all_marked(Pool& pool, const std::vector<Worker>& workers, std::size_t argument, std::uint32_t unit) {
  std::vector<const std::uint64_t*> maps;
  for (const Worker& worker : workers)
    if (worker.ran && worker.arguments[argument].marks != nullptr) maps.push_back(worker.arguments[argument].marks);
  if (maps.empty()) return;
  const SpanArgument& target = workers.front().arguments[argument];
  const std::uint64_t words = words_of(target, unit);
  const std::uint64_t step = std::max<std::uint64_t>(1, kPieceBytes / (kBits * unit));
  pool.run((words + step - 1) / step, [&](std::size_t i) {
    copy_marked(target.result, target.bytes, unit, maps, i * step, std::min(words, (i + 1) * step));
  });
}

}  // namespace

void run_merge(Pool& pool, const MergeFunction& function, const SpanFrame& frame, std::size_t arguments,
               std::uint64_t first, std::uint64_t last) {
  if (first >= last) return;
  const std::uint64_t groups = last - first;
  const std::uint64_t items = frame.local_size[0] * frame.local_size[1] * frame.local_size[2];
  const std::uint64_t least = std::max<std::uint64_t>(1, kLeastItems / std::max<std::uint64_t>(1, items));
  const std::uint64_t pieces = std::clamp<std::uint64_t>(groups / least, 1, pool.threads() * kPiecesPerThread);
  const std::uint64_t count =
      std::min({pieces, std::uint64_t{pool.threads()}, most_workers(function.units, arguments)});
  std::vector<Worker> workers;
  for (std::uint64_t i = 0; i < count; ++i) workers.emplace_back(std::span(frame.arguments, arguments), function.units);
  std::atomic<std::uint64_t> next{0};
  pool.run(count, [&](std::size_t number) {
    Worker& worker = workers[number];
    SpanFrame own = frame;
    own.arguments = worker.arguments.data();
    for (std::uint64_t i = next.fetch_add(1); i < pieces; i = next.fetch_add(1)) {
      worker.ran = true;
      const std::uint64_t whole = groups / pieces;
      const std::uint64_t rest = groups % pieces;
      const std::uint64_t begin = first + i * whole + std::min(i, rest);
      function.run(&own, begin, begin + whole + (i < rest ? 1 : 0));
    }
  });
  for (std::size_t i = 0; function.units != nullptr && i < arguments; ++i)
    if (function.units[i] != 0) copy_all_marked(pool, workers, i, function.units[i]);
}

}  // namespace skmd::cpu
