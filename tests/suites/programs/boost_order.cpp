// SPDX-License-Identifier: Apache-2.0
// Boost.Compute's algorithms that order, search, select and compare, against the standard library's.
#include <CL/cl.h>
#include <algorithm>
#include <boost/compute.hpp>
#include <boost/compute/algorithm/nth_element.hpp>
#include <numeric>
#include <random>
#include <vector>
#include "says.h"

namespace compute = boost::compute;
using compute::lambda::_1;
using Ints = std::vector<int>;

namespace {

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

Ints random_ints(std::size_t count, int least, int most, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(least, most);
  Ints result(count);
  std::generate(result.begin(), result.end(), [&] { return number(random); });
  return result;
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

template <class T>
void sort(const std::string& name, const std::vector<T>& values) {
  auto device = there(values);
  compute::sort(device.begin(), device.end(), queue());
  say(name, here(device) == sorted(values));
}

void sorts() {
  for (const std::size_t count : {1, 31, 1000, 40007})
    sort("sort " + std::to_string(count), random_ints(count, -1000000, 1000000, count));
  const Ints ints = random_ints(20011, -500, 500, 1);
  std::vector<float> floats(ints.begin(), ints.end());
  for (auto& value : floats) value /= 7;
  sort("sort float", floats);
  sort("sort double", std::vector<double>(floats.begin(), floats.end()));
  sort("sort uchar", std::vector<compute::uchar_>(ints.begin(), ints.end()));
  sort("sort long", std::vector<compute::long_>(ints.begin(), ints.end()));

  auto device = there(ints);
  compute::sort(device.begin(), device.end(), compute::greater<int>(), queue());
  Ints expected = ints;
  std::sort(expected.begin(), expected.end(), std::greater<>());
  say("sort greater", here(device) == expected);

  Ints numbers(ints.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  auto keys = there(ints), values = there(numbers);
  compute::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), queue());
  std::stable_sort(numbers.begin(), numbers.end(), [&](int a, int b) { return ints[a] < ints[b]; });
  say("stable_sort_by_key", here(keys) == sorted(ints) && here(values) == numbers);

  device = there(ints);
  say("is_sorted not", !compute::is_sorted(device.begin(), device.end(), queue()));
  say("is_sorted", compute::is_sorted(keys.begin(), keys.end(), queue()));
  compute::nth_element(device.begin(), device.begin() + 5000, device.end(), queue());
  say("nth_element", here(device)[5000] == sorted(ints)[5000]);
}

void sets() {
  const Ints a = sorted(random_ints(3001, 0, 4000, 2)), b = sorted(random_ints(2503, 0, 4000, 3));
  const auto da = there(a), db = there(b);
  compute::vector<int> out(a.size() + b.size(), queue().get_context());
  const auto check = [&](const std::string& name, auto ours, auto standard) {
    const auto end = ours(da.begin(), da.end(), db.begin(), db.end(), out.begin(), queue());
    Ints expected(a.size() + b.size());
    expected.erase(standard(a.begin(), a.end(), b.begin(), b.end(), expected.begin()), expected.end());
    Ints got = here(out);
    got.resize(end - out.begin());
    say(name, got == expected);
  };
#define BOTH(function) \
  check(               \
      #function, [](auto... x) { return compute::function(x...); }, [](auto... x) { return std::function(x...); })
  BOTH(merge);
  BOTH(set_union);
  BOTH(set_intersection);
  BOTH(set_difference);
  BOTH(set_symmetric_difference);
#undef BOTH
  const Ints some(a.begin() + 10, a.begin() + 500);
  const auto part = there(some);
  say("includes", compute::includes(da.begin(), da.end(), part.begin(), part.end(), queue()));
  say("includes not", compute::includes(da.begin(), da.end(), db.begin(), db.end(), queue()) ==
                          std::includes(a.begin(), a.end(), b.begin(), b.end()));
}

void searches() {
  const Ints ints = random_ints(10007, 0, 300, 4), ordered = sorted(ints);
  const auto device = there(ints), steps = there(ordered);
  const auto at = [&](auto found) { return static_cast<std::size_t>(found - device.begin()); };
  say("find", at(compute::find(device.begin(), device.end(), ints[7001], queue())) ==
                  static_cast<std::size_t>(std::find(ints.begin(), ints.end(), ints[7001]) - ints.begin()));
  say("find none", at(compute::find(device.begin(), device.end(), 301, queue())) == ints.size());
  say("find_if", at(compute::find_if(device.begin(), device.end(), _1 > 298, queue())) ==
                     static_cast<std::size_t>(std::find_if(ints.begin(), ints.end(), [](int x) { return x > 298; }) -
                                              ints.begin()));
  const auto bounds = compute::equal_range(steps.begin(), steps.end(), 150, queue());
  const auto expected = std::equal_range(ordered.begin(), ordered.end(), 150);
  say("equal_range", bounds.first - steps.begin() == expected.first - ordered.begin() &&
                         bounds.second - steps.begin() == expected.second - ordered.begin());
  say("binary_search", compute::binary_search(steps.begin(), steps.end(), 17, queue()) ==
                           std::binary_search(ordered.begin(), ordered.end(), 17));
  const Ints pattern(ints.begin() + 8000, ints.begin() + 8004);
  const auto pattern_there = there(pattern);
  say("search",
      at(compute::search(device.begin(), device.end(), pattern_there.begin(), pattern_there.end(), queue())) ==
          static_cast<std::size_t>(std::search(ints.begin(), ints.end(), pattern.begin(), pattern.end()) -
                                   ints.begin()));
  say("adjacent_find", at(compute::adjacent_find(device.begin(), device.end(), queue())) ==
                           static_cast<std::size_t>(std::adjacent_find(ints.begin(), ints.end()) - ints.begin()));
  say("count", compute::count(device.begin(), device.end(), 42, queue()) ==
                   static_cast<std::size_t>(std::count(ints.begin(), ints.end(), 42)));
  const auto extremes = compute::minmax_element(device.begin(), device.end(), queue());
  say("minmax_element",
      at(extremes.first) == static_cast<std::size_t>(std::min_element(ints.begin(), ints.end()) - ints.begin()) &&
          at(extremes.second) == static_cast<std::size_t>(std::max_element(ints.begin(), ints.end()) - ints.begin()));
  Ints changed = ints;
  changed[9000] += 1;
  const auto changed_there = there(changed);
  say("mismatch", at(compute::mismatch(device.begin(), device.end(), changed_there.begin(), queue()).first) == 9000);
  say("equal", compute::equal(device.begin(), device.end(), device.begin(), queue()) &&
                   !compute::equal(device.begin(), device.end(), changed_there.begin(), queue()));
  say("all_of, any_of, none_of", compute::all_of(device.begin(), device.end(), _1 >= 0, queue()) &&
                                     compute::any_of(device.begin(), device.end(), _1 == ints[3], queue()) &&
                                     compute::none_of(device.begin(), device.end(), _1 > 300, queue()));
  say("is_permutation",
      compute::is_permutation(device.begin(), device.end(), steps.begin(), steps.end(), queue()) &&
          !compute::is_permutation(device.begin(), device.end(), changed_there.begin(), changed_there.end(), queue()));
}

void selections() {
  const Ints ints = random_ints(10007, 0, 9, 5);
  auto device = there(ints);
  compute::vector<int> out(ints.size(), queue().get_context());
  const auto got = [&](auto end) {
    Ints result = here(out);
    result.resize(end - out.begin());
    return result;
  };
  Ints expected;
  std::copy_if(ints.begin(), ints.end(), std::back_inserter(expected), [](int x) { return x > 4; });
  say("copy_if", got(compute::copy_if(device.begin(), device.end(), out.begin(), _1 > 4, queue())) == expected);
  expected.clear();
  std::unique_copy(ints.begin(), ints.end(), std::back_inserter(expected));
  say("unique_copy", got(compute::unique_copy(device.begin(), device.end(), out.begin(), queue())) == expected);

  const auto end = compute::remove(device.begin(), device.end(), 3, queue());
  expected = ints;
  expected.erase(std::remove(expected.begin(), expected.end(), 3), expected.end());
  Ints rest = here(device);
  rest.resize(end - device.begin());
  say("remove", rest == expected);

  device = there(ints);
  const auto middle = compute::stable_partition(device.begin(), device.end(), _1 % 2 == 0, queue()) - device.begin();
  expected = ints;
  const auto there_middle =
      std::stable_partition(expected.begin(), expected.end(), [](int x) { return x % 2 == 0; }) - expected.begin();
  say("stable_partition", middle == there_middle && here(device) == expected);

  device = there(ints);
  compute::reverse(device.begin(), device.end(), queue());
  expected.assign(ints.rbegin(), ints.rend());
  say("reverse", here(device) == expected);
  compute::rotate(device.begin(), device.begin() + 777, device.end(), queue());
  std::rotate(expected.begin(), expected.begin() + 777, expected.end());
  say("rotate", here(device) == expected);
  compute::replace(device.begin(), device.end(), 5, -5, queue());
  std::replace(expected.begin(), expected.end(), 5, -5);
  say("replace", here(device) == expected);
  compute::next_permutation(device.begin(), device.end(), queue());
  std::next_permutation(expected.begin(), expected.end());
  say("next_permutation", here(device) == expected);

  const Ints order = [&] {
    Ints result(ints.size());
    std::iota(result.begin(), result.end(), 0);
    std::shuffle(result.begin(), result.end(), std::mt19937(6));
    return result;
  }();
  const auto places = there(order), source = there(ints);
  compute::gather(places.begin(), places.end(), source.begin(), out.begin(), queue());
  for (std::size_t i = 0; i < order.size(); ++i) expected[i] = ints[order[i]];
  say("gather", here(out) == expected);
  compute::scatter(source.begin(), source.end(), places.begin(), out.begin(), queue());
  for (std::size_t i = 0; i < order.size(); ++i) expected[order[i]] = ints[i];
  say("scatter", here(out) == expected);
}

}  // namespace

int main() {
  sorts();
  sets();
  searches();
  selections();
  return wrong > 0;
}
