// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/world.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace skmd::test {
namespace {

struct Allowed {
  const char* call;
  std::vector<cl_int> codes;
};

/// Codes that the specification gives a call whose arguments are right.
const std::vector<Allowed>& allowed() {
  static const auto* const list = new std::vector<Allowed>{
      {"clGetPlatformIDs", {CL_OUT_OF_HOST_MEMORY, -1001}},
      {"clGetDeviceIDs", {CL_DEVICE_NOT_FOUND, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clGetDeviceInfo", {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clCreateContext", {CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clBuildProgram", {CL_BUILD_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clCompileProgram", {CL_COMPILE_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clLinkProgram", {CL_LINK_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clCreateProgramWithBinary", {CL_INVALID_BINARY, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clCreateImage",
       {CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_OPERATION, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
        CL_OUT_OF_HOST_MEMORY}},
      {"clEnqueueMapBuffer",
       {CL_MAP_FAILURE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clWaitForEvents", {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"clGetEventProfilingInfo", {CL_PROFILING_INFO_NOT_AVAILABLE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}},
      {"",
       {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
        CL_OUT_OF_HOST_MEMORY}},
  };
  return *list;
}

bool is_allowed(const std::string& call, cl_int code) {
  for (const Allowed& entry : allowed())
    if (call == entry.call || *entry.call == '\0')
      return std::find(entry.codes.begin(), entry.codes.end(), code) != entry.codes.end();
  return false;
}

}  // namespace

void World::complain(const std::string& text) {
  ++complaints_;
  std::fprintf(stderr, "%s\n", text.c_str());
}

bool World::went_well(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return true;
  ++errors_;
  if (!is_allowed(call, code)) complain(std::string(call) + " returned " + std::to_string(code));
  return false;
}

void World::expect_equal(const Words& got, const Words& want, const std::string& what) {
  const auto [at, wanted] = std::mismatch(got.begin(), got.end(), want.begin());
  if (at == got.end()) return;
  complain(what + ": word " + std::to_string(at - got.begin()) + " is " + std::to_string(*at) + ", not " +
           std::to_string(*wanted));
}

void World::enqueued(const char* call, cl_int code, cl_event event, Effect effect) {
  pending_.push_back({call, code, event, std::move(effect)});
}

void World::done(const char* call, cl_int code, Effect effect) { enqueued(call, code, nullptr, std::move(effect)); }

void World::settle(const std::vector<cl_command_queue>& queues) {
  for (cl_command_queue queue : queues) {
    cl_int code = clFinish(queue);
    if (code == CL_OUT_OF_HOST_MEMORY) code = clFinish(queue);  // which is a way to fail
    if (code != CL_SUCCESS) complain("clFinish returned " + std::to_string(code));
  }
  for (Pending& pending : pending_) resolve(pending);
  pending_.clear();
  kept_.clear();
}

void World::resolve(Pending& pending) {
  bool failed = !went_well(pending.code, pending.call.c_str());
  if (pending.event != nullptr) {
    cl_int status = CL_QUEUED;
    const cl_int code =
        clGetEventInfo(pending.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (code != CL_SUCCESS || status > CL_COMPLETE)
      complain(pending.call + ": after clFinish the event's status is " + std::to_string(status));
    if (status < 0 && !is_allowed("", status))
      complain(pending.call + ": the event ended with " + std::to_string(status));
    if (status < 0) ++errors_;
    failed = failed || status < 0;
    clReleaseEvent(pending.event);
  }
  bool known = !failed;
  for (const Object* read : pending.effect.reads) known = known && read->known;
  for (Object* write : pending.effect.writes)
    if (!pending.effect.whole) known = known && write->known;
  if (known && pending.effect.apply) pending.effect.apply();
  if (known && pending.effect.check) pending.effect.check();
  for (Object* write : pending.effect.writes) write->known = known;
}

}  // namespace skmd::test
