// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/temporary_folder.h"

namespace skmd::test {
namespace {

class ClLinkProgram : public Driver {
 protected:
  cl_program unit(const char* text) {
    cl_int status = 0;
    cl_program made = clCreateProgramWithSource(context(), 1, &text, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    made_.push_back(made);
    return made;
  }
  cl_program compiled(const std::string& text, const std::string& options = "") {
    cl_program made = unit(text.c_str());
    EXPECT_EQ(clCompileProgram(made, 0, nullptr, options.c_str(), 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    return made;
  }
  cl_program link(const char* options, const std::vector<cl_program>& inputs, cl_int& status) {
    cl_program made = clLinkProgram(context(), 0, nullptr, options, static_cast<cl_uint>(inputs.size()), inputs.data(),
                                    nullptr, nullptr, &status);
    if (made != nullptr) made_.push_back(made);
    return made;
  }
  /// Runs `run(out)` over 256 items of `program` and returns item 255.
  cl_int last_item(cl_program program) {
    constexpr size_t kItems = 256;
    cl_int status = 0, last = -1;
    cl_kernel kernel = clCreateKernel(program, "run", &status);
    EXPECT_EQ(status, CL_SUCCESS);
    cl_mem out = buffer(kItems * sizeof(cl_int));
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue(), kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 255 * sizeof(cl_int), sizeof last, &last, 0, nullptr, nullptr),
              CL_SUCCESS);
    clReleaseKernel(kernel);
    return last;
  }
  void TearDown() override {
    for (cl_program program : made_) clReleaseProgram(program);
    Driver::TearDown();
  }

 private:
  std::vector<cl_program> made_;
};

constexpr char kMain[] =
    "int twice(int x);\nkernel void run(global int* out) { size_t i = get_global_id(0); out[i] = twice((int)i); }";
constexpr char kTwice[] = "int twice(int x) { return 2 * x; }";

TEST_F(ClLinkProgram, JoinsUnits) {
  cl_int status = 1;
  cl_program linked = link("", {compiled(kMain), compiled(kTwice)}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 510);
}

TEST_F(ClLinkProgram, TakesALibrary) {
  cl_int status = 1;
  cl_program library = link("-create-library", {compiled(kTwice)}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clCreateKernel(library, "run", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  cl_program linked = link("", {compiled(kMain), library}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 510);
}

TEST_F(ClLinkProgram, CompilingTakesEmbeddedHeadersByExactName) {
  cl_program header = unit("#define TWICE(x) (2 * (x))");
  cl_program made = unit(
      "#include \"deep/twice.h\"\nkernel void run(global int* out) { size_t i = get_global_id(0); out[i] = "
      "TWICE((int)i); }");
  const char* name = "deep/twice.h";
  ASSERT_EQ(clCompileProgram(made, 0, nullptr, "", 1, &header, &name, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  cl_program linked = link("", {made}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 510);
}

TEST_F(ClLinkProgram, AnUnresolvedFunctionFailsButGivesTheProgramWithItsLog) {
  cl_int status = 0;
  cl_program linked = link("", {compiled(kMain)}, status);
  EXPECT_EQ(status, CL_LINK_PROGRAM_FAILURE);
  ASSERT_NE(linked, nullptr);
  cl_build_status build = CL_BUILD_NONE;
  EXPECT_EQ(clGetProgramBuildInfo(linked, device(), CL_PROGRAM_BUILD_STATUS, sizeof build, &build, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(build, CL_BUILD_ERROR);
  size_t log_size = 0;
  EXPECT_EQ(clGetProgramBuildInfo(linked, device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &log_size), CL_SUCCESS);
  EXPECT_GT(log_size, 1u);
}

// What both units have of one header is legal apart, an error in one text.
constexpr char kHeader[] =
    "typedef struct { int by; } stride;\nstatic int step(int x) { stride s = {1}; return x + s.by; }\n";
constexpr char kUser[] =
    "int twice(int x);\nkernel void run(global int* out) { size_t i = get_global_id(0); out[i] = twice(step((int)i)); "
    "}";

TEST_F(ClLinkProgram, UnitsShareAHeader) {
  const std::string main = std::string(kHeader) + kUser;
  const std::string part = std::string(kHeader) + "int twice(int x) { return 2 * step(x); }";
  cl_int status = 1;
  cl_program linked = link("", {compiled(main), compiled(part)}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 2 * (255 + 1 + 1));
}

TEST_F(ClLinkProgram, AFunctionOfOneUnitDoesNotStandForTheLanguagesInAnother) {
  const std::string main =
      "static int rotate(int x, int by) { return x + by; }\nint turned(int x);\n"
      "kernel void run(global int* out) { size_t i = get_global_id(0); "
      "out[i] = turned(rotate((int)i, 1)); }";
  cl_int status = 1;
  cl_program linked = link("", {compiled(main), compiled("int turned(int x) { return rotate(x, 1); }")}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 512);
}

TEST_F(ClLinkProgram, UnitsThatDoNotJoinIntoOneTextAreLinkedByTheVendors) {
  const std::string main = std::string(kHeader) + kUser;
  // A parameter of the function's name keeps that from being renamed.
  const std::string part = "int twice(int step);\n" + std::string(kHeader) + "int twice(int x) { return 2 * step(x); }";
  cl_int status = 1;
  cl_program linked = link("", {compiled(main), compiled(part)}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 2 * (255 + 1 + 1));
}

// Our front end has no such type, every device's compiler has: a unit with it is opaque.
constexpr char kOpaque[] = "\n#ifdef OPAQUE\n{ __int128 wide = 1; (void)wide; }\n#endif\n";

// Options tell them what they add; without, they add what no test expects.
constexpr char kCallsAKernel[] =
    "#ifndef V\n#define V 7\n#endif\nextern __kernel void f(global int* out);\n"
    "kernel void run(global int* out) { out[get_global_id(0)] = V * 100; f(out); }\n";
constexpr char kCalledKernel[] =
    "#ifndef W\n#define W 9\n#endif\nkernel void f(global int* out) { out[get_global_id(0)] += W; }\n";

TEST_F(ClLinkProgram, EachUnitHasItsOwnOptions) {
  cl_int status = 1;
  cl_program linked = link("", {compiled(kCallsAKernel, "-DV=3"), compiled(kCalledKernel, "-DW=4")}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 304);
}

TEST_F(ClLinkProgram, EachOpaqueUnitHasItsOwnOptions) {
  const auto with = [](std::string text) { return text.insert(text.rfind('}'), kOpaque); };
  for (int which = 1; which < 4; ++which) {
    const std::string main = (which & 1) != 0 ? "-DV=3 -DOPAQUE" : "-DV=3";
    const std::string part = (which & 2) != 0 ? "-DW=4 -cl-mad-enable -DOPAQUE" : "-DW=4 -cl-mad-enable";
    cl_int status = 1;
    cl_program linked = link("", {compiled(with(kCallsAKernel), main), compiled(with(kCalledKernel), part)}, status);
    ASSERT_EQ(status, CL_SUCCESS) << which;
    EXPECT_EQ(last_item(linked), 304) << which;
  }
}

TEST_F(ClLinkProgram, ConstantsOfAUnitAreOfThePrecisionThatItWasCompiledWith) {
  const char* const main =
      "int part(void);\nkernel void run(global int* out) { out[get_global_id(0)] = 10 * (int)sizeof(1.0) + part(); }\n";
  const char* const part = "int part(void) { return sizeof(1.0); }\n";
  cl_int status = 1;
  cl_program linked = link("", {compiled(main), compiled(part, "-cl-single-precision-constant")}, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(last_item(linked), 84);
}

/// A folder with a header, which the test may change.
class LinkedHeaders : public ClLinkProgram {
 protected:
  void write(const std::string& text) { std::ofstream(folder_.file("copy.h")) << text; }
  /// Whether the working directory could be changed.
  static bool go(const std::string& folder) { return chdir(folder.c_str()) == 0; }

  const TemporaryFolder folder_;
  static constexpr const char* kMain =
      "#include \"copy.h\"\nkernel void run(global int* out) { out[get_global_id(0)] = COPY;\n"
      "#ifdef OPAQUE\n__int128 wide = 1; (void)wide;\n#endif\n}\n";
};

TEST_F(LinkedHeaders, AreThoseThatWereThereWhenTheUnitWasCompiled) {
  for (const std::string opaque : {"", " -DOPAQUE"}) {
    write("#define COPY 1\n");
    const std::string options = "-I " + folder_.path() + opaque;
    cl_program made = compiled(kMain, options);
    cl_int status = 1;
    EXPECT_EQ(last_item(link("", {made}, status)), 1) << opaque;
    write("#define COPY 2\n");
    EXPECT_EQ(last_item(link("", {made}, status)), 1) << opaque;
    std::filesystem::remove(folder_.file("copy.h"));
    EXPECT_EQ(last_item(link("", {made}, status)), 1) << opaque;
    EXPECT_EQ(status, CL_SUCCESS);
  }
}

TEST_F(LinkedHeaders, AreThoseOfTheWorkingDirectoryOfThen) {
  const std::string before = std::filesystem::current_path().string();
  for (const std::string opaque : {"", " -DOPAQUE"}) {
    write("#define COPY 1\n");
    ASSERT_TRUE(go(folder_.path()));
    cl_program made = compiled(kMain, "-I ." + opaque);
    ASSERT_TRUE(go(before));
    cl_int status = 1;
    EXPECT_EQ(last_item(link("", {made}, status)), 1) << opaque;
    EXPECT_EQ(status, CL_SUCCESS);
  }
}

TEST_F(LinkedHeaders, AnOpaqueProgramsBinaryNeedsThemNoMore) {
  write("#define COPY 1\n");
  const char* text = kMain;
  cl_program built = unit(text);
  const std::string options = "-I" + folder_.path() + " -DOPAQUE";
  cl_device_id target = device();
  ASSERT_EQ(clBuildProgram(built, 1, &target, options.c_str(), nullptr, nullptr), CL_SUCCESS);
  size_t bytes = 0;
  ASSERT_EQ(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr), CL_SUCCESS);
  std::vector<unsigned char> binary(bytes);
  unsigned char* place = binary.data();
  ASSERT_EQ(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr), CL_SUCCESS);
  std::filesystem::remove(folder_.file("copy.h"));
  cl_int status = 1;
  const unsigned char* content = binary.data();
  cl_program again = clCreateProgramWithBinary(context(), 1, &target, &bytes, &content, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(again, 1, &target, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(last_item(again), 1);
  clReleaseProgram(again);
}

TEST_F(ClLinkProgram, InputsAndOptionsAreChecked) {
  cl_int status = 0;
  EXPECT_EQ(link("", {}, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(link("", {unit(kTwice)}, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION) << "never compiled";
  EXPECT_EQ(link("-no-such-option", {compiled(kTwice)}, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_LINKER_OPTIONS);
  EXPECT_EQ(link("", {foreign_handle<cl_program>(platform())}, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM);
}

TEST_F(ClLinkProgram, CompileHeadersAndListsMustAgree) {
  cl_program made = unit(kTwice);
  cl_program header = unit("");
  const char* name = "h";
  EXPECT_EQ(clCompileProgram(made, 0, nullptr, "", 1, nullptr, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(made, 0, nullptr, "", 1, &header, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(made, 0, nullptr, "", 0, &header, &name, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(made, 0, nullptr, "-no-such-option", 0, nullptr, nullptr, nullptr, nullptr),
            CL_INVALID_COMPILER_OPTIONS);
  cl_program wrong = unit("int f( {");
  EXPECT_EQ(clCompileProgram(wrong, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_COMPILE_PROGRAM_FAILURE);
}
}  // namespace
}  // namespace skmd::test
