// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/transpose.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include <vector>

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

// Of two vectors, those halves of each pair of `step` elements that belong to the first result, or to the second.
Value* swapped(IRBuilder<>& ir, Value* one, Value* other, unsigned size, unsigned step, bool second) {
  llvm::SmallVector<int, 32> places;
  for (unsigned at = 0; at < size; ++at) {
    const bool upper = (at & step) != 0;
    const unsigned own = second ? at | step : at & ~step;
    places.push_back(static_cast<int>(upper ? size + own : own));
  }
  return ir.CreateShuffleVector(one, other, places);
}

// Row r's element c becomes row c's element r: for each bit of their numbers, blocks beside the diagonal change places.
void transpose(IRBuilder<>& ir, std::vector<Value*>& rows) {
  const auto size = static_cast<unsigned>(rows.size());
  for (unsigned step = size / 2; step != 0; step /= 2) {
    for (unsigned row = 0; row < size; ++row) {
      if ((row & step) != 0) continue;
      Value *one = rows[row], *other = rows[row + step];
      rows[row] = swapped(ir, one, other, size, step, false);
      rows[row + step] = swapped(ir, one, other, size, step, true);
    }
  }
}

}  // namespace

void build_transposition(const TwoLayouts& layouts, bool interleave, BasicBlock* from, BasicBlock* to) {
  IRBuilder<> ir(from);
  const unsigned size = layouts.groups;
  auto* tile = BasicBlock::Create(from->getContext(), "tile", from->getParent());
  ir.CreateBr(tile);
  ir.SetInsertPoint(tile);
  const std::uint64_t row_bytes = std::uint64_t{size} * layouts.element;
  llvm::PHINode* at = ir.CreatePHI(ir.getInt64Ty(), 2, "at");
  at->addIncoming(ir.getInt64(0), from);
  auto* row_type = llvm::FixedVectorType::get(ir.getIntNTy(layouts.element * 8), size);
  const llvm::Align align(layouts.element);
  const auto piece = [&](unsigned group) {
    return ir.CreatePtrAdd(ir.CreatePtrAdd(layouts.pieces, at),
                           ir.CreateMul(layouts.distance, ir.getInt64(group), "", true, true));
  };
  const auto interleaved = [&](unsigned element) {
    return ir.CreatePtrAdd(ir.CreatePtrAdd(layouts.interleaved, ir.CreateMul(at, ir.getInt64(size), "", true, true)),
                           ir.getInt64(element * row_bytes));
  };
  std::vector<Value*> rows;
  for (unsigned row = 0; row < size; ++row)
    rows.push_back(ir.CreateAlignedLoad(row_type, interleave ? piece(row) : interleaved(row), align));
  transpose(ir, rows);
  for (unsigned row = 0; row < size; ++row)
    ir.CreateAlignedStore(rows[row], interleave ? interleaved(row) : piece(row), align);
  Value* next = ir.CreateAdd(at, ir.getInt64(row_bytes), "", true, true);
  at->addIncoming(next, tile);
  ir.CreateCondBr(ir.CreateICmpULT(next, layouts.bytes), tile, to);
}

}  // namespace skmd::codegen
