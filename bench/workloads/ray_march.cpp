// SPDX-License-Identifier: Apache-2.0
#include "kernels/ray_march.h"

#include <algorithm>
#include <atomic>

#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr int kSpheres = 12;
constexpr int kSteps = 96;
constexpr float kNear = 1e-3f, kFar = 40.0f;

constexpr double kBlur = 2e-3;  // what rounding may move a place, relative to its distance from the eye
constexpr double kCost = 4000;

std::vector<cl_float4> make_scene() {
  Random random(5);
  std::vector<cl_float4> scene(kSpheres);
  for (cl_float4& sphere : scene) {
    sphere = {{random.uniform(-4, 4), random.uniform(-0.8f, 3), random.uniform(4, 14), random.uniform(0.3f, 1.2f)}};
  }
  return scene;
}

class RayMarch : public Workload {
 public:
  RayMarch(const Device& device, Size size)
      : device_(device),
        width_(by_size<std::size_t>(size, 160, 1024, 1920, 3840)),
        height_(by_size<std::size_t>(size, 96, 768, 1080, 2160)),
        scene_(device.host(make_scene())),
        depth_(device.host<float>(width_ * height_)),
        program_(device.build(kernels::kRayMarch)),
        kernel_(program_, "ray_march"),
        scene_buffer_(device.buffer(CL_MEM_READ_ONLY, scene_.size() * sizeof(cl_float4))),
        depth_buffer_(device.buffer(CL_MEM_WRITE_ONLY, depth_.size() * sizeof(float))) {}

  void prepare() override { spoil(depth_); }

  void run() override {
    device_.write(scene_buffer_, scene_);
    kernel_.set(depth_buffer_, scene_buffer_, static_cast<cl_int>(kSpheres), static_cast<cl_int>(width_),
                static_cast<cl_int>(height_), static_cast<cl_int>(kSteps), kNear, kFar);
    device_.launch(kernel_, range_2d({(width_ + 15) / 16 * 16, (height_ + 7) / 8 * 8}, {16, 8}));
    device_.read(depth_buffer_, depth_);
  }

  /// Rays that graze something may see it or not, depending on how a device rounds: a few may differ.
  Verdict check() override {
    different_ = 0;
    Verdict verdict = check_outputs(depth_.size(), kCost, [this](std::size_t i) { return judge(i); });
    if (verdict.ok && different_ > Sample(depth_.size(), kCost).size() / 100) {
      verdict = {verdict.kind, false, std::to_string(different_) + " depths differ from the reference"};
    }
    return verdict;
  }

 private:
  struct Ray {
    double x, y, z;
  };

  Ray ray(std::size_t i) const {
    const auto column = static_cast<double>(i % width_), row = static_cast<double>(i / width_);
    const auto width = static_cast<double>(width_), height = static_cast<double>(height_);
    const double x = (2 * column - width + 1) / height, y = (height - 1 - 2 * row) / height;
    const double length = std::sqrt(x * x + y * y + 2.25);
    return {x / length, y / length, 1.5 / length};
  }

  double nearest(const Ray& ray, double at) const {
    double distance = ray.y * at + 1;
    for (const cl_float4& sphere : scene_) {
      const double dx = ray.x * at - sphere.s[0], dy = ray.y * at - sphere.s[1], dz = ray.z * at - sphere.s[2];
      distance = std::min(distance, std::sqrt(dx * dx + dy * dy + dz * dz) - sphere.s[3]);
    }
    return distance;
  }

  double march(const Ray& along) const {
    double travelled = 0;
    for (int step = 0; step < kSteps && travelled <= kFar; ++step) {
      const double distance = nearest(along, travelled);
      if (distance < kNear) return travelled;
      travelled += distance;
    }
    return -1;
  }

  /// Where it sees something there must be something.
  std::string judge(std::size_t i) {
    const Ray along = ray(i);
    const double expected = march(along);
    if (!is_near(depth_[i], expected, kBlur, kBlur)) ++different_;
    const bool sees = depth_[i] >= 0 && depth_[i] <= kFar;
    if (sees ? std::abs(nearest(along, depth_[i])) > kNear + kBlur : depth_[i] != -1) {
      return judge_near(depth_[i], expected, 0, 0) + ": nothing is there";
    }
    return "";
  }

  const Device& device_;
  std::size_t width_, height_;
  std::span<cl_float4> scene_;
  std::span<float> depth_;
  std::atomic<std::size_t> different_{0};
  Program program_;
  Kernel kernel_;
  Buffer scene_buffer_, depth_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::RayMarch>(argc, argv, "ray_march", "Marches rays through a scene of spheres");
}
