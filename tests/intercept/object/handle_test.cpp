// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/handle.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace skmd::icd {
namespace {

class Thing : public Object {
 public:
  explicit Thing(int& alive, Kind kind = Kind::kernel) : Object(kind), alive_(alive) { ++alive_; }

 protected:
  ~Thing() override { --alive_; }

 private:
  int& alive_;
};

TEST(Handle, IsFoundByItsKindOnly) {
  int alive = 0;
  Slot* slot = publish(*make_object<Thing>(alive));
  ASSERT_NE(slot, nullptr);
  EXPECT_NE(look_up(slot, Kind::kernel), nullptr);
  EXPECT_EQ(look_up(slot, Kind::event), nullptr);
  release(*slot);
}

TEST(Handle, ForeignPointersAreNotDereferenced) {
  int alive = 0;
  Slot* slot = publish(*make_object<Thing>(alive));
  EXPECT_EQ(look_up(nullptr, Kind::kernel), nullptr);
  EXPECT_EQ(look_up(reinterpret_cast<void*>(0x10), Kind::kernel), nullptr);
  EXPECT_EQ(look_up(reinterpret_cast<void*>(~std::uintptr_t{0}), Kind::kernel), nullptr);
  EXPECT_EQ(look_up(reinterpret_cast<char*>(slot) + 8, Kind::kernel), nullptr) << "inside a slot";
  EXPECT_EQ(look_up(&alive, Kind::kernel), nullptr) << "the stack";
  release(*slot);
}

TEST(Handle, CarriesTheDispatchTableInItsFirstWordAlsoWhenDead) {
  static const cl_icd_dispatch table{};
  set_dispatch(&table);
  int alive = 0;
  Slot* slot = publish(*make_object<Thing>(alive));
  EXPECT_EQ(*reinterpret_cast<const cl_icd_dispatch**>(slot), &table);
  release(*slot);
  EXPECT_EQ(*reinterpret_cast<const cl_icd_dispatch**>(slot), &table);
}

TEST(Handle, DiesWithTheApplicationsCountThoughTheObjectLives) {
  int alive = 0;
  auto object = make_object<Thing>(alive);
  Slot* slot = publish(*object);
  EXPECT_TRUE(retain(*slot));
  EXPECT_EQ(release(*slot), 1u);
  EXPECT_NE(look_up(slot, Kind::kernel), nullptr);
  EXPECT_EQ(release(*slot), 0u);
  EXPECT_EQ(look_up(slot, Kind::kernel), nullptr);
  EXPECT_EQ(alive, 1) << "the internal reference keeps the object";
  object = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(Handle, RetainAndReleaseAfterTheLastReleaseAreRefused) {
  int alive = 0;
  Slot* slot = publish(*make_object<Thing>(alive));
  release(*slot);
  EXPECT_FALSE(retain(*slot));
  EXPECT_EQ(release(*slot), 0u);
  EXPECT_EQ(alive, 0);
}

TEST(Handle, AContextThatAttachedObjectsKeepAliveCanBeRetainedAgain) {
  int alive = 0;
  auto attached = make_object<Thing>(alive, Kind::context);  // as a queue holds its context
  Slot* slot = publish(*attached);
  EXPECT_EQ(release(*slot), 0u);
  EXPECT_NE(look_up(slot, Kind::context), nullptr);
  EXPECT_TRUE(retain(*slot));
  attached = nullptr;
  EXPECT_EQ(alive, 1) << "the application's count holds it again";
  EXPECT_EQ(release(*slot), 0u);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(look_up(slot, Kind::context), nullptr);
  EXPECT_FALSE(retain(*slot));
}

TEST(Handle, ADeadSlotIsNotGivenOutAgainForTheNext65536Deaths) {
  int alive = 0;
  Slot* first = publish(*make_object<Thing>(alive));
  release(*first);
  std::set<Slot*> seen;
  for (int i = 0; i < (1 << 16); ++i) {
    Slot* slot = publish(*make_object<Thing>(alive));
    ASSERT_NE(slot, first) << "after " << i;
    release(*slot);
  }
}

TEST(Handle, SlotsAreGivenOutAgainInTheEnd) {
  int alive = 0;
  std::set<Slot*> seen;
  bool again = false;
  for (int i = 0; i < (1 << 19) && !again; ++i) {
    Slot* slot = publish(*make_object<Thing>(alive));
    again = !seen.insert(slot).second;
    release(*slot);
  }
  EXPECT_TRUE(again) << "memory for handles would grow without bound";
}

TEST(Handle, LiveHandlesAreDistinctOverManySlabs) {
  int alive = 0;
  std::set<Slot*> seen;
  for (int i = 0; i < 200'000; ++i) EXPECT_TRUE(seen.insert(publish(*make_object<Thing>(alive))).second);
  EXPECT_EQ(alive, 200'000);
  for (Slot* slot : seen) {
    EXPECT_NE(look_up(slot, Kind::kernel), nullptr);
    release(*slot);
  }
  EXPECT_EQ(alive, 0);
}

class CountedThing : public Object {
 public:
  explicit CountedThing(std::atomic<int>& alive) : Object(Kind::kernel), alive_(alive) { ++alive_; }

 protected:
  ~CountedThing() override { --alive_; }

 private:
  std::atomic<int>& alive_;
};

TEST(Handle, RetainsAndReleasesOfManyThreadsBalance) {
  std::atomic<int> alive{0};
  Slot* slot = publish(*make_object<CountedThing>(alive));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        EXPECT_TRUE(retain(*slot));
        Slot* own = publish(*make_object<CountedThing>(alive));
        release(*own);
        release(*slot);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(release(*slot), 0u);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace skmd::icd
