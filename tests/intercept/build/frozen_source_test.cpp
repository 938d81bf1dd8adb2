// SPDX-License-Identifier: Apache-2.0
// What a unit or an opaque program was compiled from is fixed when the call returns, and each unit keeps its options.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "intercept/build/container.h"
#include "intercept/build/source_files.h"
#include "tests/intercept/build/build_fixture.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {
namespace {

class FrozenSourceTest : public test::BuildTest {
 protected:
  FrozenSourceTest() {
    anchor->kernels = {"k"};
    write("copy.h", "first text\n");
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder.file(name)) << text; }
  Ref<Program> link(const std::string& options, const std::vector<Ref<Program>>& inputs) {
    auto program = link_program(context, options, inputs, {});
    EXPECT_TRUE(program);
    release(*(*program)->slot());  // the application's reference; ours keeps the program
    EXPECT_EQ((*program)->state().status, CL_BUILD_SUCCESS) << (*program)->state().log;
    return *program;
  }
  /// A copy of the program by way of its binary, without the vendors' own.
  Ref<Program> reloaded(const Ref<Program>& program) {
    const auto unpacked = unpack_program(pack_program(*program->state().build, {}));
    EXPECT_TRUE(unpacked);
    auto copy = make_object<Program>(context, Program::Origin::binary, "");
    copy->load(*unpacked);
    return copy;
  }

  const test::TemporaryFolder folder;
};

TEST_F(FrozenSourceTest, AUnitsHeaderMayChangeOrGoBeforeItIsLinked) {
  const auto unit = source("#include \"copy.h\"\nkernel void k() {}");
  ASSERT_TRUE(compile_program(unit, "-I " + folder.path(), {}, {}));
  write("copy.h", "second text\n");
  link("", {unit});
  EXPECT_NE(anchor->built.back().find("first text"), std::string::npos) << anchor->built.back();
  std::filesystem::remove(folder.file("copy.h"));
  link("", {unit});
  EXPECT_NE(anchor->built.back().find("first text"), std::string::npos) << anchor->built.back();
}

TEST_F(FrozenSourceTest, AProgramBuiltAgainFromItsBinaryHasTheHeadersOfThen) {
  const auto program = source("#include \"copy.h\"\nkernel void k() {}");
  ASSERT_TRUE(build_program(program, "-I" + folder.path(), {}));
  write("copy.h", "second text\n");
  const auto copy = reloaded(program);
  ASSERT_TRUE(build_program(copy, "", {}));
  EXPECT_NE(anchor->built.back().find("first text"), std::string::npos) << anchor->built.back();
}

TEST_F(FrozenSourceTest, FoldersAreThoseOfTheWorkingDirectoryOfTheCall) {
  std::filesystem::create_directory(folder.file("in c"));
  write("in c/deep.h", "deep text\n");
  const FrozenSource frozen =
      freeze_source("#include \"copy.h\"\n#include <deep.h>\n", "-DX=1 -I \"in c\" -DY", {}, folder.path());
  EXPECT_NE(frozen.text.find("first text"), std::string::npos) << frozen.text;
  EXPECT_NE(frozen.text.find("deep text"), std::string::npos) << frozen.text;
  EXPECT_EQ(frozen.options, "-DX=1 \"-I" + folder.path() + "/in c\" -DY");
  EXPECT_EQ(freeze_source("", "-I/abs  -DX=\\\"a\\\"", {}, folder.path()).options, "-I/abs  -DX=\\\"a\\\"");
}

TEST_F(FrozenSourceTest, PipesAndFoldersAreNoHeaders) {
  const std::string text = "#include \"/dev/stdin\"\n#include \"" + folder.path() + "\"\n";
  EXPECT_EQ(freeze_source(text, "", {}, "").text, text);
}

TEST_F(FrozenSourceTest, EachUnitIsBuiltWithItsOwnOptions) {
  const auto three = source("kernel void k() {}");
  const auto four = source("void f() {}");
  ASSERT_TRUE(compile_program(three, "-DV=3", {}, {}));
  ASSERT_TRUE(compile_program(four, "-DV=4 -cl-kernel-arg-info", {}, {}));
  const std::string expected = "-DV=3 -cl-kernel-arg-info|-DV=4 -cl-kernel-arg-info|-cl-fast-relaxed-math";
  const auto linked = link("-cl-fast-relaxed-math", {three, four});
  for (const auto& device : {anchor, other}) EXPECT_EQ(device->built_options.back(), expected);
  const auto copy = reloaded(linked);
  ASSERT_TRUE(build_program(copy, "", {}));
  for (const auto& device : {anchor, other}) EXPECT_EQ(device->built_options.back(), expected) << "from the binary";
  EXPECT_EQ(anchor->built.back(), "linked:kernel void k() {}|void f() {}|");
  const auto library = link("-create-library", {four});
  link("", {reloaded(three), reloaded(library)});
  EXPECT_EQ(anchor->built_options.back(), "-DV=3 -cl-kernel-arg-info|-DV=4 -cl-kernel-arg-info|")
      << "units as binaries";
}

TEST_F(FrozenSourceTest, ProgramsOfOtherOptionsAreOthers) {
  const auto hash_with = [&](const std::string& options) {
    const auto unit = source("kernel void k() {}");
    EXPECT_TRUE(compile_program(unit, options, {}, {}));
    return link("", {unit})->executable()->kernels[0]->program_hash();
  };
  EXPECT_NE(hash_with("-DV=3"), hash_with("-DV=4"));
}

}  // namespace
}  // namespace skmd::icd
