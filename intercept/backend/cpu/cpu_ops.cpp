// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_ops.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "cpu-driver/runtime/scratch.h"
#include "cpu-driver/runtime/yielding_run.h"
#include "intercept/backend/cpu/cpu_constants.h"
#include "intercept/backend/cpu/launch_yield.h"
#include "intercept/backend/port/empty_op.h"
#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"

namespace skmd::icd {
namespace {

using namespace tuning;

CpuMemory& cpu_memory(const std::shared_ptr<NativeMemory>& memory) { return static_cast<CpuMemory&>(*memory); }
CpuImage& cpu_image(const std::shared_ptr<NativeMemory>& memory) { return static_cast<CpuImage&>(*memory); }
const CpuSampler& cpu_sampler(const std::shared_ptr<NativeSampler>& sampler) {
  return static_cast<const CpuSampler&>(*sampler);
}
const CpuKernel& cpu_kernel(const std::shared_ptr<NativeKernel>& kernel) {
  return static_cast<const CpuKernel&>(*kernel);
}

constexpr std::uint64_t kValueUnit = 128;  // no type of OpenCL C is aligned to more

std::uint64_t units(std::size_t bytes) { return (bytes + kValueUnit - 1) / kValueUnit; }

/// That a copy of the argument takes.
std::uint64_t lines_of(const NativeArgument& argument) {
  if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) return units(value->size());
  static_assert(sizeof(cpu::SpanImage) <= kValueUnit);
  return std::holds_alternative<ImageArgument>(argument) || std::holds_alternative<SamplerArgument>(argument) ? 1 : 0;
}

/// Rows that lie one behind the other are one.
domain::RowRun joined(const domain::RowRun& rows) {
  if (rows.rows <= 1 || rows.stride != rows.width) return rows;
  return {rows.begin, rows.width * rows.rows, rows.width * rows.rows, 1};
}

void fill(std::byte* at, std::uint64_t bytes, const std::vector<std::byte>& pattern) {
  if (pattern.size() == 1) {
    std::memset(at, static_cast<int>(pattern.front()), bytes);
    return;
  }
  std::uint64_t done = std::min<std::uint64_t>(bytes, pattern.size());
  std::memcpy(at, pattern.data(), done);
  for (; done < bytes; done *= 2) std::memcpy(at + done, at, std::min(done, bytes - done));
}

cpu::SpanFrame frame_of(const domain::NdRange& range) {
  cpu::SpanFrame frame;
  frame.work_dim = range.work_dim;
  const domain::Extent3 groups = range.group_counts();
  for (unsigned d = 0; d < 3; ++d) {
    frame.global_offset[d] = range.offset[d];
    frame.global_size[d] = range.global[d];
    frame.group_count[d] = groups[d];
    frame.local_size[d] = range.local[d];
  }
  return frame;
}

/// Of a group: all of its scratch memory in front of what belongs to items.
std::uint64_t local_bytes(const cpu::KernelFacts& facts, const cpu::ScratchLayout& layout) {
  return facts.local_bytes == 0 && layout.local_arguments.empty() ? 0 : layout.items_offset;
}

/// What the runtime asks of SavedGroups.
class Store final : public cpu::GroupStore {
 public:
  Store(SavedGroups& saved, std::uint64_t schema) : saved_(saved), schema_(schema) {}

  [[nodiscard]] bool holds(std::uint64_t first, std::uint64_t last) override { return saved_.holds(first, last); }
  std::optional<cpu::GroupState> take(std::uint64_t group) override {
    auto state = saved_.take(group);
    if (!state) return std::nullopt;
    return cpu::GroupState{group, std::move(state->words), std::move(state->local)};
  }
  void put(cpu::GroupState state) override {
    saved_.put(state.group, {schema_, std::move(state.words), std::move(state.local)});
  }

 private:
  SavedGroups& saved_;
  const std::uint64_t schema_;
};

}  // namespace

CpuOps::CpuOps(cpu::Pool& pool, std::shared_ptr<Device> other, OtherDriverListener report, TrapHandling traps)
    : pool_(pool), other_(std::move(other)), report_(std::move(report)), traps_(std::move(traps)) {}

BatchResult CpuOps::run(const Batch& batch, const std::function<bool()>& others_wait) {
  BatchResult result;
  others_wait_ = &others_wait;
  launches_since_ = 0;
  trapped_.reset();
  const std::vector<Op>& work = batch.work();
  if (batch.want_times) result.times.reserve(work.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    OpTime time;
    if (batch.want_times) time.start = host_now();
    waited_ = 0;
    left_from_.reset();
    begun_ = 0;
    ended_itself_ = false;
    behind_ = std::span(work).subspan(i + 1);
    Outcome failure = is_empty(work[i]) ? nullptr : std::visit([&](const auto& op) { return run_op(op); }, work[i]);
    if (failure) {
      result.status = failure->error.code;
      result.reason = std::move(failure->error.reason);
      result.fault = failure->fault;
      result.accepted = i;
      break;
    }
    if (left_from_) result.left = {i, *left_from_, std::max(*left_from_, begun_)};
    if (batch.want_times) {
      time.end = host_now();
      time.device_ns = std::max<std::uint64_t>(1, time.end - time.start);
      time.waited_ns = waited_;
      result.times.push_back(time);
    }
    if (!left_from_ && !ended_itself_) continue;
    result.ended_itself = ended_itself_;
    if (batch.want_times) result.times.resize(work.size());  // of the ops behind it there is none
    break;
  }
  if (result.times.size() < work.size()) result.times.clear();
  result.trapped = std::exchange(trapped_, std::nullopt);
  return result;
}

CpuOps::Outcome CpuOps::run_op(const WriteOp& op) {
  const domain::RowRun rows = joined(op.rows);
  std::byte* const to = cpu_memory(op.memory).bytes;
  if (to == op.host) return nullptr;  // in place
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t at = rows.begin + i * rows.stride;
    copy_host(to + at, op.host + at, rows.width);
  }
  return nullptr;
}

CpuOps::Outcome CpuOps::run_op(const ReadOp& op) {
  const domain::RowRun rows = op.packed ? op.rows : joined(op.rows);
  const std::byte* const from = cpu_memory(op.memory).bytes;
  if (from == op.host && !op.packed) return nullptr;
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t at = rows.begin + i * rows.stride;
    copy_host(op.host + (op.packed ? i * rows.width : at), from + at, rows.width);
  }
  return nullptr;
}

CpuOps::Outcome CpuOps::run_op(const FillOp& op) {
  std::byte* const at = cpu_memory(op.memory).bytes + op.offset;
  pool_.run((op.bytes + kFilledPiece - 1) / kFilledPiece, [&](std::size_t i) {
    fill(at + i * kFilledPiece, std::min(kFilledPiece, op.bytes - i * kFilledPiece), op.pattern);
  });
  return nullptr;
}

CpuOps::Outcome CpuOps::run_op(const CopyOp& op) {
  copy_host(cpu_memory(op.to).bytes + op.to_offset, cpu_memory(op.from).bytes + op.from_offset, op.bytes);
  return nullptr;
}

CpuOps::Outcome CpuOps::run_op(const CopyRectOp& op) {
  const std::byte* const from = cpu_memory(op.from).bytes + op.from_begin;
  std::byte* const to = cpu_memory(op.to).bytes + op.to_begin;
  for (std::uint64_t z = 0; z < op.region[2]; ++z)
    for (std::uint64_t y = 0; y < op.region[1]; ++y)
      std::memcpy(to + z * op.to_pitch[1] + y * op.to_pitch[0], from + z * op.from_pitch[1] + y * op.from_pitch[0],
                  op.region[0]);
  return nullptr;
}

// Images of this driver are as tightly packed as the host's; those over buffers are moved as buffers.
CpuOps::Outcome CpuOps::run_op(const WriteImageOp& op) {
  const domain::RowRun rows = joined(op.rows);
  std::byte* const to = cpu_image(op.image).bytes();
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t at = rows.begin + i * rows.stride;
    copy_host(to + at, op.host + at, rows.width);
  }
  return nullptr;
}

CpuOps::Outcome CpuOps::run_op(const ReadImageOp& op) {
  const domain::RowRun rows = joined(op.rows);
  const std::byte* const from = cpu_image(op.image).bytes();
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t at = rows.begin + i * rows.stride;
    copy_host(op.host + at, from + at, rows.width);
  }
  return nullptr;
}

CpuOps::Outcome CpuOps::run_there(std::vector<Op> ops) {
  BatchResult result{CL_OUT_OF_RESOURCES, "the other CPU driver did not answer", {}, Fault::resources, 0};
  Batch batch;
  batch.ops = std::move(ops);
  batch.done = [&](BatchResult&& got) { result = std::move(got); };
  other_->help(other_->submit(std::move(batch)));
  if (result.status == CL_SUCCESS) return nullptr;
  return std::make_unique<Failure>(Failure{{result.status, result.reason}, result.fault});
}

CpuOps::Outcome CpuOps::run_op(const RunOp& op) {
  const CpuKernel& kernel = cpu_kernel(op.kernel);
  return kernel.code.run != nullptr ? run_own(kernel, op) : run_other(kernel, op);
}

Status CpuOps::translate(NativeArgument& argument, std::vector<Op>& before, std::vector<Op>& after) {
  if (auto* buffer = std::get_if<BufferArgument>(&argument); buffer != nullptr && buffer->memory != nullptr) {
    auto there = cpu_memory(buffer->memory).on(*other_);
    if (!there) return there.error();
    buffer->memory = std::move(*there);
  } else if (auto* image = std::get_if<ImageArgument>(&argument); image != nullptr && image->memory != nullptr) {
    CpuImage& own = cpu_image(image->memory);
    auto there = own.on(*other_);
    if (!there) return there.error();
    if (!own.over_buffer()) {
      before.emplace_back(WriteImageOp{*there, own.bytes(), {0, own.size(), own.size(), 1}});
      after.emplace_back(ReadImageOp{*there, own.bytes(), {0, own.size(), own.size(), 1}});
    }
    image->memory = std::move(*there);
  } else if (auto* sampler = std::get_if<SamplerArgument>(&argument)) {
    auto there = cpu_sampler(sampler->sampler).on(*other_);
    if (!there) return there.error();
    sampler->sampler = std::move(*there);
  }
  return {};
}

CpuOps::Outcome CpuOps::run_other(const CpuKernel& kernel, const RunOp& op) {
  auto arguments = std::make_shared<std::vector<NativeArgument>>(*op.arguments);
  std::vector<Op> ops;
  std::vector<Op> after;
  for (NativeArgument& argument : *arguments)
    if (const Status status = translate(argument, ops, after); !status)
      return std::make_unique<Failure>(Failure{status.error(), judge(status.error().code, false)});
  if (report_) report_(kernel.name, kernel.reason);
  ops.emplace_back(RunOp{kernel.other, std::move(arguments), op.record, op.range});
  std::move(after.begin(), after.end(), std::back_inserter(ops));
  return run_there(std::move(ops));
}

void CpuOps::lay_out(const RunOp& op) {
  arguments_.clear();
  local_sizes_.clear();
  local_places_.clear();
  std::uint64_t lines = units(op.record.size());
  for (const NativeArgument& argument : *op.arguments) lines += lines_of(argument);
  if (values_.size() < lines) values_.resize(lines);
  Line* at = values_.data();
  const auto add_value = [&](const void* value, std::size_t size) {
    if (size != 0) std::memcpy(at->bytes, value, size);
    arguments_.push_back({at->bytes, nullptr, size});
    at += units(size);
  };
  for (const NativeArgument& argument : *op.arguments) {
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) {
      add_value(value->data(), value->size());
    } else if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      std::byte* const bytes = buffer->memory != nullptr ? cpu_memory(buffer->memory).bytes + buffer->offset : nullptr;
      arguments_.push_back({bytes, nullptr, buffer->size});
    } else if (const auto* local = std::get_if<LocalArgument>(&argument)) {
      local_places_.push_back(arguments_.size());
      local_sizes_.push_back(local->bytes);
      arguments_.push_back({nullptr, nullptr, local->bytes});
    } else if (const auto* image = std::get_if<ImageArgument>(&argument);
               image != nullptr && image->memory != nullptr) {
      add_value(&cpu_image(image->memory).span_image(), sizeof(cpu::SpanImage));
    } else if (const auto* sampler = std::get_if<SamplerArgument>(&argument)) {
      const std::uint32_t bits = cpu_sampler(sampler->sampler).bits();
      add_value(&bits, sizeof bits);
    }
  }
  if (!op.record.empty()) add_value(op.record.data(), op.record.size());
}

Result<cpu::ScratchLayout> CpuOps::place_locals(const CpuKernel& kernel, const cpu::KernelFacts& facts,
                                                cpu::SpanFrame& frame) {
  auto layout = cpu::scratch_layout(facts, frame.local_size, local_sizes_);
  if (!layout) return domain::Error{CL_OUT_OF_RESOURCES, "kernel " + kernel.name + ": " + layout.error().reason};
  for (std::size_t i = 0; i < local_places_.size(); ++i)
    arguments_[local_places_[i]].bytes = reinterpret_cast<std::byte*>(layout->local_arguments[i]);
  frame.arguments = arguments_.data();
  frame.items_offset = layout->items_offset;
  return layout;
}

CpuOps::Outcome CpuOps::run_own(const CpuKernel& kernel, const RunOp& op) {
  lay_out(op);
  if (op.saved != nullptr && kernel.program->yielding != nullptr) {
    const cpu::SpanLibrary* const yielding = kernel.program->yielding->ready();
    const cpu::KernelCode code = yielding == nullptr ? cpu::KernelCode{} : yielding->kernel(kernel.name);
    if (code.yields.points != 0) return run_inside(kernel, code, op);
  }
  cpu::SpanFrame frame = frame_of(op.range);
  const auto layout = place_locals(kernel, kernel.code.facts, frame);
  // The request's own: the device is as good as before.
  if (!layout) return std::make_unique<Failure>(Failure{layout.error(), Fault::command});
  frame.lane_groups = layout->lane_groups;
  frame.lanes_offset = layout->lanes_offset;
  frame.lane_bytes = layout->lane_bytes;
  cpu::CheckReport report;
  if (kernel.code.sites != nullptr) frame.report = &report;
  std::optional<cpu::Printer> printer;
  if (kernel.code.prints != nullptr) printer.emplace(*kernel.code.prints);
  std::optional<LaunchYield> yield;
  std::optional<TrapYield> trap_yield;
  cpu::RunExtras extras{printer ? &*printer : nullptr};
  if (kernel.code.sites == nullptr && (op.stop != nullptr || op.quantum_ns != 0)) {
    if (launches_since_ == 0) launches_since_ = host_now();
    extras.yield = &yield.emplace(op, launches_since_, *others_wait_);
  } else if (kernel.code.sites != nullptr && traps_.stop) {
    extras.yield = &trap_yield.emplace(report);
    extras.single_groups = true;
  }  // else what a check finds is told of the whole launch, which therefore runs to its end
  const std::uint64_t groups_total = op.range.group_total();
  const auto ran = cpu::run_kernel(pool_, kernel.code.run, frame, layout->bytes, 0, groups_total, kernel.cost, extras);
  if (printer) printer->finish();
  if (!ran)
    return std::make_unique<Failure>(Failure{
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "kernel " + kernel.name + ": " + ran.error().reason}, Fault::memory});
  waited_ = ran->waited_ns;
  if (report.count != 0) return trapped(kernel, kernel.code.sites, report, groups_total - ran->last);
  if (ran->last < groups_total) left_from_ = ran->last;
  return nullptr;
}

CpuOps::Outcome CpuOps::run_inside(const CpuKernel& kernel, const cpu::KernelCode& code, const RunOp& op) {
  cpu::SpanFrame frame = frame_of(op.range);
  const auto layout = place_locals(kernel, code.facts, frame);
  if (!layout) return std::make_unique<Failure>(Failure{layout.error(), Fault::command});
  if (launches_since_ == 0) launches_since_ = host_now();
  const LaunchYield yield(op, launches_since_, *others_wait_);
  cpu::CheckReport report;
  if (code.sites != nullptr) frame.report = &report;
  Store store(*op.saved, code.yields.schema);
  const cpu::YieldingLaunch launch{code, frame, arguments_, layout->bytes, local_bytes(code.facts, *layout)};
  const auto ran = cpu::run_yielding(pool_, launch, op.groups.first, op.groups.last, store, yield);
  if (!ran)
    return std::make_unique<Failure>(Failure{
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "kernel " + kernel.name + ": " + ran.error().reason}, Fault::memory});
  if (ran->first_left < op.groups.last) left_from_ = ran->first_left - op.groups.first;
  begun_ = ran->begun - op.groups.first;
  return report.count != 0 ? trapped(kernel, code.sites, report, 0) : nullptr;
}

CpuOps::Outcome CpuOps::trapped(const CpuKernel& kernel, const char* sites, const cpu::CheckReport& report,
                                std::uint64_t never_ran) {
  // A launch with groups of several sizes is one op for each of them.
  if (traps_.stop)
    for (const Op& op : behind_)
      if (const auto* run = std::get_if<RunOp>(&op)) never_ran += run->range.group_total();
  TrapEnd end = end_of_trapped(traps_, kernel.name, sites, report, never_ran);
  ended_itself_ = end.status == CL_SUCCESS;
  if (ended_itself_) return nullptr;
  if (traps_.results_count) {
    if (!trapped_) trapped_ = domain::Error{end.status, std::move(end.reason)};
    return nullptr;
  }
  return std::make_unique<Failure>(Failure{{end.status, std::move(end.reason)}, Fault::command});
}

}  // namespace skmd::icd
