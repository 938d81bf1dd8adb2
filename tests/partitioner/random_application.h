// SPDX-License-Identifier: Apache-2.0
// Machines of a processor and one to three GPUs, and applications of each kind, by chance.
#pragma once

#include <ostream>

#include "tests/partitioner/random_machine.h"
#include "tests/partitioner/simulated_application.h"

namespace skmd::domain::test {

/// A processor first, then one to three GPUs that are 1 to 40 times as fast, behind links of 4 to 50 GB/s.
inline std::vector<TrueDevice> random_devices(Chance& chance) {
  TrueDevice processor;
  processor.in_place = true;
  processor.width = 16;
  processor.told.units = 16;
  processor.told.first_use_seconds = processor.first_use = 1e-3;
  std::vector<TrueDevice> devices{processor};
  const std::uint64_t gpus = 1 + chance.below(3);
  const bool alike = chance.below(3) != 0;
  for (std::uint64_t i = 0; i < gpus; ++i) {
    TrueDevice gpu;
    gpu.speed = chance.order_between(1.0, 40.0);
    gpu.to = chance.order_between(4e9, 50e9);
    gpu.from = gpu.to * chance.between(0.8, 1.1);
    gpu.width = 132;
    gpu.told.units = 132;
    gpu.told.likeness = 1 + i;
    gpu.told.first_use_seconds = 1e-3;
    if (alike && i > 0) {
      gpu = devices[1];
    }
    // Throughput of arithmetic, which is not that of most kernels.
    gpu.told.strength = 30.0;
    devices.push_back(gpu);
  }
  return devices;
}

enum class Kind { rounds, resident, pipeline, sizes };

inline TrueLaunch random_launch(Chance& chance, const std::vector<TrueDevice>& devices, std::uint64_t kernel) {
  TrueLaunch launch;
  launch.kernel = kernel;
  launch.shape = kernel;
  launch.groups = static_cast<std::uint64_t>(chance.order_between(1024, 1e6));
  launch.seconds = chance.order_between(5e-3, 0.5);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const bool like_before = d > 1 && devices[d].told.likeness == devices[1].told.likeness;
    launch.suits.push_back(like_before ? launch.suits[1] : chance.order_between(0.5, 2.0));
  }
  return launch;
}

/// Buffers are as large as they are sent in a 30th to twice the time that the processor needs.
inline std::uint64_t random_bytes(Chance& chance, const TrueLaunch& launch) {
  return static_cast<std::uint64_t>(std::max(1e5, launch.seconds * 12e9 * chance.order_between(0.03, 2.0)));
}

inline Application random_application(Chance& chance, const std::vector<TrueDevice>& devices, Kind kind) {
  Application a;
  const TrueLaunch first = random_launch(chance, devices, 0);
  const std::uint64_t bytes = random_bytes(chance, first);
  const bool broadcast = chance.one_in(3);
  if (kind == Kind::rounds) {
    a.name = "write, launch, read";
    a.buffers = {bytes, bytes, bytes};
    a.launches = {first};
    a.launches[0].uses = {{0}, {1, true, false, broadcast}, {2, false, true}};
    a.rounds = {{{Step::write, 0}, {Step::write, 1}, {Step::launch, 0}, {Step::read, 2}}};
  } else if (kind == Kind::resident) {
    // From one buffer to the other and back; all of the positions are read, or a part of them.
    a.name = "resident loop";
    a.buffers = {bytes / 4, bytes / 4};
    a.launches = {first, first};
    a.launches[0].uses = {{0, true, false, broadcast}, {1, false, true}};
    a.launches[1].uses = {{1, true, false, broadcast}, {0, false, true}};
    a.rounds = {{{Step::launch, 0}, {Step::launch, 1}}};
  } else if (kind == Kind::pipeline) {
    a.name = "pipeline";
    const std::uint64_t kernels = 2 + chance.below(2);
    a.buffers.assign(kernels + 1, bytes);
    a.rounds.emplace_back();
    a.rounds[0].push_back({Step::write, 0});
    for (std::uint64_t k = 0; k < kernels; ++k) {
      a.launches.push_back(k == 0 ? first : random_launch(chance, devices, k));
      a.launches[k].uses = {{k, true, false, k == 1 && broadcast}, {k + 1, false, true}};
      a.rounds[0].push_back({Step::launch, k});
    }
    a.rounds[0].push_back({Step::read, kernels});
  } else {
    a.name = "changing sizes";
    a.buffers = {bytes, bytes};
    for (std::size_t k = 0; k < 3; ++k) {
      const double part = k == 0 ? 1.0 : k == 1 ? 0.5 : 0.15;
      TrueLaunch& launch = a.launches.emplace_back(first);
      launch.groups = static_cast<std::uint64_t>(static_cast<double>(first.groups) * part);
      launch.seconds *= part;
      launch.shape = k;
      launch.uses = {{0, true, false, false, part}, {1, false, true, false, part}};
      a.rounds.push_back({{Step::write, 0}, {Step::launch, k}, {Step::read, 1}});
    }
  }
  return a;
}

inline void print(std::ostream& out, const std::vector<TrueDevice>& devices, const Application& a) {
  out << a.name;
  for (const std::uint64_t bytes : a.buffers) out << ", " << bytes / 1000000 << " MB";
  for (const TrueLaunch& launch : a.launches) {
    out << "\n  kernel " << launch.kernel << ": " << launch.groups << " groups, " << launch.seconds << " s, buffers";
    for (const Use& use : launch.uses)
      out << " " << use.buffer << (use.reads ? "r" : "") << (use.writes ? "w" : "") << (use.whole ? " all" : "");
    out << ", devices";
    for (std::size_t d = 0; d < devices.size(); ++d)
      out << " " << launch.seconds / (devices[d].speed * launch.suits[d]);
  }
  for (const TrueDevice& d : devices)
    out << "\n  " << (d.in_place ? "processor" : "GPU") << " of speed " << d.speed << ", links " << d.to << " "
        << d.from;
}

}  // namespace skmd::domain::test
