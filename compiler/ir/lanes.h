// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/DerivedTypes.h>

namespace skmd {

/// Elements of a vector of fixed length; 1 of any other type.
inline unsigned lanes_of(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

}  // namespace skmd
