// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/expressions.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/analysis/analysis_constants.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;

namespace {

constexpr unsigned kMaxBits = 64;  // of a node: values are kept in 64

unsigned width_of(const llvm::Type* type) {
  return type->isIntegerTy() ? std::min(type->getIntegerBitWidth(), kMaxBits) : kMaxBits;
}

bool is_node_type(const llvm::Type* type) { return type->isIntegerTy() && type->getIntegerBitWidth() <= kMaxBits; }

}  // namespace

domain::Predicate predicate_of(llvm::CmpInst::Predicate predicate) {
  using domain::Predicate;
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return Predicate::eq;
    case llvm::CmpInst::ICMP_NE:
      return Predicate::ne;
    case llvm::CmpInst::ICMP_ULT:
      return Predicate::ult;
    case llvm::CmpInst::ICMP_ULE:
      return Predicate::ule;
    case llvm::CmpInst::ICMP_UGT:
      return Predicate::ugt;
    case llvm::CmpInst::ICMP_UGE:
      return Predicate::uge;
    case llvm::CmpInst::ICMP_SLT:
      return Predicate::slt;
    case llvm::CmpInst::ICMP_SLE:
      return Predicate::sle;
    case llvm::CmpInst::ICMP_SGT:
      return Predicate::sgt;
    default:
      return Predicate::sge;
  }
}

std::optional<Op> op_of(const llvm::BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
      return Op::add;
    case llvm::Instruction::Sub:
      return Op::sub;
    case llvm::Instruction::Mul:
      return Op::mul;
    case llvm::Instruction::UDiv:
      return Op::udiv;
    case llvm::Instruction::SDiv:
      return Op::sdiv;
    case llvm::Instruction::URem:
      return Op::urem;
    case llvm::Instruction::SRem:
      return Op::srem;
    case llvm::Instruction::And:
      return Op::bit_and;
    // Bits that never meet add up: "or disjoint" is how LLVM writes an addition.
    case llvm::Instruction::Or:
      return llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint() ? Op::add : Op::bit_or;
    case llvm::Instruction::Xor:
      return Op::bit_xor;
    case llvm::Instruction::Shl:
      return Op::shl;
    case llvm::Instruction::LShr:
      return Op::lshr;
    case llvm::Instruction::AShr:
      return Op::ashr;
    default:
      return std::nullopt;
  }
}

NodeId Expressions::of(llvm::Value* value) {
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  const unsigned bits = width_of(value->getType());
  if (!is_node_type(value->getType()) || depth_ > tuning::kMaxExpressionDepth) return nodes_.unknown(bits);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    return nodes_.constant(constant->getSExtValue(), bits);
  }
  NodeId node = kNoNode;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    node = nodes_.argument(argument->getArgNo(), 0, bits);
  } else if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    // A value that depends on itself other than by an induction is met again here, and is unknown there.
    known_[value] = nodes_.unknown(bits);
    ++depth_;
    node = this->instruction(*instruction);
    --depth_;
  }
  if (node == kNoNode) node = nodes_.unknown(bits);
  known_[value] = node;
  return node;
}

NodeId Expressions::instruction(llvm::Instruction& instruction) {
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return this->operation(*operation);
  if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) return comparison(*compare);
  if (auto* conversion = llvm::dyn_cast<llvm::CastInst>(&instruction)) return cast(*conversion);
  if (auto* merge = llvm::dyn_cast<llvm::PHINode>(&instruction)) return phi(*merge);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    return nodes_.select(of(select->getCondition()), of(select->getTrueValue()), of(select->getFalseValue()));
  }
  if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&instruction)) return of(freeze->getOperand(0));
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return this->call(*call);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return by_value(load->getPointerOperand(), 0, width_of(load->getType()));
  }
  if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) return lane(*extract);
  return kNoNode;
}

NodeId Expressions::operation(llvm::BinaryOperator& operation) {
  const auto op = op_of(operation);
  if (!op) return kNoNode;
  const NodeId a = of(operation.getOperand(0));
  return nodes_.binary(*op, a, of(operation.getOperand(1)));
}

NodeId Expressions::comparison(llvm::ICmpInst& compare) {
  if (!is_node_type(compare.getOperand(0)->getType())) return kNoNode;
  const NodeId a = of(compare.getOperand(0));
  return nodes_.compare(predicate_of(compare.getPredicate()), a, of(compare.getOperand(1)));
}

NodeId Expressions::cast(llvm::CastInst& cast) {
  if (!is_node_type(cast.getSrcTy())) return kNoNode;
  const unsigned bits = width_of(cast.getType());
  switch (cast.getOpcode()) {
    case llvm::Instruction::Trunc:
      return nodes_.cast(Op::trunc, of(cast.getOperand(0)), bits);
    case llvm::Instruction::SExt:
      return nodes_.cast(Op::sext, of(cast.getOperand(0)), bits);
    case llvm::Instruction::ZExt:
      return nodes_.cast(Op::zext, of(cast.getOperand(0)), bits);
    default:
      return kNoNode;
  }
}

NodeId Expressions::phi(llvm::PHINode& phi) {
  const llvm::Loop* loop = view_.loops.getLoopFor(phi.getParent());
  if (loop != nullptr && loop->getHeader() == phi.getParent()) return of(view_.evolution.getSCEV(&phi), loop);
  if (const NodeId node = diamond(phi); node != kNoNode) return node;
  NodeId node = incoming(phi, 0);
  for (unsigned i = 1; i < phi.getNumIncomingValues(); ++i) node = nodes_.either(node, incoming(phi, i));
  return node;
}

// In closed form a value leaves its loop through a phi only: there it is what scalar evolution knows of its end.
NodeId Expressions::incoming(llvm::PHINode& phi, unsigned index) {
  llvm::Value* value = phi.getIncomingValue(index);
  const llvm::Loop* scope = view_.loops.getLoopFor(phi.getParent());
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  const llvm::Loop* home = instruction == nullptr ? nullptr : view_.loops.getLoopFor(instruction->getParent());
  if (home == nullptr || home->contains(phi.getParent())) return of(value);
  return of(view_.evolution.getSCEVAtScope(value, scope), scope);
}

// A phi of two values that one branch decides is a select.
NodeId Expressions::diamond(llvm::PHINode& phi) {
  if (phi.getNumIncomingValues() != 2) return kNoNode;
  llvm::BasicBlock* join = phi.getParent();
  const auto* parent = view_.dominators.getNode(join)->getIDom();
  auto* branch = parent == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(parent->getBlock()->getTerminator());
  if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return kNoNode;
  // Leaving a loop chooses by what its last iteration saw.
  if (view_.loops.getLoopFor(parent->getBlock()) != view_.loops.getLoopFor(join)) return kNoNode;
  const llvm::BasicBlockEdge taken(parent->getBlock(), branch->getSuccessor(0));
  const llvm::BasicBlockEdge other(parent->getBlock(), branch->getSuccessor(1));
  const auto comes_by = [&](const llvm::BasicBlockEdge& edge, unsigned index) {
    return view_.dominators.dominates(edge, phi.getOperandUse(index));
  };
  if (comes_by(taken, 0) && comes_by(other, 1)) {
    return nodes_.select(of(branch->getCondition()), incoming(phi, 0), incoming(phi, 1));
  }
  if (comes_by(other, 0) && comes_by(taken, 1)) {
    return nodes_.select(of(branch->getCondition()), incoming(phi, 1), incoming(phi, 0));
  }
  return kNoNode;
}

NodeId Expressions::call(llvm::CallInst& call) {
  if (auto* extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&call)) {
    const bool less =
        extreme->getPredicate() == llvm::CmpInst::ICMP_SLT || extreme->getPredicate() == llvm::CmpInst::ICMP_ULT;
    const Op op = extreme->isSigned() ? (less ? Op::smin : Op::smax) : (less ? Op::umin : Op::umax);
    const NodeId a = of(extreme->getLHS());
    return nodes_.binary(op, a, of(extreme->getRHS()));
  }
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    const unsigned bits = width_of(call.getType());
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::abs) {
      const NodeId value = of(call.getArgOperand(0));
      return nodes_.binary(Op::smax, value, nodes_.binary(Op::sub, nodes_.constant(0, bits), value));
    }
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::usub_sat) {
      const NodeId b = of(call.getArgOperand(1));
      return nodes_.binary(Op::sub, nodes_.binary(Op::umax, of(call.getArgOperand(0)), b), b);
    }
    return kNoNode;
  }
  const Builtin builtin = builtin_of(call);
  if (builtin.mangled && builtin.name.starts_with("get_image_")) return image_query(call, builtin.name);
  return builtin.mangled && is_geometry(builtin.name) ? geometry(call, builtin.name) : kNoNode;
}

NodeId Expressions::geometry(llvm::CallInst& call, llvm::StringRef name) {
  if (name == "get_global_linear_id") return global_linear_id();
  if (name == "get_local_linear_id") return local_linear_id();
  if (name == "get_work_dim") return nodes_.cast(Op::trunc, nodes_.geometry(Op::work_dim, 0), width_of(call.getType()));
  if (call.arg_size() != 1) return kNoNode;
  const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  if (dimension == nullptr) return kNoNode;
  const bool is_size = name.contains("size") || name == "get_num_groups";
  // OpenCL C: beyond the launch's dimensions sizes are 1, ids and offsets 0.
  if (dimension->getZExtValue() > 2) return nodes_.constant(is_size ? 1 : 0, 64);
  const auto dim = static_cast<unsigned>(dimension->getZExtValue());
  if (name == "get_global_id") return nodes_.geometry(Op::global_id, dim);
  if (name == "get_local_id") return nodes_.geometry(Op::local_id, dim);
  if (name == "get_group_id") return nodes_.geometry(Op::group_id, dim);
  if (name == "get_global_size") return nodes_.geometry(Op::global_size, dim);
  if (name == "get_num_groups") return nodes_.geometry(Op::group_count, dim);
  if (name == "get_global_offset") return nodes_.geometry(Op::global_offset, dim);
  return nodes_.geometry(Op::local_size, dim);
}

NodeId Expressions::global_linear_id() {
  NodeId sum = kNoNode;
  for (unsigned dim = 3; dim-- > 0;) {
    const NodeId position =
        nodes_.binary(Op::sub, nodes_.geometry(Op::global_id, dim), nodes_.geometry(Op::global_offset, dim));
    if (sum == kNoNode) {
      sum = position;
    } else {
      sum = nodes_.binary(Op::add, nodes_.binary(Op::mul, sum, nodes_.geometry(Op::global_size, dim)), position);
    }
  }
  return sum;
}

NodeId Expressions::local_linear_id() {
  NodeId sum = kNoNode;
  for (unsigned dim = 3; dim-- > 0;) {
    const NodeId position = nodes_.geometry(Op::local_id, dim);
    if (sum == kNoNode) {
      sum = position;
    } else {
      sum = nodes_.binary(Op::add, nodes_.binary(Op::mul, sum, nodes_.geometry(Op::local_size, dim)), position);
    }
  }
  return sum;
}

// A field of a struct passed by value, if the kernel does not change the struct.
NodeId Expressions::by_value(llvm::Value* pointer, unsigned byte, unsigned bits) {
  llvm::APInt offset(view_.layout.getIndexTypeSizeInBits(pointer->getType()), byte);
  const auto* base = pointer->stripAndAccumulateConstantOffsets(view_.layout, offset, true);
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (argument == nullptr || !argument->hasByValAttr() || bits % 8 != 0) return kNoNode;
  const std::uint64_t size = view_.layout.getTypeAllocSize(argument->getParamByValType());
  if (offset.isNegative() || offset.getZExtValue() + bits / 8 > size) return kNoNode;
  for (const llvm::Use& use : argument->uses()) {
    if (llvm::isa<llvm::LoadInst>(use.getUser())) continue;
    const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
    if (gep == nullptr || !llvm::all_of(gep->users(), [](auto* user) { return llvm::isa<llvm::LoadInst>(user); })) {
      return kNoNode;
    }
  }
  return nodes_.argument(argument->getArgNo(), static_cast<unsigned>(offset.getZExtValue()), bits);
}

}  // namespace skmd::compiler
