// SPDX-License-Identifier: Apache-2.0
// What joining 67 MB of scattered results costs, rungs 2 and 3 against a copy of the same bytes by the same threads.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "intercept/backend/host_code.h"
#include "partitioner/merge.h"

namespace skmd::icd {
namespace {

constexpr std::uint32_t kElements = 1u << 24;
constexpr std::uint64_t kBytes = std::uint64_t{kElements} * 4;
constexpr std::uint32_t kLocal = 256;
constexpr std::uint32_t kRow = 64;

constexpr char kSource[] = R"(
__kernel void arithmetic(__global uint* out, __global const uint* where, uint n) {
  uint i = get_global_id(0);
  out[(i * 389) % n] = i;
}
__kernel void permuted(__global uint* out, __global const uint* where, uint n) { out[where[get_global_id(0)]] = 1; }
__kernel void rows(__global uint* out, __global const uint* where, uint n) {
  uint i = get_global_id(0);
  out[where[i / 64] * 64 + i % 64] = i;
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

struct World {
  std::vector<std::uint32_t> before, merged, result, where, rows;
  HostCode code{span_code(), ""};

  World() : before(kElements), merged(kElements), result(kElements, 7), where(kElements), rows(kElements / kRow) {
    std::mt19937 random(389);
    std::iota(where.begin(), where.end(), 0u);
    std::shuffle(where.begin(), where.end(), random);
    std::iota(rows.begin(), rows.end(), 0u);
    std::shuffle(rows.begin(), rows.end(), random);
  }
  static World& get() {
    static World world;
    return world;
  }
};

std::byte* bytes(std::vector<std::uint32_t>& values) { return reinterpret_cast<std::byte*>(values.data()); }
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

void replay(benchmark::State& state, const char* kernel) {
  World& world = World::get();
  const cpu::SpanFunction function = world.code.merge_function(kernel);
  if (function == nullptr) return state.SkipWithError("the kernel has no merge function");
  std::vector<std::uint32_t>& where = std::strcmp(kernel, "rows") == 0 ? world.rows : world.where;
  std::uint32_t n[4] = {kElements, 0, 0, 0};
  const cpu::SpanArgument arguments[] = {{bytes(world.merged), bytes(world.result), kBytes},
                                         {bytes(where), nullptr, where.size() * 4},
                                         {reinterpret_cast<std::byte*>(n), nullptr, 4}};
  cpu::SpanFrame frame;
  frame.global_size[0] = kElements;
  frame.local_size[0] = kLocal;
  frame.group_count[0] = kElements / kLocal;
  frame.arguments = arguments;
  for (auto _ : state) run_span(function, frame, {0, kElements / kLocal});
  state.SetBytesProcessed(static_cast<std::int64_t>(kBytes) * state.iterations());
}
BENCHMARK_CAPTURE(replay, rows, "rows")->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, arithmetic, "arithmetic")->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, transposed, "transposed")->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, permuted, "permuted")->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace skmd::icd

BENCHMARK_MAIN();
