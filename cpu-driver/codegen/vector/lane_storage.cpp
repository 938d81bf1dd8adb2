// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/lane_storage.h"

#include <algorithm>

namespace skmd::codegen {

namespace {

constexpr llvm::Align kLine = llvm::Align::Constant<64>();  // a cache line, and the widest register
constexpr std::uint64_t kIdleBytes = 128;                   // of OpenCL C's widest value, sixteen numbers of 64 bits

}  // namespace

llvm::AllocaInst* LaneStorage::allocate(llvm::ArrayType* type, unsigned space, llvm::Align align,
                                        const llvm::Twine& name) {
  return new llvm::AllocaInst(type, space, nullptr, align, name, prologue_.begin());
}

llvm::AllocaInst* LaneStorage::variable(const llvm::AllocaInst& source, const PrivateVariable& layout) {
  llvm::Type* byte = llvm::Type::getInt8Ty(source.getContext());
  return allocate(llvm::ArrayType::get(byte, layout.size * lanes_), source.getAddressSpace(),
                  std::max(layout.align, kLine), source.getName());
}

llvm::AllocaInst* LaneStorage::array(llvm::Type* type) {
  return allocate(llvm::ArrayType::get(stored_type(type), lanes_), usual_space(), kLine, "");
}

llvm::Value* LaneStorage::idle_place(Builder& builder, const Access& access) {
  if (idle_ == nullptr)
    idle_ = allocate(llvm::ArrayType::get(builder.getInt8Ty(), kIdleBytes), usual_space(), kLine, "idle");
  idle_->setAlignment(std::max(idle_->getAlign(), access.align));
  return builder.CreateAddrSpaceCast(idle_, access.pointer->getType());
}

}  // namespace skmd::codegen
