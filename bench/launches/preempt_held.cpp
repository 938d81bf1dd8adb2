// SPDX-License-Identifier: Apache-2.0
// Few work-groups that take long each, launched when standard input says so.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "bench/launches/preempt_file.h"
#include "bench/support/opencl.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSource = R"(
kernel void hold(global uint* out, global const uint* in, uint words, uint rounds) {
  uint x = in[get_global_id(0)];
  for (uint k = 0; k < rounds; ++k) x = (x ^ in[(get_global_id(0) + k) % words]) * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}
)";
constexpr std::size_t kGroup = 64, kItems = 8 * kGroup;
constexpr cl_uint kFewRounds = 100000, kMaxRounds = 2000000000;

class Held {
 public:
  Held(const std::string& selector, double long_seconds, int mib)
      : device_(selector),
        words_((static_cast<std::size_t>(mib) << 20) / sizeof(cl_uint)),
        in_(device_.buffer(CL_MEM_READ_WRITE, words_ * sizeof(cl_uint))),
        out_(device_.buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint))),
        program_(device_.build(kSource)),
        kernel_(program_, "hold") {
    std::vector<cl_uint> values(words_);
    cl_uint value = 1;
    for (cl_uint& word : values) word = value = value * 1664525u + 1013904223u;
    device_.write(in_, device_.host(std::move(values)));
    check_call(clFinish(device_.queue()), "clFinish");
    rounds_ = kFewRounds;
    double shortest = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
      const auto begin = Clock::now();
      this->begin();
      check_call(clFinish(device_.queue()), "clFinish");
      shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    rounds_ = static_cast<cl_uint>(std::clamp(kFewRounds * long_seconds / shortest, 1.0, double{kMaxRounds}));
  }

  void begin() {
    kernel_.set(out_, in_, static_cast<cl_uint>(words_), rounds_);
    device_.launch(kernel_, range_1d(kItems, kGroup));
    check_call(clFlush(device_.queue()), "clFlush");
  }
  void end(const std::string& file) {
    std::vector<cl_uint> result(kItems);
    device_.read(out_, result);
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(result.data()),
                 static_cast<std::streamsize>(result.size() * sizeof(cl_uint)));
    if (!stream.flush()) throw std::runtime_error("cannot write " + file);
  }

 private:
  Device device_;
  const std::size_t words_;
  Buffer in_, out_;
  Program program_;
  Kernel kernel_;
  cl_uint rounds_ = 0;
};

}  // namespace

int hold_launches(const std::string& selector, double long_seconds, int mib) {
  Held held(selector, long_seconds, mib);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, file;
    words >> word >> file;
    if (word == "begin") held.begin();
    if (word == "end") held.end(file);
    std::cout << "{\"ok\":true}" << std::endl;
  }
  return 0;
}

}  // namespace bench
