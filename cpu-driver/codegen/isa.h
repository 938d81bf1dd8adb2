// SPDX-License-Identifier: Apache-2.0
// What generated code may use of a processor.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>

namespace skmd::codegen {

enum class Isa : std::uint8_t { sse, avx2, avx512 };

/// For LLVM's "target-cpu".
inline llvm::StringRef processor(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "x86-64-v4";
    case Isa::avx2:
      return "x86-64-v3";
    default:
      return "x86-64-v2";
  }
}

/// Lanes of 32 bits in a register.
inline unsigned lanes(Isa isa) { return isa == Isa::avx512 ? 16 : isa == Isa::avx2 ? 8 : 4; }

}  // namespace skmd::codegen
