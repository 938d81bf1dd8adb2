// SPDX-License-Identifier: Apache-2.0
// Blocks as labels, and the values of phis on the ways between them.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/opencl_c/constants.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::BasicBlock;

struct Move {
  const llvm::PHINode* to = nullptr;
  std::string target;
  std::string source;
};

class Blocks {
 public:
  explicit Blocks(Printer& printer) : printer_(printer) {}

  void run() {
    std::string text;
    for (const BasicBlock& block : printer_.kernel) {
      printer_.body.clear();
      for (const llvm::Instruction& instruction : block) {
        if (instruction.isTerminator())
          print_end(instruction);
        else
          print_statement(printer_, instruction);
        if (!printer_.refusal.empty()) return;
      }
      texts_.push_back(std::move(printer_.body));
    }
    std::size_t number = 0;
    for (const BasicBlock& block : printer_.kernel) {
      if (targets_.contains(&block)) text += printer_.names.label(block) + ":;\n";
      text += texts_[number++];
    }
    printer_.body = std::move(text);
  }

 private:
  void print_end(const llvm::Instruction& end) {
    const BasicBlock* block = end.getParent();
    if (llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(end)) return printer_.line("return;");
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) return print_switch(*choice);
    if (end.getOpcode() != llvm::Instruction::Br) return (void)printer_.refuse(end);
    if (end.getNumSuccessors() == 1) return printer_.line_of(way(*block, *end.getSuccessor(0), true));
    print_branch(end);
  }

  void print_branch(const llvm::Instruction& end) {
    const BasicBlock &block = *end.getParent(), &yes = *end.getSuccessor(0), &no = *end.getSuccessor(1);
    if (&yes == &no) return printer_.line_of(way(block, yes, true));
    const std::string condition = printer_.value(*end.getOperand(0));
    if (block.getNextNode() == &yes && !has_moves(block, yes))
      return printer_.line("if (!" + condition + ") { " + way(block, no, false) + " }");
    printer_.line("if (" + bare(condition) + ") { " + way(block, yes, false) + " }");
    printer_.line_of(way(block, no, true));
  }

  void print_switch(const llvm::SwitchInst& choice) {
    const BasicBlock& block = *choice.getParent();
    const unsigned bits = choice.getCondition()->getType()->getScalarSizeInBits();
    if (integer_name(bits, false).empty()) return (void)printer_.refuse(choice);
    printer_.line("switch (" + bare(printer_.value(*choice.getCondition())) + ") {");
    for (const auto& entry : choice.cases())
      printer_.line("case " + integer_literal(entry.getCaseValue()->getZExtValue(), bits < 32 ? 32 : bits) + ": " +
                    way(block, *entry.getCaseSuccessor(), false));
    printer_.line("default: " + way(block, *choice.getDefaultDest(), false));
    printer_.line("}");
  }

  static bool has_moves(const BasicBlock& from, const BasicBlock& to) {
    return llvm::any_of(to.phis(), [&](const llvm::PHINode& phi) {
      return !phi.use_empty() && phi.getIncomingValueForBlock(&from) != &phi;
    });
  }

  // The statements of a way. `last`: nothing follows them in the block.
  std::string way(const BasicBlock& from, const BasicBlock& to, bool last) {
    std::string text = moves(from, to);
    if (last && from.getNextNode() == &to) return text;
    targets_.insert(&to);
    return text + (text.empty() ? "" : " ") + "goto " + printer_.names.label(to) + ";";
  }

  // Phis take their values at once: none is overwritten while another one is still to have it.
  std::string moves(const BasicBlock& from, const BasicBlock& to) {
    std::vector<Move> left;
    for (const llvm::PHINode& phi : to.phis()) {
      const llvm::Value* value = phi.getIncomingValueForBlock(&from);
      if (phi.use_empty() || value == &phi) continue;
      left.push_back({&phi, printer_.value(phi), printer_.value(*value)});
    }
    std::string text;
    const auto add = [&](const std::string& target, const std::string& source) {
      text += (text.empty() ? "" : " ") + target + " = " + source + ";";
    };
    while (!left.empty()) {
      const auto is_free = [&](const Move& move) {
        return llvm::none_of(left, [&](const Move& other) { return &other != &move && other.source == move.target; });
      };
      auto next = llvm::find_if(left, is_free);
      if (next == left.end()) {
        // All of them are in circles: one value waits in a variable of its own.
        next = left.begin();
        const std::string kept = printer_.variable(*next->to->getType());
        add(kept, next->target);
        for (Move& other : left)
          if (other.source == next->target) other.source = kept;
      }
      add(next->target, next->source);
      left.erase(next);
    }
    return text;
  }

  Printer& printer_;
  std::vector<std::string> texts_;
  llvm::DenseSet<const BasicBlock*> targets_;  // that a goto leads to
};

}  // namespace

void print_blocks(Printer& printer) { Blocks(printer).run(); }

void print_statement(Printer& printer, const llvm::Instruction& instruction) {
  using llvm::dyn_cast;
  using llvm::isa;
  if (is_ignored(instruction) || isa<llvm::PHINode, llvm::AllocaInst>(instruction)) return;
  const bool effect = has_effect(instruction);
  if (!effect && (instruction.use_empty() || printer.placement.is_inside(instruction) ||
                  (is_view(instruction) && !isa<llvm::LoadInst>(instruction))))
    return;
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return print_store(printer, *store);
  if (const auto* transfer = dyn_cast<llvm::MemIntrinsic>(&instruction)) return print_transfer(printer, *transfer);
  if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::FenceInst>(instruction) || instruction.isAtomic())
    return print_atomic(printer, instruction);
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && is_in_elements(*load->getType()))
    return print_load_of_elements(printer, *load);
  const auto* extraction = dyn_cast<llvm::ExtractElementInst>(&instruction);
  if ((extraction != nullptr && !isa<llvm::ConstantInt>(extraction->getIndexOperand())) ||
      (isa<llvm::InsertElementInst>(instruction) && !is_plain_insertion(instruction)))
    return print_vector_statement(printer, instruction);
  if (const auto* checked = dyn_cast<llvm::WithOverflowInst>(&instruction)) return print_overflow(printer, *checked);
  const std::string text = expression(printer, instruction);
  if (instruction.getType()->isVoidTy()) return printer.line(text + ";");
  printer.assign(instruction, text);
}

}  // namespace skmd::compiler::opencl_c
