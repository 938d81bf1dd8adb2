// SPDX-License-Identifier: Apache-2.0
// clCreateSamplerWithProperties, clCreateSampler, clGetSamplerInfo.
#include <cstring>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class Samplers : public Driver {
 protected:
  static cl_int create(std::vector<cl_sampler_properties> list) {
    cl_int status = 1;
    cl_sampler made = clCreateSamplerWithProperties(context(), list.data(), &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) clReleaseSampler(made);
    return status;
  }
  static std::vector<unsigned char> ask(cl_sampler sampler, cl_sampler_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetSamplerInfo(sampler, name, size, value, size_ret);
    });
  }
};

TEST_F(Samplers, DefaultsAreNormalisedClampNearest) {
  cl_int status = 1;
  cl_sampler made = clCreateSamplerWithProperties(context(), nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(value_of<cl_bool>(ask(made, CL_SAMPLER_NORMALIZED_COORDS)), cl_bool{CL_TRUE});
  EXPECT_EQ(value_of<cl_addressing_mode>(ask(made, CL_SAMPLER_ADDRESSING_MODE)), cl_addressing_mode{CL_ADDRESS_CLAMP});
  EXPECT_EQ(value_of<cl_filter_mode>(ask(made, CL_SAMPLER_FILTER_MODE)), cl_filter_mode{CL_FILTER_NEAREST});
  EXPECT_TRUE(ask(made, CL_SAMPLER_PROPERTIES).empty());
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_SAMPLER_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(value_of<cl_context>(ask(made, CL_SAMPLER_CONTEXT)), context());
  check_unknown([=](size_t size, void* value, size_t* size_ret) {
    return clGetSamplerInfo(made, 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clReleaseSampler(made), CL_SUCCESS);
  EXPECT_EQ(clReleaseSampler(made), CL_INVALID_SAMPLER);
}

TEST_F(Samplers, PropertiesAreGivenBackExactly) {
  const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_NORMALIZED_COORDS,
                                        CL_FALSE, 0};
  cl_sampler made = clCreateSamplerWithProperties(context(), list, nullptr);
  const auto bytes = ask(made, CL_SAMPLER_PROPERTIES);
  ASSERT_EQ(bytes.size(), sizeof list);
  EXPECT_EQ(std::memcmp(bytes.data(), list, sizeof list), 0);
  EXPECT_EQ(value_of<cl_bool>(ask(made, CL_SAMPLER_NORMALIZED_COORDS)), cl_bool{CL_FALSE});
  clReleaseSampler(made);
}

TEST_F(Samplers, UnknownDoubledAndBadValuesAreRefused) {
  EXPECT_EQ(create({0x7777, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}),
            CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_SAMPLER_FILTER_MODE, 5, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_SAMPLER_ADDRESSING_MODE, 5, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_SAMPLER_NORMALIZED_COORDS, 2, 0}), CL_INVALID_VALUE);
  cl_int status = 1;
  EXPECT_EQ(clCreateSamplerWithProperties(nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateSampler(context(), CL_TRUE, 5, CL_FILTER_LINEAR, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  cl_sampler made = clCreateSampler(context(), CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_TRUE(ask(made, CL_SAMPLER_PROPERTIES).empty());
  clReleaseSampler(made);
}

}  // namespace
}  // namespace skmd::test
