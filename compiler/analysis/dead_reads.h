// SPDX-License-Identifier: Apache-2.0
// Reads whose values are used only for the addresses of other reads. LLVM's passes remove them all; a vendor's compiler
// need not (with -cl-opt-disable none does), and then an address or a divisor loaded from memory with arbitrary
// contents may crash the process. So the bytes behind such values count as read, too.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace skmd::compiler {

class DeadReads {
 public:
  /// Marks all reads of `kernel` from buffers, and with `local` from local memory, as used, so that no pass removes
  /// them.
  DeadReads(llvm::Function& kernel, bool local);

  /// Releases reads whose values are needed anyway, and those whose values may be arbitrary. Precondition: values are
  /// in registers (after mem2reg or SROA).
  void settle();

  /// Releases the rest. The reads stay until a pass removes dead instructions.
  void release();

 private:
  llvm::Function& kernel_;
};

}  // namespace skmd::compiler
