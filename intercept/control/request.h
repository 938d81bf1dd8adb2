// SPDX-License-Identifier: Apache-2.0
// What skmd-ctl asks, as a line of words with tabs between. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "partitioner/base/result.h"

namespace skmd::icd::control {

enum class Order : std::uint8_t { status, stop, start, move, suspend, resume, checkpoint };

struct Request {
  Order order = Order::status;
  std::string kernel;  // of move
  std::string device;  // of stop, start and move; as the user wrote it
  std::string file;    // of checkpoint
};

/// `line`: without its end. Error: no order, or not as many words behind it as it takes.
domain::Result<Request> parse_request(std::string_view line);

}  // namespace skmd::icd::control
