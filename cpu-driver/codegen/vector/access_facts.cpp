// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/access_facts.h"

#include <algorithm>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Align;
using llvm::Instruction;

std::uint64_t element_bytes(const Access& access) {
  return access.instruction->getDataLayout().getTypeStoreSize(stored_type(access.type()));
}

}  // namespace

int AccessFacts::direction(const Access& access) const {
  const Shape shape = shapes_[access.pointer];
  if (shape.kind != Shape::linear) return 0;
  const auto size = static_cast<std::int64_t>(element_bytes(access));
  return shape.stride == size ? 1 : shape.stride == -size ? -1 : 0;
}

// Interleaved private variables are aligned by their position in the row of lanes, not by the alignment of the single
// variable.
Align AccessFacts::lane_align(const Access& access) const {
  if (!interleaved(access)) return access.align;
  const std::uint64_t element = element_bytes(access);
  const bool same_element = shapes_[access.pointer].stride == static_cast<std::int64_t>(element);
  return Align(same_element ? std::min<std::uint64_t>(element * lanes_, 64) : element);
}

// More than its element's alignment may be known of an access, where some lanes read a float4 as such. The first lane's
// place, which may not be one of these, is aligned as its element is.
Align AccessFacts::piece_align(const Access& access) const {
  return interleaved(access) ? lane_align(access) : llvm::commonAlignment(access.align, element_bytes(access));
}

// So it is where a branch on skmd.any(mask) leads there.
bool AccessFacts::in_some_lane(const Access& access) const {
  if (all_lanes(access.mask)) return true;
  for (llvm::User* user : access.mask->users()) {
    auto* any = llvm::dyn_cast<llvm::CallInst>(user);
    if (any == nullptr || marker(*any) != Marker::any) continue;
    for (llvm::User* decision : any->users()) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(decision);
      if (branch == nullptr || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      const llvm::BasicBlockEdge edge(branch->getParent(), branch->getSuccessor(0));
      if (dominators_.dominates(edge, access.instruction->getParent())) return true;
    }
  }
  return false;
}

// So it is of a group's memory, where one lane reads from it.
bool AccessFacts::reads_around(const Access& access) const {
  static_assert(cpu::kReadAroundScratch >= 32 * 4 * sizeof(double));  // lanes of four members (groups.cpp)
  return access.pointer->getType()->getPointerAddressSpace() == kLocalSpace && in_some_lane(access);
}

void keep_metadata(const Instruction& source, llvm::Value* made) {
  auto* target = llvm::dyn_cast<Instruction>(made);
  if (target == nullptr) return;
  for (const unsigned kind : {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                              llvm::LLVMContext::MD_noalias, llvm::LLVMContext::MD_nontemporal})
    if (llvm::MDNode* node = source.getMetadata(kind)) target->setMetadata(kind, node);
}

}  // namespace skmd::codegen
