// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/stoppable_text.h"

#include <llvm/IR/DebugInfo.h>

#include <utility>

#include "compiler/client/stoppable.h"
#include "compiler/ir/analysis_managers.h"
#include "compiler/ir/find_kernel.h"
#include "compiler/opencl_c/print.h"
#include "compiler/opencl_c/tidy_text.h"
#include "compiler/yield/trap_form.h"
#include "cpu-driver/codegen/pipeline/attempts.h"
#include "cpu-driver/codegen/pipeline/guarded_kernel.h"
#include "cpu-driver/codegen/pipeline/kernels.h"

namespace skmd::codegen {

namespace {

// The launch's time begins with the first item that asks. Multiprocessors' clocks may differ a little.
constexpr const char* kClock = R"(uint skmd_over(__global uint* control) {
  volatile __global uint* const words = (volatile __global uint*)control;
  ulong nanoseconds;
  __asm__ __volatile__("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  uint now = (uint)(nanoseconds >> 10);
  if (now == 0) now = 1;
  uint start = words[3];
  if (start == 0) start = atomic_cmpxchg(words + 3, 0u, now);
  if (start == 0) start = now;
  return (int)(now - start) >= (int)words[2] ? 1u : 0u;
}

)";
static_assert(compiler::control::kQuantum == 2 && compiler::control::kStart == 3);

// compiler::kStateHere and the others. NVIDIA's compiler makes one of all reads of a register for a kernel, and keeps
// it, unless they are volatile.
constexpr const char* kRegisters = R"(#define SKMD_REGISTER(name, register) \
  uint name(void) { \
    uint value; \
    __asm__ __volatile__("mov.u32 %0, %%" register ";" : "=r"(value)); \
    return value; \
  }
SKMD_REGISTER(skmd_group, "ctaid.x")
SKMD_REGISTER(skmd_groups, "nctaid.x")
SKMD_REGISTER(skmd_x, "tid.x")
SKMD_REGISTER(skmd_y, "tid.y")
SKMD_REGISTER(skmd_z, "tid.z")
SKMD_REGISTER(skmd_size_x, "ntid.x")
SKMD_REGISTER(skmd_size_y, "ntid.y")
SKMD_REGISTER(skmd_size_z, "ntid.z")
)";
constexpr const char* kQueries = R"(#define skmd_group() get_group_id(0)
#define skmd_groups() get_num_groups(0)
#define skmd_x() get_local_id(0)
#define skmd_y() get_local_id(1)
#define skmd_z() get_local_id(2)
#define skmd_size_x() get_local_size(0)
#define skmd_size_y() get_local_size(1)
#define skmd_size_z() get_local_size(2)
)";
constexpr const char* kHere = R"(__global uint* skmd_state_here(__global uint* states, __global uint* control) {
  const ulong group = skmd_group();
  return states + group * ((volatile __global uint*)control)[5];
}
__global uint* skmd_stages_here(__global uint* control) {
  const ulong groups = skmd_groups();
  return control + (32 + groups + (ulong)skmd_group() * 3);
}
ulong skmd_linear_here(void) {
  const ulong row = skmd_z() * skmd_size_y() + skmd_y();
  return row * skmd_size_x() + skmd_x();
}
ulong skmd_items_here(void) { return (ulong)skmd_size_z() * skmd_size_y() * skmd_size_x(); }

)";
static_assert(compiler::control::kStateWords == 5 && compiler::control::kGroups == 32 &&
              compiler::control::kStages == 3);

class Maker {
 public:
  Maker(llvm::Module& module, const StoppableOptions& options) : module_(module), options_(options) {
    const bool clock = options.quantum == compiler::Quantum::clock;
    if (clock) made_.text = kClock;
    if (options.yields == compiler::Yields::traps) return;
    made_.text += clock ? kRegisters : kQueries;
    made_.text += kHere;
  }

  Generated run(const std::vector<std::string>& kernels, Progress& progress) {
    Generated generated;
    const domain::Status status = prepare_program(module_);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      progress.at(i + 1);
      const domain::Status added = status ? add(kernels[i]) : status;
      generated.notes.push_back({kernels[i], added ? std::string() : added.error().reason, {}});
    }
    if (!made_.kernels.empty()) generated.code = compiler::encode(made_);
    return generated;
  }

 private:
  domain::Status add(const std::string& name) {
    llvm::Function* kernel = compiler::find_kernel(module_, name);
    if (kernel == nullptr) return domain::Error{0, "it has no code"};
    if (options_.yields == compiler::Yields::traps) return add_trapping(name, *kernel);
    const compiler::YieldForm form = compiler::make_yielding(kernel, options_.yields, analyses_.functions);
    if (!form.why_not.empty()) return domain::Error{0, form.why_not + ": " + form.detail};
    if (form.together && !options_.together) return domain::Error{0, "no_form_here: its groups leave at barriers"};
    const auto device = compiler::make_device_form(*kernel, form, options_.quantum);
    if (!device) return domain::Error{0, device.error().reason};
    kernel->setName(compiler::name_in_text(name));
    if (options_.quantum == compiler::Quantum::clock) drop_required_size(*kernel);
    const auto printed = compiler::print_opencl_c(*kernel);
    if (!printed) return domain::Error{0, printed.error().reason};
    made_.text += printed->text;
    cpu::YieldFacts facts;
    facts.schema = form.schema;
    facts.group_words = form.group_words;
    facts.item_words = form.item_words;
    facts.together = form.together ? 1 : 0;
    facts.points = static_cast<std::uint32_t>(form.points.size());
    made_.kernels.push_back({name, facts, device->local_bytes, device->local_parameters});
    return {};
  }

  // NVIDIA's compiler ignores a limit of registers where there is one. The application's own kernel is checked for it.
  // Larger groups need it: with 255 registers for each item they would not fit.
  static void drop_required_size(llvm::Function& kernel) {
    const llvm::MDNode* sizes = kernel.getMetadata("reqd_work_group_size");
    if (sizes == nullptr) return;
    std::uint64_t items = 1;
    for (const llvm::MDOperand& size : sizes->operands())
      items *= llvm::mdconst::extract<llvm::ConstantInt>(size)->getZExtValue();
    constexpr std::uint64_t kMaxOfAnyCode = 256;  // 65,536 registers of a multiprocessor
    if (items <= kMaxOfAnyCode) kernel.setMetadata("reqd_work_group_size", nullptr);
  }

  // Named in any case.
  domain::Status add_trapping(const std::string& name, llvm::Function& given) {
    llvm::Function* kernel = &given;
    const compiler::YieldForm form =
        compiler::make_yielding(kernel, compiler::Yields::traps, analyses_.functions, compiler::Entries::none);
    compiler::StoppableKernel made;
    made.name = name;
    made.only_buffers = form.only_buffers;
    if (!form.why_not.empty()) add_guarded(name, made);
    if (form.why_not.empty() && !form.points.empty()) {
      made.facts.schema = form.schema;
      made.facts.item_words = form.item_words;
      made.facts.points = static_cast<std::uint32_t>(form.points.size());
      if (domain::Status printed = print_trapping(name, *kernel); !printed)
        made.facts = {}, made.why_not = "no_form_here: " + printed.error().reason;
    }
    made_.kernels.push_back(std::move(made));
    return {};
  }

  // Where items cannot leave they may go on: at barriers others wait for them.
  void add_guarded(const std::string& name, compiler::StoppableKernel& made) {
    auto guarded = make_guarded_kernel(module_, name, analyses_.functions);
    if (!guarded) return (void)(made.why_not = guarded.error().reason);
    guarded->kernel->setName(compiler::name_in_text(name));
    const auto printed = compiler::print_opencl_c(*guarded->kernel);
    if (!printed) return (void)(made.why_not = "no_form_here: " + printed.error().reason);
    if (!std::exchange(tells_, true)) made_.text += kGuardText;
    made_.text += printed->text;
    made.goes_on = true;
    made.sites = std::move(guarded->sites);
  }

  domain::Status print_trapping(const std::string& name, llvm::Function& kernel) {
    if (domain::Status status = compiler::make_trap_form(kernel); !status) return status;
    compiler::tidy_text(kernel, analyses_.functions);
    kernel.setName(compiler::name_in_text(name));
    const auto printed = compiler::print_opencl_c(kernel);
    if (!printed) return printed.error();
    made_.text += printed->text;
    return {};
  }

  llvm::Module& module_;
  const StoppableOptions options_;
  compiler::AnalysisManagers analyses_;
  compiler::StoppableText made_;
  bool tells_ = false;  // the text defines what guarded kernels call
};

}  // namespace

Generated stoppable_text(llvm::Module& module, const std::vector<std::string>& kernels,
                         const StoppableOptions& options) {
  return in_attempts(kernels, true, [&](const Attempt& attempt, Progress& progress) {
    return Maker(module, options).run(attempt.kernels, progress);
  });
}

}  // namespace skmd::codegen
