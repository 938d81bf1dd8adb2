// SPDX-License-Identifier: Apache-2.0
// The client and the real skmd-compile together: what the driver gets for a request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "compiler/client/client.h"
#include "compiler/client/process.h"
#include "tests/temporary_folder.h"

namespace skmd::compiler {
namespace {

class Compile : public testing::Test {
 protected:
  Compile() {
    request_.working_directory = folder_.path();
    request_.language.extensions = {"cl_khr_fp64"};
    request_.language.fp64 = true;
  }

  CompileAnswer compile(const std::string& source, const std::string& options = "") {
    request_.source = source;
    request_.options = options;
    return Client({SKMD_COMPILE, folder_.file("cache"), {}}).compile(request_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.file(name)) << text; }

  const skmd::test::TemporaryFolder folder_;
  CompileRequest request_;
};

TEST_F(Compile, AnalysesAProgramThatNeedsNoRewriting) {
  const CompileAnswer answer =
      compile("kernel void k(global int* a, float3 v) { a[get_global_id(0)] = 1; }", "-cl-mad-enable");
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_EQ(answer.text, answer.preprocessed);
  EXPECT_EQ(answer.log, "");
  EXPECT_EQ(answer.vendor_options, "-cl-mad-enable");
  EXPECT_FALSE(answer.kernel_arg_info);
  ASSERT_EQ(answer.kernels.size(), 1u);
  EXPECT_EQ(answer.kernels[0].name, "k");
  EXPECT_FALSE(answer.kernels[0].hidden_record);
  ASSERT_EQ(answer.kernels[0].parameters.size(), 2u);
  EXPECT_TRUE(answer.kernels[0].parameters[1].three_vector);
}

TEST_F(Compile, MarksOnlyTheKernelsThatTakeTheRecord) {
  const CompileAnswer answer =
      compile("kernel void a(global int* p) { p[0] = 1; }\nkernel void b(global int* p) { p[get_group_id(0)] = 1; }",
              "-cl-kernel-arg-info");
  ASSERT_EQ(answer.kernels.size(), 2u) << answer.reason << answer.log;
  EXPECT_FALSE(answer.kernels[0].hidden_record);
  EXPECT_TRUE(answer.kernels[1].hidden_record);
  EXPECT_EQ(answer.kernels[1].parameters.size(), 1u) << "the record is not the application's";
  EXPECT_NE(answer.text, answer.preprocessed);
  EXPECT_TRUE(answer.kernel_arg_info);
}

TEST_F(Compile, GivesMergeFunctionsForHostAndDevicesWhereTheyMayBeNeeded) {
  const CompileAnswer scatter = compile("kernel void k(global int* a, global int* b) { a[b[get_global_id(0)]] = 1; }");
  EXPECT_FALSE(scatter.span_code.empty());
  EXPECT_NE(scatter.merge_ptx.find(".entry skmd_merge_k("), std::string::npos);
  const CompileAnswer line = compile("kernel void k(global int* a) { a[get_global_id(0)] = 1; }");
  EXPECT_EQ(line.span_code, "");
  EXPECT_EQ(line.merge_ptx, "");
}

TEST_F(Compile, IdentifiesAProgramByItsPreprocessedTextAndItsOptions) {
  const std::string plain = compile("kernel void k(global int* a) { a[0] = 1; }").hash;
  EXPECT_EQ(plain.size(), 32u);
  EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), [](unsigned char c) { return std::isxdigit(c) != 0; }));
  EXPECT_EQ(compile("kernel void k(global int* a) { a[0] = ONE; }", "-DONE=1").hash, plain);
  EXPECT_NE(compile("kernel void k(global int* a) { a[0] = ONE; }", "-DONE=2").hash, plain);
  EXPECT_NE(compile("kernel void k(global int* a) { a[0] = 1; }", "-cl-opt-disable").hash, plain);
}

TEST_F(Compile, ReadsHeadersOfTheWorkingDirectoryAgainWhenTheyChange) {
  const std::string source = "#include \"value.h\"\nkernel void k(global int* a) { a[0] = VALUE; }";
  write("value.h", "#define VALUE 111\n");
  EXPECT_NE(compile(source).text.find("a[0] = 111;"), std::string::npos);
  EXPECT_NE(compile(source).text.find("a[0] = 111;"), std::string::npos);
  write("value.h", "#define VALUE 2222\n");
  EXPECT_NE(compile(source).text.find("a[0] = 2222;"), std::string::npos);
}

TEST_F(Compile, TakesEmbeddedHeadersBeforeFiles) {
  write("value.h", "#define VALUE 1\n");
  request_.headers = {{"value.h", "#define VALUE 7\n"}};
  EXPECT_NE(compile("#include \"value.h\"\nkernel void k(global int* a) { a[0] = VALUE; }").text.find("a[0] = 7;"),
            std::string::npos);
}

/// The code that comes with a build, without a cache.
void expect_the_same_code(CompileRequest request, const std::string& what) {
  const ClientOptions options{SKMD_COMPILE, "", {}};
  const Client client(options);
  request.target = {"x86-64-v2"};
  const CompileAnswer built = client.compile(request);
  ASSERT_EQ(built.outcome, Outcome::analysed) << what << built.reason << built.log;
  const CompileRequest wanted = code_request(built.text, built.vendor_options, request.language, request.target);
  const CompileAnswer along = client.compile(wanted);
  const CompileAnswer alone = Client(options).compile(wanted);
  ASSERT_FALSE(alone.kernel_code.empty()) << what;
  EXPECT_TRUE(along.kernel_code == alone.kernel_code) << what << ": the code differs";
  ASSERT_EQ(along.kernel_notes.size(), alone.kernel_notes.size()) << what;
  for (std::size_t i = 0; i < along.kernel_notes.size(); ++i) {
    EXPECT_EQ(along.kernel_notes[i].name, alone.kernel_notes[i].name) << what;
    EXPECT_EQ(along.kernel_notes[i].obstacle, alone.kernel_notes[i].obstacle) << what;
  }
  // The second request alone is answered from what the first one brought; what is asked again, starts the helper again.
  EXPECT_TRUE(along.text.empty()) << "it came from a run of its own";
  EXPECT_FALSE(alone.text.empty());
}

TEST_F(Compile, BuildBringsTheCodeThatARequestForItWouldGet) {
  request_.source =
      "kernel void k(global float* a, float x) {\n  const int i = get_global_id(0);\n"
      "  if (a[i] > x) a[i] = sqrt(a[i]) * FACTOR;\n}\nkernel void l(global int* a) { a[0] = 1; }";
  request_.options = "-DFACTOR=3 -cl-fast-relaxed-math";
  expect_the_same_code(request_, "text as it is");
  request_.source =
      "// one\n\nkernel void k(global int* a, local int* b) {\n  b[get_local_id(0)] = a[get_global_id(0)];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n  a[get_group_id(0)] = b[0] + (int)get_num_groups(0);\n}";
  request_.options = "";
  expect_the_same_code(request_, "rewritten text");
}

TEST_F(Compile, FailsWithTheProgramsOwnPlaces) {
  const CompileAnswer answer = compile("kernel void k(global int* a) {\n  a[0] = ;\n}");
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.log.find("<source>:2:10: error: expected expression"), std::string::npos) << answer.log;
}

TEST_F(Compile, RefusesDoublesOnADeviceWithoutThem) {
  request_.language = {};
  EXPECT_EQ(compile("kernel void k(global double* a) { a[0] = 1; }").outcome, Outcome::failed);
}

TEST_F(Compile, NamesTheOptionThatIsUnknown) {
  const CompileAnswer answer = compile("kernel void k() {}", "-nv-verbose");
  EXPECT_EQ(answer.outcome, Outcome::invalid_options);
  EXPECT_NE(answer.log.find("-nv-verbose"), std::string::npos) << answer.log;
}

TEST_F(Compile, OfAnEmptyProgramHasNoKernels) {
  const CompileAnswer answer = compile("");
  EXPECT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_TRUE(answer.kernels.empty());
}

TEST_F(Compile, SurvivesAVeryLongExpression) {
  std::string sum = "a[0]";
  for (int i = 1; i < 20000; ++i) sum += " + a[0]";
  const CompileAnswer answer = compile("kernel void k(global int* a) { a[1] = " + sum + "; }");
  EXPECT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log.substr(0, 500);
}

TEST_F(Compile, TakesCarriageReturnsAndContinuedLines) {
  const CompileAnswer answer =
      compile("#define F(x) \\\r\n  get_group_id(x)\r\nkernel void k(global int* a) {\r\n  a[0] = F(0);\r\n}\r\n");
  ASSERT_EQ(answer.outcome, Outcome::analysed) << answer.reason << answer.log;
  EXPECT_TRUE(answer.kernels[0].hidden_record);
}

TEST(SkmdCompile, RefusesARequestThatIsGarbage) {
  const auto framed = run_helper({.path = SKMD_COMPILE}, "no request at all", HelperLimits{});
  ASSERT_FALSE(framed);
  EXPECT_NE(framed.error().reason.find("ended without an answer"), std::string::npos) << framed.error().reason;
}

}  // namespace
}  // namespace skmd::compiler
