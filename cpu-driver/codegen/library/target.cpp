// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/Function.h>

#include "cpu-driver/codegen/library/library.h"

namespace skmd::codegen {

void set_processor(llvm::Function& function, Isa isa) {
  for (const char* attribute : {"target-features", "tune-cpu", "min-legal-vector-width"})
    function.removeFnAttr(attribute);
  function.addFnAttr("target-cpu", processor(isa));
  if (!features(isa).empty()) function.addFnAttr("target-features", features(isa));
  function.addFnAttr("prefer-vector-width", std::to_string(32 * lanes(isa)));
}

}  // namespace skmd::codegen
