// SPDX-License-Identifier: Apache-2.0
// Units of a linked program as one text: what is shared, what gets a name of its own, and what is left to the linker.
#include <gtest/gtest.h>

#include "compiler/client/client.h"
#include "tests/temporary_folder.h"

namespace skmd::compiler {
namespace {

constexpr char kHeader[] = R"(typedef struct { uint first; uint second; } pair;
enum { WIDE = 3 };
struct node { pair both; uint more[WIDE]; };
static uint sum(pair p) { return p.first + p.second; }
inline uint twice(uint x) { return 2 * x; }
static constant uint table[2] = {5, 7};
)";

class Join : public testing::Test {
 protected:
  CompileAnswer join(const std::vector<std::string>& units) {
    CompileRequest request;
    request.units = units;
    return Client({SKMD_COMPILE, cache_.path(), {}}).compile(request);
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  const skmd::test::TemporaryFolder cache_;
};

TEST_F(Join, UnitsWithoutACommonNameStayAsTheyAre) {
  const auto answer = join({"int twice(int x);\nkernel void k(global int* a) { a[get_global_id(0)] = twice(1); }",
                            "int twice(int x) { return 2 * x; }"});
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(count(answer.text, "_skmd_unit"), 0u) << answer.text;
}

TEST_F(Join, WhatAHeaderDeclaresMayBeInEveryUnit) {
  const std::string header = kHeader;
  const auto answer = join({
      header + "uint far(global struct node* n);\nkernel void k(global struct node* n, global uint* a) "
               "{ a[get_global_id(0)] = far(n) + sum(n->both) + twice(table[0]); }",
      header + "uint far(global struct node* n) { return sum(n->both) * twice(table[1]) + n->more[WIDE - 1]; }",
  });
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(count(answer.text, "struct node {"), 1u) << answer.text;
  EXPECT_EQ(count(answer.text, "WIDE = 3"), 1u) << answer.text;
  EXPECT_EQ(count(answer.text, "uint sum_skmd_unit1(pair p)"), 1u) << answer.text;
  EXPECT_EQ(answer.kernels[0].parameters[0].type_name, "struct node*");
}

TEST_F(Join, TypesThatDifferGetNamesOfTheirOwn) {
  const auto answer = join({
      "typedef struct { uint n; } box;\nkernel void one(global box* b) { b[get_global_id(0)].n = 1; }",
      "typedef struct { ulong n; } box;\nkernel void two(global box* b) { b[get_global_id(0)].n = 1; }",
  });
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  ASSERT_EQ(answer.kernels.size(), 2u);
  EXPECT_EQ(answer.kernels[0].parameters[0].type_name, "box*");
  EXPECT_EQ(answer.kernels[1].parameters[0].type_name, "box*") << "what the application calls it";
}

TEST_F(Join, WhatIsMadeOfATypeThatDiffersIsAnotherType) {
  const std::string rest = "typedef struct { part p; } whole;\n";
  const auto answer = join({
      "typedef uint part;\n" + rest + "kernel void one(global uint* a) { a[get_global_id(0)] = sizeof(whole); }",
      "typedef ulong part;\n" + rest + "kernel void two(global uint* a) { a[get_global_id(0)] = sizeof(whole); }",
  });
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(count(answer.text, "whole_skmd_unit1"), 2u) << answer.text;
}

TEST_F(Join, AFunctionOfOneUnitIsNotTheLanguagesOfAnother) {
  const std::string own =
      "static uint mad_sat(uint a, uint b, uint c) { return 42; }\n"
      "kernel void one(global uint* a) { a[get_global_id(0)] = mad_sat(1u, 2u, 3u); }";
  const std::string language = "kernel void two(global uint* a) { a[get_global_id(0)] = mad_sat(1u, 2u, 3u); }";
  const auto answer = join({own, language});
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(count(answer.text, "mad_sat_skmd_unit0"), 2u) << answer.text;
  EXPECT_EQ(count(answer.text, "mad_sat("), 1u) << answer.text;

  const auto of_all = join({own.substr(7), language});  // no longer static
  EXPECT_NE(of_all.outcome, Outcome::analysed) << of_all.text;
}

TEST_F(Join, WhatIsNotCertainIsLeftToTheLinker) {
  const std::string own = "static int step(int x) { return x + 1; }\n";
  const std::string use = "kernel void one(global int* a) { a[get_global_id(0)] = step(1); }";
  ASSERT_EQ(join({own + use, own}).outcome, Outcome::analysed);
  // A member of a vector cannot be renamed, nor what comes before its declaration.
  EXPECT_NE(join({"static int x(void) { return 1; }\n" + use.substr(0, 0),
                  "static int x(void) { return 2; }\n"
                  "kernel void one(global int4* a) { a[get_global_id(0)].x = x(); }"})
                .outcome,
            Outcome::analysed);
  EXPECT_NE(join({own + use, "int twice(int step) { return step; }\n" + own}).outcome, Outcome::analysed);
  // Two definitions for the whole program, and what lasts beyond a unit.
  EXPECT_NE(join({"int f(void) { return 1; }\n" + own + use, "int f(void) { return 2; }"}).outcome, Outcome::analysed);
  EXPECT_NE(join({"#pragma pack(1)\n" + own + use, own}).outcome, Outcome::analysed);
}

TEST_F(Join, NamesInPragmasAreThoseOfTheirUnit) {
  const auto unit = [](const std::string& lanes, const std::string& name) {
    return "enum { LANES = " + lanes + " };\nkernel void " + name +
           "(global uint* a) {\n#pragma unroll LANES\n  for (int i = 0; i < 8; ++i) a[i] = LANES;\n}";
  };
  const auto answer = join({unit("4", "one"), unit("2", "two")});
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(count(answer.text, "#pragma unroll LANES\n"), 1u) << answer.text;
  EXPECT_EQ(count(answer.text, "#pragma unroll LANES_skmd_unit1\n"), 1u) << answer.text;
}

TEST_F(Join, PragmasDoNotReachIntoTheUnitsBehind) {
  const std::string one = "kernel void one(global float* a) { a[0] = a[1] * a[2] + a[3]; }\n";
  const std::string two = "kernel void two(global float* a) { a[0] = a[1] * a[2] + a[3]; }\n";
  for (const char* lasting : {"#pragma clang fp contract(fast)\n", "#pragma float_control(precise, off)\n",
                              "#pragma pack(1)\n", "#pragma ms_struct on\n"})
    EXPECT_EQ(join({lasting + one, two}).outcome, Outcome::opaque) << lasting;
  const std::string inside = "kernel void one(global float* a) {\n#pragma clang fp contract(fast)\n  a[0] = 1;\n}\n";
  EXPECT_EQ(join({inside, two}).outcome, Outcome::analysed) << "it ends with its block";
}

TEST_F(Join, AKernelOfAnotherUnitIsCalledWithTheRecord) {
  const auto answer = join({"extern kernel void f(global int* a);\nkernel void k(global int* a) { f(a); }",
                            "kernel void f(global int* a) { a[get_global_id(0)] = get_group_id(0); }"});
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(count(answer.text, "f(a, skmd_launch)"), 1u) << answer.text;
}

}  // namespace
}  // namespace skmd::compiler
