// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/images.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/library/library_constants.h"
#include "cpu-driver/codegen/library/math_names.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::CallInst;
using llvm::Function;
using llvm::Type;
using llvm::Value;

constexpr llvm::StringLiteral kBefore = ".before";
// `shape` of images.cl.
constexpr unsigned kLayers = 4;

Type* lowered(Type* type) {
  const auto* target = llvm::dyn_cast<llvm::TargetExtType>(type);
  if (target == nullptr) return type;
  if (target->getName() == "spirv.Sampler") return Type::getInt32Ty(type->getContext());
  if (target->getName() != "spirv.Image" || target->getNumIntParameters() < 6) return type;
  const bool depth = target->getIntParameter(1) != 0;
  const bool samples = target->getIntParameter(3) != 0;
  return depth || samples ? type : llvm::PointerType::get(type->getContext(), kConstantSpace);
}

struct Types : llvm::ValueMapTypeRemapper {
  Type* remapType(Type* type) override { return lowered(type); }
};

bool is_lowered(const Function& function) {
  const auto changes = [](Type* type) { return lowered(type) != type; };
  return changes(function.getReturnType()) || llvm::any_of(function.getFunctionType()->params(), changes);
}

llvm::FunctionType* lowered_type(const Function& function) {
  llvm::SmallVector<Type*, 16> types;
  for (Type* type : function.getFunctionType()->params()) types.push_back(lowered(type));
  return llvm::FunctionType::get(lowered(function.getReturnType()), types, function.isVarArg());
}

/// A function of the same name; `function` gets another.
Function* successor(Function& function) {
  const std::string name = function.getName().str();
  function.setName(name + kBefore);
  Function* made = Function::Create(lowered_type(function), function.getLinkage(), function.getAddressSpace(), name,
                                    function.getParent());
  made->setCallingConv(function.getCallingConv());
  return made;
}

/// What the mangled types of a call's parameters say of the image: "14ocl_image2d_ro...".
std::optional<unsigned> shape_of(llvm::StringRef parameters) {
  std::size_t length = 0;
  if (parameters.consumeInteger(10, length)) return std::nullopt;
  llvm::StringRef name = parameters.take_front(length);
  if (!name.consume_front("ocl_image")) return std::nullopt;
  for (const char* access : {"_ro", "_wo", "_rw"}) name.consume_back(access);
  if (name == "1d" || name == "1d_buffer") return 1;
  if (name == "1d_array") return 1 | kLayers;
  if (name == "2d") return 2;
  if (name == "2d_array") return 2 | kLayers;
  if (name == "3d") return 3;
  return std::nullopt;
}

/// Replaces the calls in one kernel.
class Calls {
 public:
  explicit Calls(Function& kernel) : kernel_(kernel), module_(*kernel.getParent()), context_(kernel.getContext()) {}

  void run() {
    llvm::SmallVector<CallInst*, 16> calls;
    for (llvm::Instruction& instruction : llvm::instructions(kernel_))
      if (auto* call = llvm::dyn_cast<CallInst>(&instruction); call != nullptr && call->getCalledFunction() != nullptr)
        calls.push_back(call);
    quick_ = llvm::count_if(calls, [](CallInst* call) { return is_access(*call); }) <= tuning::kMaxQuick;
    for (CallInst* call : calls) replace(*call);
  }

 private:
  static bool is_access(const CallInst& call) {
    const auto name = split_name(call.getCalledFunction()->getName());
    return name && (name->base.starts_with("read_image") || name->base.starts_with("write_image"));
  }

  void replace(CallInst& call) {
    const llvm::StringRef symbol = call.getCalledFunction()->getName();
    Value* value = nullptr;
    if (symbol == "__translate_sampler_initializer") {
      value = call.getArgOperand(0);
    } else {
      const auto name = split_name(symbol);
      const auto shape = name ? shape_of(name->parameters) : std::nullopt;
      if (!shape) return;
      if (name->base.starts_with("write_image")) {
        if (!write(call, name->base, *shape)) return;
      } else {
        value = name->base.starts_with("read_image") ? read(call, name->base, *shape) : query(call, name->base, *shape);
        if (value == nullptr) return;
      }
    }
    if (value != nullptr) call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }

  Value* field(CallInst& call, std::size_t offset) {
    llvm::IRBuilder<> ir(&call);
    Value* place = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), call.getArgOperand(0), offset);
    llvm::LoadInst* load = ir.CreateAlignedLoad(ir.getInt32Ty(), place, llvm::Align(4));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
  }

  /// Null: not known.
  Value* query(CallInst& call, llvm::StringRef base, unsigned shape) {
    llvm::IRBuilder<> ir(&call);
    const auto number = [&](std::size_t offset) { return ir.CreateZExtOrTrunc(field(call, offset), call.getType()); };
    if (base == "get_image_width") return number(offsetof(cpu::SpanImage, width));
    if (base == "get_image_height") return number(offsetof(cpu::SpanImage, height));
    if (base == "get_image_depth") return number(offsetof(cpu::SpanImage, depth));
    if (base == "get_image_array_size") return number(offsetof(cpu::SpanImage, layers));
    if (base == "get_image_channel_order") return number(offsetof(cpu::SpanImage, order));
    if (base == "get_image_channel_data_type") return number(offsetof(cpu::SpanImage, type));
    if (base != "get_image_dim") return nullptr;
    Value* extents = llvm::Constant::getNullValue(call.getType());
    extents = ir.CreateInsertElement(extents, field(call, offsetof(cpu::SpanImage, width)), std::uint64_t{0});
    extents = ir.CreateInsertElement(extents, field(call, offsetof(cpu::SpanImage, height)), std::uint64_t{1});
    if (shape == 3)
      extents = ir.CreateInsertElement(extents, field(call, offsetof(cpu::SpanImage, depth)), std::uint64_t{2});
    return extents;
  }

  /// Three coordinates; those that there are not are 0.
  static void add_coordinates(llvm::IRBuilder<>& ir, Value* coordinates, std::vector<Value*>& operands) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(coordinates->getType());
    const unsigned count = vector == nullptr ? 1 : vector->getNumElements();
    for (unsigned i = 0; i < 3; ++i) {
      if (i >= count)
        operands.push_back(llvm::Constant::getNullValue(coordinates->getType()->getScalarType()));
      else
        operands.push_back(vector == nullptr ? coordinates : ir.CreateExtractElement(coordinates, i));
    }
  }

  Value* call_library(llvm::IRBuilder<>& ir, const std::string& name, Type* result, llvm::ArrayRef<Value*> operands,
                      bool reads) {
    llvm::SmallVector<Type*, 12> types;
    for (Value* operand : operands) types.push_back(operand->getType());
    auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    auto* function = llvm::cast<Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
    function->addFnAttr(llvm::Attribute::NoCallback);
    // The color goes to a variable of the caller's.
    if (reads)
      function->setMemoryEffects(llvm::MemoryEffects::readOnly() |
                                 llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::ModRef));
    return ir.CreateCall(callee, operands);
  }

  /// "readf", "readi": what is common to signed and unsigned integers. Empty: not known.
  static std::string kind(llvm::StringRef base, llvm::StringRef what) {
    base.consume_front(what);
    base.consume_front("_image");
    if (base == "f") return (what + "f").str();
    return base == "i" || base == "ui" ? (what + "i").str() : std::string();
  }

  Value* read(CallInst& call, llvm::StringRef base, unsigned shape) {
    const bool sampled = call.arg_size() == 3;
    const std::string name = kind(base, "read");
    if (name.empty() || (!sampled && call.arg_size() != 2)) return nullptr;
    llvm::IRBuilder<> ir(&call);
    Value* sampler = sampled ? call.getArgOperand(1) : ir.getInt32(0);  // without addressing, neighbours or scale
    Value* coordinates = call.getArgOperand(sampled ? 2 : 1);
    if (!sampler->getType()->isIntegerTy(32)) return nullptr;
    const bool floats = coordinates->getType()->isFPOrFPVectorTy();
    const std::string function = name + (floats ? "_at_floats" : "_at_ints");
    std::vector<Value*> operands = {call.getArgOperand(0), sampler};
    if (quick_ && shape == 2 && function != "readi_at_floats") {
      add_coordinates(ir, coordinates, operands);
      operands.pop_back();
      return call_library(ir, "skmd_quick_" + function, call.getType(), operands, true);
    }
    llvm::IRBuilder<> entry(&*kernel_.getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* color = entry.CreateAlloca(call.getType());
    operands.push_back(ir.getInt32(shape));
    add_coordinates(ir, coordinates, operands);
    operands.push_back(color);
    call_library(ir, "skmd_image_" + function, ir.getVoidTy(), operands, true);
    return ir.CreateLoad(call.getType(), color);
  }

  bool write(CallInst& call, llvm::StringRef base, unsigned shape) {
    const std::string name = kind(base, "write");
    if (name.empty() || call.arg_size() != 3) return false;
    llvm::IRBuilder<> ir(&call);
    const bool quick = quick_ && shape == 2;
    std::vector<Value*> operands = {call.getArgOperand(0)};
    if (!quick) operands.push_back(ir.getInt32(shape));
    add_coordinates(ir, call.getArgOperand(1), operands);
    if (quick) operands.pop_back();
    for (unsigned i = 0; i < 4; ++i) operands.push_back(ir.CreateExtractElement(call.getArgOperand(2), i));
    call_library(ir, (quick ? "skmd_quick_" : "skmd_image_") + name, ir.getVoidTy(), operands, false);
    return true;
  }

  Function& kernel_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  bool quick_ = false;
};

/// A function and the one that takes its place.
using Change = std::pair<Function*, Function*>;

/// A copy of `kernel` with other types and its name; `kernel` gets a name that is not looked up.
Function* with_other_types(Function& kernel, llvm::ArrayRef<Change> callees) {
  Function* made = successor(kernel);
  llvm::ValueToValueMapTy map;
  for (const auto& [before, after] : callees) map[before] = after;
  for (llvm::Argument& argument : kernel.args()) {
    map[&argument] = made->getArg(argument.getArgNo());
    made->getArg(argument.getArgNo())->setName(argument.getName());
  }
  Types types;
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(made, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns, "", nullptr,
                          &types);
  return made;
}

}  // namespace

void lower_images(llvm::Module& module) {
  std::vector<Function*> kernels;
  std::vector<Change> callees;
  for (Function& function : module) {
    if (!is_lowered(function)) continue;
    if (function.isDeclaration())
      callees.emplace_back(&function, nullptr);
    else
      kernels.push_back(&function);
  }
  for (auto& [before, after] : callees) {
    after = successor(*before);
    after->setAttributes(before->getAttributes());
  }
  for (Function* kernel : kernels) {
    Function* made = with_other_types(*kernel, callees);
    kernel->deleteBody();
    Calls(*made).run();
  }
}

}  // namespace skmd::codegen
