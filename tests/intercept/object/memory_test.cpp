// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/memory.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace skmd::icd {
namespace {

class MemoryLife : public ::testing::Test {
 protected:
  MemoryLife() {
    machine.executor = &executor;
    context = make_object<Context>(machine, std::vector<cl_context_properties>{}, nullptr, nullptr);
  }
  Ref<Memory> buffer(Ref<Memory> parent = nullptr) {
    auto storage = parent ? parent->storage() : *Storage::create(machine, 64, nullptr, nullptr);
    return make_object<Memory>(context, cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, cl_mem_flags{CL_MEM_READ_WRITE},
                               std::move(storage), std::uint64_t{0}, std::uint64_t{64}, nullptr, std::move(parent),
                               std::vector<cl_mem_properties>{});
  }

  Executor executor;
  Machine machine;
  Ref<Context> context;
};

void CL_CALLBACK note(cl_mem, void* user_data) {
  auto& [list, value] = *static_cast<std::pair<std::vector<int>*, int>*>(user_data);
  list->push_back(value);
}

TEST_F(MemoryLife, DestructorCallbacksRunLastRegisteredFirst) {
  std::vector<int> seen;
  std::pair<std::vector<int>*, int> first{&seen, 1};
  std::pair<std::vector<int>*, int> second{&seen, 2};
  auto memory = buffer();
  memory->add_destructor(note, &first);
  memory->add_destructor(note, &second);
  const DestructorsHere here;
  memory = nullptr;
  EXPECT_EQ(seen, (std::vector<int>{2, 1}));
}

TEST_F(MemoryLife, DestructorCallbacksWaitForCommandsThatUseTheBytes) {
  std::vector<int> seen;
  std::pair<std::vector<int>*, int> entry{&seen, 1};
  auto memory = buffer();
  memory->add_destructor(note, &entry);
  auto used_by_command = memory->storage();
  const DestructorsHere here;
  memory = nullptr;
  EXPECT_TRUE(seen.empty());
  used_by_command = nullptr;
  EXPECT_EQ(seen, (std::vector<int>{1}));
}

TEST_F(MemoryLife, ASubBufferKeepsItsParentsCallbacksWaiting) {
  std::vector<int> seen;
  std::pair<std::vector<int>*, int> of_parent{&seen, 1};
  std::pair<std::vector<int>*, int> of_child{&seen, 2};
  auto parent = buffer();
  parent->add_destructor(note, &of_parent);
  auto child = buffer(parent);
  child->add_destructor(note, &of_child);
  const DestructorsHere here;
  parent = nullptr;
  EXPECT_TRUE(seen.empty());
  child = nullptr;
  ASSERT_EQ(seen.size(), 2u);
}

TEST_F(MemoryLife, OnOurOwnThreadsDestructorCallbacksGoToTheCallbackThread) {
  static std::promise<std::thread::id> where;  // outlives the callback that fulfils it
  auto memory = buffer();
  memory->add_destructor([](cl_mem, void*) { where.set_value(std::this_thread::get_id()); }, nullptr);
  memory = nullptr;
  EXPECT_NE(where.get_future().get(), std::this_thread::get_id());
}

TEST_F(MemoryLife, AContextsDestructorCallbacksRunWhereTheApplicationReleasesOrOnTheCallbackThread) {
  static std::thread::id where;
  static std::promise<void> called;
  const auto note_thread = [](cl_context, void*) { where = std::this_thread::get_id(); };
  context->add_destructor(note_thread, nullptr);
  {
    const DestructorsHere here;
    context = nullptr;
  }
  EXPECT_EQ(where, std::this_thread::get_id());
  context = make_object<Context>(machine, std::vector<cl_context_properties>{}, nullptr, nullptr);
  context->add_destructor([](cl_context, void*) { called.set_value(); }, nullptr);
  context->add_destructor(note_thread, nullptr);
  context = nullptr;  // as at the end of a command
  called.get_future().wait();
  EXPECT_NE(where, std::this_thread::get_id());
}

}  // namespace
}  // namespace skmd::icd
