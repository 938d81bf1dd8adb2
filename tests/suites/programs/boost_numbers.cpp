// SPDX-License-Identifier: Apache-2.0
// Boost.Compute's algorithms that compute numbers, its iterators, random engines, containers and ways to write
// functions, against the processor.
#include <CL/cl.h>
#include <algorithm>
#include <boost/compute.hpp>
#include <boost/compute/container/valarray.hpp>
#include <boost/compute/iterator/strided_iterator.hpp>
#include <numeric>
#include <random>
#include <vector>
#include "says.h"

namespace compute = boost::compute;
using compute::lambda::_1;
using compute::lambda::_2;

namespace {

constexpr std::size_t count = 30011;

compute::command_queue& queue() {
  static compute::command_queue queue(compute::system::default_context(), compute::system::default_device());
  return queue;
}

template <class T>
compute::vector<T> there(const std::vector<T>& values) {
  return compute::vector<T>(values.begin(), values.end(), queue());
}

template <class T>
std::vector<T> here(const compute::vector<T>& values) {
  std::vector<T> result(values.size());
  compute::copy(values.begin(), values.end(), result.begin(), queue());
  return result;
}

std::vector<int> ints() {
  std::vector<int> result(count);
  std::mt19937 random(7);
  for (auto& value : result) value = static_cast<int>(random() % 2001) - 1000;
  return result;
}

std::vector<float> floats() {
  std::vector<float> result;
  for (const int value : ints()) result.push_back(static_cast<float>(value) / 64 + 16);
  return result;
}

BOOST_COMPUTE_FUNCTION(int, collatz, (int n), {
  int steps = 0;
  while (n > 1 && steps < 500) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
});

int collatz_here(int n) {
  int steps = 0;
  while (n > 1 && steps < 500) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

void transforms() {
  const auto values = ints();
  const auto device = there(values);
  compute::vector<int> out(count, queue().get_context());
  const auto check = [&](const std::string& name, auto function) {
    std::vector<int> expected(count);
    std::transform(values.begin(), values.end(), expected.begin(), function);
    say(name, here(out) == expected);
  };
  compute::transform(device.begin(), device.end(), out.begin(), _1 * 3 - 7, queue());
  check("transform lambda", [](int x) { return x * 3 - 7; });
  compute::transform(device.begin(), device.end(), out.begin(), collatz, queue());
  check("transform function", collatz_here);
  compute::transform(device.begin(), device.end(), device.begin(), out.begin(), compute::multiplies<int>(), queue());
  check("transform binary", [](int x) { return x * x; });
  compute::fill(out.begin(), out.end(), 0, queue());
  compute::transform_if(device.begin(), device.end(), out.begin(), compute::abs<int>(), _1 < 0, queue());
  std::vector<int> expected;
  for (const int value : values) {
    if (value < 0) expected.push_back(-value);
  }
  auto got = here(out);
  got.resize(expected.size());
  say("transform_if", got == expected);

  const auto real = floats();
  compute::vector<float> roots(count, queue().get_context());
  const auto real_there = there(real);
  compute::transform(real_there.begin(), real_there.end(), roots.begin(), compute::sqrt<float>(), queue());
  std::vector<float> expected_roots(count);
  std::transform(real.begin(), real.end(), expected_roots.begin(), [](float x) { return std::sqrt(x); });
  say("transform sqrt", near(here(roots), expected_roots, 1e-6));
  compute::fill(out.begin() + 100, out.end() - 100, 42, queue());
  compute::iota(out.begin(), out.begin() + 50, 5);
  compute::generate(
      out.begin() + 50, out.begin() + 100,
      compute::function<int()>(compute::make_function_from_source<int()>("nine", "int nine() { return 9; }")), queue());
  got = here(out);
  say("fill, iota, generate", got[0] == 5 && got[49] == 54 && got[50] == 9 && got[99] == 9 &&
                                  std::count(got.begin() + 100, got.end() - 100, 42) == count - 200);
}

void folds() {
  const auto values = ints();
  const auto device = there(values);
  int sum = 0, most = 0;
  compute::reduce(device.begin(), device.end(), &sum, queue());
  say("reduce", sum == std::accumulate(values.begin(), values.end(), 0));
  compute::reduce(device.begin(), device.end(), &most, compute::max<int>(), queue());
  say("reduce max", most == *std::max_element(values.begin(), values.end()));
  say("accumulate", compute::accumulate(device.begin(), device.end(), 11, queue()) == sum + 11);
  say("accumulate in order", compute::accumulate(device.begin(), device.begin() + 500, 3, _1 * 5 - _2, queue()) ==
                                 std::accumulate(values.begin(), values.begin() + 500, 3,
                                                 [](int a, int b) { return static_cast<int>(a * 5u - b); }));
  say("inner_product", compute::inner_product(device.begin(), device.end(), device.begin(), 0, queue()) ==
                           std::inner_product(values.begin(), values.end(), values.begin(), 0));
  compute::transform_reduce(device.begin(), device.end(), &sum, compute::abs<int>(), compute::plus<int>(), queue());
  say("transform_reduce",
      sum == std::accumulate(values.begin(), values.end(), 0, [](int a, int b) { return a + std::abs(b); }));

  compute::vector<int> out(count, queue().get_context());
  std::vector<int> expected(count);
  compute::inclusive_scan(device.begin(), device.end(), out.begin(), queue());
  std::partial_sum(values.begin(), values.end(), expected.begin());
  say("inclusive_scan", here(out) == expected);
  compute::exclusive_scan(device.begin(), device.end(), out.begin(), 5, queue());
  for (std::size_t i = 0; i < count; ++i) expected[i] += 5 - values[i];
  say("exclusive_scan", here(out) == expected);
  compute::inclusive_scan(device.begin(), device.end(), out.begin(), compute::max<int>(), queue());
  std::partial_sum(values.begin(), values.end(), expected.begin(), [](int a, int b) { return std::max(a, b); });
  say("inclusive_scan max", here(out) == expected);
  compute::adjacent_difference(device.begin(), device.end(), out.begin(), queue());
  std::adjacent_difference(values.begin(), values.end(), expected.begin());
  say("adjacent_difference", here(out) == expected);

  std::vector<int> keys(count), key_out, sums;
  for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<int>(i / 17 % 5);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      key_out.push_back(keys[i]);
      sums.push_back(0);
    }
    sums.back() += values[i];
  }
  const auto keys_there = there(keys);
  compute::vector<int> keys_result(count, queue().get_context());
  const auto ends = compute::reduce_by_key(keys_there.begin(), keys_there.end(), device.begin(), keys_result.begin(),
                                           out.begin(), queue());
  auto got_keys = here(keys_result), got = here(out);
  got_keys.resize(ends.first - keys_result.begin());
  got.resize(ends.second - out.begin());
  say("reduce_by_key", got_keys == key_out && got == sums);
}

void iterators() {
  const auto values = ints();
  const auto device = there(values);
  compute::vector<int> out(count, queue().get_context());
  compute::copy(compute::make_counting_iterator(100), compute::make_counting_iterator(100 + static_cast<int>(count)),
                out.begin(), queue());
  std::vector<int> expected(count);
  std::iota(expected.begin(), expected.end(), 100);
  say("counting_iterator", here(out) == expected);
  compute::copy(compute::make_transform_iterator(device.begin(), _1 + 1),
                compute::make_transform_iterator(device.end(), _1 + 1), out.begin(), queue());
  for (std::size_t i = 0; i < count; ++i) expected[i] = values[i] + 1;
  say("transform_iterator", here(out) == expected);
  const auto end =
      compute::copy(compute::make_strided_iterator(device.begin(), 3),
                    compute::make_strided_iterator_end(device.begin(), device.end(), 3), out.begin(), queue());
  bool right = true;
  const auto got = here(out);
  for (std::size_t i = 0; i * 3 < count; ++i) right = right && got[i] == values[i * 3];
  say("strided_iterator", right && end - out.begin() >= static_cast<std::ptrdiff_t>(count / 3));
  std::vector<int> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<int>(i * 7919 % count);
  const auto places = there(order);
  compute::copy(compute::make_permutation_iterator(device.begin(), places.begin()),
                compute::make_permutation_iterator(device.end(), places.end()), out.begin(), queue());
  for (std::size_t i = 0; i < count; ++i) expected[i] = values[order[i]];
  say("permutation_iterator", here(out) == expected);
  compute::transform(compute::make_zip_iterator(boost::make_tuple(device.begin(), places.begin())),
                     compute::make_zip_iterator(boost::make_tuple(device.end(), places.end())), out.begin(),
                     compute::lambda::get<0>(_1) - compute::lambda::get<1>(_1), queue());
  for (std::size_t i = 0; i < count; ++i) expected[i] = values[i] - order[i];
  say("zip_iterator", here(out) == expected);
  say("constant_iterator", compute::accumulate(compute::make_constant_iterator(3),
                                               compute::make_constant_iterator(3, 1000), 0, queue()) == 3000);
}

void random_numbers() {
  compute::mersenne_twister_engine<compute::uint_> twister(queue(), 5489U);
  compute::vector<compute::uint_> numbers(count, queue().get_context());
  twister.generate(numbers.begin(), numbers.end(), queue());
  std::mt19937 standard(5489U);
  std::vector<compute::uint_> expected(count);
  std::generate(expected.begin(), expected.end(), std::ref(standard));
  say("mersenne_twister", here(numbers) == expected);

  compute::threefry_engine<> threefry(queue(), 9);
  compute::vector<float> reals(count, queue().get_context());
  compute::uniform_real_distribution<float>(2, 5).generate(reals.begin(), reals.end(), threefry, queue());
  const auto got = here(reals);
  const double mean = std::accumulate(got.begin(), got.end(), 0.0) / count;
  say("uniform_real_distribution",
      std::all_of(got.begin(), got.end(), [](float x) { return x >= 2 && x <= 5; }) && std::abs(mean - 3.5) < 0.05);
  compute::normal_distribution<float>(1, 2).generate(reals.begin(), reals.end(), threefry, queue());
  const auto normal = here(reals);
  const double middle = std::accumulate(normal.begin(), normal.end(), 0.0) / count;
  double square = 0;
  for (const float value : normal) square += (value - middle) * (value - middle);
  say("normal_distribution", std::abs(middle - 1) < 0.1 && std::abs(std::sqrt(square / count) - 2) < 0.1);
  compute::linear_congruential_engine<> congruential(queue(), 3);
  compute::vector<int> dice(count, queue().get_context());
  compute::uniform_int_distribution<int>(1, 6).generate(dice.begin(), dice.end(), congruential, queue());
  const auto thrown = here(dice);
  say("uniform_int_distribution", std::all_of(thrown.begin(), thrown.end(), [](int x) { return x >= 1 && x <= 6; }) &&
                                      std::count(thrown.begin(), thrown.end(), 6) > static_cast<long>(count / 8));
  const std::vector<float> weights{1, 0, 3};
  compute::discrete_distribution<compute::uint_> loaded(weights.begin(), weights.end());
  loaded.generate(numbers.begin(), numbers.end(), twister, queue());
  const auto drawn = here(numbers);
  say("discrete_distribution", std::count(drawn.begin(), drawn.end(), 1U) == 0 &&
                                   std::count(drawn.begin(), drawn.end(), 2U) > static_cast<long>(count * 2 / 3));
}

void containers() {
  compute::vector<int> vector(queue().get_context());
  for (int i = 0; i < 100; ++i) vector.push_back(i * i, queue());
  vector.insert(vector.begin() + 10, -1, queue());
  vector.erase(vector.begin(), vector.begin() + 5, queue());
  say("vector", vector.size() == 96 && here(vector)[5] == -1 && here(vector)[6] == 100 && here(vector).back() == 9801);
  std::vector<int> mapped(1000);
  std::iota(mapped.begin(), mapped.end(), 0);
  compute::mapped_view<int> view(mapped.data(), mapped.size(), queue().get_context());
  compute::transform(view.begin(), view.end(), view.begin(), _1 * 2, queue());
  view.map(CL_MAP_READ, queue());
  say("mapped_view", mapped[999] == 1998 && mapped[1] == 2);
  view.unmap(queue());
  compute::dynamic_bitset<> bits(1000, queue());
  bits.set(3, queue());
  bits.set(700, queue());
  say("dynamic_bitset", bits.count(queue()) == 2 && bits.test(700, queue()) && !bits.test(4, queue()));
  compute::flat_set<int> set(queue().get_context());
  for (const int value : {5, 3, 5, 9, 3}) set.insert(value, queue());
  say("flat_set", set.size() == 3);
  const compute::valarray<float> two(2.0F, 200), three(3.0F, 200);
  const compute::valarray<float> sum = two * three + two;
  say("valarray", sum.sum() == 1600.0F);
  compute::string text("hello on a device");
  say("string", text.size() == 17 && text.find('o') == 4);
}

}  // namespace

int main() {
  transforms();
  folds();
  iterators();
  random_numbers();
  containers();
  return wrong > 0;
}
