// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/doubles.h"

#include <array>
#include <cmath>
#include <numbers>

#include "bench/support/random.h"

namespace bench::doubles {
namespace {

constexpr std::size_t kPaths = 4;  // for each of a pair's two normal numbers

double uniform(Random& random, double low, double high) { return low + (high - low) * (random.bits() * 0x1p-32); }

// The generator on numbers of 128 bits.
__extension__ using Wide = unsigned __int128;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) {
    std::uint32_t count = 0;
    for (Wide& word : last_)
      for (unsigned part = 0; part < 4; ++part) {
        seed = 1812433253u * (seed ^ (seed >> 30)) + ++count;
        word |= Wide{seed} << (32 * part);
      }
  }

  Wide next() {
    const auto back = [this](std::size_t distance) { return last_[(now_ + last_.size() - distance) % last_.size()]; };
    Wide word = back(8) ^ (back(8) << 8) ^ (back(2) >> 8);
    for (unsigned part = 0; part < 4; ++part) {
      const std::uint32_t middle = (part_of(back(5), part) >> 11) & kMask[part];
      word ^= Wide{middle ^ (part_of(back(1), part) << 18)} << (32 * part);
    }
    last_[now_] = word;
    now_ = (now_ + 1) % last_.size();
    return word;
  }

  static std::uint32_t part_of(Wide word, unsigned part) { return static_cast<std::uint32_t>(word >> (32 * part)); }

 private:
  static constexpr std::array<std::uint32_t, 4> kMask = {0xdfffffefu, 0xddfecb7fu, 0xbffaffffu, 0xbffffff6u};
  std::array<Wide, 8> last_{};
  std::size_t now_ = 0;  // the oldest
};

struct Path {
  double price = kStart, sum = 0, slope = 0, noise = 0;

  void step(double normal) {
    price *= std::exp(kGrowth - 0.5 * kVolatility * kVolatility + kVolatility * normal);
    noise += normal - kVolatility;
    sum += price;
    slope += price * noise;
  }
};

void transform(std::span<Complex> numbers, std::span<const Complex> roots) {
  const std::size_t count = numbers.size();
  if (count == 1) return;
  std::vector<Complex> even(count / 2), odd(count / 2);
  for (std::size_t i = 0; i < count / 2; ++i) {
    even[i] = numbers[2 * i];
    odd[i] = numbers[2 * i + 1];
  }
  transform(even, roots);
  transform(odd, roots);
  for (std::size_t i = 0; i < count / 2; ++i) {
    const Complex turned = odd[i] * roots[i * (roots.size() / count)];
    numbers[i] = even[i] + turned;
    numbers[i + count / 2] = even[i] - turned;
  }
}

}  // namespace

std::vector<double> definite_tiles(std::size_t count) {
  constexpr double kDiagonal = kTileOrder;  // more than what is beside it in a row
  Random random(31);
  std::vector<double> tiles(count * kTileOrder * kTileOrder);
  for (std::size_t tile = 0; tile < count; ++tile) {
    double* const a = tiles.data() + tile * kTileOrder * kTileOrder;
    for (std::size_t row = 0; row < kTileOrder; ++row) {
      for (std::size_t column = 0; column < row; ++column)
        a[row * kTileOrder + column] = a[column * kTileOrder + row] = uniform(random, -1, 1);
      a[row * kTileOrder + row] = kDiagonal + uniform(random, 0, 1);
    }
  }
  return tiles;
}

std::vector<double> cholesky(std::span<const double> a) {
  std::vector<double> u(a.size());
  for (std::size_t row = 0; row < kTileOrder; ++row) {
    for (std::size_t column = row; column < kTileOrder; ++column) {
      double rest = a[row * kTileOrder + column];
      for (std::size_t k = 0; k < row; ++k) rest -= u[k * kTileOrder + row] * u[k * kTileOrder + column];
      u[row * kTileOrder + column] = column == row ? std::sqrt(rest) : rest / u[row * kTileOrder + row];
    }
  }
  return u;
}

std::vector<Complex> random_complex(std::size_t count) {
  Random random(37);
  std::vector<Complex> numbers(count);
  for (Complex& number : numbers) {
    const double real = uniform(random, -1, 1);
    number = {real, uniform(random, -1, 1)};
  }
  return numbers;
}

std::vector<Complex> roots_of_unity(std::size_t count) {
  std::vector<Complex> roots(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

void transform_image(std::span<Complex> image) {
  const std::vector<Complex> roots = roots_of_unity(kImageLength);
  for (std::size_t row = 0; row < kImageLength; ++row)
    transform(image.subspan(row * kImageLength, kImageLength), roots);
  std::vector<Complex> line(kImageLength);
  for (std::size_t column = 0; column < kImageLength; ++column) {
    for (std::size_t i = 0; i < kImageLength; ++i) line[i] = image[i * kImageLength + column];
    transform(line, roots);
    for (std::size_t i = 0; i < kImageLength; ++i) image[i * kImageLength + column] = line[i];
  }
}

std::vector<double> strikes(std::size_t count) {
  Random random(41);
  std::vector<double> result(count);
  for (double& strike : result) strike = uniform(random, 40, 60);
  return result;
}

Price simulate(std::uint32_t item, double strike, int steps) {
  const auto to_unit = [](std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; };
  Generator generator(item);
  std::array<Path, 2 * kPaths> paths;
  for (int step = 0; step < steps; ++step) {
    const Wide first = generator.next(), second = generator.next();
    for (unsigned part = 0; part < kPaths; ++part) {
      const double radius = std::sqrt(-2 * std::log(to_unit(Generator::part_of(first, part))));
      const double angle = 2 * std::numbers::pi * to_unit(Generator::part_of(second, part));
      paths[part].step(radius * std::cos(angle));
      paths[kPaths + part].step(radius * std::sin(angle));
    }
  }
  Price price{};
  for (const Path& path : paths) {
    const double above = path.sum / steps - strike;
    if (above <= 0) continue;
    price.payoff += above / static_cast<double>(paths.size());
    price.slope += path.slope / steps / static_cast<double>(paths.size());
  }
  return price;
}

}  // namespace bench::doubles
