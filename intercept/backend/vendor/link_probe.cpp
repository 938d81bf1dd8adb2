// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/link_probe.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "cpu-driver/runtime/pool.h"
#include "intercept/backend/port/rectangles.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/native_objects.h"
#include "intercept/backend/vendor/pinned_memory.h"
#include "intercept/backend/vendor/staged_writes.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using domain::Error;

Status run(Device& device, Op op) {
  Status status;
  Batch batch;
  batch.ops.push_back(std::move(op));
  batch.done = [&](BatchResult&& result) {
    if (result.status != CL_SUCCESS) status = Error{result.status, result.reason};
  };
  device.help(device.submit(std::move(batch)));
  return status;
}

class PortLink final : public LinkProbe {
 public:
  explicit PortLink(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  Status prepare(std::uint64_t bytes) override {
    host_.assign(bytes, std::byte{1});
    auto memory = device_->allocate(bytes, nullptr);
    if (!memory) return memory.error();
    memory_ = std::move(*memory);
    return transfer({TransferWay::direct, true, bytes, 1});
  }
  [[nodiscard]] std::uint32_t most_threads() const override { return 0; }
  Status transfer(const ProbedTransfer& wanted) override {
    const domain::RowRun rows{0, wanted.bytes, wanted.bytes, 1};
    return wanted.to_device ? run(*device_, WriteOp{memory_, host_.data(), rows})
                            : run(*device_, ReadOp{memory_, host_.data(), rows});
  }

 private:
  const std::shared_ptr<Device> device_;
  std::vector<std::byte> host_;
  std::shared_ptr<NativeMemory> memory_;
};

class NativeLink final : public LinkProbe {
 public:
  NativeLink(std::shared_ptr<NativeContext> context, cl_command_queue queue)
      : context_(std::move(context)), queue_(queue) {}
  ~NativeLink() override {
    context_->cl->clFinish(queue_);
    writes_.reset();
    context_->cl->clReleaseCommandQueue(queue_);
  }

  Status prepare(std::uint64_t bytes) override {
    host_.assign(bytes, std::byte{1});
    cl_int code = CL_SUCCESS;
    cl_mem mem = context_->cl->clCreateBuffer(context_->context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    if (mem == nullptr) return native_failure("clCreateBuffer", code);
    memory_ = owned_memory(context_, mem);
    pinned_ = PinnedMemory::create(context_, bytes);
    if (cpu::Pool::shared().threads() > 1) {
      pieces_ = PinnedMemory::create(context_, kPinnedPieces * kPinnedPiece);
      writes_ = StagedWrites::create(context_);
    }
    if (pinned_) std::memset(pinned_->host(), 1, bytes);
    return transfer({TransferWay::direct, true, bytes, 1});
  }
  [[nodiscard]] std::uint32_t most_threads() const override {
    if (!pinned_) return 0;
    if (!pieces_ || !writes_) return 1;
    return static_cast<std::uint32_t>(std::min<std::size_t>(cpu::Pool::shared().threads(), kStagingThreads));
  }
  Status transfer(const ProbedTransfer& wanted) override {
    if (wanted.way == TransferWay::direct) return plain(wanted, host_.data());
    if (!pinned_) return Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "the driver gives no page-locked memory"};
    if (wanted.way == TransferWay::pinned) return plain(wanted, pinned_->host());
    if (!writes_ || !pieces_) return Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "there are no threads to stage with"};
    return wanted.to_device ? staged_write(wanted) : staged_read(wanted);
  }

 private:
  Status plain(const ProbedTransfer& wanted, std::byte* host) {
    const auto& cl = *context_->cl;
    const cl_int code =
        wanted.to_device
            ? cl.clEnqueueWriteBuffer(queue_, memory_->mem, CL_TRUE, 0, wanted.bytes, host, 0, nullptr, nullptr)
            : cl.clEnqueueReadBuffer(queue_, memory_->mem, CL_TRUE, 0, wanted.bytes, host, 0, nullptr, nullptr);
    return code == CL_SUCCESS ? finish() : Status(native_failure("a transfer", code));
  }
  Status finish() {
    const cl_int code = context_->cl->clFinish(queue_);
    return code == CL_SUCCESS ? Status() : Status(native_failure("clFinish", code));
  }
  Status staged_write(const ProbedTransfer& wanted) {
    const domain::RowRun rows{0, wanted.bytes, wanted.bytes, 1};
    Status written = writes_->write(queue_, memory_->mem, host_.data(), as_pieces(rows, wanted.bytes, kPinnedPiece),
                                    nullptr, wanted.threads);
    return written ? finish() : written;
  }
  /// As fetch() reads: each thread has one piece on the link and copies another.
  Status staged_read(const ProbedTransfer& wanted) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<cl_int> failure{CL_SUCCESS};
    const std::uint64_t count = (wanted.bytes + kPinnedPiece - 1) / kPinnedPiece;
    cpu::Pool::shared().run(wanted.threads, [&](std::size_t thread) {
      Fetched before{};
      for (std::size_t slot = 2 * thread;; slot ^= 1) {
        const std::uint64_t i = next.fetch_add(1);
        Fetched now{};
        if (i < count && failure == CL_SUCCESS) now = fetch(i * kPinnedPiece, wanted.bytes, slot, failure);
        take(before, failure);
        if (now.event == nullptr) return;
        before = now;
      }
    });
    return failure == CL_SUCCESS ? Status() : Status(native_failure("a staged read", failure));
  }
  /// A piece on its way into page-locked memory.
  struct Fetched {
    cl_event event = nullptr;
    std::byte* piece = nullptr;
    std::uint64_t at = 0, bytes = 0;
  };
  Fetched fetch(std::uint64_t at, std::uint64_t all, std::size_t slot, std::atomic<cl_int>& failure) {
    Fetched one{nullptr, pieces_->host() + slot * kPinnedPiece, at, std::min<std::uint64_t>(kPinnedPiece, all - at)};
    const auto& cl = *context_->cl;
    cl_int code =
        cl.clEnqueueReadBuffer(queue_, memory_->mem, CL_FALSE, one.at, one.bytes, one.piece, 0, nullptr, &one.event);
    if (code != CL_SUCCESS) one.event = nullptr;
    if (code == CL_SUCCESS) code = cl.clFlush(queue_);
    if (code != CL_SUCCESS) failure = code;
    return one;
  }
  void take(Fetched& one, std::atomic<cl_int>& failure) {
    if (one.event == nullptr) return;
    const cl_int code = context_->cl->clWaitForEvents(1, &one.event);
    context_->cl->clReleaseEvent(one.event);
    if (code != CL_SUCCESS) failure = code;
    if (code == CL_SUCCESS) std::memcpy(host_.data() + one.at, one.piece, one.bytes);
  }

  const std::shared_ptr<NativeContext> context_;
  const cl_command_queue queue_;
  std::vector<std::byte> host_;
  std::shared_ptr<MemoryHandle> memory_;
  std::shared_ptr<PinnedMemory> pinned_, pieces_;
  std::unique_ptr<StagedWrites> writes_;
};

}  // namespace

std::shared_ptr<LinkProbe> port_link(std::shared_ptr<Device> device) {
  return std::make_shared<PortLink>(std::move(device));
}

Result<std::shared_ptr<LinkProbe>> native_link(const std::shared_ptr<NativeContext>& context) {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = context->cl->clCreateCommandQueue(context->context, context->device, 0, &code);
  if (queue == nullptr) return native_failure("clCreateCommandQueue", code);
  return owned(
      [&] {
        std::unique_ptr<LinkProbe> link(new NativeLink(context, queue));
        return std::shared_ptr<LinkProbe>(std::move(link));
      },
      [&] { context->cl->clReleaseCommandQueue(queue); });
}

}  // namespace skmd::icd
