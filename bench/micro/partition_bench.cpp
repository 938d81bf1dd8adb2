// SPDX-License-Identifier: Apache-2.0
// What planning one launch costs: footprints, plan and transfer lists for three devices. No device is needed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "partitioner/footprint/footprint.h"
#include "partitioner/merge/merge.h"
#include "partitioner/plan/partition.h"
#include "partitioner/residency/transfer.h"
#include "tests/partitioner/far_machine.h"

namespace {

using namespace skmd::domain;

constexpr std::uint32_t kDevices = 3;
constexpr std::int32_t kN = 4096;
constexpr std::uint64_t kBytes = std::uint64_t{kN} * kN * 4;

NodeId add_node(KernelTraits& k, Op op, std::uint8_t bits, NodeId a = kNoNode, NodeId b = kNoNode) {
  Node n;
  n.op = op;
  n.bits = bits;
  n.a = a;
  n.b = b;
  k.nodes.push_back(n);
  return static_cast<NodeId>(k.nodes.size() - 1);
}

NodeId add_constant(KernelTraits& k, std::int64_t value, std::uint8_t bits) {
  const NodeId id = add_node(k, Op::constant, bits);
  k.nodes[id].value = value;
  return id;
}

void add_access(KernelTraits& k, AccessKind kind, std::uint32_t argument, NodeId row, NodeId n, NodeId column) {
  const NodeId index = add_node(k, Op::add, 32, add_node(k, Op::mul, 32, row, n), column);
  const NodeId offset = add_node(k, Op::mul, 64, add_node(k, Op::sext, 64, index), add_constant(k, 4, 64));
  Access access;
  access.kind = kind;
  access.argument = argument;
  access.offset = offset;
  access.width = 4;
  access.element = 4;
  access.guards_complete = true;
  if (kind == AccessKind::read) access.loops = {0};
  k.accesses.push_back(access);
}

/// C[y·n + x] = Σ A[y·n + i] · B[i·n + x], with int indices and bounds checks, as the SDK samples write it.
KernelTraits matrix_product() {
  KernelTraits k;
  k.parameters.resize(4);
  const auto gid = [&](std::uint8_t dim) {
    const NodeId id = add_node(k, Op::global_id, 64);
    k.nodes[id].dim = dim;
    return add_node(k, Op::trunc, 32, id);
  };
  const NodeId x = gid(0);
  const NodeId y = gid(1);
  const NodeId n = add_node(k, Op::scalar_argument, 32);
  k.nodes[n].value = 3;
  k.loops.push_back({add_node(k, Op::add, 32, n, add_constant(k, -1, 32)), true, kNoNode, 0});
  const NodeId i = add_node(k, Op::iteration, 32);
  add_access(k, AccessKind::read, 0, y, n, i);
  add_access(k, AccessKind::read, 1, i, n, x);
  add_access(k, AccessKind::write, 2, y, n, x);
  for (Access& access : k.accesses) {
    for (const NodeId id : {x, y}) {
      const NodeId inside = add_node(k, Op::compare, 1, id, n);
      k.nodes[inside].dim = static_cast<std::uint8_t>(Predicate::slt);
      access.guards.push_back({inside, true});
    }
  }
  return k;
}

struct Launch {
  KernelTraits traits = matrix_product();
  NdRange range{2, {0, 0, 0}, {kN, kN, 1}, {16, 16, 1}};
  std::array<std::byte, 4> n_bytes{};
  std::vector<ArgumentView> arguments;
  std::vector<DeviceModel> devices;
  std::vector<ResidencyMap> maps{3, ResidencyMap(kBytes)};

  explicit Launch(std::uint32_t device_count = kDevices) : devices(device_count) {
    const std::int32_t n = kN;
    std::memcpy(n_bytes.data(), &n, sizeof(n));
    arguments = {{true, kBytes, {}}, {true, kBytes, {}}, {true, kBytes, {}}, {false, 0, n_bytes}};
    for (std::uint32_t d = 0; d < device_count; ++d) {
      devices[d].measured = true;
      devices[d].groups_per_second = 1e6 * (d % kDevices + 1);
      devices[d].launch_seconds = 10e-6;
      devices[d].relative_error = 0.05;
    }
    for (ResidencyMap& map : maps) map.written(kHostSpace, ByteRange{0, kBytes});
  }

  [[nodiscard]] PartitionRequest request() const {
    PartitionRequest r;
    r.groups = range.group_total();
    r.devices = devices;
    r.granularity = range.group_counts()[0];
    r.bytes_to = [](std::uint32_t d, const GroupSpan& span) { return d == 0 ? 0 : kBytes + span.size() * 256 * 4 * 4; };
    r.bytes_from = [](std::uint32_t d, const GroupSpan& span) { return d == 0 ? 0 : span.size() * 256 * 4; };
    return r;
  }
};

void footprints_of_three_slices(benchmark::State& state) {
  const Launch launch;
  const std::uint64_t part = launch.range.group_total() / kDevices;
  for (auto _ : state) {
    for (std::uint64_t d = 0; d < kDevices; ++d) {
      benchmark::DoNotOptimize(evaluate(launch.traits, launch.range, {d * part, (d + 1) * part}, launch.arguments));
    }
  }
}
BENCHMARK(footprints_of_three_slices);

void footprints_of_three_slabs(benchmark::State& state) {
  const Launch launch;
  const std::uint64_t row = launch.range.group_counts()[0];
  const std::uint64_t part = launch.range.group_total() / kDevices / row * row;
  for (auto _ : state) {
    for (std::uint64_t d = 0; d < kDevices; ++d) {
      benchmark::DoNotOptimize(evaluate(launch.traits, launch.range, {d * part, (d + 1) * part}, launch.arguments));
    }
  }
}
BENCHMARK(footprints_of_three_slabs);

void plan_for_three_devices(benchmark::State& state) {
  const Launch launch;
  const PartitionRequest request = launch.request();
  for (auto _ : state) benchmark::DoNotOptimize(partition(request));
}
BENCHMARK(plan_for_three_devices);

/// `auto` over so many devices, where splitting pays: the whole search is timed.
void decide(benchmark::State& state) {
  const Launch launch(static_cast<std::uint32_t>(state.range(0)));
  PartitionRequest request = launch.request();
  request.bytes_to = [](std::uint32_t d, const GroupSpan& span) { return d == 0 ? 0 : span.size() * 16; };
  request.bytes_from = request.bytes_to;
  if (partition(request).slices.size() < 2) state.SkipWithError("the launch was not split");
  for (auto _ : state) benchmark::DoNotOptimize(partition(request));
}
BENCHMARK(decide)->Arg(3)->Arg(9)->Arg(64);

/// `auto` over so many hosts of so many devices each, and a processor here: random links and kernels of
/// tests/partitioner/far_machine.h. Milliseconds of a plan that splits: the median and the longest of a hundred
/// machines. 64 devices are the most that the driver takes.
void decide_far(benchmark::State& state) {
  std::vector<double> taken;
  for (auto _ : state)
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      test::Chance chance(~seed);
      const auto groups = static_cast<std::uint64_t>(chance.order_between(64, 1e7));
      const test::FarMachine machine(seed, static_cast<std::uint64_t>(state.range(0)),
                                     static_cast<std::uint64_t>(state.range(1)), groups);
      const PartitionRequest request = machine.request();
      const auto begin = std::chrono::steady_clock::now();
      const Plan plan = partition(request);
      if (plan.slices.size() > 1)
        taken.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
  std::sort(taken.begin(), taken.end());
  state.counters["median_ms"] = taken[taken.size() / 2];
  state.counters["longest_ms"] = taken.back();
}
BENCHMARK(decide_far)->Args({1, 7})->Args({9, 7})->Args({1, 63})->Args({64, 8})->Unit(benchmark::kMillisecond);

void decide_as_the_paper(benchmark::State& state) {
  const Launch launch;
  PartitionRequest request = launch.request();
  request.policy.mode = PartitionMode::paper;
  const PaperCosts costs{true, 2 * kBytes, kBytes, 0.0, {false, true, true}};
  request.paper = &costs;
  for (auto _ : state) benchmark::DoNotOptimize(partition(request));
}
BENCHMARK(decide_as_the_paper)->Name("decide/paper");

void footprints_plan_and_transfers(benchmark::State& state) {
  const Launch launch;
  const PartitionRequest request = launch.request();
  for (auto _ : state) {
    const Plan plan = partition(request);
    std::vector<Need> needs;
    for (const Slice& slice : plan.slices) {
      const auto footprints = evaluate(launch.traits, launch.range, slice.span, launch.arguments);
      for (std::uint32_t root = 0; root < 3; ++root) needs.push_back({root, slice.device, footprints[root].reads});
    }
    TransferList list;
    for (std::uint32_t root = 0; root < 3; ++root) add_transfers(root, needs, launch.maps[root], list);
    benchmark::DoNotOptimize(list);
  }
}
BENCHMARK(footprints_plan_and_transfers);

/// out[here] = in[here ± 1, ± row, ± layer], marching along z over a volume with a frame, as fdtd3d does: the footprint
/// of any slice is one range for each row of the volume that it touches.
struct Stencil {
  static constexpr std::int64_t kSide = 256, kRadius = 2, kRow = kSide + 2 * kRadius, kLayer = kRow * kRow;
  KernelTraits traits;
  NdRange range{2, {0, 0, 0}, {kSide, kSide, 1}, {32, 8, 1}};
  std::vector<ArgumentView> arguments{{true, kVolume, {}}, {true, kVolume, {}}};
  std::vector<ResidencyMap> maps{2, ResidencyMap(kVolume)};

  Stencil() {
    traits.parameters.resize(2);
    const auto id = [&](std::uint8_t dim) {
      const NodeId node = add_node(traits, Op::global_id, 64);
      traits.nodes[node].dim = dim;
      return node;
    };
    const NodeId x = id(0);
    const NodeId y = id(1);
    const auto times = [&](NodeId node, std::int64_t by) {
      return add_node(traits, Op::mul, 64, node, add_constant(traits, by, 64));
    };
    traits.loops.push_back({add_constant(traits, kSide - 1, 64), true, kNoNode, 0});
    const NodeId z = add_node(traits, Op::iteration, 64);
    const NodeId flat =
        add_node(traits, Op::add, 64, add_node(traits, Op::add, 64, x, times(y, kRow)), times(z, kLayer));
    for (const std::int64_t away : {-1L, 1L, -kRow, kRow, -kLayer, kLayer, 0L}) {
      const std::int64_t middle = kRadius * (1 + kRow + kLayer);
      Access access;
      access.offset = times(add_node(traits, Op::add, 64, flat, add_constant(traits, middle + away, 64)), 4);
      access.kind = away == 0 ? AccessKind::write : AccessKind::read;
      access.argument = away == 0 ? 1 : 0;
      access.width = access.element = 4;
      access.loops = {0};
      access.guards_complete = true;
      traits.accesses.push_back(access);
    }
    for (ResidencyMap& map : maps) map.written(kHostSpace, ByteRange{0, kVolume});
  }

  [[nodiscard]] std::vector<Footprint> slice(std::uint64_t first, std::uint64_t last) const {
    return evaluate(traits, range, {first, last}, arguments);
  }

 private:
  static constexpr std::uint64_t kVolume = 4 * kLayer * (kSide + 2 * kRadius);
};

std::size_t ranges_of(const std::vector<Footprint>& footprints) {
  std::size_t count = 0;
  for (const Footprint& f : footprints) count += f.reads.ranges().size() + f.may_write.ranges().size();
  return count;
}

void stencil_footprint(benchmark::State& state) {
  const Stencil stencil;
  const std::uint64_t groups = stencil.range.group_total();
  for (auto _ : state) benchmark::DoNotOptimize(stencil.slice(0, groups / static_cast<std::uint64_t>(state.range(0))));
  state.counters["ranges"] =
      static_cast<double>(ranges_of(stencil.slice(0, groups / static_cast<std::uint64_t>(state.range(0)))));
}
BENCHMARK(stencil_footprint)->Arg(1)->Arg(2)->Arg(16);

void stencil_missing_bytes(benchmark::State& state) {
  const Stencil stencil;
  const auto footprints = stencil.slice(0, stencil.range.group_total());
  for (auto _ : state)
    for (std::size_t root = 0; root < 2; ++root)
      benchmark::DoNotOptimize(stencil.maps[root].missing_bytes(1, footprints[root].reads));
  state.counters["ranges"] = static_cast<double>(ranges_of(footprints));
}
BENCHMARK(stencil_missing_bytes);

void stencil_merge_of_two(benchmark::State& state) {
  const Stencil stencil;
  const std::uint64_t groups = stencil.range.group_total();
  const std::vector<RootView> roots{{0, 0}, {1, 0}};
  const std::vector<std::vector<RootFootprint>> halves{on_roots(stencil.slice(0, groups / 2), roots, 2),
                                                       on_roots(stencil.slice(groups / 2, groups), roots, 2)};
  for (auto _ : state) benchmark::DoNotOptimize(decide_merge(stencil.traits, halves, roots, 2, RungSet{}, {}));
}
BENCHMARK(stencil_merge_of_two);

}  // namespace

BENCHMARK_MAIN();
