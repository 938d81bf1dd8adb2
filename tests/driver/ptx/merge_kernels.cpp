// SPDX-License-Identifier: Apache-2.0
// Merge kernels on an NVIDIA GPU, without the driver around them: each kernel runs over two pre-images; what it left on
// the first is replayed onto the second and must give what it left on the second. Bytes that it does not store differ,
// so a byte copied too many or too few shows.
// usage: merge_kernels KERNELS.cl PTX CASES, as merge_kernels_test.py makes them. Exit status 77: there is no such GPU.
//        merge_kernels KERNELS.cl - CASES runs each kernel twice on the first device there is, and prints what it
//        leaves: as an application for the driver, whose result must be the vendor's.
#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/client/merge_record.h"

namespace {

using skmd::compiler::MergeRecord;
using skmd::compiler::MergeView;
using Words = std::vector<cl_uint>;

constexpr std::size_t kWords = 4096;
constexpr std::size_t kBytes = kWords * sizeof(cl_uint);
constexpr std::size_t kLocal = 256;

struct Case {
  std::string name;
  cl_uint dimensions = 1;
  std::array<std::size_t, 3> global{1, 1, 1}, local{1, 1, 1}, offset{0, 0, 0};
};

void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return text.str();
}

cl_device_id nvidia_gpu() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (cl_platform_id platform : platforms) {
    cl_device_id device = nullptr;
    char vendor[256] = {};
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr) != CL_SUCCESS) continue;
    check(clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof vendor - 1, vendor, nullptr), "clGetDeviceInfo");
    if (std::strcmp(vendor, "NVIDIA Corporation") == 0) return device;
  }
  return nullptr;
}

class Gpu {
 public:
  Gpu(cl_device_id device, const std::string& source, const std::string& ptx) : device_(device) {
    cl_int code = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    check(code, "clCreateCommandQueue");
    const char* text = source.c_str();
    const std::size_t bytes = source.size();
    kernels_ = clCreateProgramWithSource(context_, 1, &text, &bytes, &code);
    check(code, "clCreateProgramWithSource");
    build(kernels_);
    if (ptx.empty()) return;
    const std::size_t length = ptx.size();
    const auto* content = reinterpret_cast<const unsigned char*>(ptx.data());
    cl_int status = CL_SUCCESS;
    merges_ = clCreateProgramWithBinary(context_, 1, &device_, &length, &content, &status, &code);
    check(code != CL_SUCCESS ? code : status, "clCreateProgramWithBinary");
    build(merges_);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu() {
    for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    clReleaseProgram(kernels_);
    if (merges_ != nullptr) clReleaseProgram(merges_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  cl_mem buffer(const Words& words) {
    cl_int code = CL_SUCCESS;
    cl_mem made = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes,
                                 const_cast<cl_uint*>(words.data()), &code);
    check(code, "clCreateBuffer");
    buffers_.push_back(made);
    return made;
  }
  Words content(cl_mem buffer) {
    Words words(kWords);
    check(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, kBytes, words.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return words;
  }

  void run(const Case& what, const std::vector<cl_mem>& arguments) {
    cl_kernel kernel = make(kernels_, what.name);
    for (cl_uint i = 0; i < arguments.size(); ++i) set(kernel, i, sizeof(cl_mem), &arguments[i]);
    const cl_uint n = kWords;
    set(kernel, static_cast<cl_uint>(arguments.size()), sizeof n, &n);
    check(clEnqueueNDRangeKernel(queue_, kernel, what.dimensions, what.offset.data(), what.global.data(),
                                 what.local.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    clReleaseKernel(kernel);
  }

  /// `results`: of the first two arguments.
  void merge(const Case& what, const std::vector<cl_mem>& arguments, const std::array<cl_mem, 2>& results,
             std::uint64_t first, std::uint64_t last) {
    cl_kernel kernel = make(merges_, skmd::compiler::merge_kernel(what.name));
    cl_uint parameter = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const cl_mem result = i < results.size() ? results[i] : nullptr;
      set(kernel, parameter++, sizeof(cl_mem), &arguments[i]);
      set(kernel, parameter++, sizeof(cl_mem), &result);
    }
    const cl_uint n = kWords;
    set(kernel, parameter++, sizeof n, &n);
    const std::vector<std::byte> record = record_of(what, arguments.size(), first, last);
    set(kernel, parameter, record.size(), record.data());
    const std::size_t items = (last - first) * what.local[0] * what.local[1] * what.local[2];
    const std::size_t global = (items + kLocal - 1) / kLocal * kLocal;
    if (global != 0)
      check(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &kLocal, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel of the merge");
    clReleaseKernel(kernel);
  }

 private:
  static std::vector<std::byte> record_of(const Case& what, std::size_t buffers, std::uint64_t first,
                                          std::uint64_t last) {
    MergeRecord record;
    record.work_dim = what.dimensions;
    for (std::size_t d = 0; d < 3; ++d) {
      record.global_offset[d] = what.offset[d];
      record.global_size[d] = what.global[d];
      record.local_size[d] = what.local[d];
      record.group_count[d] = what.global[d] / what.local[d];
    }
    record.first = first;
    record.last = last;
    std::vector<MergeView> views(buffers + 1, MergeView{0, kBytes});
    views.back() = {};
    std::vector<std::byte> bytes(sizeof record);
    std::memcpy(bytes.data(), &record, sizeof record);
    const auto shown = std::as_bytes(std::span(views));
    bytes.insert(bytes.end(), shown.begin(), shown.end());
    return bytes;
  }
  void build(cl_program program) {
    const cl_int code = clBuildProgram(program, 1, &device_, "", nullptr, nullptr);
    if (code == CL_SUCCESS) return;
    std::string log(65536, '\0');
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    std::cerr << log.c_str() << "\n";
    check(code, "clBuildProgram");
  }
  static cl_kernel make(cl_program program, const std::string& name) {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name.c_str(), &code);
    check(code, ("clCreateKernel of " + name).c_str());
    return kernel;
  }
  static void set(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
    check(clSetKernelArg(kernel, index, bytes, value), ("clSetKernelArg " + std::to_string(index)).c_str());
  }

  cl_device_id device_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program kernels_ = nullptr, merges_ = nullptr;
  std::vector<cl_mem> buffers_;
};

std::vector<Case> cases_of(const char* path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  Case next;
  while (file >> next.name >> next.dimensions) {
    for (auto* sizes : {&next.global, &next.local, &next.offset})
      for (std::size_t& size : *sizes) file >> size;
    cases.push_back(next);
  }
  return cases;
}

Words random_words(std::mt19937& random, cl_uint below) {
  Words words(kWords);
  for (cl_uint& word : words)
    word = below == 0 ? static_cast<cl_uint>(random()) : static_cast<cl_uint>(random()) % below;
  return words;
}

Words permutation(std::mt19937& random) {
  Words words(kWords);
  for (cl_uint i = 0; i < kWords; ++i) words[i] = i;
  for (std::size_t i = kWords; i-- > 1;) std::swap(words[i], words[random() % (i + 1)]);
  return words;
}

/// "" if the case is right.
std::string try_case(Gpu& gpu, const Case& what, std::mt19937& random) {
  const cl_mem perm = gpu.buffer(permutation(random));
  const cl_mem data = gpu.buffer(random_words(random, kWords));
  std::array<Words, 2> before{random_words(random, 0), random_words(random, 0)};
  // Also what a kernel leaves as it is must differ.
  std::array<cl_mem, 2> first{gpu.buffer(before[0]), gpu.buffer(before[1])};
  for (Words& words : before)
    for (cl_uint& word : words) word = ~word;
  std::array<cl_mem, 2> second{gpu.buffer(before[0]), gpu.buffer(before[1])};
  std::array<cl_mem, 2> merged{gpu.buffer(before[0]), gpu.buffer(before[1])};
  gpu.run(what, {first[0], first[1], perm, data});
  gpu.run(what, {second[0], second[1], perm, data});
  std::uint64_t groups = 1;
  for (std::size_t d = 0; d < 3; ++d) groups *= what.global[d] / what.local[d];
  const std::uint64_t cut = groups / 3;
  gpu.merge(what, {merged[0], merged[1], perm, data}, first, cut, groups);
  const bool half =
      cut > 0 && gpu.content(merged[0]) == gpu.content(second[0]) && gpu.content(merged[1]) == gpu.content(second[1]);
  gpu.merge(what, {merged[0], merged[1], perm, data}, first, 0, cut);
  if (half) return "two thirds of the groups did all that there is to do";
  for (std::size_t b = 0; b < 2; ++b)
    if (gpu.content(merged[b]) != gpu.content(second[b])) return "wrong bytes in argument " + std::to_string(b);
  return "";
}

std::uint64_t digest(const Words& words) {
  std::uint64_t sum = 0xCBF29CE484222325u;
  for (const cl_uint word : words) sum = (sum ^ word) * 0x100000001B3u;
  return sum;
}

int run_plainly(char** arguments) {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  Gpu gpu(device, read(arguments[1]), "");
  std::mt19937 random(20150314);
  for (const Case& what : cases_of(arguments[3])) {
    const cl_mem perm = gpu.buffer(permutation(random));
    const cl_mem data = gpu.buffer(random_words(random, kWords));
    const cl_mem out = gpu.buffer(random_words(random, 0));
    const cl_mem more = gpu.buffer(random_words(random, 0));
    // The second time, results lie where the first merge left them.
    for (int time = 0; time < 2; ++time) gpu.run(what, {out, more, perm, data});
    std::cout << what.name << std::hex << " " << digest(gpu.content(out)) << " " << digest(gpu.content(more))
              << std::dec << "\n";
  }
  return 0;
}

int run(char** arguments) {
  cl_device_id device = nvidia_gpu();
  if (device == nullptr) {
    std::cout << "no NVIDIA GPU\n";
    return 77;
  }
  const std::string ptx = read(arguments[2]);
  Gpu gpu(device, read(arguments[1]), ptx);
  std::mt19937 random(20150314);
  int failures = 0;
  int right = 0;
  for (const Case& what : cases_of(arguments[3])) {
    if (ptx.find(".entry " + skmd::compiler::merge_kernel(what.name) + "(") == std::string::npos) continue;
    const std::string wrong = try_case(gpu, what, random);
    if (wrong.empty()) {
      ++right;
      continue;
    }
    ++failures;
    std::cout << what.name << ": " << wrong << "\n";
  }
  std::cout << right << " merge kernels right, " << failures << " wrong\n";
  return failures == 0 && right > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: merge_kernels KERNELS.cl PTX CASES\n";
    return 2;
  }
  try {
    return std::strcmp(argv[2], "-") == 0 ? run_plainly(argv) : run(argv);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
    return 1;
  }
}
