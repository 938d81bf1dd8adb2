// SPDX-License-Identifier: Apache-2.0
// Loaded span code. The artifact's bytes are protected by the hash of the frame from skmd-compile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cpu-driver/runtime/merge_run.h"
#include "cpu-driver/runtime/printer.h"
#include "cpu-driver/yield_facts.h"
#include "partitioner/base/result.h"

namespace skmd::cpu {

/// A kernel's code; `run` null: there is none.
struct KernelCode {
  KernelFunction run = nullptr;
  KernelFacts facts;
  const PrintFormats* prints = nullptr;  // of kernels that print
  const char* sites = nullptr;           // of a checked kernel (sites_symbol): it needs a report
  YieldFacts yields;                     // of a yielding kernel, which has points
};

class SpanLibrary {
 public:
  /// Loads `artifact`. Code lives in anonymous memory; where the system forbids to execute that, in a file of `folder`
  /// that exists only meanwhile ("": there is no folder). A folder that another user owns or may write is not used.
  static domain::Result<std::unique_ptr<SpanLibrary>> load(const std::string& artifact, const std::string& folder);
  ~SpanLibrary();
  SpanLibrary(const SpanLibrary&) = delete;
  SpanLibrary& operator=(const SpanLibrary&) = delete;

  /// The code of the kernel of this name. Valid as long as the library.
  [[nodiscard]] KernelCode kernel(const std::string& kernel) const;

  /// Of a kernel; nothing if it has none.
  [[nodiscard]] MergeFunction merge_function(const std::string& kernel) const;

 private:
  explicit SpanLibrary(void* handle);
  void* handle_;
  PrintFormats prints_;
};

}  // namespace skmd::cpu
