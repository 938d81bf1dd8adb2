// SPDX-License-Identifier: Apache-2.0
// What all calls that enqueue something have in common: queue, objects, contexts, wait lists; and markers.
#include "tests/intercept/api/refusal/forms.h"

namespace skmd::test {
namespace {

/// Mapped pointers and native kernels may be told by these before the memory object is looked at.
bool null_is_legal(const MemoryForm& form, Bad bad) {
  return form.function == "clEnqueueNativeKernel" && bad == Bad::null;
}

void add_queues(Cases& cases, const Form& form) {
  for (const Bad bad : kEveryBad)
    cases.push_back({form.function, CL_INVALID_COMMAND_QUEUE, std::string("the queue is ") + name_of(bad),
                     [&form, bad](World& w) {
                       return form.call(w, {w.bad<cl_command_queue>(bad), 0, nullptr, w.event()});
                     },
                     form.machine});
  // Markers have no object of their own.
  if (form.function.find("WithWaitList") != std::string::npos) return;
  cases.push_back({form.function, CL_INVALID_CONTEXT, "the queue is of another context",
                   [&form](World& w) {
                     return form.call(w, {w.other.queue, 0, nullptr, w.event()});
                   },
                   form.machine});
}

void add_wait_lists(Cases& cases, const Form& form) {
  constexpr cl_int kBad = CL_INVALID_EVENT_WAIT_LIST;
  cases.push_back({form.function, kBad, "a wait list of 0 events",
                   [&form](World& w) {
                     return form.call(w, {w.mine.queue, 0, &w.complete, w.event()});
                   },
                   form.machine});
  cases.push_back({form.function, kBad, "no wait list for 1 event",
                   [&form](World& w) {
                     return form.call(w, {w.mine.queue, 1, nullptr, w.event()});
                   },
                   form.machine});
  for (const Bad bad : kEveryBad)
    cases.push_back({form.function, kBad, std::string("the second event is ") + name_of(bad),
                     [&form, bad](World& w) {
                       const cl_event list[2] = {w.complete, w.bad<cl_event>(bad)};
                       return form.call(w, {w.mine.queue, 2, list, w.event()});
                     },
                     form.machine});
  cases.push_back({form.function, CL_INVALID_CONTEXT, "an event is of another context",
                   [&form](World& w) {
                     const cl_event list[2] = {w.complete, w.other.event};
                     return form.call(w, {w.mine.queue, 2, list, w.event()});
                   },
                   form.machine});
  if (!form.can_block) return;
  cases.push_back({form.function, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "blocks on an event that failed",
                   [&form](World& w) {
                     return form.call(w, {w.mine.queue, 1, &w.broken, w.event()});
                   },
                   form.machine});
}

void add_memory(Cases& cases, const MemoryForm& form) {
  constexpr cl_int kBad = CL_INVALID_MEM_OBJECT;
  for (const Bad bad : kEveryBad) {
    if (null_is_legal(form, bad)) continue;
    cases.push_back({form.function, kBad, form.argument + " is " + name_of(bad),
                     [&form, bad](World& w) { return form.call(w, w.bad<cl_mem>(bad)); }, form.machine});
  }
  if (!form.either) {
    cases.push_back({form.function, kBad, form.argument + (form.wants_image ? " is a buffer" : " is an image"),
                     [&form](World& w) { return form.call(w, form.wants_image ? w.second_buffer : w.mine.image); },
                     Machine::with_images});
  }
  cases.push_back({form.function, CL_INVALID_CONTEXT, form.argument + " is of another context",
                   [&form](World& w) { return form.call(w, form.wants_image ? w.other.image : w.other.buffer); },
                   form.machine});
}

void add_old_markers(Cases& cases) {
  using Queue = cl_command_queue;
  constexpr cl_int kBad = CL_INVALID_COMMAND_QUEUE;
  add_bad_handles<Queue>(cases, "clEnqueueMarker", kBad, "the queue",
                         [](World& w, Queue queue) { return clEnqueueMarker(queue, w.event()); });
  cases.push_back({"clEnqueueMarker", CL_INVALID_VALUE, "the event is NULL",
                   [](World& w) { return clEnqueueMarker(w.mine.queue, nullptr); }});
  add_bad_handles<Queue>(cases, "clEnqueueBarrier", kBad, "the queue",
                         [](World&, Queue queue) { return clEnqueueBarrier(queue); });
  add_bad_handles<Queue>(cases, "clEnqueueWaitForEvents", kBad, "the queue",
                         [](World& w, Queue queue) { return clEnqueueWaitForEvents(queue, 1, &w.complete); });
  cases.push_back({"clEnqueueWaitForEvents", CL_INVALID_VALUE, "no events",
                   [](World& w) { return clEnqueueWaitForEvents(w.mine.queue, 0, &w.complete); }});
  cases.push_back({"clEnqueueWaitForEvents", CL_INVALID_VALUE, "the list is NULL",
                   [](World& w) { return clEnqueueWaitForEvents(w.mine.queue, 1, nullptr); }});
  cases.push_back({"clEnqueueWaitForEvents", CL_INVALID_CONTEXT, "an event is of another context",
                   [](World& w) { return clEnqueueWaitForEvents(w.mine.queue, 1, &w.other.event); }});
  add_bad_handles<cl_event>(cases, "clEnqueueWaitForEvents", CL_INVALID_EVENT, "the event",
                            [](World& w, cl_event event) { return clEnqueueWaitForEvents(w.mine.queue, 1, &event); });
}

/// Shared virtual memory: the queue is looked at, then the call is refused.
void add_svm(Cases& cases) {
  struct SvmForm {
    const char* function;
    std::function<cl_int(World&, cl_command_queue)> call;
  };
  const std::vector<SvmForm> forms{
      {"clEnqueueSVMFree",
       [](World& w, cl_command_queue queue) {
         void* pointer = w.value();
         return clEnqueueSVMFree(queue, 1, &pointer, nullptr, nullptr, 0, nullptr, w.event());
       }},
      {"clEnqueueSVMMemcpy",
       [](World& w, cl_command_queue queue) {
         return clEnqueueSVMMemcpy(queue, CL_TRUE, w.value(), w.array<char>() + 64, 64, 0, nullptr, w.event());
       }},
      {"clEnqueueSVMMemFill",
       [](World& w, cl_command_queue queue) {
         const cl_uint pattern = 0;
         return clEnqueueSVMMemFill(queue, w.value(), &pattern, sizeof pattern, 64, 0, nullptr, w.event());
       }},
      {"clEnqueueSVMMap",
       [](World& w, cl_command_queue queue) {
         return clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, w.value(), 64, 0, nullptr, w.event());
       }},
      {"clEnqueueSVMUnmap",
       [](World& w, cl_command_queue queue) { return clEnqueueSVMUnmap(queue, w.value(), 0, nullptr, w.event()); }},
      {"clEnqueueSVMMigrateMem",
       [](World& w, cl_command_queue queue) {
         const void* pointer = w.value();
         return clEnqueueSVMMigrateMem(queue, 1, &pointer, nullptr, 0, 0, nullptr, w.event());
       }},
  };
  for (const SvmForm& form : forms) {
    add_bad_handles<cl_command_queue>(cases, form.function, CL_INVALID_COMMAND_QUEUE, "the queue", form.call);
    cases.push_back({form.function, CL_INVALID_OPERATION, "there is no shared virtual memory",
                     [call = form.call](World& w) { return call(w, w.mine.queue); }});
  }
}

}  // namespace

void add_enqueue_cases(Cases& cases) {
  for (const Form& form : every_form()) {
    add_queues(cases, form);
    add_wait_lists(cases, form);
  }
  for (const MemoryForm& form : every_memory_form()) add_memory(cases, form);
  add_old_markers(cases);
  add_svm(cases);
}

}  // namespace skmd::test
