// SPDX-License-Identifier: Apache-2.0
// Our own threads: workers that may block on devices, and one thread for the application's callbacks.
#pragma once

#include <atomic>
#include <functional>

namespace skmd::icd {

/// Threads are started when first needed, detached in effect (never joined at process exit), with all signals blocked.
/// After a fork the child has none of them and must not wait for any.
class Executor {
 public:
  Executor();
  ~Executor();  // only in tests: stops and joins when nothing is queued

  /// Runs `work` on a worker; on the calling thread if the system gives no thread. Workers grow in number while all of
  /// them block, so that no work waits for other work. std::bad_alloc: it was not posted.
  void post(std::function<void()> work);
  /// Runs `callback` on the callback thread, in order of posting, with no lock held; on the calling thread if the
  /// system gives no thread. std::bad_alloc: it was not posted.
  void post_callback(std::function<void()> callback);

 private:
  struct State;
  State& state();
  std::atomic<State*> state_{nullptr};  // made at the first post; another one after a fork
};

}  // namespace skmd::icd
