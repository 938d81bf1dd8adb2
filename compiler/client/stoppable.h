// SPDX-License-Identifier: Apache-2.0
// Kernels in OpenCL C that any driver can build and that can be stopped inside of work-groups: what a launch of one is
// given, and the text with its facts as skmd-compile answers it (Stage::code for kOpenClTargets).
//
// A kernel has two more parameters behind its own and the hidden record: `global uint* states` and `global uint*
// control`. A launch runs the groups of a list in control, one for each native group of dimension 0, all native groups
// having the local size of the launch. Each has a state of so many words at its place in `states`: the words of
// compiler/yield/schema.h, then its local memory where the kernel has any. Word 0 of control is set to 1 by a group
// that did not end; the launch is repeated with the same states until no group does.
//
// Behind the list each group has some words that say what became of it, 0 before the first launch (kStages).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cpu-driver/yield_facts.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// Words of control, of 32 bits.
namespace control {
inline constexpr std::uint32_t kLeft = 0;         // 0 before the launch; 1 afterwards if a group has not ended
inline constexpr std::uint32_t kFuel = 1;         // without a clock: looks of an item, or of its group, until it leaves
inline constexpr std::uint32_t kQuantum = 2;      // with a clock: units of 1,024 ns until groups leave
inline constexpr std::uint32_t kStart = 3;        // 0 before the launch; when the first group began
inline constexpr std::uint32_t kWorkDim = 4;      // dimensions of the whole launch
inline constexpr std::uint32_t kStateWords = 5;   // of a group's state, local memory included
inline constexpr std::uint32_t kGroupCounts = 6;  // of the whole launch, three words
inline constexpr std::uint32_t kOffsets = 9;      // global offsets, two words each, the lower half first
/// Of each local parameter of the kernel, in order, two words: where its bytes are kept, from the begin of the group's
/// local memory in its state, and how many there are.
inline constexpr std::uint32_t kLocals = 15;
inline constexpr std::uint32_t kMaxLocals = 8;
inline constexpr std::uint32_t kRun = kLocals + 2 * kMaxLocals;  // the launch's number, from 1, for the same states
inline constexpr std::uint32_t kGroups = kRun + 1;               // flattened numbers, from here on

/// Words of a group behind the list. It has ended if neither of the first two is the last launch's number.
inline constexpr std::uint32_t kStages = 3;
inline constexpr std::uint32_t kSavedIn = 0;   // of kStages: the last launch in which an item, or the group, was saved
inline constexpr std::uint32_t kFreshIn = 1;   // the last launch in which an item, or the group, did not begin
inline constexpr std::uint32_t kAnyEnded = 2;  // 1: items may have ended; of groups whose items leave one by one
}  // namespace control

/// CodeTarget::isa of such text: with the device's clock (NVIDIA's %globaltimer), without one, and without one of
/// kernels whose items leave one by one.
inline constexpr std::string_view kOpenClWithClock = "opencl-c-clock";
inline constexpr std::string_view kOpenClWithoutClock = "opencl-c";
inline constexpr std::string_view kOpenClWithoutBarriers = "opencl-c-apart";

/// `uint skmd_over(global uint* control)`, named as calls of builtins are in LLVM IR: not 0 once the launch has taken
/// its quantum. Kernels call it where the device has a clock.
inline constexpr const char* kOver = "_Z9skmd_overPU3AS1j";

/// What `states` and `control` hold of the group that calls, and the item's number in its group and how many items that
/// has: kernels ask where they leave and where they go on, so that no registers keep the answers in loops. Named as
/// builtins are in LLVM IR: `global uint* skmd_state_here(global uint* states, global uint* control)`,
/// `global uint* skmd_stages_here(global uint* control)`, `ulong skmd_linear_here()` and `ulong skmd_items_here()`.
inline constexpr const char* kStateHere = "_Z15skmd_state_herePU3AS1jS0_";
inline constexpr const char* kStagesHere = "_Z16skmd_stages_herePU3AS1j";
inline constexpr const char* kLinearHere = "_Z16skmd_linear_herev";
inline constexpr const char* kItemsHere = "_Z15skmd_items_herev";

/// The kernel's name in the text: its own may be that of a builtin that the text calls.
inline std::string name_in_text(std::string_view kernel) { return std::string("skmd_stoppable_").append(kernel); }

struct StoppableKernel {
  std::string name;
  cpu::YieldFacts facts;
  std::uint64_t local_bytes = 0;  // of local variables, aligned as in span code
  std::uint32_t local_parameters = 0;
  // Of the target kOpenClTraps (trapping.h), which also names kernels without text. `facts.points` is 0 if nothing may
  // trap (there is no text then), or if items go on.
  bool only_buffers = false;  // nothing but accesses of arguments' buffers and local memory may trap
  std::string why_not = {};   // why there is no text: a reason that statistics know, and behind ": " words
  bool goes_on = false;       // items that trap go on
  std::string sites = {};     // of these, what may trap (cpu::sites_symbol)
};
struct StoppableText {
  std::vector<StoppableKernel> kernels;
  std::string text;  // OpenCL C
};

/// One string, for KernelNote and CompileAnswer::kernel_code, and back. An error for what encode() did not write.
std::string encode(const StoppableText& text);
domain::Result<StoppableText> decode_stoppable(const std::string& bytes);

}  // namespace skmd::compiler
