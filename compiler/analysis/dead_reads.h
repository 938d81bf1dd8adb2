// SPDX-License-Identifier: Apache-2.0
// Reads whose values lead nowhere but to other places that are read. Our passes remove them all; a vendor's compiler
// need not (with -cl-opt-disable none does), and then an address or a divisor out of memory that holds anything may
// kill the process. So the bytes that such values are made of are read, too.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace skmd::compiler {

class DeadReads {
 public:
  /// Holds everything that `kernel` reads from buffers, so that no pass removes it.
  explicit DeadReads(llvm::Function& kernel);

  /// Lets go of what is needed anyway and of what may be anything. To be called when values are in registers.
  void settle();

  /// Lets go of the rest. The reads stay as long as no pass runs that removes what nobody uses.
  void release();

 private:
  llvm::Function& kernel_;
};

}  // namespace skmd::compiler
