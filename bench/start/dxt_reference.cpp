// SPDX-License-Identifier: Apache-2.0
#include "bench/start/dxt_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench {
namespace {

constexpr std::array<double, 4> kShareOfFirst = {1, 0, 2.0 / 3, 1.0 / 3};
constexpr Colour kSteps = {31, 63, 31};

double dot(const Colour& a, const Colour& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Colour unpacked(std::uint32_t bits) {
  return {(bits >> 11 & 31) / kSteps[0], (bits >> 5 & 63) / kSteps[1], (bits & 31) / kSteps[2]};
}

Colour principal_axis(const Pixels& pixels) {
  Colour mean{};
  for (const Colour& pixel : pixels) {
    for (int c = 0; c < 3; ++c) mean[c] += pixel[c] / 16;
  }
  std::array<Colour, 3> covariance{};
  for (const Colour& pixel : pixels) {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) covariance[a][b] += (pixel[a] - mean[a]) * (pixel[b] - mean[b]);
    }
  }
  Colour axis = covariance[0];
  for (int c = 1; c < 3; ++c) {
    if (covariance[c][c] > std::max(covariance[0][0], c == 2 ? covariance[1][1] : 0)) axis = covariance[c];
  }
  for (int i = 0; i < 8; ++i) {
    const Colour next = {dot(covariance[0], axis), dot(covariance[1], axis), dot(covariance[2], axis)};
    const double largest = std::max({std::abs(next[0]), std::abs(next[1]), std::abs(next[2])});
    for (int c = 0; c < 3; ++c) axis[c] = largest > 0 ? next[c] / largest : 1;
  }
  return axis;
}

Pixels in_order(const Pixels& pixels) {
  const Colour axis = principal_axis(pixels);
  Pixels result = pixels;
  std::stable_sort(result.begin(), result.end(),
                   [&](const Colour& a, const Colour& b) { return dot(a, axis) < dot(b, axis); });
  return result;
}

/// What `partition` leaves of the pixels' squares when its two colours are chosen well.
double error_of(const Pixels& sorted, std::uint32_t partition) {
  double alpha2 = 0, beta2 = 0, both = 0, error = 0;
  Colour alphax{}, betax{};
  for (int i = 0; i < 16; ++i) {
    const double alpha = kShareOfFirst[partition >> (2 * i) & 3], beta = 1 - alpha;
    alpha2 += alpha * alpha;
    beta2 += beta * beta;
    both += alpha * beta;
    for (int c = 0; c < 3; ++c) {
      alphax[c] += alpha * sorted[i][c];
      betax[c] += beta * sorted[i][c];
    }
  }
  const double determinant = alpha2 * beta2 - both * both;
  for (int c = 0; c < 3; ++c) {
    const auto rounded = [&](double value) {
      return std::floor(std::clamp(value, 0.0, 1.0) * kSteps[c] + 0.5) / kSteps[c];
    };
    const double a = rounded((alphax[c] * beta2 - betax[c] * both) / determinant);
    const double b = rounded((betax[c] * alpha2 - alphax[c] * both) / determinant);
    error += a * a * alpha2 + b * b * beta2 + 2 * (a * b * both - a * alphax[c] - b * betax[c]);
  }
  return error;
}

}  // namespace

std::vector<std::uint32_t> dxt_partitions() {
  std::vector<std::uint32_t> result;
  for (int i = 0; i <= 16; ++i) {
    for (int j = i; j <= 16; ++j) {
      for (int k = j; k <= 16; ++k) {
        if (i == 16 || (i == 0 && j == 16) || (j == 0 && k == 16) || k == 0) continue;
        std::uint32_t partition = 0;
        for (int pixel = 0; pixel < 16; ++pixel) {
          const std::uint32_t index = pixel < i ? 0 : pixel < j ? 2 : pixel < k ? 3 : 1;
          partition |= index << (2 * pixel);
        }
        result.push_back(partition);
      }
    }
  }
  return result;
}

double dxt_error(const Pixels& pixels, std::uint32_t ends, std::uint32_t indices) {
  const std::uint32_t first = ends & 0xffff, second = ends >> 16;
  const Colour a = unpacked(first), b = unpacked(second);
  double error = 0;
  for (int i = 0; i < 16; ++i) {
    const std::uint32_t index = indices >> (2 * i) & 3;
    for (int c = 0; c < 3; ++c) {
      double value = kShareOfFirst[index] * a[c] + (1 - kShareOfFirst[index]) * b[c];
      // With the colours the other way round a block has three colours and black.
      if (first <= second && index >= 2) value = index == 2 ? (a[c] + b[c]) / 2 : 0;
      error += (value - pixels[i][c]) * (value - pixels[i][c]);
    }
  }
  return error;
}

double dxt_best_error(const Pixels& pixels, const std::vector<std::uint32_t>& partitions) {
  const Pixels sorted = in_order(pixels);
  double best = 1e30, squares = 0;
  for (const std::uint32_t partition : partitions) best = std::min(best, error_of(sorted, partition));
  for (const Colour& pixel : pixels) squares += dot(pixel, pixel);
  return best + squares;
}

}  // namespace bench
