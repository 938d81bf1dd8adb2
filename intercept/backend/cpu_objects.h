// SPDX-License-Identifier: Apache-2.0
// The CPU driver's objects behind the port's opaque ones. Images and samplers are the other driver's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cpu-driver/runtime/kernel_run.h"
#include "cpu-driver/runtime/span_library.h"
#include "intercept/backend/port.h"

namespace skmd::icd {

/// Bytes of the host, and where the other driver needs it, its buffer over the same bytes.
class CpuMemory final : public NativeMemory {
 public:
  /// Of its own.
  static std::shared_ptr<CpuMemory> make(std::uint64_t bytes);
  /// Over somebody else's.
  CpuMemory(std::byte* host, std::uint64_t count) : bytes(host), size(count) {}
  ~CpuMemory() override;
  CpuMemory(const CpuMemory&) = delete;
  CpuMemory& operator=(const CpuMemory&) = delete;

  /// Made at the first call. Thread-safe.
  Result<std::shared_ptr<NativeMemory>> on(Device& other);

  std::byte* const bytes;
  const std::uint64_t size;

 private:
  bool owned_ = false;
  std::mutex mutex_;
  std::shared_ptr<NativeMemory> other_;
};

/// A program in up to two forms: our code, and the other driver's for kernels that have none.
struct CpuProgram final : NativeProgram {
  std::shared_ptr<cpu::SpanLibrary> code;      // null: there is none
  std::shared_ptr<NativeProgram> other;        // null: not needed, or it was refused
  std::string problem;                         // why there is no code at all
  std::map<std::string, std::string> kernels;  // of our code: obstacle or "", by name
  domain::Error refused;                       // by the other driver
};

struct CpuKernel final : NativeKernel {
  [[nodiscard]] const KernelLimits& limits() const override { return bounds; }

  std::string name;
  std::shared_ptr<CpuProgram> program;
  cpu::KernelCode code;  // `run` null: the other driver's kernel runs
  std::shared_ptr<NativeKernel> other;
  std::string reason;  // why the other driver's
  KernelLimits bounds;
  mutable cpu::ItemCost cost;
};

}  // namespace skmd::icd
