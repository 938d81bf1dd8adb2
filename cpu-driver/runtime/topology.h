// SPDX-License-Identifier: Apache-2.0
// How many threads run kernels, and where. A pure decision: facts in, plan out.
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
  bool restricted = false;        // it may not use others that are there: somebody has decided where it runs
  double quota = 0;               // processors' worth of time that it gets; 0: no limit
};

struct ThreadPlan {
  unsigned threads = 1;  // that run at once, the caller's included
  /// For each thread but the caller's: the processors that it stays on. Empty: wherever the system likes.
  std::vector<std::vector<unsigned>> places;
};

/// `wanted`: how many threads; 0: one for each core, but no more than the quota feeds, rounded up. Siblings in a core
/// share what vector code keeps busy, so that a second thread there gains little and takes the application's.
/// Threads stay near one cache where the machine has several and all of it is ours: one per core then, so that none
/// waits while a core idles.
ThreadPlan plan_threads(const Topology& facts, unsigned wanted);

}  // namespace skmd::cpu
