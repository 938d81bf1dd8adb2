// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/baselines.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/cpu/baseline_parts.h"
#include "bench/cpu/simd.h"
#include "bench/support/random.h"

namespace bench {
namespace {

using simd::Four;

std::vector<Four> random_fours(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Four> result(count);
  for (Four& four : result)
    for (float& value : four.s) value = random.uniform(0, 1);
  return result;
}

std::function<nlohmann::ordered_json(double)> rate_of(double things, const char* name, double operations, double peak) {
  return [=](double seconds) {
    nlohmann::ordered_json rate;
    rate["isa"] = simd::functions().isa;
    rate[name] = things / seconds;
    rate["share_of_peak"] = operations / seconds / peak;
    return rate;
  };
}

std::function<nlohmann::ordered_json(double)> bandwidth_of(double bytes) {
  return [=](double seconds) { return nlohmann::ordered_json{{"bytes_per_second", bytes / seconds}}; };
}

struct Bodies {
  std::vector<Four> positions, velocities, new_positions, new_velocities;
};

Baseline nbody(const std::string& size, Pool& pool, double peak) {
  const std::size_t count = 512 * sized(size, 8, 128, 256);
  auto data = std::make_shared<Bodies>();
  data->positions = random_fours(count, 1);
  data->velocities = random_fours(count, 2);
  data->new_positions = data->new_velocities = std::vector<Four>(count);
  const auto once = [data, count, &pool] {
    const simd::NbodyWork work{data->positions.data(),
                               data->velocities.data(),
                               data->new_positions.data(),
                               data->new_velocities.data(),
                               count,
                               0.01f,
                               0.01f};
    return timed([&] {
      pool.run(count, 128,
               [&](std::size_t first, std::size_t last) { simd::functions().nbody_exact(work, first, last); });
    });
  };
  const auto pairs = static_cast<double>(count) * static_cast<double>(count);
  constexpr double kOperations =
      20;  // 3 differences, 6 of the square, root, quotient, 3 of the strength, 6 of the sums
  return {once, rate_of(pairs, "interactions_per_second", kOperations * pairs, peak)};
}

Baseline matrix_multiplication(const std::string& size, Pool& pool, double peak) {
  const std::size_t n = sized(size, 128, 1024, 2048);
  const auto a = std::make_shared<std::vector<float>>(random_whole_floats(n * n, 1, -2, 5));
  const auto b = std::make_shared<std::vector<float>>(random_whole_floats(n * n, 2, -2, 5));
  const auto c = std::make_shared<std::vector<float>>(n * n);
  const auto once = [=, &pool] {
    const simd::MatrixWork work{a->data(), b->data(), c->data(), n};
    return timed([&] {
      pool.run(n / 32 * n / 32, std::max<std::size_t>(n / 256, 1), [&](std::size_t first, std::size_t last) {
        simd::functions().matrix_multiplication(work, first, last);
      });
    });
  };
  const auto order = static_cast<double>(n);
  const double operations = 2 * order * order * order;
  return {once, rate_of(operations, "operations_per_second", operations, peak)};
}

Baseline black_scholes(const std::string& size, Pool& pool, double peak) {
  const std::size_t count = 1024 * sized(size, 64, 1024, 8192);
  const auto in = std::make_shared<std::array<std::vector<float>, 3>>(
      std::array{random_floats(count, 1, 5, 30), random_floats(count, 2, 1, 100), random_floats(count, 3, 0.25f, 10)});
  const auto out = std::make_shared<std::array<std::vector<float>, 2>>();
  for (std::vector<float>& values : *out) values.resize(count);
  const auto once = [=, &pool] {
    const simd::OptionsWork work{
        (*in)[0].data(), (*in)[1].data(), (*in)[2].data(), (*out)[0].data(), (*out)[1].data(), 0.02f, 0.3f};
    return timed([&] {
      pool.run(count, 8192,
               [&](std::size_t first, std::size_t last) { simd::functions().black_scholes(work, first, last); });
    });
  };
  constexpr double kOperations = 116;  // an option: 3 exponentials of 18, a logarithm of 24, 38 of the rest
  const auto options = static_cast<double>(count);
  return {once, rate_of(options, "options_per_second", kOperations * options, peak)};
}

Baseline binomial_option(const std::string& size, Pool& pool, double peak) {
  const std::size_t count = sized(size, 64, 16384, 65536);
  const auto samples = std::make_shared<std::vector<Four>>(random_fours(count, 1));
  const auto prices = std::make_shared<std::vector<Four>>(count);
  constexpr int kSteps = 254;
  const auto once = [=, &pool] {
    const simd::TreeWork work{samples->data(), prices->data(), kSteps, 0.02f, 0.3f};
    return timed([&] {
      pool.run(count, 8,
               [&](std::size_t first, std::size_t last) { simd::functions().binomial_option(work, first, last); });
    });
  };
  const double nodes = 4.0 * static_cast<double>(count) * kSteps * (kSteps + 1) / 2;
  return {once, rate_of(nodes, "nodes_per_second", 3 * nodes, peak)};
}

Baseline reduction(const std::string& size, Pool& pool) {
  const std::size_t chunks = sized(size, 64, 2048, 8192), count = 4096 * chunks;
  const auto numbers = std::make_shared<std::vector<float>>(random_whole_floats(count, 1, 0, 256));
  const auto sums = std::make_shared<std::vector<float>>(chunks);
  const auto once = [=, &pool] {
    return timed([&] {
      pool.run(chunks, 8, [&](std::size_t first, std::size_t last) {
        simd::functions().reduction(numbers->data(), sums->data(), first, last);
      });
    });
  };
  return {once, bandwidth_of(4.0 * static_cast<double>(count + chunks))};
}

Baseline vector_add(const std::string& size, Pool& pool) {
  const std::size_t count = sized(size, 1 << 18, 1 << 23, 1 << 24);
  const auto a = std::make_shared<std::vector<float>>(random_floats(count, 1, 0, 1));
  const auto b = std::make_shared<std::vector<float>>(random_floats(count, 2, 0, 1));
  const auto c = std::make_shared<std::vector<float>>(count);
  const auto once = [=, &pool] {
    return timed([&] {
      pool.run(count, 1 << 16, [&](std::size_t first, std::size_t last) {
        simd::functions().vector_add(a->data(), b->data(), c->data(), first, last);
      });
    });
  };
  return {once, bandwidth_of(12.0 * static_cast<double>(count))};
}

Baseline matrix_transpose(const std::string& size, Pool& pool) {
  const std::size_t n = sized(size, 512, 1024, 2048);
  const auto in = std::make_shared<std::vector<float>>(random_floats(n * n, 1, 0, 1));
  const auto out = std::make_shared<std::vector<float>>(n * n);
  const auto once = [=, &pool] {
    return timed([&] {
      pool.run(n / 32 * n / 32, 16, [&](std::size_t first, std::size_t last) {
        simd::functions().transpose(in->data(), out->data(), n, first, last);
      });
    });
  };
  return {once, bandwidth_of(8.0 * static_cast<double>(n * n))};
}

/// Blocks, then the blocks' sums likewise, and so on; then the sums are added on the way back.
void scan(Pool& pool, const float* in, float* out, std::size_t count) {
  constexpr std::size_t kBlock = 256;
  if (count <= kBlock) {
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = sum;
      sum += in[i];
    }
    return;
  }
  const std::size_t blocks = count / kBlock;
  std::vector<float> sums(blocks), offsets(blocks);
  pool.run(blocks, 32, [&](std::size_t first, std::size_t last) {
    simd::functions().scan_blocks(in, out, sums.data(), first, last);
  });
  scan(pool, sums.data(), offsets.data(), blocks);
  pool.run(blocks, 32, [&](std::size_t first, std::size_t last) {
    simd::functions().add_offsets(out, offsets.data(), first, last);
  });
}

Baseline scan_large_arrays(const std::string& size, Pool& pool) {
  const std::size_t count = 256 * sized(size, 256, 2048, 4096);
  const auto in = std::make_shared<std::vector<float>>(random_whole_floats(count, 1, 0, 3));
  const auto out = std::make_shared<std::vector<float>>(count);
  const auto once = [=, &pool] { return timed([&] { scan(pool, in->data(), out->data(), count); }); };
  return {once, bandwidth_of(16.0 * static_cast<double>(count))};
}

}  // namespace

double peak(Pool& pool) {
  constexpr std::size_t kRounds = 400000, kChains = 16;
  const simd::Functions& functions = simd::functions();
  double best = 0;
  for (int repetition = 0; repetition < 7; ++repetition) {
    const double seconds = timed([&] {
      pool.run(pool.size(), 1, [&](std::size_t, std::size_t) {
        volatile float kept = functions.multiply_add(kRounds);
        static_cast<void>(kept);
      });
    });
    best = std::max(best, 2.0 * static_cast<double>(kRounds * kChains * functions.lanes * pool.size()) / seconds);
  }
  return best;
}

Baseline by_hand(const std::string& workload, const std::string& size, Pool& pool, double peak) {
  if (workload == "nbody") return nbody(size, pool, peak);
  if (workload == "matrix_multiplication") return matrix_multiplication(size, pool, peak);
  if (workload == "black_scholes") return black_scholes(size, pool, peak);
  if (workload == "binomial_option") return binomial_option(size, pool, peak);
  if (workload == "fft_2d") return fft_2d_by_hand(size, pool, peak);
  if (workload == "cholesky") return cholesky_by_hand(size, pool, peak);
  throw std::runtime_error("no vectors by hand for " + workload);
}

Baseline by_loops(const std::string& workload, const std::string& size, Pool& pool) {
  if (workload == "reduction") return reduction(size, pool);
  if (workload == "vector_add") return vector_add(size, pool);
  if (workload == "matrix_transpose") return matrix_transpose(size, pool);
  if (workload == "scan_large_arrays") return scan_large_arrays(size, pool);
  throw std::runtime_error("no plain loops for " + workload);
}

}  // namespace bench
