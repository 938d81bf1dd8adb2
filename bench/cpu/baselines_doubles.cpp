// SPDX-License-Identifier: Apache-2.0
// Baselines in double precision.
#include <algorithm>
#include <memory>

#include "bench/cpu/baseline_parts.h"
#include "bench/cpu/baselines.h"
#include "bench/cpu/simd_doubles.h"
#include "bench/reference/doubles.h"

namespace bench {
namespace {

/// `peak`: of single precision; that of double precision is half of it.
std::function<nlohmann::ordered_json(double)> rate_of(double things, const char* name, double operations, double peak) {
  return [=](double seconds) {
    nlohmann::ordered_json rate;
    rate["isa"] = simd::double_functions().isa;
    rate[name] = things / seconds;
    rate["share_of_peak"] = operations / seconds / (peak / 2);
    return rate;
  };
}

}  // namespace

Baseline fft_2d_by_hand(const std::string& size, Pool& pool, double peak) {
  using doubles::Complex;
  const std::size_t images = sized(size, 1, 16, 64), lines = images * doubles::kImageLength;
  const auto in = std::make_shared<std::vector<Complex>>(doubles::random_complex(lines * doubles::kImageLength));
  const auto out = std::make_shared<std::vector<Complex>>(in->size());
  const auto roots = std::make_shared<std::vector<Complex>>(doubles::roots_of_unity(doubles::kImageLength));
  const auto once = [=, &pool] {
    const simd::FourierWork work{in->data(), out->data(), roots->data()};
    const simd::DoubleFunctions& functions = simd::double_functions();
    return timed([&] {
      pool.run(lines, 8, [&](std::size_t first, std::size_t last) { functions.fft_rows(work, first, last); });
      pool.run(lines, 8, [&](std::size_t first, std::size_t last) { functions.fft_columns(work, first, last); });
    });
  };
  // Of four numbers in a pass: 16 sums, and three products of 6; four passes over 64 times four, for rows and columns.
  const double operations = 2.0 * static_cast<double>(lines) * 4 * 64 * (16 + 3 * 6);
  return {once, rate_of(static_cast<double>(images), "images_per_second", operations, peak)};
}

Baseline cholesky_by_hand(const std::string& size, Pool& pool, double peak) {
  const std::size_t tiles = sized(size, 64, 256, 1024);
  const auto a = std::make_shared<std::vector<double>>(doubles::definite_tiles(tiles));
  const auto u = std::make_shared<std::vector<double>>(a->size());
  const auto once = [=, &pool] {
    return timed([&] {
      pool.run(tiles, 1, [&](std::size_t first, std::size_t last) {
        simd::double_functions().cholesky(a->data(), u->data(), first, last);
      });
    });
  };
  constexpr double kOrder = doubles::kTileOrder;
  const auto count = static_cast<double>(tiles);
  return {once, rate_of(count, "tiles_per_second", count * kOrder * kOrder * kOrder / 3, peak)};
}

}  // namespace bench
