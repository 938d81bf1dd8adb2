// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using ClSetContextDestructorCallback = Driver;

struct Calls {
  std::vector<int> order;
  bool handle_was_dead = false;
};
Calls calls;

template <int kNumber>
void CL_CALLBACK on_destroy(cl_context context, void*) {
  calls.order.push_back(kNumber);
  calls.handle_was_dead = clRetainContext(context) == CL_INVALID_CONTEXT;
}

TEST_F(ClSetContextDestructorCallback, LastRegisteredRunsFirstWhenTheHandleIsDead) {
  calls = {};
  cl_device_id id = device();
  cl_context made = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
  ASSERT_EQ(clSetContextDestructorCallback(made, on_destroy<1>, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetContextDestructorCallback(made, on_destroy<2>, nullptr), CL_SUCCESS);
  EXPECT_TRUE(calls.order.empty());
  clReleaseContext(made);
  EXPECT_EQ(calls.order, (std::vector<int>{2, 1}));
  EXPECT_TRUE(calls.handle_was_dead);
}

TEST_F(ClSetContextDestructorCallback, NullIsInvalid) {
  EXPECT_EQ(clSetContextDestructorCallback(context(), nullptr, nullptr), CL_INVALID_VALUE);
}
}  // namespace
}  // namespace skmd::test
