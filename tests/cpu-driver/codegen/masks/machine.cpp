// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu-driver/codegen/masks/machine.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include "cpu-driver/codegen/item_function.h"

namespace skmd::test {

namespace {

constexpr unsigned kMaxSteps = 2'000'000;

unsigned width(const llvm::Type* type) { return type->isPointerTy() ? 64 : type->getIntegerBitWidth(); }
unsigned bytes(const llvm::Type* type) { return (width(type) + 7) / 8; }
std::uint64_t low(std::uint64_t bits, unsigned count) { return count >= 64 ? bits : bits & ((1ULL << count) - 1); }
std::int64_t extended(std::uint64_t bits, unsigned count) {
  return count >= 64 ? static_cast<std::int64_t>(bits)
                     : static_cast<std::int64_t>(bits << (64 - count)) >> (64 - count);
}

bool compare(llvm::CmpInst::Predicate predicate, std::uint64_t left, std::uint64_t right, unsigned count) {
  const llvm::APInt a(count, left);
  const llvm::APInt b(count, right);
  return llvm::ICmpInst::compare(a, b, predicate);
}

// Whether `instruction`'s flags allow what it does.
bool allowed(const llvm::Instruction& instruction, const llvm::APInt& a, const llvm::APInt& b) {
  const auto* checked = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction);
  if (checked == nullptr) return true;
  bool with_sign = false;
  bool without = false;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      (void)a.sadd_ov(b, with_sign), (void)a.uadd_ov(b, without);
      break;
    case llvm::Instruction::Sub:
      (void)a.ssub_ov(b, with_sign), (void)a.usub_ov(b, without);
      break;
    case llvm::Instruction::Mul:
      (void)a.smul_ov(b, with_sign), (void)a.umul_ov(b, without);
      break;
    default:
      (void)a.sshl_ov(b, with_sign), (void)a.ushl_ov(b, without);
      break;
  }
  return !(checked->hasNoSignedWrap() && with_sign) && !(checked->hasNoUnsignedWrap() && without);
}

}  // namespace

std::uint64_t Memory::create(std::uint64_t size) {
  objects_.emplace_back(size, Cell{0, Kind::poison});
  return (static_cast<std::uint64_t>(objects_.size()) << 32) + kBase;
}

bool Memory::read(std::uint64_t pointer, unsigned count, Cell& value) const {
  const std::uint64_t object = (pointer >> 32) - 1;
  const std::uint64_t offset = (pointer & 0xffffffffU) - kBase;
  if (object >= objects_.size() || offset + count > objects_[object].size() || offset + count < offset) return false;
  value = {};
  for (unsigned i = 0; i < count; ++i) {
    const Cell& byte = objects_[object][offset + i];
    value.bits |= byte.bits << (8 * i);
    value.kind = std::max(value.kind, byte.kind);
  }
  return true;
}

bool Memory::write(std::uint64_t pointer, unsigned count, const Cell& value) {
  const std::uint64_t object = (pointer >> 32) - 1;
  const std::uint64_t offset = (pointer & 0xffffffffU) - kBase;
  if (object >= objects_.size() || offset + count > objects_[object].size() || offset + count < offset) return false;
  for (unsigned i = 0; i < count; ++i) objects_[object][offset + i] = {value.bits >> (8 * i) & 0xff, value.kind};
  return true;
}

void Machine::fail(const llvm::Instruction& where, const std::string& what) {
  if (problem_.empty()) llvm::raw_string_ostream(problem_) << what << ":" << where;
}

Lanes Machine::get(Frame& frame, const llvm::Value* value) const {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
    return Lanes(lanes_, {number->getZExtValue(), Kind::ok});
  if (llvm::isa<llvm::UndefValue>(value)) return Lanes(lanes_, {0, Kind::poison});
  return frame.lookup(value);
}

bool Machine::decide(const llvm::Instruction& where, const Lanes& condition) {
  Cell found{0, Kind::poison};
  for (const Cell& cell : condition) {
    if (cell.kind == Kind::ok && found.kind == Kind::ok && cell.bits != found.bits) fail(where, "lanes disagree");
    if (cell.kind < found.kind) found = cell;
  }
  if (found.kind == Kind::poison) fail(where, "decided by poison");
  if (found.kind == Kind::ok) return found.bits != 0;
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  return (random_ >> 40 & 1) != 0;
}

bool Machine::in(const llvm::Instruction& where, const Cell& mask) {
  if (mask.kind != Kind::ok) fail(where, "a mask is poison");
  return mask.bits != 0;
}

Lanes Machine::run(llvm::Function& function, const std::vector<Lanes>& arguments) {
  Frame frame;
  for (llvm::Argument& argument : function.args()) frame[&argument] = arguments[argument.getArgNo()];
  llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock* block = &function.getEntryBlock();
  Lanes result(lanes_);
  while (block != nullptr && problem_.empty()) {
    enter(frame, *block, from, *this);
    for (llvm::Instruction& instruction : *block)
      if (!instruction.isTerminator() && !llvm::isa<llvm::PHINode>(instruction)) step(frame, instruction);
    from = block;
    block = leave(frame, *block, result);
  }
  return result;
}

void Machine::enter(Frame& frame, llvm::BasicBlock& block, llvm::BasicBlock* from, Machine& machine) {
  std::vector<std::pair<llvm::PHINode*, Lanes>> values;
  for (llvm::PHINode& phi : block.phis())
    values.emplace_back(&phi, machine.get(frame, phi.getIncomingValueForBlock(from)));
  for (auto& [phi, lanes] : values) frame[phi] = std::move(lanes);
}

llvm::BasicBlock* Machine::leave(Frame& frame, llvm::BasicBlock& block, Lanes& result) {
  llvm::Instruction& end = *block.getTerminator();
  if (++steps_ > kMaxSteps) fail(end, "no end");
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
    if (branch->isUnconditional()) return branch->getSuccessor(0);
    return branch->getSuccessor(decide(end, get(frame, branch->getCondition())) ? 0 : 1);
  }
  if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) {
    const Cell value = get(frame, choice->getCondition())[0];
    auto* number = llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(choice->getCondition()->getType()), value.bits);
    return choice->findCaseValue(number)->getCaseSuccessor();
  }
  auto* end_all = llvm::dyn_cast<llvm::ReturnInst>(&end);
  if (end_all == nullptr) fail(end, "reached");
  if (end_all != nullptr && end_all->getReturnValue() != nullptr) result = get(frame, end_all->getReturnValue());
  return nullptr;
}

Cell Machine::load(const llvm::Instruction& where, const llvm::Type* type, Cell pointer) {
  Cell value;
  if (pointer.kind != Kind::ok || !memory_.read(pointer.bits, bytes(type), value)) fail(where, "reads no memory");
  return value;
}

void Machine::store(const llvm::Instruction& where, const llvm::Type* type, Cell pointer, Cell value) {
  if (pointer.kind != Kind::ok || !memory_.write(pointer.bits, bytes(type), value)) fail(where, "writes no memory");
}

void Machine::step(Frame& frame, llvm::Instruction& instruction) {
  ++steps_;
  if (auto* one = llvm::dyn_cast<llvm::CallInst>(&instruction)) return call(frame, *one);
  Lanes result(lanes_);
  std::vector<Lanes> operands;
  for (const llvm::Value* operand : instruction.operands()) operands.push_back(get(frame, operand));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    std::vector<Cell> own;
    for (const Lanes& operand : operands) own.push_back(operand[lane]);
    result[lane] = compute(instruction, own);
  }
  frame[&instruction] = std::move(result);
}

Cell Machine::binary(const llvm::Instruction& instruction, std::uint64_t left, std::uint64_t right) {
  const unsigned count = width(instruction.getType());
  const llvm::APInt a(count, left);
  const llvm::APInt b(count, right);
  if (!allowed(instruction, a, b)) return {0, Kind::poison};
  if (instruction.isShift() && b.uge(count)) return {0, Kind::poison};
  if (instruction.isIntDivRem()) {
    const bool with_sign =
        instruction.getOpcode() == llvm::Instruction::SDiv || instruction.getOpcode() == llvm::Instruction::SRem;
    if (b.isZero() || (with_sign && a.isMinSignedValue() && b.isAllOnes())) {
      fail(instruction, "traps");
      return {};
    }
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return {(a + b).getZExtValue()};
    case llvm::Instruction::Sub:
      return {(a - b).getZExtValue()};
    case llvm::Instruction::Mul:
      return {(a * b).getZExtValue()};
    case llvm::Instruction::And:
      return {(a & b).getZExtValue()};
    case llvm::Instruction::Or:
      return {(a | b).getZExtValue()};
    case llvm::Instruction::Xor:
      return {(a ^ b).getZExtValue()};
    case llvm::Instruction::Shl:
      return {(a << b).getZExtValue()};
    case llvm::Instruction::LShr:
      return {a.lshr(b).getZExtValue()};
    case llvm::Instruction::AShr:
      return {a.ashr(b).getZExtValue()};
    case llvm::Instruction::UDiv:
      return {a.udiv(b).getZExtValue()};
    case llvm::Instruction::URem:
      return {a.urem(b).getZExtValue()};
    case llvm::Instruction::SDiv:
      return {a.sdiv(b).getZExtValue()};
    case llvm::Instruction::SRem:
      return {a.srem(b).getZExtValue()};
    default:
      fail(instruction, "is not known here");
      return {};
  }
}

Cell Machine::compute(const llvm::Instruction& instruction, const std::vector<Cell>& operands) {
  const llvm::Type* type = instruction.getType();
  if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    return {memory_.create(variable->getAllocationSize(instruction.getDataLayout())->getFixedValue())};
  if (llvm::isa<llvm::LoadInst>(instruction)) return load(instruction, type, operands[0]);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    this->store(instruction, store->getValueOperand()->getType(), operands[1], operands[0]);
    return {};
  }
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const Cell old = load(instruction, type, operands[0]);
    if (update->getOperation() != llvm::AtomicRMWInst::Add) fail(instruction, "is not known here");
    store(instruction, type, operands[0], {low(old.bits + operands[1].bits, width(type)), operands[1].kind});
    return old;
  }
  if (llvm::isa<llvm::FreezeInst>(instruction))
    return {operands[0].bits, operands[0].kind == Kind::ok ? Kind::ok : Kind::any};
  if (llvm::isa<llvm::SelectInst>(instruction)) {
    if (operands[0].kind != Kind::ok) return operands[0];
    return operands[operands[0].bits != 0 ? 1 : 2];
  }
  Kind kind = Kind::ok;
  for (const Cell& operand : operands) kind = std::max(kind, operand.kind);
  if (instruction.isIntDivRem() && operands[1].kind == Kind::poison) fail(instruction, "divides by poison");
  if (kind != Kind::ok) return {0, kind};
  if (auto* question = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    return {compare(question->getPredicate(), operands[0].bits, operands[1].bits,
                    width(question->getOperand(0)->getType()))};
  if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    const std::uint64_t size = instruction.getDataLayout().getTypeAllocSize(place->getSourceElementType());
    if (place->getNumIndices() != 1) fail(instruction, "is not known here");
    return {operands[0].bits + size * extended(operands[1].bits, width(place->getOperand(1)->getType()))};
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ZExt:
      return operands[0];
    case llvm::Instruction::SExt:
      return {low(extended(operands[0].bits, width(instruction.getOperand(0)->getType())), width(type))};
    case llvm::Instruction::Trunc:
      return {low(operands[0].bits, width(type))};
    default:
      return binary(instruction, operands[0].bits, operands[1].bits);
  }
}

void Machine::marker(Frame& frame, llvm::CallInst& call, llvm::StringRef name) {
  std::vector<Lanes> operands;
  for (const llvm::Value* operand : call.args()) operands.push_back(get(frame, operand));
  Lanes result(lanes_, {0, Kind::poison});
  if (name == codegen::kAny) {
    bool any = false;
    for (const Cell& cell : operands[0]) any = in(call, cell) || any;
    result = Lanes(lanes_, {any});
  } else if (name.starts_with(codegen::kLoadPrefix)) {
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (in(call, operands[1][lane])) result[lane] = load(call, call.getType(), operands[0][lane]);
  } else {
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (in(call, operands[2][lane]))
        store(call, call.getArgOperand(0)->getType(), operands[1][lane], operands[0][lane]);
  }
  frame[&call] = std::move(result);
}

void Machine::call(Frame& frame, llvm::CallInst& call) {
  llvm::Function& callee = *call.getCalledFunction();
  const llvm::StringRef name = callee.getName();
  if (name == codegen::kAny || name.starts_with(codegen::kLoadPrefix) || name.starts_with(codegen::kStorePrefix))
    return marker(frame, call, name);
  Lanes mask(lanes_, {1});
  if (const auto bundle = call.getOperandBundle(codegen::kMaskBundle)) mask = get(frame, bundle->Inputs[0]);
  Lanes result(lanes_, {0, Kind::poison});
  std::vector<Lanes> operands;
  for (const llvm::Value* operand : call.args()) operands.push_back(get(frame, operand));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!in(call, mask[lane])) continue;
    std::vector<Lanes> own;
    for (const Lanes& operand : operands) own.push_back({operand[lane]});
    if (callee.isDeclaration()) {  // a builtin of one operand
      result[lane] = {low(own[0][0].bits * 0x9E3779B97F4A7C15U >> 7, width(call.getType())), own[0][0].kind};
      continue;
    }
    Machine one(memory_, 1, random_);
    result[lane] = one.run(callee, own)[0];
    if (!one.problem().empty()) problem_ = one.problem();
  }
  frame[&call] = std::move(result);
}

}  // namespace skmd::test
