// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/saved_groups.h"

#include <gtest/gtest.h>

namespace skmd::icd {
namespace {

SavedGroups::State state() { return {9, {1, 2, 3}, {std::byte{4}}}; }

TEST(SavedGroups, AStateIsMadeWhenItIsRead) {
  SavedGroups saved;
  int made = 0;
  saved.put_later(5, 9, 13, [&] {
    ++made;
    return state();
  });
  saved.put(6, {});
  EXPECT_EQ(made, 0);
  EXPECT_EQ(saved.stopped(), 1u);
  EXPECT_EQ(saved.counts().saved, 1u);
  EXPECT_EQ(saved.counts().state_bytes, 13u);
  EXPECT_TRUE(saved.fit(9));
  EXPECT_FALSE(saved.fit(8));
  const auto all = saved.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(5).words, state().words);
  EXPECT_TRUE(all.at(6).words.empty());
  const auto taken = saved.take(5);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->schema, 9u);
  EXPECT_EQ(taken->words, state().words);
  EXPECT_EQ(taken->local, state().local);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(saved.counts().resumed, 1u);
  EXPECT_EQ(saved.stopped(), 0u);
  EXPECT_FALSE(saved.take(5));
  EXPECT_TRUE(saved.take(6)->words.empty());
  EXPECT_EQ(saved.counts().resumed, 1u);
}

TEST(SavedGroups, OthersMayHaveEnded) {
  SavedGroups saved;
  saved.put(5, state());
  saved.end_others(3, 9);
  EXPECT_FALSE(saved.take(2));
  EXPECT_FALSE(saved.take(9));
  for (const std::uint64_t group : {3u, 8u}) {
    const auto ended = saved.take(group);
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->words.empty());
  }
  EXPECT_EQ(saved.take(5)->words, state().words);
  EXPECT_EQ(saved.counts().resumed, 1u);
}

TEST(SavedGroups, AreTakenTogetherOrNot) {
  struct Part : SavedTogether {};
  const auto one = std::make_shared<Part>(), other = std::make_shared<Part>();
  SavedGroups saved;
  for (const std::uint64_t group : {3, 5, 8}) saved.put_later(group, 9, 13, state, group == 8 ? other : one);
  saved.put(4, {});
  EXPECT_EQ(saved.together(5), one);
  EXPECT_EQ(saved.together(4), nullptr);
  EXPECT_TRUE(saved.is_stopped(5));
  EXPECT_FALSE(saved.is_stopped(4));
  EXPECT_FALSE(saved.is_stopped(6));
  EXPECT_FALSE(saved.take_together(*one, 3, 6, 3)) << "one has gone on";
  EXPECT_FALSE(saved.take_together(*one, 3, 9, 3)) << "one is of another part";
  EXPECT_EQ(saved.stopped(), 3u);
  saved.end_others(8, 12);
  EXPECT_FALSE(saved.take_together(*other, 8, 9, 1)) << "others there have ended";
  EXPECT_TRUE(saved.take_together(*one, 3, 6, 2));
  EXPECT_EQ(saved.stopped(), 1u);
  EXPECT_EQ(saved.counts().resumed, 2u);
  EXPECT_FALSE(saved.take(4));
  EXPECT_TRUE(saved.take(8));
}

}  // namespace
}  // namespace skmd::icd
