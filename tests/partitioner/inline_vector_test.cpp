// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/inline_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace skmd::domain {
namespace {

using Owner = std::shared_ptr<int>;

template <std::size_t kHere>
void expect_equal(const InlineVector<Owner, kHere>& few, const std::vector<Owner>& model) {
  ASSERT_EQ(few.size(), model.size());
  ASSERT_EQ(few.empty(), model.empty());
  for (std::size_t i = 0; i < model.size(); ++i) ASSERT_EQ(few[i], model[i]);
  ASSERT_TRUE(std::equal(few.begin(), few.end(), model.begin()));
  if (!model.empty()) {
    ASSERT_EQ(few.front(), model.front());
    ASSERT_EQ(few.back(), model.back());
  }
}

/// Two vectors, and what they are compared with.
template <std::size_t kHere>
struct Compared {
  InlineVector<Owner, kHere> few, other;
  std::vector<Owner> model, other_model;
  const Owner shared = std::make_shared<int>(7);

  void change(std::mt19937& random, int step) {
    switch (random() % 12) {
      case 0:
        few = std::move(other);
        model = std::exchange(other_model, {});
        break;
      case 1: {
        InlineVector<Owner, kHere> moved(std::move(few));
        EXPECT_TRUE(few.empty());  // NOLINT(bugprone-use-after-move): empty is what it is to be
        few = std::move(other);
        other = std::move(moved);
        std::swap(model, other_model);
        break;
      }
      case 2:
        if (random() % 4 == 0) few.clear(), model.clear();
        break;
      case 3:
        few.reserve(random() % 6);
        break;
      case 4:
        few.push_back(shared);
        model.push_back(shared);
        break;
      case 5:
        other = few;
        other_model = model;
        break;
      case 6: {
        const auto at = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
        const Owner* const inserted = few.insert(few.begin() + at, shared);
        EXPECT_EQ(inserted, few.begin() + at);
        model.insert(model.begin() + at, shared);
        break;
      }
      case 7: {
        const auto last = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
        const auto first = last == 0 ? 0 : static_cast<std::ptrdiff_t>(random() % static_cast<std::size_t>(last + 1));
        few.erase(few.begin() + first, few.begin() + last);
        model.erase(model.begin() + first, model.begin() + last);
        break;
      }
      default:
        model.push_back(std::make_shared<int>(step));
        few.push_back(Owner(model.back()));
    }
  }

  void expect_agreement() const {
    ASSERT_NO_FATAL_FAILURE(expect_equal(few, model));
    ASSERT_NO_FATAL_FAILURE(expect_equal(other, other_model));
    ASSERT_EQ(few == other, model == other_model);
    ASSERT_EQ(InlineVector(few), few);
    ASSERT_EQ(shared.use_count(), 1 + 2 * (std::count(model.begin(), model.end(), shared) +
                                           std::count(other_model.begin(), other_model.end(), shared)));
  }
};

template <std::size_t kHere>
void agree_with_a_vector() {
  std::mt19937 random(5);
  Compared<kHere> pair;
  for (int step = 0; step < 4000; ++step) {
    pair.change(random, step);
    ASSERT_NO_FATAL_FAILURE(pair.expect_agreement()) << "step " << step;
  }
  pair.few.clear();
  pair.other = InlineVector<Owner, kHere>();
  pair.model.clear();
  pair.other_model.clear();
  EXPECT_EQ(pair.shared.use_count(), 1);
}

TEST(InlineVector, AgreesWithAVector) {
  agree_with_a_vector<1>();
  agree_with_a_vector<3>();
}

TEST(InlineVector, AnElementOfItsOwnMayBeAppended) {
  InlineVector<Owner> few;
  few.push_back(std::make_shared<int>(3));
  for (int i = 0; i < 5; ++i) few.push_back(few.front());
  for (const Owner& owner : few) EXPECT_EQ(*owner, 3);
  EXPECT_EQ(few.front().use_count(), 6);
}

TEST(InlineVector, TheFirstElementsAreInsideIt) {
  InlineVector<std::uint64_t, 2> few;
  const auto inside = [&](const std::uint64_t& value) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&few);
    const auto* const at = reinterpret_cast<const std::byte*>(&value);
    return at >= begin && at < begin + sizeof few;
  };
  few.push_back(1);
  few.push_back(2);
  EXPECT_TRUE(inside(few[0]) && inside(few[1]));
  few.push_back(3);
  EXPECT_FALSE(inside(few[0]));
  EXPECT_EQ(few[0] + few[1] + few[2], 6u);
}

}  // namespace
}  // namespace skmd::domain
