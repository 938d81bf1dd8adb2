// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/enqueue.h"

#include <string>
#include <utility>

namespace skmd::icd::api {

Status Enqueue::open() {
  auto queue = borrow<Queue>(handle_);
  if (!queue) return queue.error();
  queue_ = std::move(*queue);
  return {};
}

Result<Ref<Memory>> Enqueue::memory(cl_mem handle) const {
  auto memory = borrow<Memory>(handle);
  if (!memory) return memory.error();
  // CL_INVALID_CONTEXT: "if the context associated with command_queue and buffer are not the same".
  if (&(*memory)->context() != &queue_->context())
    return Error{CL_INVALID_CONTEXT, "memory object and command_queue belong to different contexts"};
  return memory;
}

Result<Ref<Memory>> Enqueue::buffer(cl_mem handle) const {
  auto memory = this->memory(handle);
  if (memory && (*memory)->is_image())
    return Error{CL_INVALID_MEM_OBJECT, "the memory object is an image, not a buffer"};
  return memory;
}

Result<Ref<Memory>> Enqueue::image(cl_mem handle) const {
  auto memory = this->memory(handle);
  if (memory && !(*memory)->is_image())
    return Error{CL_INVALID_MEM_OBJECT, "the memory object is a buffer, not an image"};
  return memory;
}

Status Enqueue::check_wait_list() {
  auto events = wait_list(num_events_, list_, queue_->context());
  if (!events) return events.error();
  events_ = std::move(*events);
  return {};
}

Ref<Event> Enqueue::enqueue(cl_command_type type, std::shared_ptr<Command> command, bool blocking) {
  return blocking ? queue_->enqueue_and_wait(type, std::move(command), events_)
                  : queue_->enqueue(type, std::move(command), events_);
}

Status Enqueue::submit(cl_command_type type, std::shared_ptr<Command> command, bool blocking) {
  const Ref<Event> event = enqueue(type, std::move(command), blocking);
  // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: "if the read and write operations are blocking and the execution
  // status of any of the events in event_wait_list is a negative integer value".
  if (blocking && event->status() < 0) return Error{event->status(), "the blocking command failed"};
  return give(event);
}

Status Enqueue::submit_marker(cl_command_type type, bool barrier) {
  return give(queue_->enqueue_marker(type, events_, barrier));
}

Status check_host_read(const Memory& memory) {
  // CL_INVALID_OPERATION: "if ... has been created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS".
  if ((memory.flags() & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0)
    return Error{CL_INVALID_OPERATION, "the object's flags forbid the host to read it"};
  return {};
}

Status check_host_write(const Memory& memory) {
  // CL_INVALID_OPERATION: "if ... has been created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS".
  if ((memory.flags() & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0)
    return Error{CL_INVALID_OPERATION, "the object's flags forbid the host to write it"};
  return {};
}

Result<RectRegion> linear_region(const Memory& buffer, size_t offset, size_t bytes) {
  if (offset > buffer.size() || bytes > buffer.size() - offset)
    return Error{CL_INVALID_VALUE, "offset " + std::to_string(offset) + " and size " + std::to_string(bytes) +
                                       " exceed the buffer's " + std::to_string(buffer.size()) + " bytes"};
  return RectRegion::linear(buffer.offset() + offset, bytes);
}

}  // namespace skmd::icd::api
