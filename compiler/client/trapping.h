// SPDX-License-Identifier: Apache-2.0
// Checked kernels in OpenCL C: what a launch of one is given. The text and its facts are a StoppableText of the target
// kOpenClTraps.
//
// Work-items leave such a kernel where they would trap (compiler/yield/trap_form.h), or, with
// StoppableKernel::goes_on, do what is inside of their memory, tell of the rest, and go on
// (cpu-driver/codegen/pipeline/guarded_kernel.h). A launch runs consecutive groups, one for each native group of
// dimension 0, all native groups having the local size of the launch.
//
// Behind its own parameters and the hidden record a kernel has `global uint* control`, and, where items leave it,
// `global uint* records` in front of that. An item that leaves takes the next record: kRecordGroup, kRecordItem, and
// from kRecordState on the words of compiler/yield/schema.h that it has, its point first. There is one for each item of
// the launch.
#pragma once

#include <cstdint>
#include <string_view>

namespace skmd::compiler {

/// Words of control, of 32 bits; of two for one number the lower half comes first.
namespace trap_control {
inline constexpr std::uint32_t kCount = 0;         // 0 before the launch; records that were taken, or traps, two words
inline constexpr std::uint32_t kSite = 2;          // of the first trap: the fields of cpu::CheckReport, …
inline constexpr std::uint32_t kOffset = 3;        // … two words
inline constexpr std::uint32_t kSize = 5;          // … two words
inline constexpr std::uint32_t kItem = 7;          // … three times two words
inline constexpr std::uint32_t kReportWords = 13;  // of all that the kernel writes
inline constexpr std::uint32_t kFirst = 13;        // flattened number of the first group
inline constexpr std::uint32_t kWorkDim = 14;      // dimensions of the whole launch
inline constexpr std::uint32_t kGroupCounts = 15;  // of the whole launch, three words
inline constexpr std::uint32_t kOffsets = 18;      // global offsets, two words each
/// Bytes of each of the kernel's own arguments, two words each; 0: neither a buffer nor local memory.
inline constexpr std::uint32_t kSizes = 24;
}  // namespace trap_control

/// Words of a record.
inline constexpr std::uint32_t kRecordGroup = 0;  // flattened number of the group in the whole launch
inline constexpr std::uint32_t kRecordItem = 1;   // the item's number in its group, dimension 0 fastest
inline constexpr std::uint32_t kRecordState = 2;

/// CodeTarget::isa of such text.
inline constexpr std::string_view kOpenClTraps = "opencl-c-traps";

/// `void skmd_trap(global uint* control, uint site, ulong offset, ulong size, ulong x, ulong y, ulong z)`, named as
/// calls of builtins are in LLVM IR: counts a trap, and writes the report of the first. The text defines it.
inline constexpr const char* kTellTrap = "_Z9skmd_trapPU3AS1jjmmmmm";

/// `void skmd_behind_barrier(void)`, likewise: what PoCL needs there.
inline constexpr const char* kBehindBarrier = "_Z19skmd_behind_barrierv";

}  // namespace skmd::compiler
