// SPDX-License-Identifier: Apache-2.0
// Buffers, sub-buffers, and what all memory objects share.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

using Mem = cl_mem;

struct WrongBuffer {
  cl_int code;
  const char* wrong;
  cl_mem_flags flags;
  size_t size;
  bool host;
};

constexpr cl_mem_flags kUse = CL_MEM_USE_HOST_PTR, kCopy = CL_MEM_COPY_HOST_PTR, kAlloc = CL_MEM_ALLOC_HOST_PTR;

const WrongBuffer kBuffers[] = {
    {CL_INVALID_VALUE, "read-write and read-only", CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, false},
    {CL_INVALID_VALUE, "read-write and write-only", CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, 64, false},
    {CL_INVALID_VALUE, "read-only and write-only", CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, false},
    {CL_INVALID_VALUE, "host-read-only and host-write-only", CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 64, false},
    {CL_INVALID_VALUE, "host-read-only and no host access", CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64, false},
    {CL_INVALID_VALUE, "use and alloc", kUse | kAlloc, 64, true},
    {CL_INVALID_VALUE, "use and copy", kUse | kCopy, 64, true},
    {CL_INVALID_VALUE, "an unknown bit", cl_mem_flags{1} << 40, 64, false},
    {CL_INVALID_VALUE, "kernel read and write", CL_MEM_KERNEL_READ_AND_WRITE, 64, false},
    {CL_INVALID_VALUE, "shared virtual memory", CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, false},
    {CL_INVALID_BUFFER_SIZE, "size 0", 0, 0, false},
    {CL_INVALID_BUFFER_SIZE, "too large", 0, ~size_t{0}, false},
    {CL_INVALID_HOST_PTR, "a pointer without a flag", 0, 64, true},
    {CL_INVALID_HOST_PTR, "a pointer with alloc only", kAlloc, 64, true},
    {CL_INVALID_HOST_PTR, "use without a pointer", kUse, 64, false},
    {CL_INVALID_HOST_PTR, "copy without a pointer", kCopy, 64, false},
};

/// Creates the largest buffers until one is refused; all are released again.
template <class Create>
cl_int exhaust(World& w, Create create) {
  cl_ulong most = 0;
  EXPECT_EQ(clGetDeviceInfo(w.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr), CL_SUCCESS);
  std::vector<Mem> made;
  cl_int code = CL_SUCCESS;
  while (code == CL_SUCCESS && made.size() < 64) {
    Mem one = create(static_cast<size_t>(most), w.code());
    code = *w.code();
    if (one != nullptr) made.push_back(one);
  }
  for (Mem one : made) EXPECT_EQ(clReleaseMemObject(one), CL_SUCCESS);
  return code;
}

void add_buffers(Cases& cases) {
  for (const WrongBuffer& wrong : kBuffers) {
    cases.push_back({"clCreateBuffer", wrong.code, wrong.wrong, [wrong](World& w) {
                       return w.made(clCreateBuffer(w.mine.context, wrong.flags, wrong.size,
                                                    wrong.host ? w.value() : nullptr, w.code()));
                     }});
    cases.push_back({"clCreateBufferWithProperties", wrong.code, wrong.wrong, [wrong](World& w) {
                       return w.made(clCreateBufferWithProperties(w.mine.context, nullptr, wrong.flags, wrong.size,
                                                                  wrong.host ? w.value() : nullptr, w.code()));
                     }});
  }
  cases.push_back({"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, "more than the device has", [](World& w) {
                     return exhaust(w, [&](size_t size, cl_int* code) {
                       return clCreateBuffer(w.mine.context, CL_MEM_READ_WRITE, size, nullptr, code);
                     });
                   }});
  cases.push_back(
      {"clCreateBufferWithProperties", CL_MEM_OBJECT_ALLOCATION_FAILURE, "more than the device has", [](World& w) {
         return exhaust(w, [&](size_t size, cl_int* code) {
           return clCreateBufferWithProperties(w.mine.context, nullptr, CL_MEM_READ_WRITE, size, nullptr, code);
         });
       }});
  static constexpr cl_mem_properties kUnknown[] = {0x7777, 1, 0};
  cases.push_back({"clCreateBufferWithProperties", CL_INVALID_PROPERTY, "a property is unknown", [](World& w) {
                     return w.made(clCreateBufferWithProperties(w.mine.context, kUnknown, 0, 64, nullptr, w.code()));
                   }});
  add_bad_handles<cl_context>(
      cases, "clCreateBuffer", CL_INVALID_CONTEXT, "the context",
      [](World& w, cl_context context) { return w.made(clCreateBuffer(context, 0, 64, nullptr, w.code())); });
  add_bad_handles<cl_context>(cases, "clCreateBufferWithProperties", CL_INVALID_CONTEXT, "the context",
                              [](World& w, cl_context context) {
                                return w.made(clCreateBufferWithProperties(context, nullptr, 0, 64, nullptr, w.code()));
                              });
}

struct WrongRegion {
  cl_int code;
  const char* wrong;
  size_t origin, size;
};

void add_sub_buffers(Cases& cases) {
  const auto sub = [](World& w, Mem parent, cl_mem_flags flags, size_t origin, size_t size) {
    const cl_buffer_region region{origin, size};
    return w.made(clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, w.code()));
  };
  add_bad_handles<Mem>(cases, "clCreateSubBuffer", CL_INVALID_MEM_OBJECT, "the buffer",
                       [sub](World& w, Mem parent) { return sub(w, parent, 0, 0, 64); });
  cases.push_back({"clCreateSubBuffer", CL_INVALID_MEM_OBJECT, "of a sub-buffer",
                   [sub](World& w) { return sub(w, w.sub_buffer, 0, 0, 64); }});
  cases.push_back({"clCreateSubBuffer", CL_INVALID_MEM_OBJECT, "of an image",
                   [sub](World& w) { return sub(w, w.mine.image, 0, 0, 64); }, Machine::with_images});
  for (const WrongRegion& wrong : {WrongRegion{CL_INVALID_VALUE, "beyond the end", 0, World::kBytes + 1},
                                   WrongRegion{CL_INVALID_VALUE, "begins beyond the end", World::kBytes * 2, 64},
                                   WrongRegion{CL_INVALID_VALUE, "end overflows", 1024, ~size_t{0}},
                                   WrongRegion{CL_INVALID_BUFFER_SIZE, "size 0", 0, 0},
                                   WrongRegion{CL_MISALIGNED_SUB_BUFFER_OFFSET, "not aligned", 4, 64}})
    cases.push_back({"clCreateSubBuffer", wrong.code, wrong.wrong,
                     [sub, wrong](World& w) { return sub(w, w.mine.buffer, 0, wrong.origin, wrong.size); }});
  for (const cl_mem_flags flags :
       {kUse, kCopy, kAlloc, cl_mem_flags{1} << 40, cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY}})
    cases.push_back({"clCreateSubBuffer", CL_INVALID_VALUE, "flags " + std::to_string(flags),
                     [sub, flags](World& w) { return sub(w, w.mine.buffer, flags, 0, 64); }});
  cases.push_back({"clCreateSubBuffer", CL_INVALID_VALUE, "more host access than the parent's",
                   [sub](World& w) { return sub(w, w.write_only_host, CL_MEM_HOST_READ_ONLY, 0, 64); }});
  cases.push_back({"clCreateSubBuffer", CL_INVALID_VALUE, "the type is unknown", [](World& w) {
                     const cl_buffer_region region{0, 64};
                     return w.made(clCreateSubBuffer(w.mine.buffer, 0, 0x7777, &region, w.code()));
                   }});
  cases.push_back({"clCreateSubBuffer", CL_INVALID_VALUE, "the region is NULL", [](World& w) {
                     return w.made(
                         clCreateSubBuffer(w.mine.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, w.code()));
                   }});
}

void add_memory_calls(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_MEM_OBJECT;
  add_bad_handles<Mem>(cases, "clRetainMemObject", kBad, "the object",
                       [](World&, Mem memory) { return clRetainMemObject(memory); });
  add_bad_handles<Mem>(cases, "clReleaseMemObject", kBad, "the object",
                       [](World&, Mem memory) { return clReleaseMemObject(memory); });
  add_bad_handles<Mem>(cases, "clGetMemObjectInfo", kBad, "the object", [](World& w, Mem memory) {
    return clGetMemObjectInfo(memory, CL_MEM_SIZE, World::kValueBytes, w.value(), w.size_ret());
  });
  add_bad_queries(cases, "clGetMemObjectInfo", CL_MEM_SIZE,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetMemObjectInfo(w.mine.buffer, name, size, value, size_ret);
                  });
  add_bad_handles<Mem>(cases, "clSetMemObjectDestructorCallback", kBad, "the object", [](World&, Mem memory) {
    return clSetMemObjectDestructorCallback(
        memory, [](Mem, void*) { ADD_FAILURE(); }, nullptr);
  });
  cases.push_back({"clSetMemObjectDestructorCallback", CL_INVALID_VALUE, "the function is NULL",
                   [](World& w) { return clSetMemObjectDestructorCallback(w.mine.buffer, nullptr, nullptr); }});
  add_bad_handles<cl_context>(cases, "clCreatePipe", CL_INVALID_CONTEXT, "the context",
                              [](World& w, cl_context context) {
                                return w.made(clCreatePipe(context, CL_MEM_READ_WRITE, 4, 4, nullptr, w.code()));
                              });
  cases.push_back({"clCreatePipe", CL_INVALID_OPERATION, "the device has no pipes", [](World& w) {
                     return w.made(clCreatePipe(w.mine.context, CL_MEM_READ_WRITE, 4, 4, nullptr, w.code()));
                   }});
  add_bad_handles<Mem>(cases, "clGetPipeInfo", kBad, "the pipe", [](World& w, Mem pipe) {
    return clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, World::kValueBytes, w.value(), w.size_ret());
  });
  cases.push_back({"clGetPipeInfo", kBad, "a buffer", [](World& w) {
                     return clGetPipeInfo(w.mine.buffer, CL_PIPE_PACKET_SIZE, World::kValueBytes, w.value(),
                                          w.size_ret());
                   }});
}

}  // namespace

void add_memory_cases(Cases& cases) {
  add_buffers(cases);
  add_sub_buffers(cases);
  add_memory_calls(cases);
}

}  // namespace skmd::test
