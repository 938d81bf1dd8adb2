// SPDX-License-Identifier: Apache-2.0
// Time and stacks of skmd-compile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::compiler::tuning {

/// Bytes of the stack on which Clang and the analysis run, of which only pages that are touched take memory; a quarter
/// of the address space where that is limited to less. Source: chosen, not measured: Clang's parser recurses over
/// expressions, and programs hold anything.
inline constexpr unsigned long kCompileStackBytes = 512ul << 20;
/// Bytes of the stack on which a crash is reported. Source: chosen, not measured: the report is made already and is
/// only written; above the system's least, which is some kilobytes with AVX-512's registers (sigaltstack(2)).
inline constexpr std::size_t kSignalStackBytes = 64 * 1024;
/// An access that faults this near to the stack's end counts as its overflow. Source: chosen, not measured: larger than
/// the guard and the frames of a function with arrays.
inline constexpr std::uintptr_t kStackEdgeBytes = 1u << 20;
/// Processor time of code that is made ahead, beside that of the code generator, which has a limit of its own and a
/// process as well. Source: as kHelperProcessorSeconds of compiler/client/client_constants.h.
inline constexpr unsigned kAheadSeconds = 120;

}  // namespace skmd::compiler::tuning
