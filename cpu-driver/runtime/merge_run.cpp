// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/merge_run.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "cpu-driver/runtime/kept_map.h"
#include "cpu-driver/runtime/runtime_constants.h"

namespace skmd::cpu {

namespace {

/// Small enough that threads end together, large enough that handing out costs nothing.
constexpr std::uint64_t kBits = 64;  // of a word

std::uint64_t words_of(const SpanArgument& argument, std::uint32_t unit) {
  return (argument.size / unit + kBits - 1) / kBits;
}

/// One thread's view of the launch: bits are set without atomics, so each has maps of its own.
struct Worker {
  std::vector<SpanArgument> arguments;
  std::vector<KeptMap> maps;
  bool ran = false;

  Worker(std::span<const SpanArgument> of, const std::uint8_t* units) : arguments(of.begin(), of.end()) {
    maps.resize(units == nullptr ? 0 : arguments.size());
    for (std::size_t i = 0; i < maps.size(); ++i) {
      SpanArgument& argument = arguments[i];
      if (units[i] == 0 || argument.result == nullptr || argument.size < units[i]) continue;
      maps[i] = KeptMap::take(words_of(argument, units[i]));
      argument.marks = maps[i].words();  // null for lack of memory
      argument.marked = argument.marks == nullptr ? 0 : argument.size;
    }
  }

  /// By the thread that will set the bits: it has the words in its caches then.
  void clear(const std::uint8_t* units) const {
    for (std::size_t i = 0; i < maps.size(); ++i)
      if (maps[i].words() != nullptr)
        std::memset(maps[i].words(), 0, words_of(arguments[i], units[i]) * sizeof(std::uint64_t));
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
  const std::uint64_t step = std::max<std::uint64_t>(1, tuning::kPieceBytes / (kBits * unit));
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
  const std::uint64_t least = std::max<std::uint64_t>(1, tuning::kLeastItems / std::max<std::uint64_t>(1, items));
  const std::uint64_t pieces = std::clamp<std::uint64_t>(groups / least, 1, pool.threads() * tuning::kPiecesPerThread);
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
      if (!worker.ran) worker.clear(function.units);
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
