// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/transfer_way.h"

#include <utility>

#include "intercept/backend/vendor/vendor_constants.h"
#include "intercept/command/command_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

}  // namespace

std::optional<TransferWay> way_of(const DeviceTransfer& transfer, std::uint32_t target) {
  const bool reads = transfer.kind == DeviceTransfer::Kind::read;
  if (!reads && transfer.kind != DeviceTransfer::Kind::write) return TransferWay{};
  Machine& machine = transfer.root->machine();
  const std::uint64_t bytes = transfer.range.size();
  auto locked = machine.pages.locked_already(target, transfer.memory, bytes);
  if (locked != nullptr) return TransferWay{std::move(locked), {}};
  // Pages may be locked for it, which this thread must not wait for.
  if (bytes > kLeastLocked && machine.pages.lockable(target, transfer.memory, bytes)) return std::nullopt;
  if (bytes > (reads ? kMaxReadAhead : kMaxWrittenAhead)) return std::nullopt;
  PinnedPieces* const pieces = reads && bytes <= kSmallPiece ? machine.devices[target]->small_pieces() : nullptr;
  PinnedLoan loan(pieces);
  if (reads && bytes < kLeastReadAhead && loan.piece() == nullptr) return std::nullopt;
  return TransferWay{nullptr, std::move(loan)};
}

}  // namespace skmd::icd
