// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/transpose.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include <algorithm>
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

// In each 16 bytes, of four rows of four elements each: columns become rows. Two rows' elements alternate twice, which
// is one instruction for each result on every processor.
void transpose_quarters(IRBuilder<>& ir, std::vector<Value*>& rows) {
  const auto size = static_cast<unsigned>(rows.size());
  const auto alternate = [&](Value* one, Value* other, unsigned pairs, bool upper) {
    llvm::SmallVector<int, 32> places;
    for (unsigned at = 0; at < size; ++at) {
      const unsigned in_quarter = at % 4, part = in_quarter / pairs;
      const unsigned own = at - in_quarter + (upper ? 2 : 0) + (pairs == 1 ? in_quarter / 2 : in_quarter % 2);
      places.push_back(static_cast<int>(part % 2 != 0 ? size + own : own));
    }
    return ir.CreateShuffleVector(one, other, places);
  };
  for (unsigned row = 0; row < size; row += 4) {
    Value *ab = rows[row], *cd = rows[row + 2];
    Value* low[2] = {alternate(ab, rows[row + 1], 1, false), alternate(cd, rows[row + 3], 1, false)};
    Value* high[2] = {alternate(ab, rows[row + 1], 1, true), alternate(cd, rows[row + 3], 1, true)};
    for (unsigned k = 0; k < 2; ++k) {
      rows[row + k] = alternate(low[0], low[1], 2, k != 0);
      rows[row + 2 + k] = alternate(high[0], high[1], 2, k != 0);
    }
  }
}

// Row r's element c becomes row c's element r: for each bit of their numbers, blocks beside the diagonal change places.
void transpose(IRBuilder<>& ir, std::vector<Value*>& rows, bool by_quarters) {
  const auto size = static_cast<unsigned>(rows.size());
  if (by_quarters) transpose_quarters(ir, rows);
  for (unsigned step = size / 2; step >= (by_quarters ? 4 : 1); step /= 2) {
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
  const unsigned width = std::min(size, layouts.lanes);  // of what is transposed at once, which registers hold
  const std::uint64_t row_bytes = std::uint64_t{size} * layouts.element;
  llvm::PHINode* at = ir.CreatePHI(ir.getInt64Ty(), 2, "at");
  at->addIncoming(ir.getInt64(0), from);
  auto* row_type = llvm::FixedVectorType::get(ir.getIntNTy(layouts.element * 8), width);
  const llvm::Align align(layouts.element);
  const std::uint64_t width_bytes = std::uint64_t{width} * layouts.element;
  Value* interleaved = ir.CreatePtrAdd(layouts.interleaved, ir.CreateMul(at, ir.getInt64(size), "", true, true));
  for (unsigned group = 0; group < size; group += width) {
    for (unsigned part = 0; part < size; part += width) {
      const auto piece = [&](unsigned row) {
        Value* begin = ir.CreateMul(layouts.distance, ir.getInt64(group + row), "", true, true);
        return ir.CreatePtrAdd(ir.CreatePtrAdd(ir.CreatePtrAdd(layouts.pieces, at), begin),
                               ir.getInt64(part / width * width_bytes));
      };
      const auto element = [&](unsigned row) {
        return ir.CreatePtrAdd(interleaved, ir.getInt64((part + row) * row_bytes + group / width * width_bytes));
      };
      std::vector<Value*> rows;
      for (unsigned row = 0; row < width; ++row)
        rows.push_back(ir.CreateAlignedLoad(row_type, interleave ? piece(row) : element(row), align));
      transpose(ir, rows, layouts.element == 4);
      for (unsigned row = 0; row < width; ++row)
        ir.CreateAlignedStore(rows[row], interleave ? element(row) : piece(row), align);
    }
  }
  Value* next = ir.CreateAdd(at, ir.getInt64(row_bytes), "", true, true);
  at->addIncoming(next, tile);
  ir.CreateCondBr(ir.CreateICmpULT(next, layouts.bytes), tile, to);
}

}  // namespace skmd::codegen
