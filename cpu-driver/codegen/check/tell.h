// SPDX-License-Identifier: Apache-2.0
// Calls that tell of a failed check.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "cpu-driver/codegen/check/checks.h"

namespace skmd::codegen {

class Tell {
 public:
  Tell(llvm::Function& item, const CheckedItem& parts);

  /// A call of kCheckFailed at `ir` for the next site, of which the first is behind those of parts.sites. `offset` and
  /// `size` as cpu::CheckReport has them.
  void operator()(llvm::IRBuilder<>& ir, llvm::Value* offset, llvm::Value* size);

 private:
  const CheckedItem& parts_;
  llvm::FunctionCallee failed_;
  std::uint64_t site_;
};

}  // namespace skmd::codegen
