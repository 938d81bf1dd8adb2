// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/gravity.h"
#include "bench/support/parallel.h"
#include "bench/workloads/iterate.h"
#include "kernels/nbody.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;
static_assert(kGroup % gravity::kLanes == 0);

class IteratedNbody : public Workload {
 public:
  IteratedNbody(const Device& device, std::size_t count, int steps)
      : device_(device),
        count_(count),
        steps_(steps),
        start_(gravity::make(count)),
        first_positions_(device.host(start_.positions)),
        first_velocities_(device.host(start_.velocities)),
        positions_(device.host<gravity::Body>(count)),
        velocities_(device.host<gravity::Body>(count)),
        program_(device.build(kernels::kNbody)),
        kernel_(program_, "nbody") {
    for (Buffer& buffer : position_buffers_) buffer = device.buffer(CL_MEM_READ_WRITE, count * sizeof(gravity::Body));
    for (Buffer& buffer : velocity_buffers_) buffer = device.buffer(CL_MEM_READ_WRITE, count * sizeof(gravity::Body));
  }

  void prepare() override {
    spoil(positions_);
    spoil(velocities_);
  }

  void run() override {
    device_.write(position_buffers_[0], first_positions_);
    device_.write(velocity_buffers_[0], first_velocities_);
    for (int step = 0; step < steps_; ++step) {
      const int now = step % 2, next = 1 - now;
      kernel_.set(position_buffers_[now], velocity_buffers_[now], position_buffers_[next], velocity_buffers_[next],
                  static_cast<cl_int>(count_), gravity::kTimeStep, gravity::kSoftening,
                  LocalBytes{kGroup * sizeof(gravity::Body)});
      device_.launch(kernel_, range_1d(count_, kGroup));
    }
    device_.read(position_buffers_[steps_ % 2], positions_);
    device_.read(velocity_buffers_[steps_ % 2], velocities_);
  }

  /// The whole history again: count² · steps interactions. Neighbouring paths drift apart slowly, since attraction is
  /// softened.
  Verdict check() override {
    if (end_.positions.empty()) simulate();
    return check_outputs(count_, 1, [this](std::size_t i) {
      const double tolerance = 1e-5 * (1 + 0.1 * steps_);
      std::string wrong;
      for (int axis = 0; axis < 3 && wrong.empty(); ++axis) {
        wrong = judge_near(positions_[i].s[axis], end_.positions[i].s[axis], 0, tolerance);
        if (wrong.empty()) wrong = judge_near(velocities_[i].s[axis], end_.velocities[i].s[axis], 0, tolerance);
      }
      return wrong;
    });
  }

 private:
  void simulate() {
    end_ = start_;
    for (int step = 0; step < steps_; ++step) {
      const std::vector<gravity::Body> now = end_.positions;
      parallel_for(count_ / gravity::kLanes, [&](std::size_t first, std::size_t last) {
        for (std::size_t batch = first; batch < last; ++batch) move(now, batch);
      });
    }
  }

  void move(const std::vector<gravity::Body>& now, std::size_t batch) {
    std::array<std::size_t, gravity::kLanes> which{};
    for (std::size_t lane = 0; lane < which.size(); ++lane) which[lane] = batch * which.size() + lane;
    const gravity::Accelerations pull = gravity::accelerate(now, which);
    for (std::size_t lane = 0; lane < which.size(); ++lane) {
      gravity::advance(end_.positions[which[lane]], end_.velocities[which[lane]], pull.x[lane], pull.y[lane],
                       pull.z[lane]);
    }
  }

  const Device& device_;
  std::size_t count_;
  int steps_;
  gravity::Bodies start_, end_;
  std::span<gravity::Body> first_positions_, first_velocities_, positions_, velocities_;
  Program program_;
  Kernel kernel_;
  Buffer position_buffers_[2], velocity_buffers_[2];
};

}  // namespace

std::unique_ptr<Workload> make_iterated_nbody(const Device& device, std::size_t size, int steps) {
  require_multiple(size, kGroup, std::size_t{1} << 24);
  return std::make_unique<IteratedNbody>(device, size, steps);
}

}  // namespace bench
