// SPDX-License-Identifier: Apache-2.0
// How much of a kernel the analysis looks at. Kernels beyond these limits run whole, or parts of them count as unknown:
// results are right with any values. Recursion is limited because skmd-compile runs on a stack of kCompileStackBytes
// (compiler/tool/tool_constants.h), of which a level takes less than a kilobyte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::compiler::tuning {

// --- kernels that are analysed at all ---

/// Basic blocks, loops and accesses of a kernel, all functions inlined. Beyond these the analyses, some of which look
/// at every pair, would take longer than an application waits, and their result too long to evaluate at every launch.
/// Source: chosen, not measured: kernels that people write are far from them.
inline constexpr std::size_t kMaxAnalysedBlocks = 4096;
inline constexpr std::size_t kMaxAnalysedLoops = 512;
inline constexpr std::size_t kMaxAnalysedAccesses = 4096;
/// Instructions of all kernels of a program, as if all functions were inlined: beyond them no kernel is analysed, for
/// the same reason. Source: chosen, not measured.
inline constexpr std::uint64_t kMaxInlinedInstructions = 400'000;

// --- expressions ---

/// Nodes of all expressions of a kernel. Footprints are evaluated at every launch: a DAG beyond this costs more than
/// what it may save. Source: chosen, not measured.
inline constexpr std::size_t kMaxNodes = 4096;
/// Recursion over operands of LLVM's instructions, and over pointers through casts, sums and choices: deeper operands
/// are unknown. Source: chosen, not measured: far above what is written by hand, and far below the stack's end.
inline constexpr unsigned kMaxExpressionDepth = 500;
inline constexpr unsigned kMaxPointerDepth = 200;
/// Vectors that are made of vectors, of whose lanes one is asked for. Source: chosen, not measured: OpenCL's widest
/// vector has 16 elements, put in one after the other.
inline constexpr unsigned kMaxVectorDepth = 32;
/// Conditions that one branch is split into, that are kept of an access, and blocks that are walked for them; beyond
/// these it counts as made in any case. Source: chosen, not measured: conditions around one access are few.
inline constexpr std::size_t kMaxGuards = 64;
/// Products of a place, as a polynomial of ids and arguments, and the depth of its expression: beyond these the access
/// has no class. Source: chosen, not measured: multiplying out two sums has as many products as both sums' product.
inline constexpr std::size_t kMaxProducts = 64;
inline constexpr unsigned kMaxPolynomialDepth = 200;
/// Depth of an expression in words (`--explain`): a DAG printed as a tree can grow without bound. Source: chosen, not
/// measured: no line that is read is as deep.
inline constexpr unsigned kMaxPrintedDepth = 40;

// --- the work of a group ---

/// What operations count that are not simple (operations_of()), where simple ones count 1. Devices differ in these by
/// less than models of time, which fit a factor to each kernel and device, can tell. Source:
/// docs/decisions/work-is-counted-by-the-compiler.md.
inline constexpr std::uint32_t kHeavyOperation = 8;
/// Conditions of blocks are followed in kernels up to so many blocks. In larger ones all count as met: the walk from
/// every block to the kernel's entry would take long. Source: chosen, not measured: people do not write larger ones by
/// hand.
inline constexpr std::size_t kMaxGuardedBlocks = 512;
/// Different circumstances that are told apart; what comes after these counts as if its conditions were met.
/// Source: chosen, not measured.
inline constexpr std::size_t kMaxCounts = 128;
/// Bytes of memset and memcpy that are one operation. Source: chosen: OpenCL's widest element, four 32-bit numbers, as
/// which vectors move memory.
inline constexpr std::uint64_t kBytesAtOnce = 16;

}  // namespace skmd::compiler::tuning
