// SPDX-License-Identifier: Apache-2.0
// The instruction sets for which code is generated.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>

namespace skmd::codegen {

/// Each includes those before it. avx512vbmi: x86-64-v4 and shuffles of bytes over whole registers.
enum class Isa : std::uint8_t { sse, avx2, avx512, avx512vbmi };

/// For LLVM's "target-cpu".
inline llvm::StringRef processor(Isa isa) {
  switch (isa) {
    case Isa::avx512:
    case Isa::avx512vbmi:
      return "x86-64-v4";
    case Isa::avx2:
      return "x86-64-v3";
    default:
      return "x86-64-v2";
  }
}

/// For LLVM's "target-features": what the processor's name does not say.
inline llvm::StringRef features(Isa isa) { return isa == Isa::avx512vbmi ? "+avx512vbmi" : ""; }

/// Lanes of 32 bits in a register.
inline unsigned lanes(Isa isa) { return isa >= Isa::avx512 ? 16 : isa == Isa::avx2 ? 8 : 4; }

/// By the names above; nothing for others.
inline std::optional<Isa> isa_of(llvm::StringRef name) {
  if (name == "sse") return Isa::sse;
  if (name == "avx2") return Isa::avx2;
  if (name == "avx512") return Isa::avx512;
  if (name == "avx512vbmi") return Isa::avx512vbmi;
  return std::nullopt;
}

/// Of a pass's name, with an instruction set in angle brackets or, for the best, without; nothing for other passes.
inline std::optional<Isa> isa_in(llvm::StringRef name, llvm::StringRef pass) {
  if (!name.consume_front(pass)) return std::nullopt;
  if (name.empty()) return Isa::avx512vbmi;
  if (!name.consume_front("<") || !name.consume_back(">")) return std::nullopt;
  return isa_of(name);
}

}  // namespace skmd::codegen
