// SPDX-License-Identifier: Apache-2.0
// Kernels: made, given arguments, asked about, launched.
#include <algorithm>

#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

using Kernel = cl_kernel;
using Program = cl_program;
constexpr Machine kImages = Machine::with_images;

void add_creation(Cases& cases) {
  const auto create = [](World& w, Program program, const char* name) {
    return w.made(clCreateKernel(program, name, w.code()));
  };
  add_bad_handles<Program>(cases, "clCreateKernel", CL_INVALID_PROGRAM, "the program",
                           [create](World& w, Program program) { return create(w, program, "plain"); });
  const auto all = [](World& w, Program program, cl_uint count, Kernel* list) {
    return clCreateKernelsInProgram(program, count, list, w.count());
  };
  add_bad_handles<Program>(cases, "clCreateKernelsInProgram", CL_INVALID_PROGRAM, "the program",
                           [all](World& w, Program program) { return all(w, program, 8, w.array<Kernel>()); });
  for (Program World::*program : {&World::unbuilt, &World::compiled, &World::failed}) {
    cases.push_back({"clCreateKernel", CL_INVALID_PROGRAM_EXECUTABLE, "there is no executable",
                     [create, program](World& w) { return create(w, w.*program, "plain"); }});
    cases.push_back({"clCreateKernelsInProgram", CL_INVALID_PROGRAM_EXECUTABLE, "there is no executable",
                     [all, program](World& w) { return all(w, w.*program, 8, w.array<Kernel>()); }});
  }
  for (const char* name : {"", "no_such_kernel", "plai", "plain "})
    cases.push_back({"clCreateKernel", CL_INVALID_KERNEL_NAME, std::string("\"") + name + "\"",
                     [create, name](World& w) { return create(w, w.mine.program, name); }});
  cases.push_back({"clCreateKernel", CL_INVALID_VALUE, "the name is NULL",
                   [create](World& w) { return create(w, w.mine.program, nullptr); }});
  cases.push_back({"clCreateKernelsInProgram", CL_INVALID_VALUE, "a list that is too short",
                   [all](World& w) { return all(w, w.mine.program, 0, w.array<Kernel>()); }});
  cases.push_back({"clCreateKernelsInProgram", CL_INVALID_VALUE, "a list that is too short by one",
                   [all](World& w) { return all(w, w.mine.program, 3, w.array<Kernel>()); }, kImages});
}

void add_kernel_references(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_KERNEL;
  add_bad_handles<Kernel>(cases, "clRetainKernel", kBad, "the kernel",
                          [](World&, Kernel kernel) { return clRetainKernel(kernel); });
  add_bad_handles<Kernel>(cases, "clReleaseKernel", kBad, "the kernel",
                          [](World&, Kernel kernel) { return clReleaseKernel(kernel); });
  add_bad_handles<Kernel>(cases, "clCloneKernel", kBad, "the kernel",
                          [](World& w, Kernel kernel) { return w.made(clCloneKernel(kernel, w.code())); });
  add_bad_handles<Kernel>(cases, "clGetKernelInfo", kBad, "the kernel", [](World& w, Kernel kernel) {
    return clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, World::kValueBytes, w.value(), w.size_ret());
  });
  add_bad_queries(cases, "clGetKernelInfo", CL_KERNEL_CONTEXT,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetKernelInfo(w.mine.kernel, name, size, value, size_ret);
                  });
}

void add_group_queries(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_KERNEL;
  const auto group = [](World& w, Kernel kernel, cl_device_id device, cl_uint name, size_t size) {
    return clGetKernelWorkGroupInfo(kernel, device, name, size, w.value(), w.size_ret());
  };
  add_bad_handles<Kernel>(cases, "clGetKernelWorkGroupInfo", kBad, "the kernel", [group](World& w, Kernel kernel) {
    return group(w, kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, World::kValueBytes);
  });
  for (const Bad bad : {Bad::foreign, Bad::other_kind, Bad::released})  // NULL is the only device
    cases.push_back({"clGetKernelWorkGroupInfo", CL_INVALID_DEVICE, std::string("the device is ") + name_of(bad),
                     [group, bad](World& w) {
                       return group(w, w.mine.kernel, w.bad<cl_device_id>(bad), CL_KERNEL_WORK_GROUP_SIZE,
                                    World::kValueBytes);
                     }});
  add_bad_queries(cases, "clGetKernelWorkGroupInfo", CL_KERNEL_WORK_GROUP_SIZE,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetKernelWorkGroupInfo(w.mine.kernel, w.device, name, size, value, size_ret);
                  });
  cases.push_back(
      {"clGetKernelWorkGroupInfo", CL_INVALID_VALUE, "the global size of no built-in kernel", [group](World& w) {
         return group(w, w.mine.kernel, w.device, CL_KERNEL_GLOBAL_WORK_SIZE, World::kValueBytes);
       }});
  const auto sub_group = [](World& w, Kernel kernel) {
    const size_t local = 64;
    return clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local,
                                   World::kValueBytes, w.value(), w.size_ret());
  };
  add_bad_handles<Kernel>(cases, "clGetKernelSubGroupInfo", kBad, "the kernel", sub_group);
  cases.push_back({"clGetKernelSubGroupInfo", CL_INVALID_OPERATION, "there are no sub-groups",
                   [sub_group](World& w) { return sub_group(w, w.mine.kernel); }});
}

void add_argument_queries(Cases& cases) {
  const auto argument = [](World& w, Kernel kernel, cl_uint index, cl_uint name, size_t size) {
    return clGetKernelArgInfo(kernel, index, name, size, w.value(), w.size_ret());
  };
  add_bad_handles<Kernel>(
      cases, "clGetKernelArgInfo", CL_INVALID_KERNEL, "the kernel",
      [argument](World& w, Kernel kernel) { return argument(w, kernel, 0, CL_KERNEL_ARG_NAME, World::kValueBytes); });
  cases.push_back({"clGetKernelArgInfo", CL_INVALID_ARG_INDEX, "beyond the last argument", [argument](World& w) {
                     return argument(w, w.mine.kernel, 1, CL_KERNEL_ARG_NAME, World::kValueBytes);
                   }});
  cases.push_back({"clGetKernelArgInfo", CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "built without it", [argument](World& w) {
                     return argument(w, w.mine.kernel, 0, CL_KERNEL_ARG_NAME, World::kValueBytes);
                   }});
  const auto described = [argument](World& w, cl_uint name, size_t size) {
    const char* text = "kernel void k(global int* out) { *out = 1; }";
    cl_int code = 1;
    Program program = clCreateProgramWithSource(w.mine.context, 1, &text, nullptr, &code);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-cl-kernel-arg-info", nullptr, nullptr), CL_SUCCESS);
    Kernel kernel = clCreateKernel(program, "k", &code);
    EXPECT_EQ(code, CL_SUCCESS);
    code = argument(w, kernel, 0, name, size);
    EXPECT_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    EXPECT_EQ(clReleaseProgram(program), CL_SUCCESS);
    return code;
  };
  cases.push_back({"clGetKernelArgInfo", CL_INVALID_VALUE, "the name is unknown",
                   [described](World& w) { return described(w, 0x7777, World::kValueBytes); }});
  cases.push_back({"clGetKernelArgInfo", CL_INVALID_VALUE, "the buffer is too small",
                   [described](World& w) { return described(w, CL_KERNEL_ARG_NAME, 3); }});
}

/// Arguments of `every`: out, table, scratch, value, three, in, target, s.
enum EveryArgument : cl_uint { kOut, kTable, kScratch, kValue, kThree, kIn, kTarget, kSampler };

void add_arguments(Cases& cases) {
  const auto add = [&](cl_int code, const char* wrong, cl_uint index, size_t size,
                       std::function<const void*(World&)> value) {
    cases.push_back({"clSetKernelArg", code, wrong,
                     [index, size, value](World& w) { return clSetKernelArg(w.every, index, size, value(w)); },
                     kImages});
  };
  const auto null = [](World&) -> const void* { return nullptr; };
  const auto bytes = [](World& w) -> const void* { return w.value(); };
  const auto memory = [](cl_mem World::*member) { return [member](World& w) -> const void* { return &(w.*member); }; };
  constexpr size_t kHandle = sizeof(cl_mem);
  add(CL_INVALID_ARG_INDEX, "beyond the last argument", 8, 4, bytes);
  add(CL_INVALID_ARG_INDEX, "the largest index", ~cl_uint{0}, 4, bytes);
  for (const cl_uint index : {kOut, kTable, kIn, kTarget, kSampler})
    for (const size_t size : {size_t{0}, size_t{4}, size_t{16}})
      add(CL_INVALID_ARG_SIZE, "not the size of a handle", index, size, null);
  for (const size_t size : {size_t{0}, size_t{3}, size_t{8}})
    add(CL_INVALID_ARG_SIZE, "not the size of an int", kValue, size, bytes);
  for (const size_t size : {size_t{4}, size_t{8}, size_t{20}})
    add(CL_INVALID_ARG_SIZE, "not the size of a float3", kThree, size, bytes);
  add(CL_INVALID_ARG_SIZE, "local memory of 0 bytes", kScratch, 0, null);
  add(CL_INVALID_ARG_VALUE, "a value for local memory", kScratch, 64, bytes);
  add(CL_INVALID_ARG_VALUE, "no value", kValue, 4, null);
  add(CL_INVALID_ARG_VALUE, "no image", kIn, kHandle, null);
  add(CL_INVALID_ARG_VALUE, "a write-only image to be read", kIn, kHandle, memory(&World::write_only_image));
  add(CL_INVALID_ARG_VALUE, "a read-only image to be written", kTarget, kHandle, memory(&World::read_only_image));
  add(CL_INVALID_MEM_OBJECT, "an image of another type", kIn, kHandle, memory(&World::image3d));
  add(CL_INVALID_MEM_OBJECT, "a buffer for an image", kIn, kHandle, memory(&World::second_buffer));
  add(CL_INVALID_MEM_OBJECT, "an image for a buffer", kOut, kHandle, memory(&World::image3d));
  add(CL_INVALID_MEM_OBJECT, "a buffer of another context", kOut, kHandle,
      [](World& w) -> const void* { return &w.other.buffer; });
  add(CL_INVALID_MEM_OBJECT, "an image of another context", kIn, kHandle,
      [](World& w) -> const void* { return &w.other.image; });
  add(CL_INVALID_SAMPLER, "a sampler of another context", kSampler, sizeof(cl_sampler),
      [](World& w) -> const void* { return &w.other.sampler; });
  add(CL_INVALID_SAMPLER, "no sampler", kSampler, sizeof(cl_sampler), null);
}

void add_argument_handles(Cases& cases) {
  for (const Bad bad : kEveryBad) {
    const std::string wrong = std::string("a handle that is ") + name_of(bad);
    const auto set = [bad](World& w, cl_uint index) {
      const cl_mem handle = w.bad<cl_mem>(bad);
      return clSetKernelArg(w.every, index, sizeof handle, &handle);
    };
    for (const cl_uint index : {kOut, kTable})
      if (bad != Bad::null)
        cases.push_back({"clSetKernelArg", CL_INVALID_MEM_OBJECT, wrong,
                         [set, index](World& w) { return set(w, index); }, kImages});
    cases.push_back({"clSetKernelArg", CL_INVALID_MEM_OBJECT, wrong, [set](World& w) { return set(w, kIn); }, kImages});
    cases.push_back(
        {"clSetKernelArg", CL_INVALID_SAMPLER, wrong, [set](World& w) { return set(w, kSampler); }, kImages});
  }
}

void add_kernels_of_arguments(Cases& cases) {
  add_bad_handles<Kernel>(cases, "clSetKernelArg", CL_INVALID_KERNEL, "the kernel", [](World& w, Kernel kernel) {
    return clSetKernelArg(kernel, 0, sizeof(cl_mem), &w.mine.buffer);
  });
  add_bad_handles<Kernel>(cases, "clSetKernelArgSVMPointer", CL_INVALID_KERNEL, "the kernel",
                          [](World& w, Kernel kernel) { return clSetKernelArgSVMPointer(kernel, 0, w.value()); });
  cases.push_back({"clSetKernelArgSVMPointer", CL_INVALID_OPERATION, "there is no shared virtual memory",
                   [](World& w) { return clSetKernelArgSVMPointer(w.mine.kernel, 0, w.value()); }});
  add_bad_handles<Kernel>(cases, "clSetKernelExecInfo", CL_INVALID_KERNEL, "the kernel", [](World& w, Kernel kernel) {
    return clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, w.value());
  });
  cases.push_back({"clSetKernelExecInfo", CL_INVALID_OPERATION, "there is no shared virtual memory", [](World& w) {
                     return clSetKernelExecInfo(w.mine.kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, w.value());
                   }});
}

struct Launch {
  Kernel kernel;
  cl_uint dim = 1;
  std::array<size_t, 3> offset{0, 0, 0}, global{64, 1, 1}, local{0, 0, 0};
  bool null_local = false;
};

void add_launches(Cases& cases) {
  const auto run = [](World& w, const Launch& l) {
    return clEnqueueNDRangeKernel(w.mine.queue, l.kernel, l.dim, l.offset.data(), l.global.data(),
                                  l.null_local ? nullptr : l.local.data(), 0, nullptr, w.event());
  };
  const auto add = [&](cl_int code, const char* wrong, Machine machine, auto change) {
    cases.push_back({"clEnqueueNDRangeKernel", code, wrong,
                     [run, change](World& w) {
                       Launch l{w.mine.kernel};
                       l.local = {8, 1, 1};
                       change(w, l);
                       return run(w, l);
                     },
                     machine});
  };
  constexpr Machine kAny = Machine::any;
  add(CL_INVALID_KERNEL_ARGS, "an argument is not set", kAny, [](World& w, Launch& l) { l.kernel = w.unset; });
  add(CL_INVALID_WORK_DIMENSION, "0 dimensions", kAny, [](World&, Launch& l) { l.dim = 0; });
  add(CL_INVALID_WORK_DIMENSION, "4 dimensions", kAny, [](World&, Launch& l) { l.dim = 4; });
  add(CL_INVALID_GLOBAL_OFFSET, "the offset overflows", kAny, [](World&, Launch& l) { l.offset[0] = ~size_t{0} - 62; });
  add(CL_INVALID_GLOBAL_OFFSET, "the last offset overflows", kAny,
      [](World&, Launch& l) { l.dim = 3, l.offset[2] = ~size_t{0}; });
  add(CL_INVALID_WORK_GROUP_SIZE, "a local size of 0", kAny, [](World&, Launch& l) { l.local[0] = 0; });
  add(CL_INVALID_WORK_GROUP_SIZE, "groups that do not divide the range", kAny,
      [](World&, Launch& l) { l.local[0] = 7; });
  add(CL_INVALID_WORK_GROUP_SIZE, "a group that is too large", kAny,
      [](World&, Launch& l) { l.global[0] = l.local[0] = size_t{1} << 20; });
  add(CL_INVALID_WORK_GROUP_SIZE, "a group whose size overflows", kAny, [](World&, Launch& l) {
    l.dim = 2, l.global = l.local = {size_t{1} << 32, size_t{1} << 32, 1};
  });
  add(CL_INVALID_WORK_GROUP_SIZE, "not the required size", kImages,
      [](World& w, Launch& l) { l.kernel = w.required, l.local[0] = 16; });
  add(CL_INVALID_WORK_GROUP_SIZE, "a required size that does not divide the range", kImages,
      [](World& w, Launch& l) { l.kernel = w.required, l.null_local = true, l.global[0] = 60; });
  // The stub's devices take 64 work-items in dimension 2.
  add(CL_INVALID_WORK_ITEM_SIZE, "too many work-items in a dimension", kAny, [](World&, Launch& l) {
    l.dim = 3, l.global = l.local = {1, 1, 128};
  });
  cases.push_back({"clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, "more local memory than any device has",
                   [run](World& w) {
                     EXPECT_EQ(clSetKernelArg(w.local, 0, size_t{1} << 30, nullptr), CL_SUCCESS);
                     Launch l{w.local};
                     l.local = {8, 1, 1};
                     return run(w, l);
                   },
                   kImages});
  add_bad_handles<Kernel>(cases, "clEnqueueNDRangeKernel", CL_INVALID_KERNEL, "the kernel",
                          [run](World& w, Kernel kernel) {
                            Launch l{kernel};
                            l.null_local = true;
                            return run(w, l);
                          });
}

void add_tasks(Cases& cases) {
  const auto task = [](World& w, Kernel kernel) { return clEnqueueTask(w.mine.queue, kernel, 0, nullptr, w.event()); };
  add_bad_handles<Kernel>(cases, "clEnqueueTask", CL_INVALID_KERNEL, "the kernel", task);
  cases.push_back({"clEnqueueTask", CL_INVALID_KERNEL_ARGS, "an argument is not set",
                   [task](World& w) { return task(w, w.unset); }});
  cases.push_back({"clEnqueueTask", CL_INVALID_WORK_GROUP_SIZE, "the kernel requires another size",
                   [task](World& w) { return task(w, w.required); }, kImages});
  cases.push_back({"clEnqueueTask", CL_OUT_OF_RESOURCES, "more local memory than any device has",
                   [task](World& w) {
                     EXPECT_EQ(clSetKernelArg(w.local, 0, size_t{1} << 30, nullptr), CL_SUCCESS);
                     return task(w, w.local);
                   },
                   kImages});
}

}  // namespace

void add_kernel_cases(Cases& cases) {
  add_creation(cases);
  add_kernel_references(cases);
  add_group_queries(cases);
  add_argument_queries(cases);
  add_arguments(cases);
  add_argument_handles(cases);
  add_kernels_of_arguments(cases);
  add_launches(cases);
  add_tasks(cases);
}

}  // namespace skmd::test
