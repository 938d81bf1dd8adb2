// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/kernel_work.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "compiler/analysis/prepare.h"
#include "compiler/ir/find_kernel.h"
#include "compiler/ir/guard_divisions.h"
#include "cpu-driver/codegen/check/checks.h"
#include "cpu-driver/codegen/groups/joined_groups.h"
#include "cpu-driver/codegen/groups/lane_groups.h"
#include "cpu-driver/codegen/groups/vectorise.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/own_builtins.h"
#include "cpu-driver/codegen/item/prints.h"
#include "cpu-driver/codegen/item/simplify.h"
#include "cpu-driver/codegen/library/library.h"
#include "cpu-driver/codegen/loops/loops_constants.h"
#include "cpu-driver/codegen/loops/next_group.h"
#include "cpu-driver/codegen/loops/prefetch.h"
#include "cpu-driver/codegen/loops/repeated_stores.h"
#include "cpu-driver/codegen/loops/rows.h"
#include "cpu-driver/codegen/loops/stream.h"
#include "cpu-driver/codegen/pipeline/kernel_facts.h"
#include "cpu-driver/codegen/pipeline/late_passes.h"
#include "cpu-driver/codegen/pipeline/pipeline_constants.h"
#include "cpu-driver/codegen/vector/choices.h"
#include "cpu-driver/codegen/vector/lower_masked.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

unsigned arguments_of(const KernelWork& work) { return static_cast<unsigned>(work.kernel->arg_size()); }

bool calls_defined(llvm::Function& item) {
  for (llvm::Instruction& instruction : llvm::instructions(item)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr && !call->getCalledFunction()->isDeclaration())
      return true;
  }
  return false;
}

std::string undefined_in(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    // What stands for masked accesses is made LLVM's own at the end.
    if (callee != nullptr && callee->isDeclaration() && !callee->isIntrinsic() &&
        !callee->getName().starts_with("skmd."))
      return callee->getName().str();
  }
  return {};
}

// Without the instruction, it is a call of libm.
bool fuses(llvm::Function& function, llvm::SmallPtrSetImpl<llvm::Function*>& seen) {
  if (!seen.insert(&function).second) return false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr) continue;
    if (callee->getIntrinsicID() == llvm::Intrinsic::fma) return true;
    if (!callee->isDeclaration() && fuses(*callee, seen)) return true;
  }
  return false;
}

void drop(llvm::Function*& function, llvm::FunctionAnalysisManager& analyses) {
  drop_function(function, analyses);
  function = nullptr;
}

void drop_regions(KernelVersion& version, llvm::FunctionAnalysisManager& analyses) {
  for (BarrierRegion& region : version.regions.regions) drop(region.function, analyses);
  for (RegionCode& code : version.code.regions) {
    drop(code.full, analyses);
    drop(code.part, analyses);
    drop(code.rows, analyses);
    for (VectorsOfRow& vectors : code.vectors) drop(vectors.function, analyses);
    drop(code.choose, analyses);
    drop(code.choose_part, analyses);
    drop(code.choose_often, analyses);
  }
  version = {};
}

// Making vectors takes longer than a program is waited for. What lives across barriers meets in every region of the
// group's function.
bool is_too_large(llvm::Function& item) {
  std::size_t regions = 1;
  for (const llvm::Instruction& instruction : llvm::instructions(item)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee != nullptr && callee->getName() == kBarrier) ++regions;
  }
  return item.size() > tuning::kMaxVectorBlocks ||
         item.getInstructionCount() * regions > tuning::kMaxVectorInstructions;
}

domain::Status prepare_item(KernelWork& work, bool checked, llvm::FunctionAnalysisManager& analyses) {
  llvm::Function& item = *work.general.item;
  if (calls_defined(item)) return domain::Error{0, "it calls itself"};
  if (domain::Status status = expand_own_builtins(item, arguments_of(work)); !status) return status;
  for (unsigned d = 0; d < 3; ++d) {
    if (work.local[d] == 0) continue;
    llvm::Argument* size = item_value(item, arguments_of(work), kLocalSize + d);
    size->replaceAllUsesWith(llvm::ConstantInt::get(size->getType(), work.local[d]));
  }
  if (checked) work.sites = add_traps(item, checked_item(item, arguments_of(work)));
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : item) blocks.push_back(&block);
  compiler::guard_divisions(blocks);
  auto bytes = place_local_variables(item, arguments_of(work));
  if (!bytes) return bytes.error();
  work.local_bytes = *bytes;
  work.joins = work.local[0] == 0 && work.local_bytes == 0 && groups_do_not_matter(item, arguments_of(work));
  open_up(item, analyses);
  if (domain::Status status = expand_transfers(item); !status) return status;
  auto prints = lower_prints(item);
  if (!prints) return prints.error();
  work.prints = *prints;
  analyses.clear(item, item.getName());
  return {};
}

domain::Status add_checks_to(KernelWork& work) {
  llvm::Function& item = *work.general.item;
  CheckedItem checked = checked_item(item, arguments_of(work));
  checked.local_bytes = work.local_bytes;
  checked.sites = std::move(work.sites);
  auto sites = add_checks(item, checked);
  if (!sites) return sites.error();
  work.sites = std::move(*sites);
  return {};
}

void make_limited_item(KernelWork& work) {
  llvm::ValueToValueMapTy map;
  work.limited.item = llvm::CloneFunction(work.general.item, map);
  work.limited.item->setName(work.general.item->getName() + ".limited");
  limit_ids(*work.limited.item, arguments_of(work), work.local);
}

domain::Status cut(KernelVersion& version, unsigned arguments, llvm::FunctionAnalysisManager& analyses) {
  auto regions = cut_at_barriers(*version.item, arguments, analyses);
  version.item = nullptr;
  if (!regions) return regions.error();
  version.regions = std::move(*regions);
  return {};
}

// Where the demanded local size leaves neither part of a vector nor part of the rows.
void join_rows(KernelWork& work, Isa isa) {
  const unsigned padding = work.limited.code.padding;
  const std::uint64_t row_items = (work.local[0] + padding - 1) / padding * padding;
  for (std::size_t k = 0; k < work.limited.code.regions.size(); ++k) {
    RegionCode& code = work.limited.code.regions[k];
    if (code.full == nullptr || work.local[0] == 0 || work.local[0] % code.width != 0) continue;
    unsigned rows = rows_at_once(*code.full, arguments_of(work), isa);
    while (work.local[1] % rows != 0) rows /= 2;
    if (rows == 1) continue;
    code.rows = make_rows(*code.full, arguments_of(work), rows, row_items);
    code.row_count = rows;
    work.note.remarks.push_back("region " + std::to_string(k) + ": " + std::to_string(rows) + " rows at once");
  }
}

// Where some lanes may not run, or have places of their own.
bool asks_lanes(llvm::Function& full) {
  return llvm::any_of(llvm::instructions(full), [](llvm::Instruction& instruction) {
    const auto* lanes = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return masked_access(instruction) ||
           (lanes != nullptr && (lanes->getIntrinsicID() == llvm::Intrinsic::masked_gather ||
                                 lanes->getIntrinsicID() == llvm::Intrinsic::masked_scatter));
  });
}

// Few vectors instead of one is what short rows of work-groups are without AVX-512. Longer code takes longer to make.
void write_out_rows(KernelWork& work, Isa isa) {
  for (std::size_t k = 0; k < work.limited.code.regions.size(); ++k) {
    RegionCode& code = work.limited.code.regions[k];
    if (isa >= Isa::avx512 || code.full == nullptr || code.rows != nullptr || !asks_lanes(*code.full)) continue;
    const std::uint64_t vectors = work.local[0] / code.width, size = vectors * code.full->getInstructionCount();
    if (vectors < 2 || vectors > tuning::kMaxWrittenOutVectors || !code.vectors.empty() ||
        size > tuning::kMaxWrittenOut)
      continue;
    code.writes_out = true;
    work.note.remarks.push_back("region " + std::to_string(k) + ": " + std::to_string(vectors) +
                                " vectors of a row are written out: " + std::to_string(size) +
                                " instructions of at most " + std::to_string(tuning::kMaxWrittenOut));
  }
}

// Where rows do not go side by side, and may be long enough.
void join_vectors(KernelWork& work, Isa isa) {
  // Groups that could be joined go through a row of groups in order.
  const bool has_barriers = work.limited.code.regions.size() > 1;
  for (std::size_t k = 0; k < work.limited.code.regions.size(); ++k) {
    RegionCode& code = work.limited.code.regions[k];
    if (code.full == nullptr || code.rows != nullptr) continue;
    for (unsigned vectors : vectors_at_once(*code.full, arguments_of(work), isa)) {
      const bool fits = work.local[0] == 0 || work.local[0] / code.width >= vectors;
      if (!fits && vectors == tuning::kStreamedVectors) continue;
      while (work.local[0] != 0 && work.local[0] / code.width < vectors) vectors /= 2;
      if (vectors <= 1) continue;
      llvm::Function* made = make_vectors_of_row(*code.full, arguments_of(work), vectors, code.width);
      code.vectors.push_back({made, vectors});
      std::string remark = "region " + std::to_string(k) + ": " + std::to_string(vectors) + " vectors at once";
      const bool prefetches = has_barriers && only_streams(*code.full);
      const unsigned lines = prefetches ? prefetch_next_group(*made, arguments_of(work)) : 0;
      if (lines != 0) remark += ", and " + std::to_string(lines) + " cache lines of the next group's prefetched";
      work.note.remarks.push_back(std::move(remark));
    }
  }
}

domain::Result<llvm::Function*> finish_version(llvm::Function* group, Isa isa,
                                               llvm::FunctionAnalysisManager& analyses) {
  set_processor(*group, isa);
  finish(*group, isa, analyses);
  analyses.clear(*group, group->getName());
  std::string obstacle = undefined_in(*group);
  if (!obstacle.empty()) obstacle = "it calls " + obstacle + ", which is not known here";
  llvm::SmallPtrSet<llvm::Function*, 16> seen;
  if (isa == Isa::sse && fuses(*group, seen)) obstacle = "it needs fused multiply-add, which x86-64-v2 lacks";
  if (!obstacle.empty()) {
    group->eraseFromParent();
    return domain::Error{0, obstacle};
  }
  return group;
}

domain::Result<llvm::Function*> make_version(KernelWork& work, KernelVersion& version, const std::string& symbol,
                                             Isa isa, llvm::FunctionAnalysisManager& analyses) {
  version.code.local = work.local;
  auto made = finish_version(make_group_function(*work.kernel, symbol, version.regions, version.code), isa, analyses);
  if (made) skip_repeated_stores(**made, analyses);
  return made;
}

// Null: there is none.
llvm::Function* make_lanes(KernelWork& work, const std::string& symbol, llvm::Function& limited, Isa isa,
                           llvm::FunctionAnalysisManager& analyses) {
  if (work.lanes.groups == 0) return nullptr;
  auto made = finish_version(
      make_lane_group_function(*work.kernel, symbol, work.limited.regions, work.limited.code, work.lanes, limited), isa,
      analyses);
  drop_lane_groups(work.lanes, analyses);
  return made ? *made : nullptr;
}

}  // namespace

KernelWork start_kernel(llvm::Module& module, const std::string& name, const GenerateOptions& options,
                        llvm::FunctionAnalysisManager& analyses) {
  KernelWork work;
  work.note.name = name;
  work.kernel = compiler::find_kernel(module, name);
  if (work.kernel == nullptr) {
    work.note.obstacle = "it has no code";
    return work;
  }
  if (options.yields != compiler::Yields::none) {
    work.yields = compiler::make_yielding(work.kernel, options.yields, analyses);
    work.note.yields = compiler::listing(name, work.yields);
    if (!work.yields.why_not.empty()) {
      work.note.obstacle = work.yields.why_not + ": " + work.yields.detail;
      return work;
    }
  }
  work.local = required_local_size(*work.kernel);
  auto item = make_item_function(*work.kernel, kItemPrefix.str() + name);
  if (!item) {
    work.note.obstacle = item.error().reason;
    return work;
  }
  work.general.item = *item;
  set_processor(*work.general.item, options.isa);
  domain::Status status = prepare_item(work, options.checked, analyses);
  if (status && options.checked) status = add_checks_to(work);
  if (!status) {
    work.note.obstacle = status.error().reason;
  } else if (options.width != 1) {
    make_limited_item(work);
  }
  return work;
}

domain::Status normalise_items(KernelWork& work, llvm::FunctionAnalysisManager& analyses) {
  normalise(*work.general.item, false, analyses);
  work.private_bytes = variables_of(*work.general.item);
  if (work.limited.item != nullptr && is_too_large(*work.general.item)) {
    work.note.remarks.push_back("item by item: it is too large to be made vectors of in time");
    drop(work.limited.item, analyses);
  }
  if (work.limited.item != nullptr) normalise(*work.limited.item, true, analyses);
  return {};
}

domain::Status cut_and_vectorise(KernelWork& work, const GenerateOptions& options,
                                 llvm::FunctionAnalysisManager& analyses) {
  const unsigned arguments = arguments_of(work);
  if (domain::Status status = cut(work.general, arguments, analyses); !status) return status;
  for (const BarrierRegion& region : work.general.regions.regions)
    work.general.code.regions.push_back({region.function, nullptr, nullptr, 1});
  if (work.limited.item == nullptr) return {};
  const unsigned width =
      options.width != 0 ? options.width : best_width(*work.limited.item, options.isa, work.local[0]);
  if (domain::Status status = cut(work.limited, arguments, analyses); !status) return status;
  work.limited.code = vectorise(work.limited.regions, width, options.isa, analyses, work.note.remarks);
  // Without vectors it is what the other is.
  const bool chooses =
      llvm::any_of(work.limited.code.regions, [](const RegionCode& code) { return code.choose != nullptr; });
  if (work.limited.code.padding == 1 && !chooses) {
    drop_regions(work.limited, analyses);
  } else if (!options.checked) {
    work.lanes =
        make_lane_groups(work.limited.regions, work.limited.code, arguments, options.isa, analyses, work.note.remarks);
  }
  return {};
}

domain::Status make_span_code(KernelWork& work, const GenerateOptions& options,
                              llvm::FunctionAnalysisManager& analyses) {
  llvm::Module& module = *work.kernel->getParent();
  const std::string symbol = cpu::kernel_symbol(work.note.name);
  const bool chosen = !work.limited.regions.regions.empty();
  auto general = make_version(work, work.general, chosen ? symbol + ".general" : symbol, options.isa, analyses);
  if (!general) return general.error();
  std::uint64_t item_bytes = work.general.regions.item_bytes;
  const unsigned padding = work.limited.code.padding;
  unsigned lane_groups = 0;
  if (chosen) {
    join_rows(work, options.isa);
    join_vectors(work, options.isa);
    write_out_rows(work, options.isa);
    auto limited = make_version(work, work.limited, symbol + ".limited", options.isa, analyses);
    if (!limited) {
      (*general)->eraseFromParent();
      return limited.error();
    }
    add_counted(take_choices(**limited), work.note.remarks);
    if (prefetch_strided(**limited, analyses) != 0) work.note.remarks.push_back("what loads stride to is prefetched");
    // Items that share nothing write their results once.
    const bool streams = work.joins && work.limited.regions.regions.size() <= 1;
    if (streams && stream_stores(**limited, options.isa, analyses) != 0)
      work.note.remarks.push_back("large results are stored past the caches");
    llvm::Function* joined = nullptr;
    if (work.joins && work.limited.regions.regions.size() == 1 && work.limited.regions.item_bytes == 0) {
      joined = make_joined(symbol + ".joined", **limited);
      set_processor(*joined, options.isa);
      work.note.remarks.push_back("groups of one row are joined");
    }
    const unsigned groups = work.lanes.groups;
    llvm::Function* lanes = make_lanes(work, symbol + ".lanes", **limited, options.isa, analyses);
    if (lanes != nullptr) lane_groups = groups;
    set_processor(*make_choice(symbol, {joined, lanes, *limited, kIdLimit, *general}), options.isa);
    item_bytes = std::max(item_bytes, work.limited.regions.item_bytes);
  }
  add_facts(work, module, {item_bytes, padding, lane_groups});
  if (options.checked) add_sites(work, module);
  if (options.yields != compiler::Yields::none) add_yields(work, module);
  drop_regions(work.general, analyses);
  drop_regions(work.limited, analyses);
  return {};
}

void drop_items(KernelWork& work, llvm::FunctionAnalysisManager& analyses) {
  drop(work.general.item, analyses);
  drop(work.limited.item, analyses);
}

}  // namespace skmd::codegen
