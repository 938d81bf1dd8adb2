// SPDX-License-Identifier: Apache-2.0
// One kernel on its way from Clang's function to one over a span.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <array>
#include <cstdint>
#include <string>

#include "compiler/yield/yield.h"
#include "cpu-driver/codegen/groups/group.h"
#include "cpu-driver/codegen/groups/lane_groups.h"
#include "cpu-driver/codegen/item/regions.h"
#include "cpu-driver/codegen/pipeline/generate.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

inline constexpr llvm::StringLiteral kItemPrefix = "skmd_item_";

/// One version of the kernel: the item function until it is cut, then its regions.
struct KernelVersion {
  llvm::Function* item = nullptr;
  Regions regions;
  GroupCode code;
};

struct KernelWork {
  KernelNote note;
  llvm::Function* kernel = nullptr;      // Clang's; a declaration once the items exist
  KernelVersion general;                 // item by item, for every launch
  KernelVersion limited;                 // for launches of few enough items (kIdLimit), with vectors; or nothing
  LaneGroups lanes;                      // of the limited version
  std::array<std::uint64_t, 3> local{};  // the local size that it demands; zeros: any
  bool joins = false;                    // groups_do_not_matter()
  bool prints = false;
  std::uint64_t local_bytes = 0;
  std::uint64_t private_bytes = 0;
  std::string sites;           // of a checked kernel (cpu::sites_symbol)
  compiler::YieldForm yields;  // of a yielding kernel
};

/// Item functions of the kernel `name`, with calls of builtins; or an obstacle in the note.
KernelWork start_kernel(llvm::Module& module, const std::string& name, const GenerateOptions& options,
                        llvm::FunctionAnalysisManager& analyses);

/// What they look like once the library is in them.
domain::Status normalise_items(KernelWork& work, llvm::FunctionAnalysisManager& analyses);

domain::Status cut_and_vectorise(KernelWork& work, const GenerateOptions& options,
                                 llvm::FunctionAnalysisManager& analyses);

/// Adds the kernel's function and its facts to the module.
domain::Status make_span_code(KernelWork& work, const GenerateOptions& options,
                              llvm::FunctionAnalysisManager& analyses);

/// Of a kernel that gets no code.
void drop_items(KernelWork& work, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen
