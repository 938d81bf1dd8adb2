// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/pool.h"

#include <algorithm>

namespace bench {

Pool::Pool(std::size_t threads) {
  for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

Pool::~Pool() {
  stop_ = true;
  ++turn_;
  turn_.notify_all();
}

void Pool::run(std::size_t count, std::size_t chunk, const std::function<void(std::size_t, std::size_t)>& body) {
  count_ = count;
  chunk_ = chunk;
  body_ = &body;
  next_ = 0;
  busy_ = threads_.size();
  ++turn_;
  turn_.notify_all();
  take_chunks();
  for (std::size_t left = busy_; left != 0; left = busy_) busy_.wait(left);
}

void Pool::serve() {
  for (unsigned seen = 0;;) {
    turn_.wait(seen);
    seen = turn_;
    if (stop_) return;
    take_chunks();
    if (--busy_ == 0) busy_.notify_all();
  }
}

void Pool::take_chunks() {
  for (;;) {
    const std::size_t first = next_.fetch_add(chunk_);
    if (first >= count_) return;
    (*body_)(first, std::min(first + chunk_, count_));
  }
}

}  // namespace bench
