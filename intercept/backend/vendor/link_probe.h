// SPDX-License-Identifier: Apache-2.0
// Transfers between host memory and a device by a way that the caller chooses, for calibration. Others go through
// Device::submit(), which takes the way that it expects to be fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

class NativeContext;

enum class TransferWay : std::uint8_t {
  direct,  // pageable memory, left to the driver
  pinned,  // page-locked memory
  staged,  // pageable memory, by way of page-locked pieces that threads copy
};

struct ProbedTransfer {
  TransferWay way = TransferWay::direct;
  bool to_device = true;
  std::uint64_t bytes = 0;
  std::uint32_t threads = 1;  // that copy; `staged` only
};

/// One thread at a time.
class LinkProbe {
 public:
  virtual ~LinkProbe() = default;
  /// Memory for transfers of so many bytes, touched, so that transfers do not pay for it. Before the first transfer.
  virtual Status prepare(std::uint64_t bytes) = 0;
  /// Most threads that staged transfers can use; 0: there are none, nor transfers of page-locked memory.
  [[nodiscard]] virtual std::uint32_t most_threads() const = 0;
  /// Blocks until the bytes are where they should be. At most as many as were prepared.
  virtual Status transfer(const ProbedTransfer& transfer) = 0;
};

/// Through the port: `direct` only.
std::shared_ptr<LinkProbe> port_link(std::shared_ptr<Device> device);

/// Natively, on a queue of its own. For drivers that any number of threads may call at once.
Result<std::shared_ptr<LinkProbe>> native_link(const std::shared_ptr<NativeContext>& context);

}  // namespace skmd::icd
