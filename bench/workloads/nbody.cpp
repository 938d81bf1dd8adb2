// SPDX-License-Identifier: Apache-2.0
#include "kernels/nbody.h"
#include "bench/reference/gravity.h"
#include "bench/support/parallel.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 512;

class Nbody : public Workload {
 public:
  Nbody(const Device& device, Size size)
      : device_(device),
        count_(kGroup * by_size<std::size_t>(size, 8, 128, 256, 1024)),
        bodies_(gravity::make(count_)),
        first_positions_(device.host(bodies_.positions)),
        first_velocities_(device.host(bodies_.velocities)),
        positions_(device.host<gravity::Body>(count_)),
        velocities_(device.host<gravity::Body>(count_)),
        program_(device.build(kernels::kNbody)),
        kernel_(program_, "nbody") {
    for (Buffer& buffer : in_) buffer = device.buffer(CL_MEM_READ_ONLY, count_ * sizeof(gravity::Body));
    for (Buffer& buffer : out_) buffer = device.buffer(CL_MEM_WRITE_ONLY, count_ * sizeof(gravity::Body));
  }

  void prepare() override {
    spoil(positions_);
    spoil(velocities_);
  }

  void run() override {
    device_.write(in_[0], first_positions_);
    device_.write(in_[1], first_velocities_);
    kernel_.set(in_[0], in_[1], out_[0], out_[1], static_cast<cl_int>(count_), gravity::kTimeStep, gravity::kSoftening,
                LocalBytes{kGroup * sizeof(gravity::Body)});
    device_.launch(kernel_, range_1d(count_, kGroup));
    device_.read(out_[0], positions_);
    device_.read(out_[1], velocities_);
  }

  /// Outputs are bodies.
  Verdict check() override {
    const Sample sample(count_, static_cast<double>(count_));
    const std::size_t batches = (sample.size() + gravity::kLanes - 1) / gravity::kLanes;
    std::vector<std::string> wrong(batches);
    parallel_for(batches, [&](std::size_t first, std::size_t last) {
      for (std::size_t batch = first; batch < last; ++batch) wrong[batch] = judge(sample, batch);
    });
    for (const std::string& text : wrong) {
      if (!text.empty()) return {sample.kind(), false, text};
    }
    return {sample.kind(), true, ""};
  }

 private:
  std::string judge(const Sample& sample, std::size_t batch) const {
    std::array<std::size_t, gravity::kLanes> which{};
    for (std::size_t lane = 0; lane < which.size(); ++lane) {
      which[lane] = sample.at(std::min(batch * which.size() + lane, sample.size() - 1));
    }
    const gravity::Accelerations pull = gravity::accelerate(bodies_.positions, which);
    for (std::size_t lane = 0; lane < which.size(); ++lane) {
      const std::size_t i = which[lane];
      gravity::Body position = bodies_.positions[i], velocity = bodies_.velocities[i];
      gravity::advance(position, velocity, pull.x[lane], pull.y[lane], pull.z[lane]);
      for (int axis = 0; axis < 3; ++axis) {
        std::string text = judge_near(positions_[i].s[axis], position.s[axis], 1e-5, 1e-6);
        if (text.empty()) text = judge_near(velocities_[i].s[axis], velocity.s[axis], 1e-5, 1e-6);
        if (!text.empty()) return "body " + std::to_string(i) + ": " + text;
      }
    }
    return "";
  }

  const Device& device_;
  std::size_t count_;
  gravity::Bodies bodies_;
  std::span<gravity::Body> first_positions_, first_velocities_, positions_, velocities_;
  Program program_;
  Kernel kernel_;
  Buffer in_[2], out_[2];
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Nbody>(argc, argv, "nbody", "Moves bodies that all attract each other by one step");
}
