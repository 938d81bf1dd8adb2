// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/ir/lanes.h"
#include "cpu-driver/codegen/library/expand.h"

namespace skmd::codegen {

namespace {

llvm::Value* lane_of(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned lane) {
  return value->getType()->isVectorTy() ? builder.CreateExtractElement(value, lane) : value;
}

/// The scalar function `name`, with the attributes of the one for vectors.
llvm::FunctionCallee declare(llvm::CallInst& call, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Type*> parameters) {
  llvm::Module& module = *call.getModule();
  auto callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee());
      function != nullptr && function->use_empty()) {
    function->setCallingConv(call.getCallingConv());
    if (const llvm::Function* like = call.getCalledFunction()) {
      const auto attributes = like->getAttributes().getFnAttrs();
      function->setAttributes(llvm::AttributeList::get(module.getContext(), llvm::AttributeList::FunctionIndex,
                                                       llvm::AttrBuilder(module.getContext(), attributes)));
    }
  }
  return callee;
}

llvm::CallInst* call_lane(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::FunctionCallee callee,
                          llvm::ArrayRef<llvm::Value*> operands) {
  llvm::CallInst* made = builder.CreateCall(callee, operands);
  made->setCallingConv(llvm::cast<llvm::Function>(callee.getCallee())->getCallingConv());
  if (llvm::isa<llvm::FPMathOperator>(made) && llvm::isa<llvm::FPMathOperator>(call))
    made->setFastMathFlags(call.getFastMathFlags());
  return made;
}

/// Calls of scalar function `name`; an operand that is no vector is the same for all.
Expansion each_element(llvm::CallInst& call, llvm::StringRef name) {
  const unsigned lanes = lanes_of(call.getType());
  std::vector<llvm::Type*> parameters;
  for (const llvm::Value* operand : call.args()) parameters.push_back(operand->getType()->getScalarType());
  const auto callee = declare(call, name, call.getType()->getScalarType(), parameters);
  llvm::IRBuilder<> builder(&call);
  llvm::Value* result = llvm::PoisonValue::get(call.getType());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::vector<llvm::Value*> operands;
    for (llvm::Value* operand : call.args()) operands.push_back(lane_of(builder, operand, lane));
    result = builder.CreateInsertElement(result, call_lane(builder, call, callee, operands), lane);
  }
  return result;
}

/// any: a set sign bit somewhere; all: everywhere.
Expansion reduce_signs(llvm::CallInst& call, bool any) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* value = call.getArgOperand(0);
  llvm::Value* signs = lane_of(builder, value, 0);
  for (unsigned lane = 1; lane < lanes_of(value->getType()); ++lane) {
    llvm::Value* next = lane_of(builder, value, lane);
    signs = any ? builder.CreateOr(signs, next) : builder.CreateAnd(signs, next);
  }
  llvm::Value* set = builder.CreateICmpSLT(signs, llvm::Constant::getNullValue(signs->getType()));
  return builder.CreateZExt(set, call.getType());
}

bool gives_int(llvm::StringRef base) { return base == "frexp" || base == "remquo" || base == "lgamma_r"; }

/// A second result is stored to a local variable and copied from there to its destination, in any address space. The
/// optimiser makes a value of the variable once the function is inlined.
class SecondResult {
 public:
  SecondResult(llvm::CallInst& call, const SplitName& name) : call_(call), name_(name), builder_(&call) {}

  Expansion expand() {
    llvm::Type* scalar = call_.getType()->getScalarType();
    if (!scalar->isFloatTy() && !scalar->isDoubleTy()) return std::nullopt;
    llvm::Type* second = gives_int(name_.base) ? builder_.getInt32Ty() : scalar;
    const unsigned lanes = lanes_of(call_.getType());
    if (lanes == 1) {
      const auto [value, other] = one(0, second);
      store(other);
      return value;
    }
    llvm::Value* values = llvm::PoisonValue::get(call_.getType());
    llvm::Value* others = llvm::PoisonValue::get(llvm::FixedVectorType::get(second, lanes));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto [value, other] = one(lane, second);
      values = builder_.CreateInsertElement(values, value, lane);
      others = builder_.CreateInsertElement(others, other, lane);
    }
    store(others);
    return values;
  }

 private:
  std::pair<llvm::Value*, llvm::Value*> one(unsigned lane, llvm::Type* second) {
    const char letter = call_.getType()->getScalarType()->isDoubleTy() ? 'd' : 'f';
    std::vector<llvm::Value*> operands;
    std::vector<llvm::Type*> parameters;
    std::string name = ("_Z" + llvm::Twine(name_.base.size()) + name_.base).str();
    for (unsigned index = 0; index + 1 < call_.arg_size(); ++index) {
      operands.push_back(lane_of(builder_, call_.getArgOperand(index), lane));
      parameters.push_back(operands.back()->getType());
      name += letter;
    }
    if (name_.base == "sincos") return sine_and_cosine(operands[0], letter);
    llvm::IRBuilder<> entry(&*call_.getFunction()->getEntryBlock().getFirstInsertionPt());
    llvm::Value* variable = entry.CreateAlloca(second);
    operands.push_back(variable);
    parameters.push_back(variable->getType());
    name += std::string("P") + (gives_int(name_.base) ? 'i' : letter);
    const auto callee = declare(call_, name, call_.getType()->getScalarType(), parameters);
    llvm::Value* value = call_lane(builder_, call_, callee, operands);
    return {value, builder_.CreateLoad(second, variable)};
  }

  /// Two functions that exist for vectors.
  std::pair<llvm::Value*, llvm::Value*> sine_and_cosine(llvm::Value* angle, char letter) {
    llvm::Type* type = angle->getType();
    const auto sine = declare_pure(std::string("_Z3sin") + letter, type);
    const auto cosine = declare_pure(std::string("_Z3cos") + letter, type);
    return {call_lane(builder_, call_, sine, angle), call_lane(builder_, call_, cosine, angle)};
  }

  llvm::FunctionCallee declare_pure(const std::string& name, llvm::Type* type) {
    const bool known = call_.getModule()->getFunction(name) != nullptr;
    auto callee = declare(call_, name, type, type);
    if (!known) {
      auto* function = llvm::cast<llvm::Function>(callee.getCallee());
      function->setDoesNotAccessMemory();
      function->setDoesNotThrow();
      function->addFnAttr(llvm::Attribute::WillReturn);
    }
    return callee;
  }

  void store(llvm::Value* value) { builder_.CreateStore(value, call_.getArgOperand(call_.arg_size() - 1)); }

  llvm::CallInst& call_;
  const SplitName& name_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

Expansion expand_math(llvm::CallInst& call, const SplitName& name, bool keep_vectors) {
  if (name.base == "any" || name.base == "all") return reduce_signs(call, name.base == "any");
  const bool pointer = call.arg_size() > 1 && call.getArgOperand(call.arg_size() - 1)->getType()->isPointerTy();
  for (const char* base : {"fract", "modf", "sincos", "frexp", "remquo", "lgamma_r"})
    if (pointer && name.base == base) return SecondResult(call, name).expand();
  const llvm::Function* function = call.getCalledFunction();
  const auto math = function == nullptr ? std::nullopt : math_name(function->getName());
  const bool has_form = math && !math->scalar_only && math->lanes != 3;
  if (math && math->lanes > 1 && !(keep_vectors && has_form)) {
    MathName scalar = *math;
    scalar.lanes = 1;
    return each_element(call, mangled(scalar));
  }
  if (name.base == "ldexp" && call.getType()->isVectorTy())
    return each_element(call, call.getType()->getScalarType()->isDoubleTy() ? "_Z5ldexpdi" : "_Z5ldexpfi");
  return std::nullopt;
}

}  // namespace skmd::codegen
