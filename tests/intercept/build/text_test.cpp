// SPDX-License-Identifier: Apache-2.0
// The small text tools of the room: link options, vendors' type names.
#include <gtest/gtest.h>

#include "intercept/build/link_options.h"
#include "intercept/build/opaque_kernels.h"

namespace skmd::icd {
namespace {

TEST(LinkOptions, KnowsLibrariesAndMathematics) {
  const auto options = parse_link_options(" -create-library  -enable-link-options -cl-fast-relaxed-math ");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->library);
  EXPECT_EQ(options->vendor_options, "-cl-fast-relaxed-math");
  EXPECT_TRUE(parse_link_options(""));
  EXPECT_FALSE(parse_link_options("-D X"));
}

TEST(JoinedOptions, AreThoseOfEveryUnitWithTheHighestStandard) {
  const std::vector<Unit> units = {{"", "-cl-std=CL1.2 -cl-mad-enable -cl-fast-relaxed-math", false, false},
                                   {"", "-cl-mad-enable -cl-std=CL3.0", false, false}};
  EXPECT_EQ(*joined_options(units), "-cl-mad-enable -cl-std=CL3.0");
  EXPECT_EQ(*joined_options({}), "");
}

TEST(JoinedOptions, KeepWhatOneUnitReliesOnAndRefuseWhatWouldChangeAnother) {
  const Unit plain{"", "", false, false};
  const Unit exact{"", "-cl-fp32-correctly-rounded-divide-sqrt", false, false};
  const Unit single{"", "-cl-single-precision-constant", false, false};
  EXPECT_EQ(*joined_options({plain, exact}), exact.vendor_options);
  EXPECT_EQ(*joined_options({single, single}), single.vendor_options);
  const auto refused = joined_options({plain, single});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find(single.vendor_options), std::string::npos) << refused.error().reason;
}

TEST(ParameterFrom, KnowsTheSizesOfBuiltInTypes) {
  struct Case {
    const char* type;
    std::uint32_t size;
    bool three;
  };
  for (const Case& c : {Case{"int", 4, false},
                        {"uchar", 1, false},
                        {"float4", 16, false},
                        {"double16", 128, false},
                        {"short3", 8, true},
                        {"unsigned int", 4, false},
                        {"half2", 4, false},
                        {"pair_t", 0, false},
                        {"float5", 0, false},
                        {"size_t", 0, false}}) {
    const auto parameter = parameter_from(CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, c.type);
    EXPECT_EQ(parameter.kind, domain::ParameterKind::value) << c.type;
    EXPECT_EQ(parameter.size, c.size) << c.type;
    EXPECT_EQ(parameter.three_vector, c.three) << c.type;
  }
}

TEST(ParameterFrom, TellsImagesSamplersAndPointersApart) {
  const auto image = parameter_from(CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, "image2d_t");
  EXPECT_EQ(image.kind, domain::ParameterKind::image);
  EXPECT_EQ(image.image_type, std::uint32_t{CL_MEM_OBJECT_IMAGE2D});
  EXPECT_EQ(image.image_access, domain::ImageAccess::write_only);
  const auto kind = [](cl_kernel_arg_address_qualifier address, const char* type) {
    return parameter_from(address, CL_KERNEL_ARG_ACCESS_NONE, type).kind;
  };
  EXPECT_EQ(kind(CL_KERNEL_ARG_ADDRESS_PRIVATE, "sampler_t"), domain::ParameterKind::sampler);
  EXPECT_EQ(kind(CL_KERNEL_ARG_ADDRESS_CONSTANT, "int*"), domain::ParameterKind::constant_pointer);
  EXPECT_EQ(kind(CL_KERNEL_ARG_ADDRESS_LOCAL, "int*"), domain::ParameterKind::local_pointer);
}

}  // namespace
}  // namespace skmd::icd
