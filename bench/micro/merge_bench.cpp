// SPDX-License-Identifier: Apache-2.0
// What joining 67 MB of scattered results costs, rungs 2 and 3 against a copy of the same bytes by the same threads,
// and against a loop by hand that copies element by element where the kernel stored them.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "intercept/backend/port/host_code.h"
#include "intercept/launch/scratch.h"
#include "intercept/memory/bytes.h"
#include "partitioner/merge/merge.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 26;
constexpr std::uint32_t kElements = kBytes / 4;
constexpr std::uint32_t kLocal = 256;
constexpr std::uint32_t kRow = 64;

constexpr char kSource[] = R"(
__kernel void arithmetic(__global uint* out, __global const uint* where, uint n) {
  uint i = get_global_id(0);
  out[(i * 389) % n] = i;
}
__kernel void permuted_4(__global uint* out, __global const uint* where, uint n) { out[where[get_global_id(0)]] = 1; }
__kernel void permuted_16(__global uint4* out, __global const uint* where, uint n) { out[where[get_global_id(0)]] = 1; }
__kernel void permuted_64(__global uint16* out, __global const uint* where, uint n) { out[where[get_global_id(0)]] = 1; }
__kernel void rows(__global uint* out, __global const uint* where, uint n) {
  uint i = get_global_id(0);
  out[where[i / 64] * 64 + i % 64] = i;
}
__kernel void row_of_a_group(__global uint* out, __global const uint* where, uint n) {
  out[where[get_group_id(0)] * 256 + get_local_id(0)] = 1;
}
__kernel void transposed(__global uint* out, __global const uint* where, uint n) {
  uint i = get_global_id(0);
  out[i % 4096 * 4096 + i / 4096] = i;
}
)";

std::string span_code() {
  const std::string file = "/tmp/merge_bench_" + std::to_string(::getpid()) + ".cl";
  std::ofstream(file) << kSource;
  std::FILE* pipe = ::popen((std::string(SKMD_BENCH_COMPILER " --span-code ") + file).c_str(), "r");
  std::string code;
  char chunk[4096];
  for (std::size_t got = 0; pipe != nullptr && (got = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;)
    code.append(chunk, got);
  if (pipe != nullptr) ::pclose(pipe);
  ::unlink(file.c_str());
  return code;
}

/// Host memory as the driver has it, in large pages.
struct Large {
  explicit Large(std::uint32_t fill = 0) : scratch(std::move(*Scratch::make(kBytes))) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(scratch.data()), kElements, fill);
  }
  Scratch scratch;
};

struct World {
  Large before, merged, result{7};
  HostCode code{span_code(), ""};
  std::map<std::uint32_t, std::vector<std::uint32_t>> permutations;

  /// Of as many places as there are elements of `bytes` bytes.
  std::vector<std::uint32_t>& places(std::uint32_t bytes) {
    std::vector<std::uint32_t>& where = permutations[bytes];
    if (!where.empty()) return where;
    where.resize(kBytes / bytes);
    std::iota(where.begin(), where.end(), 0u);
    std::shuffle(where.begin(), where.end(), std::mt19937(389));
    return where;
  }
  static World& get() {
    static World world;
    return world;
  }
};

std::byte* bytes(const Large& memory) { return memory.scratch.data(); }
const domain::RangeSet& everything() {
  static const domain::RangeSet all(domain::ByteRange{0, kBytes});
  return all;
}

void copy(benchmark::State& state) {
  World& world = World::get();
  for (auto _ : state) cpu::copy_bytes(cpu::Pool::shared(), bytes(world.result), bytes(world.merged), kBytes);
  state.SetBytesProcessed(static_cast<std::int64_t>(kBytes) * state.iterations());
}
BENCHMARK(copy)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

void difference(benchmark::State& state) {
  World& world = World::get();
  for (auto _ : state)
    for_each_piece(everything(), 4, [&](const domain::ByteRange& piece) {
      domain::merge_difference(bytes(world.before), bytes(world.result), bytes(world.merged), piece, 4);
    });
  state.SetBytesProcessed(static_cast<std::int64_t>(kBytes) * state.iterations());
}
BENCHMARK(difference)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

/// `slices`: of the launch, one after the other, as the conductor replays them.
void replay(benchmark::State& state, const char* kernel, std::uint32_t stored, std::uint32_t place, unsigned slices) {
  World& world = World::get();
  const cpu::MergeFunction function = world.code.merge_function(kernel);
  if (function.run == nullptr) return state.SkipWithError("the kernel has no merge function");
  std::vector<std::uint32_t>& where = world.places(place);
  std::uint32_t n[4] = {kElements, 0, 0, 0};
  const cpu::SpanArgument arguments[] = {
      {bytes(world.merged), bytes(world.result), kBytes},
      {reinterpret_cast<std::byte*>(where.data()), nullptr, where.size() * sizeof(std::uint32_t)},
      {reinterpret_cast<std::byte*>(n), nullptr, sizeof n[0]}};
  cpu::SpanFrame frame;
  frame.global_size[0] = kBytes / stored;
  frame.local_size[0] = kLocal;
  frame.group_count[0] = kBytes / stored / kLocal;
  frame.arguments = arguments;
  std::memset(bytes(world.merged), 0, kBytes);
  const std::uint64_t groups = frame.group_count[0] / slices;
  for (auto _ : state)
    for (unsigned slice = 0; slice < slices; ++slice)
      cpu::run_merge(cpu::Pool::shared(), function, frame, std::size(arguments), slice * groups, (slice + 1) * groups);
  if (std::memcmp(bytes(world.merged), bytes(world.result), kBytes) != 0) state.SkipWithError("wrong bytes");
  state.SetBytesProcessed(static_cast<std::int64_t>(kBytes) * state.iterations());
}

/// What a store costs that is copied where it is met, without any of the kernel's computation.
template <std::size_t kSize>
void by_hand(benchmark::State& state) {
  using Element = std::array<std::byte, kSize>;
  World& world = World::get();
  const std::vector<std::uint32_t>& where = world.places(kSize);
  const auto* from = reinterpret_cast<const Element*>(bytes(world.result));
  auto* to = reinterpret_cast<Element*>(bytes(world.merged));
  constexpr std::size_t kPiece = 1u << 16;
  for (auto _ : state)
    cpu::Pool::shared().run(where.size() / kPiece, [&](std::size_t piece) {
      for (std::size_t i = piece * kPiece; i < (piece + 1) * kPiece; ++i) to[where[i]] = from[where[i]];
    });
  state.SetBytesProcessed(static_cast<std::int64_t>(kBytes) * state.iterations());
}

const auto kUnit = benchmark::kMillisecond;
#define REPLAY(name, ...) \
  BENCHMARK_CAPTURE(replay, name, #name, __VA_ARGS__)->MeasureProcessCPUTime()->UseRealTime()->Unit(kUnit)
REPLAY(row_of_a_group, 4, 4 * kLocal, 1);
REPLAY(rows, 4, 4 * kRow, 1);
REPLAY(arithmetic, 4, 4, 1);
REPLAY(transposed, 4, 4, 1);
REPLAY(permuted_4, 4, 4, 1);
REPLAY(permuted_16, 16, 16, 1);
REPLAY(permuted_64, 64, 64, 1);
BENCHMARK_CAPTURE(replay, permuted_4_in_two_slices, "permuted_4", 4, 4, 2)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(kUnit);
BENCHMARK_CAPTURE(replay, permuted_64_in_two_slices, "permuted_64", 64, 64, 2)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(kUnit);
BENCHMARK(by_hand<4>)->MeasureProcessCPUTime()->UseRealTime()->Unit(kUnit);
BENCHMARK(by_hand<16>)->MeasureProcessCPUTime()->UseRealTime()->Unit(kUnit);
BENCHMARK(by_hand<64>)->MeasureProcessCPUTime()->UseRealTime()->Unit(kUnit);

}  // namespace
}  // namespace skmd::icd

BENCHMARK_MAIN();
