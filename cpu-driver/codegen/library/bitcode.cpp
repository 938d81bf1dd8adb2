// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/bitcode.h"

// Bitcode is read in words of 4 bytes; 16 for good measure. A byte 0 follows, as LLVM's buffers have.
asm(".section .rodata.skmd_builtins,\"a\",@progbits\n"
    ".balign 16\n"
    ".hidden skmd_builtins_begin\n.hidden skmd_builtins_end\n"
    ".globl skmd_builtins_begin\n.globl skmd_builtins_end\n"
    "skmd_builtins_begin:\n"
    ".incbin \"" SKMD_BUILTINS_BITCODE
    "\"\n"
    "skmd_builtins_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" const char skmd_builtins_begin[];
extern "C" const char skmd_builtins_end[];

namespace skmd::codegen {

llvm::StringRef builtins_bitcode() {
  return {skmd_builtins_begin, static_cast<std::size_t>(skmd_builtins_end - skmd_builtins_begin)};
}

}  // namespace skmd::codegen
