// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/groups/vectorise.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <bit>
#include <map>

#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/prints.h"
#include "cpu-driver/codegen/item/simplify.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/library/library.h"
#include "cpu-driver/codegen/loops/sparse.h"
#include "cpu-driver/codegen/loops/unit_factors.h"
#include "cpu-driver/codegen/masks/masks.h"
#include "cpu-driver/codegen/source_position.h"
#include "cpu-driver/codegen/vector/widen.h"

namespace skmd::codegen {

namespace {

domain::Status widen_region(RegionCode& code, llvm::Function& masked, Isa isa, std::vector<std::string>& remarks,
                            llvm::FunctionAnalysisManager& analyses) {
  WidenOptions options;
  options.isa = isa;
  options.width = code.width;
  options.vector_form = vector_form;
  options.remarks = &remarks;
  options.apart = &code.apart;
  auto full = widen(masked, options, analyses);
  if (!full) return full.error();
  options.full = false;
  options.remarks = nullptr;  // the same again
  options.apart = nullptr;
  auto part = widen(masked, options, analyses);
  if (!part) {
    drop_function(*full, analyses);
    return part.error();
  }
  code.full = *full;
  code.part = *part;
  return {};
}

domain::Status make_vectors(RegionCode& code, Isa isa, std::vector<std::string>& remarks,
                            llvm::FunctionAnalysisManager& analyses) {
  if (mixes_lines(*code.item)) return domain::Error{0, "work-items print parts of lines"};
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(code.item, map);
  auto masked = make_masked(*copy, analyses);
  if (!masked) {
    drop_function(copy, analyses);
    return masked.error();
  }
  domain::Status status = widen_region(code, **masked, isa, remarks, analyses);
  drop_function(*masked, analyses);
  return status;
}

// Items one by one; vectors only tell which of them run.
domain::Status choose_items(RegionCode& code, Isa isa, bool alone, llvm::FunctionAnalysisManager& analyses) {
  const Choice choice = alone ? make_chooser(*code.item) : Choice{};
  std::vector<std::string> ignored;
  RegionCode vectors{choice.chooser, nullptr, nullptr, code.width};
  if (choice.chooser != nullptr && make_vectors(vectors, isa, ignored, analyses)) {
    code.choose = vectors.full;
    code.choose_part = vectors.part;
    // Once more, for where most vectors have an item that goes on.
    choice.chooser->addFnAttr(kFewQuestions);
    RegionCode often{choice.chooser, nullptr, nullptr, code.width};
    if (make_vectors(often, isa, ignored, analyses)) {
      code.choose_often = often.full;
      drop_function(often.part, analyses);
    }
    code.places = choice.places;
    code.compresses = isa >= Isa::avx512;
  }
  drop_function(choice.chooser, analyses);
  return domain::Error{0, "items go through a loop at their own pace, from place to place"};
}

// `alone`: no other region is there.
domain::Status vectorise_region(RegionCode& code, Isa isa, bool alone, std::vector<std::string>& remarks,
                                llvm::FunctionAnalysisManager& analyses) {
  if (is_sparse(*code.item)) return choose_items(code, isa, alone, analyses);
  return make_vectors(code, isa, remarks, analyses);
}

// With the place where it is known: "file:line:column: why".
std::string why_not(const domain::Error& error) {
  const auto [place, reason] = position_and_reason(error.reason);
  return "item by item: " + (place.empty() ? "" : place + ": not vectorised: ") + reason;
}

}  // namespace

void limit_ids(llvm::Function& item, unsigned arguments, const std::array<std::uint64_t, 3>& local) {
  const auto limit = [&](unsigned value, std::uint64_t least, std::uint64_t most) {
    const llvm::ConstantRange range(llvm::APInt(64, least), llvm::APInt(64, most + 1));
    item.addParamAttr(arguments + value, llvm::Attribute::get(item.getContext(), llvm::Attribute::Range, range));
  };
  for (unsigned d = 0; d < 3; ++d) {
    const std::uint64_t items = local[d] == 0 ? kIdLimit : std::min(local[d], kIdLimit);
    const std::uint64_t groups = local[d] == 0 ? kIdLimit : kIdLimit / items;
    for (const unsigned value : {kOffset, kFirst}) limit(value + d, 0, kIdLimit - 1);
    limit(kLocalId + d, 0, items - 1);
    limit(kLocalSize + d, 1, items);
    limit(kGroup + d, 0, groups - 1);
    limit(kGroups + d, 1, groups);
    limit(kSize + d, 1, kIdLimit);
  }
  limit(kWorkDim, 1, 3);
}

void add_counted(const std::vector<std::string>& found, std::vector<std::string>& remarks) {
  std::map<std::string, unsigned> counts;
  // Without line tables every place is 0:0.
  for (llvm::StringRef remark : found) {
    remark.consume_front("0:0: ");
    ++counts[remark.str()];
  }
  for (const auto& [remark, count] : counts)
    remarks.push_back(remark + (count == 1 ? "" : " (" + std::to_string(count) + " times)"));
}

unsigned best_width(llvm::Function& item, Isa isa, std::uint64_t row) {
  unsigned wide = 0;
  unsigned narrow = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(item)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const llvm::Type* type = store != nullptr ? store->getValueOperand()->getType() : instruction.getType();
    // Most of what is i64 is part of an address, of which vectors need the first only.
    const bool is_memory = store != nullptr || llvm::isa<llvm::LoadInst>(instruction);
    if (type->isDoubleTy() || (is_memory && type->isIntegerTy(64))) ++wide;
    if (type->isFloatTy() || type->isIntegerTy(32) || (is_memory && type->isIntegerTy())) ++narrow;
  }
  const unsigned suits = wide > narrow ? lanes(isa) / 2 : lanes(isa);
  // Lanes that never have an item would have to be masked.
  if (row != 0 && row < suits) return std::max(2u, static_cast<unsigned>(std::bit_ceil(row)));
  return suits;
}

GroupCode vectorise(const Regions& regions, unsigned width, Isa isa, llvm::FunctionAnalysisManager& analyses,
                    std::vector<std::string>& remarks) {
  GroupCode group;
  for (const BarrierRegion& region : regions.regions) {
    RegionCode code{region.function, nullptr, nullptr, width};
    tidy_region(*region.function, analyses);
    if (version_unit_factor(*region.function)) tidy_region(*region.function, analyses);
    std::vector<std::string> found;
    const domain::Status status = vectorise_region(code, isa, regions.regions.size() == 1, found, analyses);
    const std::string number = "region " + std::to_string(group.regions.size()) + ": ";
    remarks.push_back(number + (status ? std::to_string(width) + " lanes" : why_not(status.error())));
    if (status) add_counted(found, remarks);
    if (code.choose != nullptr) remarks.push_back(number + std::to_string(width) + " lanes choose the items that run");
    if (status) group.padding = std::max(group.padding, width);
    group.regions.push_back(code);
  }
  return group;
}

}  // namespace skmd::codegen
