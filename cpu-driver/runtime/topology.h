// SPDX-License-Identifier: Apache-2.0
// The number of threads that run kernels, and their processors. Pure: facts in, plan out.
#pragma once

#include <vector>

namespace skmd::cpu {

/// A processor as the system counts them: a hardware thread. Cores, caches and nodes have numbers that are equal where
/// processors share them.
struct Processor {
  unsigned id = 0;
  unsigned core = 0;
  unsigned cache = 0;  // the last level
  unsigned node = 0;   // of memory
};

struct Topology {
  std::vector<Processor> usable;  // that this process may use; never empty
  bool restricted = false;        // an affinity mask or cpuset excludes other processors of the machine
  double quota = 0;               // limit of processor time per time (cgroup), in processors; 0: no limit
};

struct ThreadPlan {
  unsigned threads = 1;  // that run at once, the caller's included
  /// For each thread but the caller's: the processors that it stays on. Empty: not bound.
  std::vector<std::vector<unsigned>> places;
};

/// `wanted`: number of threads; 0: one for each core, but no more than the quota, rounded up. Siblings in a core share
/// the units that vector code keeps busy, so a second thread there gains little and competes with the application's.
/// Threads are bound near one cache if the machine has several and this process may use all processors: one per core
/// then, so that no thread waits while a core is idle.
ThreadPlan plan_threads(const Topology& facts, unsigned wanted);

}  // namespace skmd::cpu
