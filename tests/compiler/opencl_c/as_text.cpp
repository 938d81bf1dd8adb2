// SPDX-License-Identifier: Apache-2.0
// Preloaded into an OpenCL application: its kernels are built from the OpenCL C text that skmd-compile --opencl-c makes
// of its programs. A kernel without text stays the application's own.
//   AS_TEXT_COMPILER: skmd-compile
//   AS_TEXT_LOG: a file that gets a line for each kernel: "text NAME" or "own NAME", and all that skmd-compile says
#include <CL/cl.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace {

struct Program {
  cl_context context = nullptr;
  std::string source;
  cl_program text = nullptr;
};

std::mutex lock;
std::map<cl_program, Program> programs;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void log(const std::string& line) {
  if (const char* file = std::getenv("AS_TEXT_LOG")) std::ofstream(file, std::ios::app) << line << "\n";
}

std::string content(const std::string& file) {
  std::stringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

/// What skmd-compile prints for `source`; its options are those of a shell's words.
std::string text_of(const std::string& source, const std::string& options) {
  const skmd::test::TemporaryFolder folder;
  std::ofstream(folder.file("program.cl")) << source;
  const std::string command = std::string(std::getenv("AS_TEXT_COMPILER")) + " --opencl-c " +
                              folder.file("program.cl") + " " + options + " > " + folder.file("text.cl") + " 2> " +
                              folder.file("messages") + " < /dev/null";
  // The compiler is not to be such an application.
  ::unsetenv("LD_PRELOAD");
  const int status = std::system(command.c_str());
  if (status != 0)
    log("skmd-compile gave " + std::to_string(WEXITSTATUS(status)) + ": " + content(folder.file("messages")));
  return content(folder.file("text.cl"));
}

/// Options that still mean something for a text without macros.
std::string options_for_text(const std::string& options) {
  std::istringstream words(options);
  std::string kept;
  for (std::string word; words >> word;)
    if (word.rfind("-cl-", 0) == 0 && word != "-cl-kernel-arg-info") kept += word + " ";
  return kept;
}

void build_text(Program& program, const std::string& options, cl_uint count, const cl_device_id* devices) {
  const std::string text = text_of(program.source, options);
  if (text.empty()) return;
  const char* string = text.c_str();
  cl_int status = CL_SUCCESS;
  cl_program made = next<decltype(clCreateProgramWithSource)>("clCreateProgramWithSource")(program.context, 1, &string,
                                                                                           nullptr, &status);
  if (status == CL_SUCCESS)
    status = next<decltype(clBuildProgram)>("clBuildProgram")(made, count, devices, options_for_text(options).c_str(),
                                                              nullptr, nullptr);
  if (status == CL_SUCCESS) {
    program.text = made;
    return;
  }
  cl_device_id device = nullptr;
  (void)clGetProgramInfo(made, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr);
  std::vector<char> messages(1 << 16);
  (void)clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, messages.size() - 1, messages.data(), nullptr);
  log("the text is not built: " + std::to_string(status) + ": " + messages.data() + "\n" + text);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings, const size_t* lengths,
                                     cl_int* status) {
  cl_program made =
      next<decltype(clCreateProgramWithSource)>("clCreateProgramWithSource")(context, count, strings, lengths, status);
  if (made == nullptr) return made;
  Program program{context, {}, nullptr};
  for (cl_uint i = 0; i < count; ++i)
    program.source += lengths != nullptr && lengths[i] != 0 ? std::string(strings[i], lengths[i]) : strings[i];
  const std::lock_guard guard(lock);
  programs[made] = std::move(program);
  return made;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  {
    const std::lock_guard guard(lock);
    if (const auto found = programs.find(program); found != programs.end())
      build_text(found->second, options == nullptr ? "" : options, count, devices);
  }
  return next<decltype(clBuildProgram)>("clBuildProgram")(program, count, devices, options, notify, data);
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* status) {
  const auto create = next<decltype(clCreateKernel)>("clCreateKernel");
  const std::lock_guard guard(lock);
  const auto found = programs.find(program);
  if (found != programs.end() && found->second.text != nullptr) {
    cl_int result = CL_SUCCESS;
    if (cl_kernel made = create(found->second.text, name, &result); result == CL_SUCCESS) {
      if (status != nullptr) *status = CL_SUCCESS;
      log(std::string("text ") + name);
      return made;
    }
  }
  log(std::string("own ") + name);
  return create(program, name, status);
}

}  // extern "C"
#pragma GCC visibility pop
