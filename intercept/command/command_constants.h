// SPDX-License-Identifier: Apache-2.0
// Which thread carries out a transfer, and which way it goes. "The page" is
// docs/decisions/large-transfers-go-past-the-shadow.md.
#pragma once

#include <cstdint>

namespace skmd::icd::tuning {

/// Bytes that are filled, or copied within the driver, on the thread that makes a command ready: waking another thread
/// costs more. Source: the page ("Why": each write above 64 KiB woke one).
inline constexpr std::uint64_t kInlineBytes = std::uint64_t{64} << 10;
/// Likewise between the application's memory and a buffer. Vendors' enqueues copy any number of bytes, and applications
/// expect that of them; a chain of write, launch and read waits for no other thread then. Source: the page.
inline constexpr std::uint64_t kInlineTransfer = std::uint64_t{1} << 20;
/// Bytes from which on a device's copies and fills are batches of their own; fewer are filled, or copied where they are
/// in host memory, sooner there. Source: the page.
inline constexpr std::uint64_t kLeastInside = std::uint64_t{64} << 10;
/// Bytes that are written in a batch of its own from pageable memory. Drivers copy it inside the enqueue, or several
/// threads of ours do: a fraction of a millisecond. From and to page-locked memory the device copies by itself, any
/// number of bytes. Source: the page.
inline constexpr std::uint64_t kMaxWrittenAhead = std::uint64_t{4} << 20;
/// Bytes that are read so into pageable memory. Fewer are there sooner if they are asked for when the launch before has
/// ended; more come in pieces through page-locked memory. Source: the page; docs/devices/nvidia.md.
inline constexpr std::uint64_t kLeastReadAhead = std::uint64_t{128} << 10;
inline constexpr std::uint64_t kMaxReadAhead = std::uint64_t{1} << 20;
/// Bytes from or to memory whose pages can be locked; it takes a larger transfer to lock them. Source: locking takes
/// 0.02 ms a megabyte (docs/decisions/applications-pages-are-locked.md), about what this many bytes take on a link.
inline constexpr std::uint64_t kLeastLocked = std::uint64_t{1} << 20;

}  // namespace skmd::icd::tuning
