// SPDX-License-Identifier: Apache-2.0
// How files of sections are read and written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::section_file::tuning {

/// Bytes that are summed and written at once. Source: chosen: they stay in a core's second-level cache between the two,
/// and a call to the system costs far less than they do.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
/// Parts of a section that are smaller are collected before they are written. Source: chosen: as many bytes as a call
/// to the system takes the time to copy.
inline constexpr std::size_t kSmallPart = std::size_t{1} << 16;
/// The system is told to begin writing to the medium after so many bytes, so that the flush at the end has little left.
/// Source: chosen: some tens of milliseconds of a fast disk.
inline constexpr std::uint64_t kFlushedBytes = std::uint64_t{32} << 20;
/// Threads that read a large section. Source: chosen: one alone copies slower than memory gives.
inline constexpr unsigned kReaders = 4;

}  // namespace skmd::section_file::tuning
