// SPDX-License-Identifier: Apache-2.0
// The instruction sets that this processor runs code for. Tests cap them with SKMD_TEST_ISA, so that code for lesser
// processors is tried on any machine.
#pragma once

#include <optional>
#include <string_view>

#include "cpu-driver/span_code.h"
#include "partitioner/base/result.h"

namespace skmd::cpu {

/// The name of a target, as compilers use it; "" for a number that is not a target.
std::string_view name_of(SpanTarget target);

/// True if the processor and the system run code for `target`: the system must save threads' wide registers.
/// Independent of SKMD_TEST_ISA.
bool runs_here(SpanTarget target);

/// The value of SKMD_TEST_ISA: `sse`, `avx2`, `avx512` or `avx512vbmi`; nothing for "". An error names the value.
domain::Result<std::optional<SpanTarget>> parse_isa_cap(std::string_view value);

/// The most capable target that runs here and is not above `cap`; nothing if there is none. Caps are for x86-64 only.
std::optional<SpanTarget> best_target(std::optional<SpanTarget> cap);

/// The same with the cap that SKMD_TEST_ISA names. The variable is read once, at the first call; a set-user-id program
/// reads none, and a wrong value caps nothing. Thread-safe.
std::optional<SpanTarget> best_target();

/// Whether code may use what `target` has: it is not above best_target().
bool may_use(SpanTarget target);

}  // namespace skmd::cpu
