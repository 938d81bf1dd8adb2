// SPDX-License-Identifier: Apache-2.0
// random_masks FIRST COUNT [print]: masks random item functions and runs both forms, with 1, 4 and 8 lanes of which
// some have no item. What they write must be the same, byte by byte.
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdlib>

#include "compiler/ir/analysis_managers.h"
#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/masks/masks.h"
#include "tests/cpu-driver/codegen/masks/machine.h"
#include "tests/cpu-driver/codegen/masks/random_item.h"

namespace {

using skmd::test::Cell;
using skmd::test::Kind;
using skmd::test::Lanes;
using skmd::test::Machine;
using skmd::test::Memory;

struct Setting {
  unsigned lanes;
  unsigned first;  // the id of the first
  std::uint64_t exist;
  std::uint64_t seed;
};

// Arguments for lanes `from` up to `from + count`, in new memory.
std::vector<Lanes> arguments(Memory& memory, const Setting& setting) {
  const unsigned items = setting.first + setting.lanes;
  const std::uint64_t shared = memory.create(skmd::test::kShared * 4);
  const std::uint64_t own = memory.create(items * skmd::test::kOwn * 4);
  const std::uint64_t counter = memory.create(4);
  for (unsigned i = 0; i < skmd::test::kShared; ++i)
    memory.write(shared + 4 * i, 4, {(i * setting.seed * 0x9E3779B9U) >> (i % 24) & 0xff, Kind::ok});
  for (unsigned i = 0; i < items * skmd::test::kOwn; ++i) memory.write(own + 4 * i, 4, {i, Kind::ok});
  memory.write(counter, 4, {0, Kind::ok});
  std::vector<Lanes> result;
  Lanes& ids = result.emplace_back();
  for (unsigned i = 0; i < setting.lanes; ++i) ids.push_back({setting.first + i, Kind::ok});
  for (const std::uint64_t value : {setting.seed % 9, setting.seed % 5, shared, own, counter})
    result.emplace_back(setting.lanes, Cell{value, Kind::ok});
  return result;
}

bool compare(llvm::Function& item, llvm::Function& masked, const Setting& setting) {
  Memory plain;
  Memory in_step;
  std::vector<Lanes> inputs = arguments(plain, setting);
  Lanes live;
  std::vector<std::uint64_t> returned;
  for (unsigned lane = 0; lane < setting.lanes; ++lane) {
    const bool exists = (setting.exist >> lane & 1) != 0;
    live.push_back({exists, Kind::ok});
    if (!exists) continue;
    std::vector<Lanes> own;
    for (const Lanes& input : inputs) own.push_back({input[lane]});
    Machine machine(plain, 1, setting.seed);
    returned.push_back(machine.run(item, own)[0].bits);
    if (!machine.problem().empty()) {
      llvm::errs() << "item by item: " << machine.problem() << "\n";
      return false;
    }
  }
  inputs = arguments(in_step, setting);
  inputs.push_back(live);
  Machine machine(in_step, setting.lanes, setting.seed);
  const Lanes result = machine.run(masked, inputs);
  if (!machine.problem().empty()) {
    llvm::errs() << "in step: " << machine.problem() << "\n";
    return false;
  }
  for (const Cell& cell : result)
    if (cell.kind != Kind::ok || cell.bits != returned.front()) {
      llvm::errs() << "returns " << cell.bits << ", not " << returned.front() << "\n";
      return false;
    }
  for (unsigned object = 0; object < 3; ++object)
    for (unsigned i = 0; i < plain.objects()[object].size(); ++i) {
      const Cell& expected = plain.objects()[object][i];
      const Cell& found = in_step.objects()[object][i];
      if (expected.kind == found.kind && expected.bits == found.bits) continue;
      llvm::errs() << "object " << object << ", byte " << i << ": " << found.bits << ", not " << expected.bits << "\n";
      return false;
    }
  return true;
}

bool test(std::uint64_t seed, llvm::FunctionAnalysisManager& analyses, llvm::LLVMContext& context, bool print) {
  llvm::Module module("random", context);
  module.setDataLayout("e-i64:64-n8:16:32:64-G1");
  llvm::Function* item = skmd::test::create_random_item(module, seed);
  if (llvm::verifyFunction(*item, &llvm::errs())) return false;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(item, map);
  auto masked = skmd::codegen::make_masked(*copy, analyses);
  if (!masked) {
    llvm::errs() << masked.error().reason << "\n";
    return false;
  }
  analyses.clear(**masked, "");
  if (print) module.print(llvm::outs(), nullptr);
  if (llvm::verifyFunction(**masked, &llvm::errs())) return false;
  for (const Setting& setting :
       {Setting{1, 3, 1, seed}, Setting{4, 0, 0xf, seed}, Setting{8, 2, 0x7f, seed}, Setting{8, 5, 0xa6, seed + 1}})
    if (!compare(*item, **masked, setting)) return false;
  return true;
}

}  // namespace

int main(int count, char** values) {
  if (count < 3) return 2;
  llvm::LLVMContext context;
  skmd::compiler::AnalysisManagers analyses;
  const std::uint64_t first = std::strtoull(values[1], nullptr, 10);
  const std::uint64_t many = std::strtoull(values[2], nullptr, 10);
  unsigned failures = 0;
  for (std::uint64_t seed = first; seed < first + many; ++seed)
    if (!test(seed, analyses.functions, context, count > 3)) {
      llvm::errs() << "seed " << seed << " fails\n";
      ++failures;
    }
  llvm::outs() << many - failures << " of " << many << " random item functions are the same masked\n";
  return failures == 0 ? 0 : 1;
}
