// SPDX-License-Identifier: Apache-2.0
#include "bench/support/parallel.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace bench {

void parallel_for(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t workers = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), count);
  std::vector<std::jthread> threads;
  for (std::size_t w = 1; w < workers; ++w) {
    threads.emplace_back([&body, w, workers, count] { body(count * w / workers, count * (w + 1) / workers); });
  }
  if (count > 0) body(0, count / workers);
}

}  // namespace bench
