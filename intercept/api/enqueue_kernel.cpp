// SPDX-License-Identifier: Apache-2.0
// clEnqueueNDRangeKernel: every check before any side effect, in one fixed order.
#include <limits>

#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue_rest.h"
#include "intercept/api/entry.h"
#include "intercept/api/platform.h"
#include "intercept/launch/make_launch.h"
#include "intercept/machine/device_info.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "intercept/object/program.h"
#include "intercept/object/queue.h"

namespace skmd::icd::api {
namespace {

struct Sizes {
  cl_uint work_dim;
  const size_t* offset;
  const size_t* global;
  const size_t* local;
};

/// A launch of no work-items: legal, its event behaves like any other.
class NothingToRun : public Command {
 public:
  cl_int run(Event&) override { return CL_COMPLETE; }
};

bool is_empty(const Sizes& sizes) {
  if (sizes.global == nullptr) return true;
  for (cl_uint d = 0; d < sizes.work_dim; ++d)
    if (sizes.global[d] == 0) return true;
  return false;
}

std::string in_dimension(cl_uint d) { return " in dimension " + std::to_string(d); }

Status check_offsets(const Sizes& sizes) {
  if (sizes.offset == nullptr || sizes.global == nullptr) return {};
  for (cl_uint d = 0; d < sizes.work_dim; ++d) {
    if (sizes.offset[d] > std::numeric_limits<size_t>::max() - sizes.global[d])
      return Error{CL_INVALID_GLOBAL_OFFSET, "offset " + std::to_string(sizes.offset[d]) + " + size " +
                                                 std::to_string(sizes.global[d]) + " overflows" + in_dimension(d)};
  }
  return {};
}

Error bad_group(const std::string& reason) { return {CL_INVALID_WORK_GROUP_SIZE, reason}; }

/// The application's local size against the kernel's limit and its required size.
Status check_group(BuiltKernel& kernel, const Sizes& sizes) {
  const auto& required = kernel.traits().required_local;
  std::uint64_t items = 1;
  std::uint64_t limit = 0;
  for (cl_uint d = 0; d < sizes.work_dim; ++d) {
    const size_t local = sizes.local[d];
    if (local == 0) return bad_group("local size 0" + in_dimension(d));
    items = local > UINT64_MAX / items ? UINT64_MAX : items * local;
    if (!kernel.takes_group(items, limit))
      return bad_group("work-group of more than " + std::to_string(limit) + " work-items, the limit of " +
                       kernel.traits().name);
    if (required[0] != 0 && local != required[d])
      return bad_group("local size " + std::to_string(local) + in_dimension(d) + " where the kernel requires " +
                       std::to_string(required[d]));
  }
  for (cl_uint d = sizes.work_dim; d < 3; ++d)
    if (required[0] != 0 && required[d] != 1)
      return bad_group("the kernel requires local size " + std::to_string(required[d]) + in_dimension(d));
  return {};
}

Status check_range(const domain::NdRange& range) {
  for (cl_uint d = 0; d < range.work_dim; ++d) {
    if (range.global[d] % range.local[d] != 0)
      return bad_group("local size " + std::to_string(range.local[d]) + " does not divide global size " +
                       std::to_string(range.global[d]) + in_dimension(d) +
                       ", and the device has no non-uniform work-groups");
  }
  return {};
}

Status check_item_sizes(const DeviceLimits& limits, const Sizes& sizes) {
  if (sizes.local == nullptr) return {};
  for (cl_uint d = 0; d < sizes.work_dim; ++d) {
    if (sizes.local[d] > limits.work_item_sizes[d])
      return Error{CL_INVALID_WORK_ITEM_SIZE, "local size " + std::to_string(sizes.local[d]) + in_dimension(d) +
                                                  " is above " + std::to_string(limits.work_item_sizes[d])};
  }
  return {};
}

/// Checks 3 to 7. Sizes of an empty launch: all 1.
Result<domain::NdRange> make_range(BuiltKernel& kernel, const Sizes& sizes) {
  if (sizes.work_dim < 1 || sizes.work_dim > 3)
    return Error{CL_INVALID_WORK_DIMENSION, "work_dim " + std::to_string(sizes.work_dim) + " is not 1, 2 or 3"};
  if (const Status status = check_offsets(sizes); !status) return status.error();
  domain::NdRange range;
  range.work_dim = sizes.work_dim;
  if (sizes.local != nullptr) {
    if (const Status status = check_group(kernel, sizes); !status) return status.error();
  }
  if (!is_empty(sizes)) {
    for (cl_uint d = 0; d < sizes.work_dim; ++d) {
      range.global[d] = sizes.global[d];
      if (sizes.offset != nullptr) range.offset[d] = sizes.offset[d];
      if (sizes.local != nullptr) range.local[d] = sizes.local[d];
    }
    if (sizes.local == nullptr) range.local = choose_local_size(kernel, sizes.work_dim, range.global);
    if (const Status status = check_range(range); !status) return status.error();
  }
  if (const Status status = check_item_sizes(kernel.machine().info->limits(), sizes); !status) return status.error();
  return range;
}

struct Call {
  cl_command_type type;
  cl_command_queue queue;
  cl_kernel kernel;
  Sizes sizes;
  cl_uint num_events;
  const cl_event* events;
  cl_event* event;
  std::string_view rest = {};  // of a launch that another process began; empty: all of it runs
};

Status enqueue_launch(const Call& call) {
  const auto queue = borrow<Queue>(call.queue);
  if (!queue) return queue.error();
  const auto kernel = borrow<Kernel>(call.kernel);
  if (!kernel) return kernel.error();
  Context& context = (*queue)->context();
  if (&context != (*kernel)->program().context().get())
    return Error{CL_INVALID_CONTEXT, "queue and kernel belong to different contexts"};
  // "if there is no successfully built program executable available for device associated with command_queue"
  if (context.devices().size() > 1 && !(*kernel)->program().is_built_for(*(*queue)->device()))
    return Error{CL_INVALID_PROGRAM_EXECUTABLE, "the program was not built for the queue's device"};
  const auto& built = (*kernel)->built();
  const auto range = make_range(*built, call.sizes);
  Kernel::Frozen frozen;
  const auto& part = (*queue)->device()->port();
  std::shared_ptr<const Launch> last = range && call.rest.empty() ? (*kernel)->repeated(*range, part.get()) : nullptr;
  if (last == nullptr) {
    // Wrong arguments are told before wrong sizes.
    auto now = (*kernel)->freeze();
    if (!now) return now.error();
    frozen = std::move(*now);
  }
  if (!range) return range.error();
  const auto after = wait_list(call.num_events, call.events, context);
  if (!after) return after.error();

  const bool watched = call.event != nullptr;
  std::shared_ptr<Command> command;
  if (is_empty(call.sizes)) {
    command = std::make_shared<NothingToRun>();
  } else if (last != nullptr) {
    command = repeat_launch(context.machine(), std::move(last), watched);
  }
  if (command == nullptr) {
    if (last != nullptr) frozen = {last->arguments, last->reached};
    Launch launch_now{built, *range, std::move(frozen.arguments), std::move(frozen.reached), part};
    auto launch = call.rest.empty() ? make_launch(context.machine(), std::move(launch_now), watched, kernel->get())
                                    : make_rest(context.machine(), std::move(launch_now), call.rest);
    if (!launch) return launch.error();
    command = std::move(*launch);
  }
  return give_event(call.event, (*queue)->enqueue(call.type, std::move(command), *after));
}

/// What a launch with a NULL local size takes: the same checks, the same choice.
Status suggest_local_size(cl_command_queue queue_handle, cl_kernel kernel_handle, const Sizes& sizes,
                          size_t* suggestion) {
  const auto queue = borrow<Queue>(queue_handle);
  if (!queue) return queue.error();
  const auto kernel = borrow<Kernel>(kernel_handle);
  if (!kernel) return kernel.error();
  if (&(*queue)->context() != (*kernel)->program().context().get())
    return Error{CL_INVALID_CONTEXT, "queue and kernel belong to different contexts"};
  if (const auto arguments = (*kernel)->freeze(); !arguments) return arguments.error();
  if (suggestion == nullptr) return Error{CL_INVALID_VALUE, "suggested_local_work_size is NULL"};
  const auto range = make_range(*(*kernel)->built(), sizes);
  if (!range) return range.error();
  if (is_empty(sizes)) return Error{CL_INVALID_GLOBAL_WORK_SIZE, "there are no work-items"};
  for (cl_uint d = 0; d < sizes.work_dim; ++d) suggestion[d] = range->local[d];
  return {};
}

}  // namespace

cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                                        const size_t* offset, const size_t* global,
                                                        size_t* suggestion) {
  return entry("clGetKernelSuggestedLocalWorkSizeKHR", [&] {
    return suggest_local_size(queue, kernel, {work_dim, offset, global, nullptr}, suggestion);
  });
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint num_events, const cl_event* events, cl_event* event) {
  return entry("clEnqueueNDRangeKernel", [&] {
    return enqueue_launch(
        {CL_COMMAND_NDRANGE_KERNEL, queue, kernel, {work_dim, offset, global, local}, num_events, events, event});
  });
}

cl_int CL_API_CALL clSkmdEnqueueRest(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t* offset,
                                     const size_t* global, const size_t* local, size_t rest_size, const void* rest,
                                     cl_event* event) {
  return entry("clSkmdEnqueueRest", [&]() -> Status {
    const Sizes sizes{work_dim, offset, global, local};
    if (rest == nullptr || rest_size == 0) return Error{CL_INVALID_VALUE, "rest is NULL or has no bytes"};
    if (local == nullptr || is_empty(sizes)) return Error{CL_INVALID_VALUE, "a size is NULL or 0"};
    return enqueue_launch({CL_COMMAND_NDRANGE_KERNEL,
                           queue,
                           kernel,
                           sizes,
                           0,
                           nullptr,
                           event,
                           {static_cast<const char*>(rest), rest_size}});
  });
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events, const cl_event* events,
                                 cl_event* event) {
  constexpr size_t kOne = 1;
  return entry("clEnqueueTask", [&] {
    return enqueue_launch({CL_COMMAND_TASK, queue, kernel, {1, nullptr, &kOne, &kOne}, num_events, events, event});
  });
}

}  // namespace skmd::icd::api
