// SPDX-License-Identifier: Apache-2.0
// Programs: made, built, compiled, linked, asked about.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

using Program = cl_program;

const char* const kText = "kernel void k(global int* out) { *out = 1; }";

void CL_CALLBACK never(cl_program, void*) { ADD_FAILURE() << "a refused callback was called"; }

void add_sources(Cases& cases) {
  const auto source = [](World& w, cl_context context, cl_uint count, const char** strings) {
    return w.made(clCreateProgramWithSource(context, count, strings, nullptr, w.code()));
  };
  add_bad_handles<cl_context>(cases, "clCreateProgramWithSource", CL_INVALID_CONTEXT, "the context",
                              [source](World& w, cl_context context) {
                                const char* text = kText;
                                return source(w, context, 1, &text);
                              });
  cases.push_back({"clCreateProgramWithSource", CL_INVALID_VALUE, "no strings", [source](World& w) {
                     const char* text = kText;
                     return source(w, w.mine.context, 0, &text);
                   }});
  cases.push_back({"clCreateProgramWithSource", CL_INVALID_VALUE, "the strings are NULL",
                   [source](World& w) { return source(w, w.mine.context, 1, nullptr); }});
  cases.push_back({"clCreateProgramWithSource", CL_INVALID_VALUE, "a string is NULL", [source](World& w) {
                     const char* text[2] = {kText, nullptr};
                     return source(w, w.mine.context, 2, text);
                   }});
  const auto il = [](World& w, cl_context context) {
    const cl_uint words[2] = {0x07230203, 0x00010000};
    return w.made(clCreateProgramWithIL(context, words, sizeof words, w.code()));
  };
  add_bad_handles<cl_context>(cases, "clCreateProgramWithIL", CL_INVALID_CONTEXT, "the context", il);
  cases.push_back({"clCreateProgramWithIL", CL_INVALID_OPERATION, "the device takes none",
                   [il](World& w) { return il(w, w.mine.context); }});
  const auto built_in = [](World& w, cl_context context, cl_uint count, const cl_device_id* devices,
                           const char* names) {
    return w.made(clCreateProgramWithBuiltInKernels(context, count, devices, names, w.code()));
  };
  add_bad_handles<cl_context>(
      cases, "clCreateProgramWithBuiltInKernels", CL_INVALID_CONTEXT, "the context",
      [built_in](World& w, cl_context context) { return built_in(w, context, 1, &w.device, "k"); });
  add_bad_handles<cl_device_id>(
      cases, "clCreateProgramWithBuiltInKernels", CL_INVALID_DEVICE, "the device",
      [built_in](World& w, cl_device_id device) { return built_in(w, w.mine.context, 1, &device, "k"); });
  cases.push_back({"clCreateProgramWithBuiltInKernels", CL_INVALID_VALUE, "no devices",
                   [built_in](World& w) { return built_in(w, w.mine.context, 0, &w.device, "k"); }});
  cases.push_back({"clCreateProgramWithBuiltInKernels", CL_INVALID_VALUE, "the devices are NULL",
                   [built_in](World& w) { return built_in(w, w.mine.context, 1, nullptr, "k"); }});
  cases.push_back({"clCreateProgramWithBuiltInKernels", CL_INVALID_VALUE, "the names are NULL",
                   [built_in](World& w) { return built_in(w, w.mine.context, 1, &w.device, nullptr); }});
  cases.push_back({"clCreateProgramWithBuiltInKernels", CL_INVALID_VALUE, "there is no such kernel",
                   [built_in](World& w) { return built_in(w, w.mine.context, 1, &w.device, "k"); }});
}

void add_binaries(Cases& cases) {
  struct Binary {
    cl_int code;
    const char* wrong;
    cl_uint count;
    bool devices, lengths, binaries, null_binary;
    size_t bytes;
  };
  const auto create = [](World& w, cl_context context, const cl_device_id* devices, const Binary& b) {
    static constexpr unsigned char kGarbage[256] = {'S', 'K', 'M', 'D'};
    const unsigned char* binary = b.null_binary ? nullptr : kGarbage;
    return w.made(clCreateProgramWithBinary(context, b.count, devices, b.lengths ? &b.bytes : nullptr,
                                            b.binaries ? &binary : nullptr, nullptr, w.code()));
  };
  const Binary good{CL_INVALID_BINARY, "garbage", 1, true, true, true, false, 256};
  for (const Binary& b : {good, Binary{CL_INVALID_BINARY, "one byte", 1, true, true, true, false, 1},
                          Binary{CL_INVALID_VALUE, "no devices", 0, true, true, true, false, 256},
                          Binary{CL_INVALID_VALUE, "the devices are NULL", 1, false, true, true, false, 256},
                          Binary{CL_INVALID_VALUE, "the lengths are NULL", 1, true, false, true, false, 256},
                          Binary{CL_INVALID_VALUE, "the binaries are NULL", 1, true, true, false, false, 256},
                          Binary{CL_INVALID_VALUE, "a binary is NULL", 1, true, true, true, true, 256},
                          Binary{CL_INVALID_VALUE, "a binary of 0 bytes", 1, true, true, true, false, 0}})
    cases.push_back({"clCreateProgramWithBinary", b.code, b.wrong,
                     [create, b](World& w) { return create(w, w.mine.context, b.devices ? &w.device : nullptr, b); }});
  add_bad_handles<cl_context>(
      cases, "clCreateProgramWithBinary", CL_INVALID_CONTEXT, "the context",
      [create, good](World& w, cl_context context) { return create(w, context, &w.device, good); });
  add_bad_handles<cl_device_id>(
      cases, "clCreateProgramWithBinary", CL_INVALID_DEVICE, "the device",
      [create, good](World& w, cl_device_id device) { return create(w, w.mine.context, &device, good); });
}

/// Building and compiling have their lists and callbacks in common.
template <class Call>
void add_build_arguments(Cases& cases, const char* function, Call call) {
  add_bad_handles<Program>(cases, function, CL_INVALID_PROGRAM, "the program",
                           [call](World&, Program program) { return call(program, 0, nullptr, "", nullptr, nullptr); });
  add_bad_handles<cl_device_id>(
      cases, function, CL_INVALID_DEVICE, "the device",
      [call](World& w, cl_device_id device) { return call(w.unbuilt, 1, &device, "", nullptr, nullptr); });
  cases.push_back({function, CL_INVALID_VALUE, "0 devices with a list",
                   [call](World& w) { return call(w.unbuilt, 0, &w.device, "", nullptr, nullptr); }});
  cases.push_back({function, CL_INVALID_VALUE, "a device without a list",
                   [call](World& w) { return call(w.unbuilt, 1, nullptr, "", nullptr, nullptr); }});
  cases.push_back({function, CL_INVALID_VALUE, "user_data without a function",
                   [call](World& w) { return call(w.unbuilt, 0, nullptr, "", nullptr, &w); }});
  cases.push_back({function, CL_INVALID_OPERATION, "kernels of the program exist",
                   [call](World& w) { return call(w.mine.program, 0, nullptr, "", never, nullptr); }});
}

/// A program of its own, since these calls leave the status that they are asked for.
template <class Call>
cl_int with_program(World& w, const char* text, Call call) {
  cl_int code = 1;
  Program program = clCreateProgramWithSource(w.mine.context, 1, &text, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  code = call(program);
  EXPECT_EQ(clReleaseProgram(program), CL_SUCCESS);
  return code;
}

constexpr const char* kUnlisted =
    "-cl-fp32-correctly-rounded-divide-sqrt";  // not in the stub's CL_DEVICE_SINGLE_FP_CONFIG

void add_builds(Cases& cases) {
  const auto build = [](Program program, cl_uint count, const cl_device_id* devices, const char* options,
                        void(CL_CALLBACK * notify)(Program, void*),
                        void* data) { return clBuildProgram(program, count, devices, options, notify, data); };
  add_build_arguments(cases, "clBuildProgram", build);
  for (const char* options : {"-no-such-option", "-cl-std=CL2.0", "-D", kUnlisted,
                              "-DX -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"})
    cases.push_back({"clBuildProgram", CL_INVALID_BUILD_OPTIONS, options, [build, options](World& w) {
                       return with_program(w, kText, [&](Program program) {
                         return build(program, 0, nullptr, options, nullptr, nullptr);
                       });
                     }});
  cases.push_back({"clBuildProgram", CL_BUILD_PROGRAM_FAILURE, "the source is wrong", [build](World& w) {
                     return with_program(w, "kernel void k( {", [&](Program program) {
                       return build(program, 0, nullptr, "", nullptr, nullptr);
                     });
                   }});
  const auto compile = [](Program program, cl_uint count, const cl_device_id* devices, const char* options,
                          void(CL_CALLBACK * notify)(Program, void*), void* data) {
    return clCompileProgram(program, count, devices, options, 0, nullptr, nullptr, notify, data);
  };
  add_build_arguments(cases, "clCompileProgram", compile);
  for (const char* options : {"-no-such-option", kUnlisted})
    cases.push_back({"clCompileProgram", CL_INVALID_COMPILER_OPTIONS, options, [compile, options](World& w) {
                       return with_program(w, kText, [&](Program program) {
                         return compile(program, 0, nullptr, options, nullptr, nullptr);
                       });
                     }});
  cases.push_back({"clCompileProgram", CL_COMPILE_PROGRAM_FAILURE, "the source is wrong", [compile](World& w) {
                     return with_program(w, "void f( {", [&](Program program) {
                       return compile(program, 0, nullptr, "", nullptr, nullptr);
                     });
                   }});
}

void add_headers(Cases& cases) {
  const auto compile = [](World& w, cl_uint count, const Program* headers, const char** names) {
    return clCompileProgram(w.unbuilt, 0, nullptr, "", count, headers, names, nullptr, nullptr);
  };
  cases.push_back({"clCompileProgram", CL_INVALID_VALUE, "headers without names",
                   [compile](World& w) { return compile(w, 1, &w.failed, nullptr); }});
  cases.push_back({"clCompileProgram", CL_INVALID_VALUE, "names without headers", [compile](World& w) {
                     const char* name = "h";
                     return compile(w, 1, nullptr, &name);
                   }});
  cases.push_back({"clCompileProgram", CL_INVALID_VALUE, "lists of 0 headers", [compile](World& w) {
                     const char* name = "h";
                     return compile(w, 0, &w.failed, &name);
                   }});
  cases.push_back({"clCompileProgram", CL_INVALID_VALUE, "a name is NULL", [compile](World& w) {
                     const char* name = nullptr;
                     return compile(w, 1, &w.failed, &name);
                   }});
  add_bad_handles<Program>(cases, "clCompileProgram", CL_INVALID_PROGRAM, "a header",
                           [compile](World& w, Program header) {
                             const char* name = "h";
                             return compile(w, 1, &header, &name);
                           });
}

void add_links(Cases& cases) {
  struct Link {
    cl_uint devices = 0;
    const cl_device_id* device_list = nullptr;
    const char* options = "";
    cl_uint count = 1;
    const Program* inputs = nullptr;
    void* data = nullptr;
  };
  const auto link = [](World& w, cl_context context, const Link& l) {
    return w.made(
        clLinkProgram(context, l.devices, l.device_list, l.options, l.count, l.inputs, nullptr, l.data, w.code()));
  };
  const auto add = [&](cl_int code, const char* wrong, std::function<void(World&, Link&)> change) {
    cases.push_back({"clLinkProgram", code, wrong, [link, change](World& w) {
                       Link l;
                       l.inputs = &w.compiled;
                       change(w, l);
                       return link(w, w.mine.context, l);
                     }});
  };
  add_bad_handles<cl_context>(cases, "clLinkProgram", CL_INVALID_CONTEXT, "the context",
                              [link](World& w, cl_context context) {
                                Link l;
                                l.inputs = &w.compiled;
                                return link(w, context, l);
                              });
  add_bad_handles<cl_device_id>(cases, "clLinkProgram", CL_INVALID_DEVICE, "the device",
                                [link](World& w, cl_device_id device) {
                                  Link l;
                                  l.inputs = &w.compiled;
                                  l.devices = 1, l.device_list = &device;
                                  return link(w, w.mine.context, l);
                                });
  add_bad_handles<Program>(cases, "clLinkProgram", CL_INVALID_PROGRAM, "an input", [link](World& w, Program input) {
    const Program list[2] = {w.compiled, input};
    Link l;
    l.count = 2, l.inputs = list;
    return link(w, w.mine.context, l);
  });
  add(CL_INVALID_VALUE, "0 devices with a list", [](World& w, Link& l) { l.device_list = &w.device; });
  add(CL_INVALID_VALUE, "a device without a list", [](World&, Link& l) { l.devices = 1; });
  add(CL_INVALID_VALUE, "no inputs", [](World&, Link& l) { l.count = 0; });
  add(CL_INVALID_VALUE, "the inputs are NULL", [](World&, Link& l) { l.inputs = nullptr; });
  add(CL_INVALID_VALUE, "user_data without a function", [](World& w, Link& l) { l.data = &w; });
  add(CL_INVALID_LINKER_OPTIONS, "an unknown option", [](World&, Link& l) { l.options = "-no-such-option"; });
  add(CL_INVALID_LINKER_OPTIONS, "a compiler's option", [](World&, Link& l) { l.options = "-DX"; });
  add(CL_INVALID_OPERATION, "an input was never compiled", [](World& w, Link& l) { l.inputs = &w.unbuilt; });
  add(CL_INVALID_OPERATION, "an input is an executable", [](World& w, Link& l) { l.inputs = &w.mine.program; });
  add(CL_INVALID_OPERATION, "an input failed to build", [](World& w, Link& l) { l.inputs = &w.failed; });
}

void add_refused_link(Cases& cases) {
  cases.push_back(
      {"clLinkProgram", CL_LINK_PROGRAM_FAILURE, "the vendors refuse it", [](World& w) {
         return with_program(
             w, "constant char text[] = \"#error\"; kernel void k(global int* out) { *out = text[0]; }",
             [&](Program unit) {
               EXPECT_EQ(clCompileProgram(unit, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
               cl_int code = 1;
               Program made = clLinkProgram(w.mine.context, 0, nullptr, "", 1, &unit, nullptr, nullptr, &code);
               EXPECT_NE(made, nullptr) << "it holds the log";
               if (made != nullptr) clReleaseProgram(made);
               return code;
             });
       }});
}

void add_program_calls(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_PROGRAM;
  add_bad_handles<Program>(cases, "clRetainProgram", kBad, "the program",
                           [](World&, Program program) { return clRetainProgram(program); });
  add_bad_handles<Program>(cases, "clReleaseProgram", kBad, "the program",
                           [](World&, Program program) { return clReleaseProgram(program); });
  add_bad_handles<Program>(cases, "clGetProgramInfo", kBad, "the program", [](World& w, Program program) {
    return clGetProgramInfo(program, CL_PROGRAM_CONTEXT, World::kValueBytes, w.value(), w.size_ret());
  });
  add_bad_queries(cases, "clGetProgramInfo", CL_PROGRAM_SOURCE,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetProgramInfo(w.mine.program, name, size, value, size_ret);
                  });
  cases.push_back({"clGetProgramInfo", CL_INVALID_VALUE, "no room for the pointer to a binary", [](World& w) {
                     return clGetProgramInfo(w.mine.program, CL_PROGRAM_BINARIES, 1, w.value(), w.size_ret());
                   }});
  for (const cl_program_info name : {CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES})
    for (Program World::*program : {&World::unbuilt, &World::compiled, &World::failed})
      cases.push_back(
          {"clGetProgramInfo", CL_INVALID_PROGRAM_EXECUTABLE, "there is no executable", [name, program](World& w) {
             return clGetProgramInfo(w.*program, name, World::kValueBytes, w.value(), w.size_ret());
           }});
  add_bad_handles<Program>(cases, "clGetProgramBuildInfo", kBad, "the program", [](World& w, Program program) {
    return clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, World::kValueBytes, w.value(),
                                 w.size_ret());
  });
  add_bad_handles<cl_device_id>(cases, "clGetProgramBuildInfo", CL_INVALID_DEVICE, "the device",
                                [](World& w, cl_device_id device) {
                                  return clGetProgramBuildInfo(w.mine.program, device, CL_PROGRAM_BUILD_STATUS,
                                                               World::kValueBytes, w.value(), w.size_ret());
                                });
  add_bad_queries(cases, "clGetProgramBuildInfo", CL_PROGRAM_BUILD_STATUS,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetProgramBuildInfo(w.mine.program, w.device, name, size, value, size_ret);
                  });
  add_bad_handles<Program>(cases, "clSetProgramReleaseCallback", kBad, "the program", [](World&, Program program) {
    return clSetProgramReleaseCallback(program, never, nullptr);
  });
  cases.push_back({"clSetProgramReleaseCallback", CL_INVALID_OPERATION, "no program has destructors",
                   [](World& w) { return clSetProgramReleaseCallback(w.mine.program, never, nullptr); }});
  add_bad_handles<Program>(
      cases, "clSetProgramSpecializationConstant", kBad, "the program",
      [](World& w, Program program) { return clSetProgramSpecializationConstant(program, 0, 4, w.value()); });
  cases.push_back({"clSetProgramSpecializationConstant", kBad, "a program made from source",
                   [](World& w) { return clSetProgramSpecializationConstant(w.mine.program, 0, 4, w.value()); }});
  cases.push_back(
      {"clSetProgramSpecializationConstant", CL_INVALID_OPERATION, "a program made by linking", [](World& w) {
         cl_int code = 1;
         Program linked = clLinkProgram(w.mine.context, 0, nullptr, "", 1, &w.compiled, nullptr, nullptr, &code);
         EXPECT_EQ(code, CL_SUCCESS);
         code = clSetProgramSpecializationConstant(linked, 0, 4, w.value());
         EXPECT_EQ(clReleaseProgram(linked), CL_SUCCESS);
         return code;
       }});
}

}  // namespace

void add_program_cases(Cases& cases) {
  add_sources(cases);
  add_binaries(cases);
  add_builds(cases);
  add_headers(cases);
  add_links(cases);
  add_refused_link(cases);
  add_program_calls(cases);
}

}  // namespace skmd::test
