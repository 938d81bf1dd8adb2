// SPDX-License-Identifier: Apache-2.0
// OpenCL's builtin functions, as they appear in Clang's output for SPIR: length-prefixed Itanium names.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>

namespace skmd::compiler {

/// The two halves of "_Z10atomic_addPU3AS1Vii". An unmangled symbol has no parameters and `mangled` false.
struct Builtin {
  llvm::StringRef name;
  llvm::StringRef parameters;
  bool mangled = false;
};

Builtin demangled(llvm::StringRef symbol);
/// Of a direct call; empty name for indirect calls and inline assembly.
Builtin builtin_of(const llvm::CallBase& call);

/// Bytes of what the first pointer among mangled `parameters` points to (a vector of 3 counts 4); 0 if not a builtin
/// type.
unsigned pointee_bytes(llvm::StringRef parameters);
/// Bytes of one scalar of that type.
unsigned pointee_element_bytes(llvm::StringRef parameters);
/// Whether that type is an unsigned integer.
bool pointee_is_unsigned(llvm::StringRef parameters);

/// True for get_global_id and the other queries that depend on the launch's geometry only.
bool is_geometry(llvm::StringRef name);
bool is_sub_group(llvm::StringRef name);
/// barrier, work_group_barrier and the work-group collectives, which contain one.
bool is_barrier(llvm::StringRef name);
/// Neither memory access nor anything else that matters here: fences, prefetch, wait_group_events, a
/// sampler literal.
bool is_silent(llvm::StringRef name);

}  // namespace skmd::compiler
