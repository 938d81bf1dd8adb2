// SPDX-License-Identifier: Apache-2.0
// What all enqueue calls share, in one fixed order: queue, objects and their context, values, wait list; then the
// command is made and enqueued. Nothing has happened when a check fails.
#pragma once

#include <memory>
#include <vector>

#include "intercept/api/entry.h"
#include "intercept/memory/rect_region.h"
#include "intercept/object/memory.h"
#include "intercept/object/queue.h"

namespace skmd::icd::api {

class Enqueue {
 public:
  Enqueue(cl_command_queue queue, cl_uint num_events, const cl_event* wait_list, cl_event* event)
      : handle_(queue), num_events_(num_events), list_(wait_list), event_(event) {}

  /// CL_INVALID_COMMAND_QUEUE.
  Status open();
  /// CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT. Images are no buffers, and the reverse.
  Result<Ref<Memory>> buffer(cl_mem handle) const;
  Result<Ref<Memory>> image(cl_mem handle) const;
  Result<Ref<Memory>> memory(cl_mem handle) const;
  /// CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT. The last check.
  Status check_wait_list();

  /// After check_wait_list(). A blocking call returns the command's failure; no event is given then.
  Status submit(cl_command_type type, std::shared_ptr<Command> command, bool blocking = false);
  /// As submit(), with the event in hand; give() it if the call succeeds.
  Ref<Event> enqueue(cl_command_type type, std::shared_ptr<Command> command, bool blocking);
  Status give(const Ref<Event>& event) const { return give_event(event_, event); }
  Status submit_marker(cl_command_type type, bool barrier);

  [[nodiscard]] Queue& queue() const { return *queue_; }

 private:
  cl_command_queue handle_;
  cl_uint num_events_;
  const cl_event* list_;
  cl_event* event_;
  Ref<Queue> queue_;
  std::vector<Ref<Event>> events_;
};

/// Host-access flags bind reads, writes and maps: CL_INVALID_OPERATION.
Status check_host_read(const Memory& memory);
Status check_host_write(const Memory& memory);

/// A range of a buffer, bounds checked without overflow: CL_INVALID_VALUE. Root offsets.
Result<RectRegion> linear_region(const Memory& buffer, size_t offset, size_t bytes);

}  // namespace skmd::icd::api
