// SPDX-License-Identifier: Apache-2.0
// Large writes from pageable memory: threads copy pieces into page-locked memory, from where the device fetches them at
// the rate of its link.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "intercept/backend/vendor/pinned_memory.h"
#include "intercept/backend/vendor/pinned_pieces.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

class StagedWrites {
 public:
  /// Null where that would not be faster, or the driver gives no memory for it.
  static std::unique_ptr<StagedWrites> create(const std::shared_ptr<NativeContext>& context);
  ~StagedWrites();
  StagedWrites(const StagedWrites&) = delete;
  StagedWrites& operator=(const StagedWrites&) = delete;

  /// Whether rows like these are worth it.
  static bool worth(const domain::RowRun& rows);
  /// Enqueues the bytes of `pieces` (as_pieces), from `host` on (the address of the buffer's byte 0). When it returns,
  /// the host memory may change; the last piece has `event`. One thread at a time. `threads`: that copy, at most.
  Status write(cl_command_queue queue, cl_mem mem, const std::byte* host, const std::vector<domain::RowRun>& pieces,
               cl_event* event, std::size_t threads = tuning::kStagingThreads);

 private:
  struct Target;
  StagedWrites(std::shared_ptr<NativeContext> context, std::shared_ptr<PinnedMemory> memory)
      : context_(std::move(context)), memory_(std::move(memory)) {}
  /// Through piece `slot`, when what was written from there before has arrived.
  cl_int send(const Target& target, const domain::RowRun& rows, std::size_t slot);
  void await(std::size_t slot);

  const std::shared_ptr<NativeContext> context_;
  const std::shared_ptr<PinnedMemory> memory_;
  std::array<cl_event, tuning::kPinnedPieces> busy_{};  // writes that still read a piece
};

}  // namespace skmd::icd
