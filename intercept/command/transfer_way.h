// SPDX-License-Identifier: Apache-2.0
// How the bytes of a DeviceTransfer come to or from the application's memory.
#pragma once

#include <memory>
#include <optional>

#include "intercept/backend/vendor/pinned_pieces.h"
#include "intercept/command/device_transfer.h"

namespace skmd::icd {

struct TransferWay {
  std::shared_ptr<const void> locked;  // non-null: straight, as of WriteOp and ReadOp
  PinnedLoan loan;                     // a read's bytes come there, if it holds a piece
};

/// Of a read from device `target` or a write to it; copies and fills have none. Nothing if the transfer is better
/// carried out otherwise than behind the commands on the device's queue. Does not block.
std::optional<TransferWay> way_of(const DeviceTransfer& transfer, std::uint32_t target);

}  // namespace skmd::icd
