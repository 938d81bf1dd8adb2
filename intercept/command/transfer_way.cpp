// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/transfer_way.h"

#include <utility>

namespace skmd::icd {
namespace {

/// Drivers copy pageable memory inside the enqueue, or several threads of ours do: a fraction of a millisecond. From
/// and to page-locked memory the device copies by itself, any number of bytes.
constexpr std::uint64_t kMaxWritten = std::uint64_t{4} << 20;
/// Into pageable memory, few bytes are there sooner if they are asked for when the launch before has ended
/// (docs/devices/nvidia.md). More than a megabyte comes in pieces through page-locked memory.
constexpr std::uint64_t kLeastRead = std::uint64_t{128} << 10;
constexpr std::uint64_t kMaxRead = std::uint64_t{1} << 20;
/// Bytes from or to memory whose pages can be locked; it takes a larger transfer to lock them.
constexpr std::uint64_t kLeastLocked = std::uint64_t{1} << 20;
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
  if (bytes > (reads ? kMaxRead : kMaxWritten)) return std::nullopt;
  PinnedPieces* const pieces = reads && bytes <= kSmallPiece ? machine.devices[target]->small_pieces() : nullptr;
  PinnedLoan loan(pieces);
  if (reads && bytes < kLeastRead && loan.piece() == nullptr) return std::nullopt;
  return TransferWay{nullptr, std::move(loan)};
}

}  // namespace skmd::icd
