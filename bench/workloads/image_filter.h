// SPDX-License-Identifier: Apache-2.0
// A filter of 3 x 3 neighbours over an image of four channels: the two workloads differ in kernel and reference.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bench/reference/image.h"
#include "bench/support/runner.h"

namespace bench {

class ImageFilter : public Workload {
 public:
  /// `tolerance`: by how much a channel may be off.
  ImageFilter(const Device& device, Size size, const char* source, const char* kernel, double tolerance)
      : device_(device),
        tolerance_(tolerance),
        image_(Image::make(by_size<std::size_t>(size, 480, 1920, 3840, 7680),
                           by_size<std::size_t>(size, 272, 1080, 2160, 4320))),
        in_(device.host(image_.pixels)),
        out_(device.host<cl_uchar4>(in_.size())),
        program_(device.build(source)),
        kernel_(program_, kernel),
        in_buffer_(device.buffer(CL_MEM_READ_ONLY, out_.size() * sizeof(cl_uchar4))),
        out_buffer_(device.buffer(CL_MEM_WRITE_ONLY, out_.size() * sizeof(cl_uchar4))) {}

  void prepare() override { spoil(out_); }

  void run() override {
    device_.write(in_buffer_, in_);
    kernel_.set(in_buffer_, out_buffer_, static_cast<cl_int>(image_.width), static_cast<cl_int>(image_.height));
    device_.launch(kernel_, range_2d({image_.width, image_.height}, {kGroupX, kGroupY}));
    device_.read(out_buffer_, out_);
  }

  /// Outputs are pixels.
  Verdict check() override {
    return check_outputs(out_.size(), 200, [this](std::size_t i) {
      std::string wrong;
      for (std::size_t channel = 0; channel < 4 && wrong.empty(); ++channel) {
        const auto near = image_.neighbours(i % image_.width, i / image_.width, channel);
        wrong = judge_near(out_[i].s[channel], expected(near), 0, tolerance_);
      }
      return wrong;
    });
  }

 private:
  /// One channel of a pixel, from that channel's neighbours row by row.
  [[nodiscard]] virtual double expected(const std::array<int, 9>& near) const = 0;

  static constexpr std::size_t kGroupX = 16;
  static constexpr std::size_t kGroupY = 4;
  const Device& device_;
  double tolerance_;
  Image image_;
  std::span<cl_uchar4> in_, out_;
  Program program_;
  Kernel kernel_;
  Buffer in_buffer_, out_buffer_;
};

}  // namespace bench
