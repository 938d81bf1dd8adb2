// SPDX-License-Identifier: Apache-2.0
// Objects of the stub driver and what its files share.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

/// The name of an environment variable. The driver that stands for other machines' has names of its own, since both may
/// be in one process.
#ifdef STUB_REMOTE
#define STUB_VARIABLE(name) "STUB_FAR_" name
#else
#define STUB_VARIABLE(name) "STUB_" name
#endif

namespace stub {

extern const cl_icd_dispatch kTable;
extern std::atomic<std::size_t> live;

/// Pinned: buffers of memory that the driver allocates for the host; a layer above keeps those with its devices.
enum class Kind : std::uint8_t { context, queue, memory, pinned, program, kernel, sampler, event, count };
extern std::atomic<std::size_t> live_by_kind[static_cast<std::size_t>(Kind::count)];

/// Head of every object: the table (cl_khr_icd), and the reference count.
struct Object {
  const cl_icd_dispatch* dispatch = &kTable;
  std::atomic<int> references{1};
  const Kind kind;
  explicit Object(Kind k) : kind(k) {
    ++live;
    ++live_by_kind[static_cast<std::size_t>(kind)];
  }
  ~Object() {
    --live;
    --live_by_kind[static_cast<std::size_t>(kind)];
  }
};

template <class T>
T* retained(T* object) {
  ++object->references;
  return object;
}

template <class T>
cl_int released(T* object) {
  if (--object->references == 0) delete object;
  return CL_SUCCESS;
}

enum class ArgumentKind : std::uint8_t { value, buffer, local, image, sampler };

struct Parameter {
  std::string name;
  std::string type;
  ArgumentKind kind = ArgumentKind::value;
  std::size_t bytes = 0;  // of a value; 0: any size
};

struct KernelText {
  std::string name;
  std::vector<Parameter> parameters;
};

/// The kernels of a text, by a simple scan.
std::vector<KernelText> scan_kernels(const std::string& text);
/// Likewise of PTX, as far as the stub can run them: the merge kernel of stub_scatter.
std::vector<KernelText> scan_ptx(const std::string& text);

/// An argument as an enqueued kernel sees it.
struct Argument {
  bool set = false;
  std::vector<std::byte> bytes;
  cl_mem memory = nullptr;
  std::size_t local_bytes = 0;
};

struct Range {
  cl_uint dimensions = 1;
  std::size_t offset[3] = {0, 0, 0};
  std::size_t global[3] = {1, 1, 1};
};

/// Runs the host function of `name`; an error code if it would leave a buffer.
cl_int run_kernel(const std::string& name, const std::vector<Argument>& arguments, const Range& range);

struct Settings {
  std::vector<cl_device_type> devices;
  int delay_us = -1;
  std::int64_t memory = INT64_MAX;  // bytes for buffers, of each device
};
const Settings& settings();
std::string platform_name();

/// False with STUB_QUIET=1: nothing is recorded and nothing fails on request, so that calls cost as little as they can.
bool recording();
/// Records a call. An error code if the call is to fail.
cl_int record(const char* call, const std::string& details = {});
/// The same, where putting the details together would cost more than the call itself.
template <class Details>
requires std::is_invocable_v<Details> cl_int record(const char* call, Details details) {
  if (!recording()) return CL_SUCCESS;
  try {
    return record(call, std::string(details()));
  } catch (const std::bad_alloc&) {  // of a test that makes allocations fail; a driver throws nothing
    return CL_SUCCESS;
  }
}
/// The status that the event of this call's command is to end with; `device`: where.
cl_int run_failure(const char* call, cl_uint device);
/// The code that everything on a lost device fails with, or CL_SUCCESS.
cl_int lost(cl_uint device);
/// As NVIDIA's devices after a failed command: events say CL_COMPLETE, waiting fails, nothing runs.
void poison(cl_uint device);
bool poisoned(cl_uint device);
/// Whether nothing of the device ends any more, from this call's command on or before it.
bool falls_silent(const char* call, cl_uint device);
bool silent(cl_uint device);
/// Blocks while commands are held.
void wait_while_held();

std::uint64_t device_clock();

/// Writes an answer of a clGet*Info function by its rules.
cl_int answer(const void* value, std::size_t bytes, std::size_t size, void* out, std::size_t* size_out);
template <class T>
cl_int answer_value(const T& value, std::size_t size, void* out, std::size_t* size_out) {
  return answer(&value, sizeof value, size, out, size_out);
}
cl_int answer_text(const std::string& text, std::size_t size, void* out, std::size_t* size_out);

void fill_info_table(cl_icd_dispatch& table);
void fill_object_table(cl_icd_dispatch& table);
void fill_program_table(cl_icd_dispatch& table);
void fill_command_table(cl_icd_dispatch& table);
void fill_queue_table(cl_icd_dispatch& table);
void fill_image_commands(cl_icd_dispatch& table);
void fill_map_commands(cl_icd_dispatch& table);
void fill_event_table(cl_icd_dispatch& table);
/// Calls what waits for the end of an event that has ended, once.
void call_back(cl_event event);
/// Every enqueue ends here.
cl_int enqueue(const char* call, cl_command_queue queue, cl_bool blocking, cl_event* event,
               std::function<cl_int()> work);
/// "device=N", for the log.
std::string on_device(cl_command_queue queue);

}  // namespace stub

struct _cl_platform_id {
  const cl_icd_dispatch* dispatch = &stub::kTable;
};
struct _cl_device_id {
  const cl_icd_dispatch* dispatch = &stub::kTable;
  cl_uint index = 0;
  cl_device_type type = CL_DEVICE_TYPE_GPU;
  std::atomic<std::int64_t> left{INT64_MAX};  // bytes for buffers
};
struct _cl_context : stub::Object {
  _cl_context() : Object(stub::Kind::context) {}
  cl_device_id device = nullptr;
};
struct _cl_event : stub::Object {
  _cl_event() : Object(stub::Kind::event) {}
  std::mutex mutex;
  std::condition_variable ended;
  cl_int status = CL_QUEUED;
  std::uint64_t queued = 0, start = 0, end = 0;
  cl_command_queue queue = nullptr;  // not retained: the adapter keeps its queue
  struct Callback {
    void(CL_CALLBACK* function)(cl_event, cl_int, void*);
    void* data;
  };
  std::vector<Callback> callbacks;
};
struct _cl_mem : stub::Object {
  explicit _cl_mem(stub::Kind k = stub::Kind::memory) : Object(k) {}
  std::vector<std::byte> own;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  cl_mem parent = nullptr;
  cl_image_desc desc{};
  std::size_t element_bytes = 0;
  cl_device_id device = nullptr;  // of a buffer
  std::int64_t taken = 0;         // of its memory
  std::mutex parts_mutex;
  std::vector<cl_mem> parts;  // sub-buffers that are alive
  ~_cl_mem();
};
struct _cl_sampler : stub::Object {
  _cl_sampler() : Object(stub::Kind::sampler) {}
};
struct _cl_program : stub::Object {
  _cl_program() : Object(stub::Kind::program) {}
  std::string text;
  std::string options;  // of the last build
  std::string log;
  std::vector<stub::KernelText> kernels;
  bool built = false;
};
struct _cl_kernel : stub::Object {
  _cl_kernel() : Object(stub::Kind::kernel) {}
  cl_program program = nullptr;
  stub::KernelText text;
  std::vector<stub::Argument> arguments;
  ~_cl_kernel() { stub::released(program); }
};
struct _cl_command_queue : stub::Object {
  _cl_command_queue() : Object(stub::Kind::queue) {}
  struct Command {
    cl_event event;
    std::function<cl_int()> work;
  };
  cl_device_id device = nullptr;
  bool times = false;  // made with CL_QUEUE_PROFILING_ENABLE
  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable drained;
  std::deque<Command> commands;
  std::uint64_t taken = 0, ended = 0;  // commands so far
  std::size_t flushed = 0;             // commands at the front that may run
  bool stopping = false;
  std::thread worker;
  ~_cl_command_queue();
};
