// SPDX-License-Identifier: Apache-2.0
// The memory that an address may come from.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <vector>

#include "cpu-driver/codegen/check/checks.h"

namespace skmd::codegen {

/// One piece of memory.
struct Extent {
  llvm::Value* base = nullptr;
  llvm::Value* size = nullptr;  // i64
  std::string name;
};

class Extents {
 public:
  Extents(llvm::Function& item, const CheckedItem& parts) : item_(item), parts_(parts) {}

  /// One of these has to hold what is accessed at `address`. Empty: nothing is to be checked.
  std::vector<Extent> of(llvm::Value& address);

 private:
  Extent* argument(llvm::Argument& argument);
  Extent* variable(llvm::GlobalVariable& variable);
  Extent* local_variables();
  Extent* extent_of(llvm::Value& object);
  std::vector<Extent> every_buffer();
  /// Of the frame's argument, loaded where the item begins.
  llvm::Value* size_of(const llvm::Argument& argument);

  llvm::Function& item_;
  const CheckedItem& parts_;
  std::map<const llvm::Value*, Extent> known_;
};

}  // namespace skmd::codegen
