// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/merge.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/analysis/prepare.h"
#include "compiler/client/merge_record.h"
#include "compiler/ir/analysis_managers.h"
#include "compiler/ir/find_kernel.h"
#include "compiler/ir/native.h"
#include "compiler/merge/device.h"
#include "compiler/merge/eligible.h"
#include "compiler/merge/in_child.h"
#include "compiler/merge/merge_constants.h"
#include "compiler/merge/ptx.h"
#include "compiler/merge/replay.h"
#include "compiler/merge/rows.h"
#include "compiler/merge/span.h"
#include "compiler/merge/stored.h"
#include "cpu-driver/span_code.h"

namespace skmd::compiler {

namespace {

// What no launch is split for needs no merge function either; unknown code may do anything.
constexpr std::uint32_t kNeverSplit =
    domain::kFactSpinning | domain::kFactDeviceScopeSync | domain::kFactAtomicResultUsed |
    domain::kFactPointerInMemory | domain::kFactMutableProgramScope | domain::kFactPrintf |
    domain::kFactDeviceSpecificCode | domain::kFactImageWritten | domain::kFactImageRead;

bool is_affine(domain::Op op) {
  using domain::Op;
  switch (op) {
    case Op::unknown:
    case Op::udiv:
    case Op::sdiv:
    case Op::urem:
    case Op::srem:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::lshr:
    case Op::ashr:
    case Op::smin:
    case Op::smax:
    case Op::umin:
    case Op::umax:
    case Op::select:
    case Op::compare:
    case Op::either:
      return false;
    default:
      return true;
  }
}

// Whether footprints might not tell the slices' stores apart. Where every place is a sum of products they do, or where
// they do not (more rows than are looked at), the difference has to.
bool may_need(const domain::KernelTraits& traits) {
  const auto affine = [&](domain::NodeId root) {
    if (root >= traits.nodes.size()) return false;
    std::vector<bool> used(root + 1, false);
    used[root] = true;
    for (domain::NodeId id = root + 1; id-- > 0;) {
      if (!used[id]) continue;
      const domain::Node& node = traits.nodes[id];
      if (!is_affine(node.op)) return false;
      for (const domain::NodeId operand : {node.a, node.b, node.c})
        if (operand < id) used[operand] = true;
    }
    return true;
  };
  return llvm::any_of(traits.accesses, [&](const domain::Access& access) {
    return access.kind == domain::AccessKind::write &&
           (!affine(access.offset) || (access.count != domain::kNoNode && !affine(access.count)));
  });
}

MergeKernel prepare(llvm::Module& module, const domain::KernelTraits& traits, llvm::FunctionAnalysisManager& analyses) {
  if ((traits.facts & kNeverSplit) != 0) return {"it is never split", {}};
  const auto is_image = [](const domain::Parameter& p) { return p.kind == domain::ParameterKind::image; };
  if (llvm::any_of(traits.parameters, is_image)) return {"it takes an image", {}};
  llvm::Function* kernel = find_kernel(module, traits.name);
  if (kernel == nullptr) return {"it has no code", {}};
  mark_stores(*kernel);
  strip(*kernel, analyses);
  MergeKernel judged = judge(*kernel);
  if (judged.obstacle.empty()) {
    if (llvm::Function* device = make_device_function(*kernel, traits)) optimise(*device, analyses);
    analyses.clear(*kernel, kernel->getName());
    llvm::Function& span = *make_span_function(*kernel, traits.name);
    optimise(span, analyses);
    join_rows(span, analyses);
    lower_stored(span);
    analyses.invalidate(span, llvm::PreservedAnalyses::none());
    optimise(span, analyses);
  }
  return judged;
}

bool is_span(const llvm::GlobalObject& object) {
  return object.getName().starts_with(cpu::merge_symbol("")) || object.getName().starts_with(cpu::units_symbol(""));
}
bool is_device(const llvm::GlobalObject& object) { return object.getName().starts_with(kDevicePrefix); }

template <class Keep>
void keep_only(llvm::Module& module, Keep keep) {
  for (llvm::Function& function : module)
    if (!keep(function) && !function.isIntrinsic()) function.deleteBody();
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (!keep(function) && function.use_empty()) function.eraseFromParent();
  bool again = true;  // constants may name each other
  while (again) {
    again = false;
    for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
      if (keep(variable)) continue;
      variable.removeDeadConstantUsers();
      if (variable.use_empty()) {
        variable.eraseFromParent();
        again = true;
      } else {
        variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      }
    }
  }
  for (llvm::NamedMDNode& node : llvm::make_early_inc_range(module.named_metadata())) node.eraseFromParent();
}

// Takes what is for devices out of `module`.
std::unique_ptr<llvm::Module> take_device_functions(llvm::Module& module) {
  keep_only(module, [](const llvm::GlobalObject& object) { return is_span(object) || is_device(object); });
  std::unique_ptr<llvm::Module> device = llvm::CloneModule(module);
  keep_only(module, is_span);
  keep_only(*device, is_device);
  for (llvm::Function& function : *device)
    if (is_device(function)) function.setName(merge_kernel(function.getName().substr(sizeof kDevicePrefix - 1)));
  return device;
}

ChildResult device_code(llvm::Module& module) {
  domain::Result<std::string> text = ptx_text(module);
  if (!text || text->size() > tuning::kMaxPtx) return {};
  return {{}, {}, std::move(*text)};
}

}  // namespace

bool MergeFunctions::any() const {
  return llvm::any_of(kernels, [](const MergeKernel& kernel) { return kernel.obstacle.empty(); });
}

MergeFunctions make_merge_functions(llvm::Module& module, const std::vector<domain::KernelTraits>& kernels) {
  AnalysisManagers analyses;
  MergeFunctions made;
  for (const domain::KernelTraits& traits : kernels)
    made.kernels.push_back(prepare(module, traits, analyses.functions));
  analyses.functions.clear();
  made.device = take_device_functions(module);
  return made;
}

MergeCode merge_code(llvm::Module& module, std::vector<domain::KernelTraits>& kernels) {
  // Process and linker cost more than all of a small program's analysis.
  if (llvm::none_of(kernels, may_need)) return {};
  ChildResult result = in_child([&]() -> ChildResult {
    MergeFunctions made = make_merge_functions(module, kernels);
    if (!made.any()) return {};
    if (const domain::Status status = retarget(module); !status) return {};
    const domain::Result<std::string> object = native_object(module);
    if (!object) return {};
    const domain::Result<std::string> shared = shared_object(*object);
    if (!shared) return {};
    return {std::move(made.kernels), span_code(*shared), in_child([&] { return device_code(*made.device); }).ptx};
  });
  if (result.kernels.size() != kernels.size() || result.code.empty()) return {};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].merge_function = result.kernels[i].obstacle.empty();
    kernels[i].merge_loads = result.kernels[i].loads;
  }
  return {std::move(result.code), std::move(result.ptx)};
}

}  // namespace skmd::compiler
