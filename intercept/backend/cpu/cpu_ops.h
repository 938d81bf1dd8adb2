// SPDX-License-Identifier: Apache-2.0
// Carries out the CPU driver's batches.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/scratch.h"
#include "intercept/backend/cpu/cpu_objects.h"
#include "intercept/backend/port/launch_traps.h"
#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// Of a launch that the other driver runs: the kernel's name, and the reason.
using OtherDriverListener = std::function<void(const std::string& kernel, const std::string& reason)>;

/// One thread at a time.
class CpuOps {
 public:
  CpuOps(cpu::Pool& pool, std::shared_ptr<Device> other, OtherDriverListener report, TrapHandling traps);

  /// All ops in order, up to the first that fails or a launch that ends early or ends itself. `others_wait`: whether
  /// another batch is queued behind this one; called on any thread.
  BatchResult run(const Batch& batch, const std::function<bool()>& others_wait);

 private:
  /// What an op's failure is, apart from its words.
  struct Failure {
    domain::Error error;
    Fault fault = Fault::none;
  };
  using Outcome = std::unique_ptr<Failure>;  // null: done
  struct alignas(128) Line {
    std::byte bytes[128];
  };

  Outcome run_op(const WriteOp& op);
  Outcome run_op(const ReadOp& op);
  Outcome run_op(const FillOp& op);
  Outcome run_op(const CopyOp& op);
  Outcome run_op(const CopyRectOp& op);
  static Outcome run_op(const WriteImageOp& op);
  static Outcome run_op(const ReadImageOp& op);
  Outcome run_op(const RunOp& op);
  Outcome run_there(std::vector<Op> ops);
  Outcome run_other(const CpuKernel& kernel, const RunOp& op);
  /// The other driver's argument in place of ours. Images that are not over the same bytes: what has to be done
  /// `before` the kernel and `after` it.
  Status translate(NativeArgument& argument, std::vector<Op>& before, std::vector<Op>& after);
  Outcome run_own(const CpuKernel& kernel, const RunOp& op);
  /// By code that can be stopped inside of groups; `code` has yield points.
  Outcome run_inside(const CpuKernel& kernel, const cpu::KernelCode& code, const RunOp& op);
  /// Sets arguments_ and the rest of `frame` for code of these facts. Precondition: lay_out() was called.
  Result<cpu::ScratchLayout> place_locals(const CpuKernel& kernel, const cpu::KernelFacts& facts,
                                          cpu::SpanFrame& frame);
  /// Of a launch of checked code that has ended with traps. `never_ran`: groups of this op.
  Outcome trapped(const CpuKernel& kernel, const char* sites, const cpu::CheckReport& report, std::uint64_t never_ran);
  /// Fills arguments_, values_ and local_sizes_; the addresses of local arguments are left empty.
  void lay_out(const RunOp& op);

  cpu::Pool& pool_;
  const std::shared_ptr<Device> other_;
  const OtherDriverListener report_;
  const TrapHandling traps_;
  // Of the launch that is being carried out; kept for the memory.
  std::vector<cpu::SpanArgument> arguments_;
  std::vector<Line> values_;
  std::uint64_t waited_ = 0;  // nanoseconds: OpTime::waited_ns of the last op
  /// The first group that is left, if the last op was a launch that ended early.
  std::optional<std::uint64_t> left_from_;
  std::uint64_t begun_ = 0;               // then: BatchResult::Left::begun
  bool ended_itself_ = false;             // the last op, as BatchResult has it
  std::optional<domain::Error> trapped_;  // of the batch, likewise
  std::span<const Op> behind_{};          // the ops behind the one that is carried out
  const std::function<bool()>* others_wait_ = nullptr;
  std::uint64_t launches_since_ = 0;  // when the batch's first launch that may end early began; 0: none has
  std::vector<std::uint64_t> local_sizes_;
  std::vector<std::size_t> local_places_;  // indices in arguments_
};

}  // namespace skmd::icd
