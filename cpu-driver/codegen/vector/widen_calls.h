// SPDX-License-Identifier: Apache-2.0
// Calls on lanes: intrinsics, math builtins, and what runs lane by lane.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/lane_storage.h"
#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/widen.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// Needs arguments' values, memory for those that a loop over lanes takes one by one, and vector forms of builtins.
/// Gives each call's value. It makes loops: the builder's block may be another one afterwards.
class CallWidener {
 public:
  /// References outlive this. Declarations of callees are added to `module`. `vector_form` is as in WidenOptions.
  CallWidener(llvm::Module& module, Builder& builder, LaneValues& values, LaneStorage& storage, const Remarks& remarks,
              const VectorForms& vector_form, Isa isa)
      : module_(module),
        builder_(builder),
        values_(values),
        storage_(storage),
        remarks_(remarks),
        vector_form_(vector_form),
        isa_(isa) {}

  /// The call's value is set. An error names what cannot be done on lanes.
  domain::Status widen(llvm::CallInst& source);

  /// Puts what runs lane by lane as one function into its loops. Precondition: the vector function is complete.
  /// Invalidates the builder's place.
  domain::Status inline_bodies();

 private:
  /// What a loop over lanes takes arguments from: an array of them, or null where a lane's is computed.
  using Arrays = llvm::SmallVector<llvm::AllocaInst*, 8>;

  llvm::Value* any(llvm::CallInst& source);
  domain::Status intrinsic(llvm::IntrinsicInst& source);
  domain::Status builtin(llvm::CallInst& source);
  void uniform_builtin(llvm::CallInst& source);
  llvm::Value* by_parts(llvm::CallInst& source, llvm::ArrayRef<llvm::Value*> arguments, unsigned lanes);
  domain::Status lane_by_lane(llvm::CallInst& source, llvm::Value* mask);
  domain::Status store_arguments(llvm::CallInst& source, Arrays& arrays);
  llvm::Value* lanes_to_run(llvm::Value* mask);
  llvm::Value* place_of_lane(llvm::AllocaInst* array, llvm::Value* lane);
  llvm::Value* argument_of_lane(llvm::Value* argument, llvm::AllocaInst* array, llvm::Value* lane);
  llvm::CallInst* call_for_lane(llvm::CallInst& source, const Arrays& arrays, llvm::Value* lane);

  llvm::Module& module_;
  Builder& builder_;
  LaneValues& values_;
  LaneStorage& storage_;
  const Remarks& remarks_;
  const VectorForms& vector_form_;
  const Isa isa_;
  llvm::SmallVector<llvm::CallInst*, 8> bodies_;  // calls to be inlined
};

}  // namespace skmd::codegen
