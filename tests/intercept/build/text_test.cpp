// SPDX-License-Identifier: Apache-2.0
// The small text tools of the room: pasted headers, link options, vendors' type names.
#include <gtest/gtest.h>

#include "intercept/build/link_options.h"
#include "intercept/build/opaque_kernels.h"
#include "intercept/build/paste_headers.h"

namespace skmd::icd {
namespace {

TEST(PasteHeaders, ReplacesExactNamesOnly) {
  const std::vector<compiler::Header> headers = {{"a/b.h", "int ab;"}};
  EXPECT_EQ(paste_headers("#include \"a/b.h\"\nx", headers), "int ab;\nx");
  EXPECT_EQ(paste_headers("  #  include <a/b.h>\nx", headers), "int ab;\nx");
  EXPECT_EQ(paste_headers("#include \"b.h\"\nx", headers), "#include \"b.h\"\nx");
  EXPECT_EQ(paste_headers("// no include \"a/b.h\"", headers), "// no include \"a/b.h\"");
}

TEST(PasteHeaders, FollowsNestedHeadersAndEndsOnCycles) {
  EXPECT_EQ(paste_headers("#include \"a\"", {{"a", "1\n#include \"b\""}, {"b", "2"}}), "1\n2");
  EXPECT_LT(paste_headers("#include \"a\"", {{"a", "#include \"a\"\n"}}).size(), 10'000u);
}

TEST(LinkOptions, KnowsLibrariesAndMathematics) {
  const auto options = parse_link_options(" -create-library  -enable-link-options -cl-fast-relaxed-math ");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->library);
  EXPECT_EQ(options->vendor_options, "-cl-fast-relaxed-math");
  EXPECT_TRUE(parse_link_options(""));
  EXPECT_FALSE(parse_link_options("-D X"));
}

TEST(CommonOptions, AreThoseOfEveryUnitWithTheHighestStandard) {
  const std::vector<Unit> units = {{"", "-cl-std=CL1.2 -cl-mad-enable -cl-fast-relaxed-math", false, false},
                                   {"", "-cl-mad-enable -cl-std=CL3.0", false, false}};
  EXPECT_EQ(common_options(units), "-cl-mad-enable -cl-std=CL3.0");
  EXPECT_EQ(common_options({}), "");
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
