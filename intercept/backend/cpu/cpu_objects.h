// SPDX-License-Identifier: Apache-2.0
// The CPU driver's objects behind the port's opaque ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cpu-driver/runtime/kernel_run.h"
#include "cpu-driver/runtime/span_library.h"
#include "cpu-driver/span_code.h"
#include "intercept/backend/port/made_later.h"
#include "intercept/backend/port/port.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Bytes in host memory and, where the other driver needs one, its buffer over the same bytes.
class CpuMemory final : public NativeMemory {
 public:
  /// Allocates `bytes` bytes, freed with the object. Null: no memory.
  static std::shared_ptr<CpuMemory> make(std::uint64_t bytes);
  /// Uses `count` bytes at `host` without owning them: they must outlive the object.
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
  Mutex mutex_{LockRank::cpu_memory};
  std::shared_ptr<NativeMemory> other_ SKMD_GUARDED_BY(mutex_);
};

/// Elements in host memory, as span code reads and writes them: rows behind each other without gaps, or the bytes of a
/// buffer.
class CpuImage final : public NativeMemory {
 public:
  /// With memory of its own; null: there is none.
  static std::shared_ptr<CpuImage> make(const ImageShape& shape);
  CpuImage(const ImageShape& shape, std::shared_ptr<CpuMemory> memory, bool over_buffer);

  [[nodiscard]] const cpu::SpanImage& span_image() const { return span_image_; }
  [[nodiscard]] std::byte* bytes() const { return span_image_.bytes; }
  /// All of an image with memory of its own.
  [[nodiscard]] std::uint64_t size() const { return memory_->size; }
  /// The other driver's image is over the same bytes; else it is to be written before a kernel and read after it.
  [[nodiscard]] bool over_buffer() const { return over_buffer_; }

  /// Made at the first call. Thread-safe.
  Result<std::shared_ptr<NativeMemory>> on(Device& other);

 private:
  const ImageShape shape_;
  const std::shared_ptr<CpuMemory> memory_;
  const bool over_buffer_;
  cpu::SpanImage span_image_;
  Mutex mutex_{LockRank::cpu_image};
  std::shared_ptr<NativeMemory> other_ SKMD_GUARDED_BY(mutex_);
};

/// What span code is given, and where the other driver needs it, its sampler.
class CpuSampler final : public NativeSampler {
 public:
  CpuSampler(bool normalized, cl_addressing_mode addressing, cl_filter_mode filter)
      : normalized_(normalized), addressing_(addressing), filter_(filter) {}

  /// As CLK_ constants of OpenCL C have it.
  [[nodiscard]] std::uint32_t bits() const;
  Result<std::shared_ptr<NativeSampler>> on(Device& other) const {
    return other.sampler(normalized_, addressing_, filter_);
  }

 private:
  const bool normalized_;
  const cl_addressing_mode addressing_;
  const cl_filter_mode filter_;
};

/// A program in up to two forms: our code, and the other driver's for kernels that have none.
struct CpuProgram final : NativeProgram {
  std::shared_ptr<cpu::SpanLibrary> code;      // null: there is none
  std::shared_ptr<NativeProgram> other;        // null: not needed, or it was refused
  std::string problem;                         // why there is no code at all
  std::map<std::string, std::string> kernels;  // of our code: obstacle or "", by name
  domain::Error refused;                       // by the other driver
  /// Of kernels that can be stopped inside of groups; null: there is none.
  std::shared_ptr<MadeLater<cpu::SpanLibrary>> yielding;
};

struct CpuKernel final : NativeKernel {
  [[nodiscard]] const KernelLimits& limits() const override { return bounds; }
  [[nodiscard]] bool runs_elsewhere() const override { return code.run == nullptr; }

  std::string name;
  std::shared_ptr<CpuProgram> program;
  cpu::KernelCode code;  // `run` null: the other driver's kernel runs
  std::shared_ptr<NativeKernel> other;
  std::string reason;  // why the other driver's
  KernelLimits bounds;
  mutable cpu::ItemCost cost;
};

}  // namespace skmd::icd
