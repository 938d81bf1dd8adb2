// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/device.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstddef>
#include <vector>

#include "compiler/analysis/kernel_view.h"
#include "compiler/client/merge_record.h"
#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"
#include "compiler/ir/geometry.h"
#include "compiler/ir/guard_divisions.h"
#include "compiler/merge/copies.h"
#include "compiler/merge/guard.h"
#include "compiler/merge/replay.h"
#include "compiler/merge/units.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kDeviceGlobal = 1;
constexpr unsigned kDeviceGeneric = 0;
constexpr std::uint64_t kValueAlignment = 16;  // bytes: float4's

// SPIR's address spaces to those of NVPTX. Constants are global memory: all that kernels are given is.
class Spaces final : public llvm::ValueMapTypeRemapper {
 public:
  llvm::Type* remapType(llvm::Type* type) override {
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      return llvm::FixedVectorType::get(remapType(vector->getElementType()), vector->getNumElements());
    auto* pointer = llvm::dyn_cast<llvm::PointerType>(type);
    if (pointer == nullptr) return type;
    const unsigned space = pointer->getAddressSpace();
    if (space == kConstantSpace) return llvm::PointerType::get(type->getContext(), kDeviceGlobal);
    if (space == kGenericSpace) return llvm::PointerType::get(type->getContext(), kDeviceGeneric);
    return type;
  }
};

llvm::GlobalVariable* device_constant(llvm::GlobalVariable& constant, llvm::Type* pointer) {
  llvm::Module& module = *constant.getParent();
  const std::string name = (llvm::Twine(constant.getName()) + ".device").str();
  if (auto* known = module.getGlobalVariable(name, true)) return known;
  return new llvm::GlobalVariable(module, constant.getValueType(), true, llvm::GlobalValue::InternalLinkage,
                                  constant.getInitializer(), name, nullptr, llvm::GlobalValue::NotThreadLocal,
                                  pointer->getPointerAddressSpace());
}

// The kernel again, with a device's address spaces.
llvm::Function* twin_of(llvm::Function& kernel) {
  llvm::Module& module = *kernel.getParent();
  Spaces spaces;
  std::vector<llvm::Type*> types;
  for (const llvm::Argument& argument : kernel.args()) types.push_back(spaces.remapType(argument.getType()));
  auto* type = llvm::FunctionType::get(kernel.getReturnType(), types, false);
  auto* twin = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "skmd.twin", module);
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& argument : kernel.args()) map[&argument] = twin->getArg(argument.getArgNo());
  for (llvm::GlobalVariable& constant : llvm::make_early_inc_range(module.globals())) {
    llvm::Type* pointer = spaces.remapType(constant.getType());
    if (pointer != constant.getType() && constant.hasInitializer()) map[&constant] = device_constant(constant, pointer);
  }
  for (llvm::Function& marker : llvm::make_early_inc_range(module)) {
    if (!marker.getName().starts_with(kReplay)) continue;
    llvm::Type* place = spaces.remapType(marker.getArg(0)->getType());
    auto* as = llvm::FunctionType::get(marker.getReturnType(),
                                       {place, marker.getArg(1)->getType(), marker.getArg(2)->getType()}, false);
    const std::string name = std::string(kReplay) + ".p" + std::to_string(place->getPointerAddressSpace());
    auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, as).getCallee());
    function->copyAttributesFrom(&marker);
    map[&marker] = function;
  }
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(twin, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns, "", nullptr,
                          &spaces);
  // Private to generic is no change any more.
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*twin))) {
    auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction);
    if (cast == nullptr || cast->getSrcTy() != cast->getDestTy()) continue;
    cast->replaceAllUsesWith(cast->getOperand(0));
    cast->eraseFromParent();
  }
  return twin;
}

/// The parameters of a merge kernel, and where each argument's are.
struct Signature {
  std::vector<llvm::Type*> types;
  std::vector<llvm::Type*> by_value;  // per parameter; null: as it is
  std::vector<unsigned> first;        // per argument of the kernel
  std::uint64_t bytes = 0;

  void add(llvm::Type* type, llvm::Type* value, std::uint64_t size) {
    types.push_back(type);
    by_value.push_back(value);
    bytes = (bytes + kValueAlignment - 1) / kValueAlignment * kValueAlignment + size;
  }
};

bool is_value(const domain::KernelTraits& traits, unsigned argument) {
  return traits.parameters[argument].kind == domain::ParameterKind::value;
}
bool is_buffer(const domain::KernelTraits& traits, unsigned argument) {
  const domain::ParameterKind kind = traits.parameters[argument].kind;
  return kind == domain::ParameterKind::global_pointer || kind == domain::ParameterKind::constant_pointer;
}

Signature signature_of(const llvm::Function& kernel, const domain::KernelTraits& traits) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Type* buffer = llvm::PointerType::get(context, kDeviceGlobal);
  llvm::Type* value = llvm::PointerType::get(context, kDeviceGeneric);
  const auto bytes = [&](std::uint64_t size) { return llvm::ArrayType::get(llvm::Type::getInt8Ty(context), size); };
  Signature made;
  for (const llvm::Argument& argument : kernel.args()) {
    made.first.push_back(static_cast<unsigned>(made.types.size()));
    if (is_buffer(traits, argument.getArgNo())) {
      made.add(buffer, nullptr, 8);
      made.add(buffer, nullptr, 8);
    } else if (is_value(traits, argument.getArgNo())) {
      const std::uint64_t size = traits.parameters[argument.getArgNo()].size;
      made.add(value, bytes(size), size);
    }
  }
  const std::uint64_t record = sizeof(MergeRecord) + kernel.arg_size() * sizeof(MergeView);
  made.add(value, bytes(record), record);
  return made;
}

class DeviceBuilder {
 public:
  DeviceBuilder(llvm::Function& kernel, const domain::KernelTraits& traits, const Signature& signature)
      : kernel_(kernel), traits_(traits), signature_(signature), context_(kernel.getContext()), ir_(context_) {
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), signature.types, false);
    made_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kDevicePrefix + traits.name,
                                   *kernel.getParent());
    made_->setDoesNotThrow();
    made_->addFnAttr("no-builtins");
    made_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    for (unsigned i = 0; i < signature.types.size(); ++i) {
      if (signature.by_value[i] == nullptr) continue;
      made_->addParamAttr(i, llvm::Attribute::getWithByValType(context_, signature.by_value[i]));
      made_->addParamAttr(i, llvm::Attribute::getWithAlignment(context_, llvm::Align(kValueAlignment)));
    }
    record_ = made_->getArg(static_cast<unsigned>(signature.types.size()) - 1);
  }

  llvm::Function* build() {
    BasicBlock* entry = BasicBlock::Create(context_, "entry", made_);
    exit_ = BasicBlock::Create(context_, "exit", made_);
    IRBuilder<>(exit_).CreateRetVoid();
    ir_.SetInsertPoint(entry);
    Value* inside = load_geometry();
    load_arguments();
    BasicBlock* item = BasicBlock::Create(context_, "item", made_);
    ir_.CreateCondBr(inside, item, exit_);
    ir_.SetInsertPoint(item);
    find_item();
    take_body(*entry, *item);
    return made_;
  }

 private:
  Value* field(std::size_t offset) {
    return ir_.CreateAlignedLoad(ir_.getInt64Ty(), ir_.CreatePtrAdd(record_, ir_.getInt64(offset)), llvm::Align(8));
  }
  Geometry::Triple fields(std::size_t offset) { return {field(offset), field(offset + 8), field(offset + 16)}; }
  Value* special(llvm::Intrinsic::ID id) { return ir_.CreateZExt(ir_.CreateIntrinsic(id, {}), ir_.getInt64Ty()); }

  // Whether there is an item for this thread.
  Value* load_geometry() {
    at_.work_dim = field(offsetof(MergeRecord, work_dim));
    at_.offset = fields(offsetof(MergeRecord, global_offset));
    at_.size = fields(offsetof(MergeRecord, global_size));
    at_.groups = fields(offsetof(MergeRecord, group_count));
    at_.local = fields(offsetof(MergeRecord, local_size));
    first_ = field(offsetof(MergeRecord, first));
    Value* last = field(offsetof(MergeRecord, last));
    Value* block = special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
    Value* size = special(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
    thread_ = ir_.CreateAdd(ir_.CreateMul(block, size), special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
    items_ = ir_.CreateMul(ir_.CreateMul(at_.local[0], at_.local[1]), at_.local[2]);
    return ir_.CreateICmpULT(thread_, ir_.CreateMul(ir_.CreateSub(last, first_), items_));
  }

  void find_item() {
    const auto split = [&](Value*& rest, Value* by) {
      Value* part = ir_.CreateURem(rest, by);
      rest = ir_.CreateUDiv(rest, by);
      return part;
    };
    Value* group = thread_;
    Value* item = split(group, items_);
    group = ir_.CreateAdd(first_, group);
    at_.group_id = {split(group, at_.groups[0]), split(group, at_.groups[1]), group};
    at_.local_id = {split(item, at_.local[0]), split(item, at_.local[1]), item};
  }

  void load_arguments() {
    for (llvm::Argument& argument : kernel_.args()) {
      const unsigned index = argument.getArgNo();
      if (is_value(traits_, index)) {
        Value* place = made_->getArg(signature_.first[index]);
        values_[&argument] = argument.hasByValAttr()
                                 ? place
                                 : ir_.CreateAlignedLoad(argument.getType(), place, llvm::Align(kValueAlignment));
      } else if (is_buffer(traits_, index) && !argument.use_empty()) {
        load_buffer(argument);
      } else {
        values_[&argument] = llvm::Constant::getNullValue(argument.getType());
      }
    }
  }

  void load_buffer(const llvm::Argument& argument) {
    const std::size_t view = sizeof(MergeRecord) + argument.getArgNo() * sizeof(MergeView);
    const unsigned first = signature_.first[argument.getArgNo()];
    Value* offset = field(view + offsetof(MergeView, offset));
    const auto address = [&](unsigned parameter) {
      return ir_.CreateAdd(ir_.CreatePtrToInt(made_->getArg(parameter), ir_.getInt64Ty()), offset);
    };
    const BufferValues place{address(first), address(first + 1), field(view + offsetof(MergeView, size))};
    places_[argument.getArgNo()] = place;
    values_[&argument] = ir_.CreateIntToPtr(place.bytes, argument.getType());
    extents_[&argument] = {place.bytes, place.size};
  }

  void take_body(BasicBlock& entry, BasicBlock& item) {
    std::vector<BasicBlock*> body;
    for (BasicBlock& part : kernel_) body.push_back(&part);
    BasicBlock* start = body.front();
    made_->splice(made_->end(), &kernel_);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*start))
      if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(entry.getFirstInsertionPt());
    for (BasicBlock* part : body) {
      auto* end = llvm::dyn_cast<llvm::ReturnInst>(part->getTerminator());
      if (end == nullptr) continue;
      IRBuilder<>(end).CreateBr(exit_);
      end->eraseFromParent();
    }
    for (BasicBlock* part : body) answer_queries(*part);
    guard_divisions(body);
    expand_transfers(body);
    body.clear();  // with what the expansion has split off
    for (auto part = start->getIterator(); part != made_->end(); ++part) body.push_back(&*part);
    guard_accesses(body, extents_, store_units(body, kernel_.arg_size()), *entry.getTerminator(), true);
    lower_stores(*entry.getTerminator());
    for (const auto& [argument, value] : values_) const_cast<Value*>(argument)->replaceAllUsesWith(value);
    IRBuilder<>(&item).CreateBr(start);
  }

  void lower_stores(llvm::Instruction& entry) {
    std::vector<llvm::CallInst*> markers;
    for (llvm::Instruction& instruction : llvm::instructions(*made_))
      if (is_stored(instruction)) markers.push_back(llvm::cast<llvm::CallInst>(&instruction));
    Copies copies(entry, {kDeviceGlobal, true});
    for (llvm::CallInst* marker : markers) {
      const Stored stored = stored_of(*marker);
      if (stored.width != 0) copies.copy(places_.find(stored.argument)->second, stored, *marker);
      marker->eraseFromParent();
    }
  }

  void answer_queries(BasicBlock& part) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(part)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const llvm::StringRef name = builtin_of(*call).name;
      if (!is_geometry(name)) continue;
      IRBuilder<> ir(call);
      Value* value = at_.answer(ir, name, call->arg_empty() ? nullptr : call->getArgOperand(0));
      call->replaceAllUsesWith(ir.CreateZExtOrTrunc(value, call->getType()));
      call->eraseFromParent();
    }
  }

  llvm::Function& kernel_;
  const domain::KernelTraits& traits_;
  const Signature& signature_;
  llvm::LLVMContext& context_;
  IRBuilder<> ir_;
  llvm::Function* made_ = nullptr;
  Value *record_ = nullptr, *thread_ = nullptr, *items_ = nullptr, *first_ = nullptr;
  BasicBlock* exit_ = nullptr;
  Geometry at_;
  llvm::DenseMap<const Value*, Value*> values_;
  Extents extents_;
  llvm::DenseMap<unsigned, BufferValues> places_;
};

}  // namespace

llvm::Function* make_device_function(llvm::Function& kernel, const domain::KernelTraits& traits) {
  const Signature signature = signature_of(kernel, traits);
  if (signature.bytes > kMergeParameterBytes) return nullptr;
  llvm::Function* twin = twin_of(kernel);
  llvm::Function* made = DeviceBuilder(*twin, traits, signature).build();
  twin->eraseFromParent();
  return made;
}

}  // namespace skmd::compiler
