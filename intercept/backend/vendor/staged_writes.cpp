// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/staged_writes.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "cpu-driver/runtime/pool.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

using namespace tuning;

struct StagedWrites::Target {
  cl_command_queue queue;
  cl_mem mem;
  const std::byte* host;
};

std::unique_ptr<StagedWrites> StagedWrites::create(const std::shared_ptr<NativeContext>& context) {
  if (cpu::Pool::shared().threads() < 2) return nullptr;
  auto memory = PinnedMemory::create(context, kPinnedPieces * kPinnedPiece);
  if (!memory) return nullptr;
  return std::unique_ptr<StagedWrites>(new StagedWrites(context, std::move(memory)));
}

StagedWrites::~StagedWrites() {
  for (std::size_t slot = 0; slot < busy_.size(); ++slot) await(slot);
}

bool StagedWrites::worth(const domain::RowRun& rows) {
  return rows.width >= kStagedWidth && rows.width * rows.rows >= kStagedLeast;
}

void StagedWrites::await(std::size_t slot) {
  cl_event const event = std::exchange(busy_[slot], nullptr);
  if (event == nullptr) return;
  // Where waiting fails, the write has failed, which the end of its batch tells.
  (void)context_->cl->clWaitForEvents(1, &event);
  context_->cl->clReleaseEvent(event);
}

cl_int StagedWrites::send(const Target& target, const domain::RowRun& rows, std::size_t slot) {
  await(slot);
  std::byte* const piece = memory_->host() + slot * kPinnedPiece;
  for (std::uint64_t row = 0; row < rows.rows; ++row)
    std::memcpy(piece + row * rows.width, target.host + rows.begin + row * rows.stride, rows.width);
  const auto& cl = *context_->cl;
  cl_int code = CL_SUCCESS;
  if (rows.rows == 1) {
    code = cl.clEnqueueWriteBuffer(target.queue, target.mem, CL_FALSE, rows.begin, rows.width, piece, 0, nullptr,
                                   &busy_[slot]);
  } else {
    const std::size_t origin[3] = {rows.begin % rows.stride, rows.begin / rows.stride, 0};
    const std::size_t host_origin[3] = {0, 0, 0};
    const std::size_t region[3] = {rows.width, rows.rows, 1};
    code = cl.clEnqueueWriteBufferRect(target.queue, target.mem, CL_FALSE, origin, host_origin, region, rows.stride, 0,
                                       rows.width, 0, piece, 0, nullptr, &busy_[slot]);
  }
  if (code != CL_SUCCESS) {
    busy_[slot] = nullptr;
    return code;
  }
  return cl.clFlush(target.queue);
}

Status StagedWrites::write(cl_command_queue queue, cl_mem mem, const std::byte* host,
                           const std::vector<domain::RowRun>& pieces, cl_event* event, std::size_t threads) {
  const Target target{queue, mem, host};
  const std::size_t shared = pieces.size() - 1;
  std::atomic<std::size_t> next{0};
  std::atomic<cl_int> failure{CL_SUCCESS};
  const auto copy = [&](std::size_t thread) {
    for (std::size_t turn = 0; failure.load(std::memory_order_relaxed) == CL_SUCCESS; ++turn) {
      const std::size_t i = next.fetch_add(1);
      if (i >= shared) return;
      if (const cl_int code = send(target, pieces[i], 2 * thread + turn % 2); code != CL_SUCCESS) failure = code;
    }
  };
  auto& pool = cpu::Pool::shared();
  pool.run(std::min<std::size_t>({pool.threads(), kStagingThreads, threads}), copy);
  // The queue is in order: the event of what is enqueued last stands for all.
  if (failure == CL_SUCCESS) failure = send(target, pieces.back(), 0);
  if (failure != CL_SUCCESS) return native_failure("a write", failure);
  if (event == nullptr) return {};
  *event = busy_[0];
  const cl_int kept = context_->cl->clRetainEvent(busy_[0]);
  if (kept == CL_SUCCESS) return {};
  *event = nullptr;
  return native_failure("clRetainEvent", kept);
}

}  // namespace skmd::icd
