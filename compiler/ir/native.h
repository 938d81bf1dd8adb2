// SPDX-License-Identifier: Apache-2.0
// From LLVM IR for the host to span code (cpu-driver/span_code.h).
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "cpu-driver/span_code.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// Makes `module` one for this machine's processors: triple and data layout. An error if a type used for addresses
/// would change its size.
domain::Status retarget(llvm::Module& module);

/// A relocatable object of a retargeted module: position-independent, for `processor` as LLVM names it ("": the least
/// of the kind).
domain::Result<std::string> native_object(llvm::Module& module, const std::string& processor = "");

/// The same as text.
domain::Result<std::string> native_assembly(llvm::Module& module, const std::string& processor = "");

/// A shared object that refers to nothing outside itself; anything else is an error.
domain::Result<std::string> shared_object(const std::string& object);

/// The processor whose code runs on every processor of this architecture.
cpu::SpanTarget least_target();

/// The artifact (cpu-driver/span_code.h) that holds `shared_object`.
std::string span_code(const std::string& shared_object, cpu::SpanTarget target = least_target());

}  // namespace skmd::compiler
