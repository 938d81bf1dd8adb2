// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <utility>

#include "compiler/analysis/analyse.h"
#include "compiler/analysis/explain_expression.h"

namespace skmd::compiler {

using domain::Access;
using domain::AccessKind;
using domain::AtomicClass;
using domain::KernelTraits;
using domain::kNoNode;

namespace {

constexpr std::pair<std::uint32_t, const char*> kFactNames[] = {
    {domain::kFactAtomicResultUsed, "atomic_result_used"},
    {domain::kFactDeviceScopeSync, "device_scope_sync"},
    {domain::kFactSpinning, "spinning"},
    {domain::kFactPointerInMemory, "pointer_in_memory"},
    {domain::kFactImageRead, "image_read"},
    {domain::kFactImageWritten, "image_written"},
    {domain::kFactPrintf, "printf"},
    {domain::kFactMutableProgramScope, "mutable_program_scope"},
    {domain::kFactDeviceSpecificCode, "device_specific_code"},
    {domain::kFactBarrier, "barrier"},
    {domain::kFactLocalMemory, "local_memory"},
    {domain::kFactGlobalAtomics, "global_atomics"},
    {domain::kFactFloatDecidesAddress, "float_decides_address"},
    {domain::kFactMemoryDecidesAddress, "memory_decides_address"},
    {domain::kFactDoubles, "doubles"},
    {domain::kFactUsesFloat, "uses_float"},
    {domain::kFactDataDecidesWork, "data_decides_work"},
};

constexpr std::pair<std::uint32_t, const char*> kQueryNames[] = {
    {domain::kQueryGroupId, "group_id"},
    {domain::kQueryGroupCount, "num_groups"},
    {domain::kQueryGlobalSize, "global_size"},
    {domain::kQueryGlobalOffset, "global_offset"},
    {domain::kQueryGlobalLinearId, "global_linear_id"},
    {domain::kQueryEnqueuedLocalSize, "enqueued_local_size"},
    {domain::kQueryGlobalId, "global_id"},
    {domain::kQueryLocalId, "local_id"},
    {domain::kQueryLocalSize, "local_size"},
    {domain::kQueryWorkDim, "work_dim"},
    {domain::kQueryLocalLinearId, "local_linear_id"},
    {domain::kQuerySubGroup, "sub_group"},
};

template <std::size_t kCount>
std::string names_of(std::uint32_t bits, const std::pair<std::uint32_t, const char*> (&table)[kCount]) {
  std::string text;
  for (const auto& [bit, name] : table) {
    if ((bits & bit) != 0) text += std::string(" ") + name;
  }
  return text.empty() ? " none" : text;
}

const char* class_name(AtomicClass atomic) {
  switch (atomic) {
    case AtomicClass::none:
      return "none";
    case AtomicClass::add:
      return "add";
    case AtomicClass::min_signed:
      return "min";
    case AtomicClass::max_signed:
      return "max";
    case AtomicClass::min_unsigned:
      return "umin";
    case AtomicClass::max_unsigned:
      return "umax";
    case AtomicClass::bit_and:
      return "and";
    case AtomicClass::bit_or:
      return "or";
    case AtomicClass::bit_xor:
      return "xor";
    case AtomicClass::other:
      return "other";
  }
  return "other";
}

std::string kind_text(const Access& access) {
  switch (access.kind) {
    case AccessKind::read:
      return "read";
    case AccessKind::write:
      return "write";
    case AccessKind::atomic:
      break;
  }
  return std::string("atomic ") + class_name(access.atomic) + (access.atomic_result_used ? " (result used)" : "");
}

std::string circumstances_text(const KernelTraits& traits, const std::vector<std::uint32_t>& loops,
                               const std::vector<domain::Guard>& guards) {
  std::string text;
  for (std::size_t i = 0; i < loops.size(); ++i) text += (i == 0 ? " in i" : ", i") + std::to_string(loops[i]);
  for (std::size_t i = 0; i < guards.size(); ++i) {
    text += (i == 0 ? " if " : " and ") + std::string(guards[i].expected ? "" : "not ");
    text += "(" + expression_text(traits, guards[i].node) + ")";
  }
  return text;
}

// "write arg 1 (out)  [4*global_id(0)]  4 bytes  in i0  if n > 0  surely"
std::string access_line(const KernelTraits& traits, const Access& access) {
  std::string line = "  " + kind_text(access) + " arg " + std::to_string(access.argument);
  if (access.argument < traits.parameters.size() && !traits.parameters[access.argument].name.empty()) {
    line += " (" + traits.parameters[access.argument].name + ")";
  }
  line += " [" + expression_text(traits, access.offset) + "] " + std::to_string(access.width);
  if (access.count != kNoNode) line += " * (" + expression_text(traits, access.count) + ")";
  line += " bytes";
  if (access.element != access.width) line += " of " + std::to_string(access.element);
  line += circumstances_text(traits, access.loops, access.guards);
  return line + (access.guards_complete ? " surely" : " perhaps") + "\n";
}

// "local arg 1 (tile) [4*local_id(0)] 4 bytes", or of a variable of so many bytes.
std::string local_line(const KernelTraits& traits, const Access& access) {
  std::string line = "  local ";
  if (access.argument < traits.parameters.size()) {
    line += "arg " + std::to_string(access.argument) + " (" + traits.parameters[access.argument].name + ")";
  } else {
    line += "variable of " + std::to_string(traits.local_variables[access.argument - traits.parameters.size()]);
  }
  line += " [" + expression_text(traits, access.offset) + "] " + std::to_string(access.width) + " bytes";
  return line + circumstances_text(traits, access.loops, access.guards) + "\n";
}

// "loop i0: 0 to (ulong)(n - 1)", and of halved or doubled counters "…, by log2(n) / 1".
std::string loop_line(const KernelTraits& traits, std::size_t index) {
  const domain::Loop& loop = traits.loops[index];
  std::string line = "  loop i" + std::to_string(index) + ": 0 to ";
  if (loop.backedges == kNoNode) {
    line += "any";
  } else {
    line += expression_text(traits, loop.backedges) + (loop.exact ? "" : " at most");
  }
  if (loop.ratio != kNoNode) {
    line += ", about log2(" + expression_text(traits, loop.ratio) + ")";
    if (loop.doublings > 1) line += " / " + std::to_string(loop.doublings);
  }
  return line + "\n";
}

// What the traits alone say about joining partial results; the launch's geometry decides the rest.
std::string merge_line(const KernelTraits& traits) {
  bool writes = false;
  bool known = true;
  bool combines = true;
  for (const Access& access : traits.accesses) {
    if (access.kind == AccessKind::read) continue;
    writes = true;
    known &= access.offset != kNoNode;
    combines &= access.atomic != AtomicClass::none && access.atomic != AtomicClass::other && !access.atomic_result_used;
  }
  if (!writes) return "nothing is written";
  if (combines) return "atomics of commuting classes";
  const std::uint32_t decided = domain::kFactMemoryDecidesAddress | domain::kFactFloatDecidesAddress;
  const bool replay = known && (traits.facts & decided) == 0;
  return std::string(known ? "places known" : "places unknown") + (replay ? ", ids and scalars decide them" : "");
}

}  // namespace

std::string explain(const KernelTraits& traits) {
  std::string text = "kernel " + traits.name + "\n";
  text += std::string("  access: ") +
          (traits.access == domain::AccessClass::contiguous ? "contiguous" : "discontiguous") + "\n";
  text += "  queries:" + names_of(traits.queries, kQueryNames) + "\n";
  text += "  facts:" + names_of(traits.facts, kFactNames) + "\n";
  text += "  merge: " + merge_line(traits) + "\n";
  if (traits.hidden_record) text += "  hidden record: yes\n";
  if (traits.local_bytes != 0) text += "  local: " + std::to_string(traits.local_bytes) + " bytes\n";
  for (std::size_t i = 0; i < traits.loops.size(); ++i) text += loop_line(traits, i);
  for (const Access& access : traits.accesses) text += access_line(traits, access);
  for (const Access& access : traits.local_accesses) text += local_line(traits, access);
  for (const domain::OperationCount& count : traits.operations) {
    text += "  operations: " + std::to_string(count.operations) +
            circumstances_text(traits, count.loops, count.guards) + "\n";
  }
  return text;
}

}  // namespace skmd::compiler
