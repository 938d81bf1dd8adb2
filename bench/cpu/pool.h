// SPDX-License-Identifier: Apache-2.0
// Threads for the baselines: kept between runs, so that starting them is not what is measured.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

/// As many threads as asked for, the caller counted. One run at a time.
class Pool {
 public:
  explicit Pool(std::size_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Calls `body` with ranges that together are [0, count), each of at most `chunk`; threads take one after the other.
  void run(std::size_t count, std::size_t chunk, const std::function<void(std::size_t first, std::size_t last)>& body);
  std::size_t size() const { return threads_.size() + 1; }

 private:
  void serve();
  void take_chunks();

  std::atomic<unsigned> turn_{0};
  std::atomic<std::size_t> next_{0}, busy_{0};
  std::size_t count_ = 0, chunk_ = 1;
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> threads_;
};

}  // namespace bench
