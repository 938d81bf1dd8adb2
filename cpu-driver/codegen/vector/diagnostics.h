// SPDX-License-Identifier: Apache-2.0
// What the programmer is told of code that vectors do not suit.
#pragma once

#include <llvm/IR/Instruction.h>

#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// `why`, with the operation and the place of `source`, which the region runs item by item for.
domain::Error unsupported(const llvm::Instruction& source, const char* why);

/// A list of texts, each behind its place. Gives: "line:column: text". Needs nothing but the list, which may be absent.
class Remarks {
 public:
  /// `texts` outlives this; null: remarks are dropped.
  explicit Remarks(std::vector<std::string>* texts) : texts_(texts) {}

  void add(const llvm::Instruction& source, const std::string& text) const;

 private:
  std::vector<std::string>* texts_;
};

}  // namespace skmd::codegen
