// SPDX-License-Identifier: Apache-2.0
// Regions to one function over a span of work-groups (cpu-driver/span_code.h).
#pragma once

#include <llvm/IR/Function.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu-driver/codegen/item/regions.h"

namespace skmd::codegen {

/// Code for `count` vectors of a row at once.
struct VectorsOfRow {
  llvm::Function* function = nullptr;
  unsigned count = 1;
};

/// How the items of a row run through one region.
struct RegionCode {
  llvm::Function* item = nullptr;  // one by one
  /// `width` neighbours at once, and the same for those of them that a vector of i1, the last parameter, names. Null:
  /// there is none.
  llvm::Function* full = nullptr;
  llvm::Function* part = nullptr;
  unsigned width = 1;
  /// `row_count` rows of such vectors at once, and how many those are; the local size is known and a multiple in both
  /// dimensions. Null: row by row.
  llvm::Function* rows = nullptr;
  unsigned row_count = 1;
  /// So many vectors of a row at once, most first. None: one by one.
  std::vector<VectorsOfRow> vectors = {};
  /// The local size is known, and each vector of a row is written out: which lanes its masks leave, and where these
  /// are, is known then.
  bool writes_out = false;
  /// Where items run one by one: which of `width` neighbours do anything at all (sparse.h), as full and part. Null: all
  /// run.
  llvm::Function* choose = nullptr;
  llvm::Function* choose_part = nullptr;
  llvm::Function* choose_often = nullptr;  // as choose, faster where many items run
  bool places = false;                     // they tell what the chosen items read first, too
  bool compresses = false;                 // the processor packs numbers that a mask names
  unsigned apart = 0;                      // accesses of local memory in it that lanes make one by one
};

struct GroupCode {
  std::vector<RegionCode> regions;       // as Regions::regions
  std::array<std::uint64_t, 3> local{};  // the local size of every launch; zeros: any
  unsigned padding = 1;                  // rows are padded to a multiple: the widest of the regions
};

/// A cpu::KernelFunction `symbol`; all regions are inlined into it. `kernel` is what the item function was made of.
llvm::Function* make_group_function(const llvm::Function& kernel, const std::string& symbol, const Regions& regions,
                                    const GroupCode& code);

/// The versions of a kernel for launches all of whose global ids are below `limit`, and `general` for all others.
struct Versions {
  llvm::Function* joined = nullptr;   // if there is one: where groups have one item in dimensions 1 and 2
  llvm::Function* lanes = nullptr;    // if there is one: where there is memory for groups side by side
  llvm::Function* limited = nullptr;  // where rows of a group have neighbours
  std::uint64_t limit = 0;
  llvm::Function* general = nullptr;
};

/// A cpu::KernelFunction `symbol` that calls the first of them that suits the launch.
llvm::Function* make_choice(const std::string& symbol, const Versions& versions);

/// A cpu::KernelFunction `symbol` without code.
llvm::Function* declare_kernel(llvm::Module& module, const std::string& symbol);

}  // namespace skmd::codegen
