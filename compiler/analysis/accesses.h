// SPDX-License-Identifier: Apache-2.0
// Every access to a buffer, from every instruction that may make one.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>
#include <vector>

#include "compiler/analysis/control.h"
#include "compiler/analysis/influence.h"
#include "compiler/analysis/pointers.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

class Accesses {
 public:
  Accesses(domain::KernelTraits& traits, Pointers& pointers, Expressions& expressions, const ControlDependence& control,
           const Influences& influences)
      : traits_(traits), pointers_(pointers), expressions_(expressions), control_(control), influences_(influences) {}

  /// Appends the accesses of `instruction`, and the facts that they show, to the traits.
  void add(llvm::Instruction& instruction);

  /// Appends reads and writes anywhere in every buffer and image of `kernel`: valid for any code.
  static void add_everything(const llvm::Function& kernel, domain::KernelTraits& traits);

 private:
  /// The access of an instruction through one pointer, before the pointer is resolved.
  struct Touch {
    domain::AccessKind kind = domain::AccessKind::read;
    llvm::Value* pointer = nullptr;
    domain::NodeId shift = domain::kNoNode;  // bytes beyond `pointer`; kNoNode: none
    unsigned width = 1;
    domain::NodeId count = domain::kNoNode;
    unsigned element = 1;
    bool partial = false;  // may leave out some of these bytes
    bool anywhere = false;
    domain::AtomicClass atomic = domain::AtomicClass::none;
    bool result_used = false;
    std::vector<std::uint32_t> extra_loops;
    unsigned influence = 0;  // of other values that decide the place
  };

  void touch(llvm::Instruction& at, const Touch& touch);
  void touch_unknown(llvm::Instruction& at, const Touch& touch);
  void note_influence(const llvm::Instruction& at, const Touch& touch);
  const Circumstances& circumstances(llvm::BasicBlock* block);
  void append(domain::Access access);

  void load(llvm::LoadInst& load);
  void store(llvm::StoreInst& store);
  void store_of_three(llvm::CallInst& call);
  void read_modify_write(llvm::AtomicRMWInst& atomic);
  void compare_exchange(llvm::AtomicCmpXchgInst& atomic);
  void memory_intrinsic(llvm::MemIntrinsic& intrinsic);
  void call(llvm::CallBase& call);
  bool vector_memory(llvm::CallBase& call, const Builtin& builtin);
  bool result_pointer(llvm::CallBase& call, const Builtin& builtin);
  bool atomic_function(llvm::CallBase& call, const Builtin& builtin);
  bool async_copy(llvm::CallBase& call, const Builtin& builtin);
  bool image_function(llvm::CallBase& call, const Builtin& builtin);
  void image_write(llvm::CallBase& call, const std::optional<ImageType>& image, domain::Access& access);
  bool image_place(const llvm::Argument& image, llvm::Value* coordinates, unsigned dimensions, domain::Access& access);
  void opaque_call(llvm::CallBase& call);

  void fact(domain::Fact fact) { traits_.facts |= fact; }
  /// Scalar element of a loaded or stored type, and its size in memory.
  static unsigned element_bytes(const llvm::DataLayout& layout, llvm::Type* type);
  unsigned bytes_of(llvm::Type* type) const;

  domain::KernelTraits& traits_;
  Pointers& pointers_;
  Expressions& expressions_;
  const ControlDependence& control_;
  const Influences& influences_;
  llvm::DenseMap<llvm::BasicBlock*, Circumstances> circumstances_;
};

}  // namespace skmd::compiler
