// SPDX-License-Identifier: Apache-2.0
// Checked kernels in OpenCL C that work-items leave where they would trap (compiler/yield/trap_form.h): what a launch
// of one is given. The text and its facts are a StoppableText of the target kOpenClTraps.
//
// A kernel has two more parameters behind its own and the hidden record: `global uint* records` and `global uint*
// control`. A launch runs consecutive groups, one for each native group of dimension 0, all native groups having the
// local size of the launch. An item that leaves takes the next record: kRecordGroup, kRecordItem, and from kRecordState
// on the words of compiler/yield/schema.h that it has, its point first. There is one for each item of the launch.
#pragma once

#include <cstdint>
#include <string_view>

namespace skmd::compiler {

/// Words of control, of 32 bits.
namespace trap_control {
inline constexpr std::uint32_t kCount = 0;        // 0 before the launch; records that were taken
inline constexpr std::uint32_t kFirst = 1;        // flattened number of the first group
inline constexpr std::uint32_t kWorkDim = 2;      // dimensions of the whole launch
inline constexpr std::uint32_t kGroupCounts = 3;  // of the whole launch, three words
inline constexpr std::uint32_t kOffsets = 6;      // global offsets, two words each, the lower half first
inline constexpr std::uint32_t kSizes = 12;       // bytes of each of the kernel's own arguments, likewise; 0: no buffer
}  // namespace trap_control

/// Words of a record.
inline constexpr std::uint32_t kRecordGroup = 0;  // flattened number of the group in the whole launch
inline constexpr std::uint32_t kRecordItem = 1;   // the item's number in its group, dimension 0 fastest
inline constexpr std::uint32_t kRecordState = 2;

/// CodeTarget::isa of such text.
inline constexpr std::string_view kOpenClTraps = "opencl-c-traps";

}  // namespace skmd::compiler
