// SPDX-License-Identifier: Apache-2.0
// What lives across barriers, where private and local variables are, and how large kernels may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::codegen::tuning {

// --- what lives across a barrier (context.cpp) ---

/// Instructions that are computed again behind a barrier, at most: more would be slower than a load. Source: chosen,
/// not measured: a store and a load for each item, out of the first cache.
inline constexpr unsigned kMaxRecomputed = 24;
/// Values of the group that such instructions may start from: each is kept once for the group and takes a register
/// again. Source: chosen, not measured beside other numbers; fdtd3d needs one (start + z * layer).
inline constexpr std::size_t kMaxLeaves = 3;

// --- memory of variables ---

/// Bytes of one private variable, and of all, that are on the stack of the thread that runs the groups; others are in
/// the thread's scratch memory. Source: chosen, not measured: an application's thread may have little.
inline constexpr std::uint64_t kMaxOnStack = 16 << 10;
inline constexpr std::uint64_t kMaxInAll = 256 << 10;
/// Bytes of a kernel's local variables; beyond them it has no code. Source: chosen: far above the local memory of any
/// device, so that offsets are small numbers.
inline constexpr std::uint64_t kMaxLocalBytes = std::uint64_t{1} << 28;

// --- code size ---

/// Pieces of up to 8 bytes into which a memcpy or memset of constant length is written out; longer ones are loops.
/// Source: chosen, not measured: structures that kernels hand over are smaller.
inline constexpr std::uint64_t kUnrolledPieces = 32;
/// Barriers of a kernel: one of more may be compiled for minutes. Source: chosen. 160 in 80 loops took 28 s of
/// processor time on a Zen 5 without vectors, in the form that can be left inside.
inline constexpr std::size_t kMaxBarriers = 512;

}  // namespace skmd::codegen::tuning
