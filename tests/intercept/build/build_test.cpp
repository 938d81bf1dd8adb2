// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/build.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "intercept/build/container.h"
#include "intercept/machine/device_info.h"
#include "tests/intercept/build/build_fixture.h"

namespace skmd::icd {
namespace {

using Build = test::BuildTest;

/// Links and gives the application's reference back: the test's own keeps the program.
Result<Ref<Program>> link(const Ref<Context>& context, const std::string& options,
                          const std::vector<Ref<Program>>& inputs) {
  auto program = link_program(context, options, inputs, {});
  if (program) release(*(*program)->slot());
  return program;
}

struct Called {
  std::promise<cl_build_status> status;
  Program* program = nullptr;
};

void CL_CALLBACK on_built(cl_program, void* data) {
  auto* called = static_cast<Called*>(data);
  called->status.set_value(called->program->state().status);
}

TEST_F(Build, WithoutACompilerTheProgramIsOpaqueInItsOriginalText) {
  anchor->kernels = {"k"};
  const auto program = source("kernel void k() {}");
  EXPECT_EQ(program->state().status, CL_BUILD_NONE);
  ASSERT_TRUE(build_program(program, "-DX", {}));
  EXPECT_EQ(program->state().status, CL_BUILD_SUCCESS);
  EXPECT_EQ(program->state().options, "-DX");
  EXPECT_TRUE(program->executable()->opaque());
  EXPECT_EQ(anchor->built, std::vector<std::string>{"kernel void k() {}"});
}

// The build ends while the device is still at it: nothing waits for it but what needs it.
TEST_F(Build, TheFirstDeviceIsPreparedOnceAndBesideTheBuild) {
  std::promise<void> asked, goes_on;
  std::atomic<int> prepared = 0, others = 0;
  anchor->prepares = [&] {
    if (++prepared > 1) return;
    asked.set_value();
    goes_on.get_future().wait();
  };
  other->prepares = [&] { ++others; };
  anchor->kernels = {"k"};
  {
    Executor own;  // whose end waits for all that was posted
    machine.executor = &own;
    ASSERT_TRUE(build_program(source("kernel void k() {}"), "", {}));
    asked.get_future().wait();
    ASSERT_TRUE(build_program(source("kernel void k() { }"), "", {}));
    goes_on.set_value();
  }
  machine.executor = &executor;
  EXPECT_EQ(prepared, 1);
  EXPECT_EQ(others, 0);
}

TEST_F(Build, AStoppedDeviceIsNotPrepared) {
  std::atomic<int> prepared = 0, others = 0;
  anchor->prepares = [&] { ++prepared; };
  other->prepares = [&] { ++others; };
  anchor->kernels = other->kernels = {"k"};
  machine.stopped = 1;
  {
    Executor own;
    machine.executor = &own;
    ASSERT_TRUE(build_program(source("kernel void k() {}"), "", {}));
    machine.settings.policy = *domain::parse_policy("single:0", 2);
    machine.prepared = false;
    ASSERT_TRUE(build_program(source("kernel void k() { }"), "", {}));
  }
  machine.executor = &executor;
  EXPECT_EQ(prepared, 0);
  EXPECT_EQ(others, 1) << "the first of those that work";
}

// An exception would end the process.
TEST_F(Build, ADeviceThatCannotBePreparedForWantOfMemoryIsBuiltForAllTheSame) {
  anchor->prepares = [] { throw std::bad_alloc(); };
  anchor->kernels = {"k"};
  {
    Executor own;
    machine.executor = &own;
    EXPECT_TRUE(build_program(source("kernel void k() {}"), "", {}));
  }
  machine.executor = &executor;
}

TEST_F(Build, AFailedBuildHasALogAndNoExecutable) {
  refused_by_all();
  const auto program = source("nonsense");
  const Status status = build_program(program, "", {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(program->state().status, CL_BUILD_ERROR);
  EXPECT_NE(program->state().log, "");
  EXPECT_EQ(program->executable(), nullptr);
}

TEST_F(Build, ABuildAfterAFailedOneMaySucceed) {
  refused_by_all();
  const auto program = source("text");
  ASSERT_FALSE(build_program(program, "", {}));
  for (const auto& device : {anchor, other}) device->accepts = [](const std::string&) { return true; };
  ASSERT_TRUE(build_program(program, "", {}));
  EXPECT_EQ(program->state().status, CL_BUILD_SUCCESS);
  EXPECT_EQ(program->state().log, "");
}

TEST_F(Build, IsRefusedWhileKernelsOfTheApplicationExist) {
  anchor->kernels = {"k"};
  const auto program = source("text");
  ASSERT_TRUE(build_program(program, "", {}));
  auto kernel = make_object<Kernel>(program, program->executable()->kernels[0]);
  const Status refused = build_program(program, "", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, CL_INVALID_OPERATION);
  EXPECT_NE(program->executable(), nullptr) << "the refused call changed nothing";
  const auto launched = kernel->built();  // as a launch in flight holds it
  kernel = nullptr;
  EXPECT_TRUE(build_program(program, "", {}));
}

TEST_F(Build, CorrectlyRoundedDivisionIsRefusedUnlessEveryDeviceHasIt) {
  const std::string option = "-cl-fp32-correctly-rounded-divide-sqrt";
  constexpr cl_device_fp_config kPlain = CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
  anchor->kernels = {"k"};
  anchor->answer<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG, kPlain | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  const auto code_of = [&](cl_device_fp_config others, const std::string& options) {
    other->answer<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG, others);
    const DeviceInfo info(machine);
    machine.info = &info;
    const auto program = source("text");
    const Status status = build_program(program, options, {});
    EXPECT_EQ(program->state().log.find("SINGLE_FP_CONFIG") != std::string::npos, !status);
    const auto unit = source("text");
    EXPECT_EQ(!compile_program(unit, options, {}, {}), !status);
    machine.info = nullptr;
    return status ? CL_SUCCESS : status.error().code;
  };
  EXPECT_EQ(code_of(kPlain, "-DX \t" + option), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(code_of(kPlain, option + " -DX"), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(code_of(kPlain | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, option), CL_SUCCESS);
  EXPECT_EQ(code_of(kPlain, "-D \"X= " + option + " \" -DY"), CL_SUCCESS) << "text of a macro";
  EXPECT_EQ(code_of(kPlain, "-DX=" + option), CL_SUCCESS);
}

TEST_F(Build, StructuresOfAnOpaqueProgramHaveTheSizeThatItsDriverTakes) {
  anchor->kernels = {"k"};
  anchor->arguments["k"] = {{"private", "struct s"}, {"private", "int"}};
  anchor->value_bytes = {{0, 24}};
  const auto program = source("text");
  ASSERT_TRUE(build_program(program, "", {}));
  const auto kernel = make_object<Kernel>(program, program->executable()->kernels[0]);
  const std::vector<std::byte> bytes(64);
  const auto set = [&](cl_uint index, size_t size) {
    const Status status = kernel->set_argument(index, size, bytes.data());
    return status ? CL_SUCCESS : status.error().code;
  };
  for (const size_t wrong : {0, 4, 23, 25, 64}) EXPECT_EQ(set(0, wrong), CL_INVALID_ARG_SIZE) << wrong;
  EXPECT_EQ(kernel->freeze().error().code, CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(set(0, 24), CL_SUCCESS);
  const int asked = anchor->values_asked;
  EXPECT_EQ(set(0, 24), CL_SUCCESS);
  EXPECT_EQ(anchor->values_asked, asked) << "a size that was taken is not asked for again";
  EXPECT_EQ(set(1, 8), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(set(1, 4), CL_SUCCESS);
  EXPECT_EQ(anchor->values_asked, asked) << "the language tells an int's size";
}

TEST_F(Build, TheCallbackSeesTheFinalStatus) {
  const auto program = source("text");
  Called called;
  called.program = program.get();
  ASSERT_TRUE(build_program(program, "", {on_built, &called}));
  EXPECT_EQ(called.status.get_future().get(), CL_BUILD_SUCCESS);
}

TEST_F(Build, WhileOneRunsItsStatusIsInProgressAndAnotherIsRefused) {
  std::promise<void> entered, go;
  auto may_go = go.get_future().share();
  anchor->accepts = [&](const std::string&) {
    entered.set_value();
    may_go.wait();
    return true;
  };
  const auto program = source("text");
  Called called;
  called.program = program.get();
  ASSERT_TRUE(build_program(program, "", {on_built, &called}));
  entered.get_future().wait();
  EXPECT_EQ(program->state().status, CL_BUILD_IN_PROGRESS);
  const Status second = build_program(program, "", {});
  EXPECT_EQ(second.error().code, CL_INVALID_OPERATION);
  go.set_value();
  EXPECT_EQ(called.status.get_future().get(), CL_BUILD_SUCCESS);
}

TEST_F(Build, CompiledUnitsAreLinkedByTheVendorsWhenOurFrontEndCannotTakeThem) {
  anchor->kernels = {"k"};
  const auto first = source("#include \"h.h\"\nkernel void k() { f(); }");
  const auto second = source("void f() {}");
  ASSERT_TRUE(compile_program(first, "", {{"h.h", "void f();"}}, {}));
  ASSERT_TRUE(compile_program(second, "", {}, {}));
  EXPECT_EQ(first->state().build->type, cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT});
  const auto linked = link(context, "", {first, second});
  ASSERT_TRUE(linked) << linked.error().reason;
  EXPECT_EQ((*linked)->state().status, CL_BUILD_SUCCESS) << (*linked)->state().log;
  EXPECT_EQ(anchor->built.back(),
            "linked:#line 1 \"h.h\"\nvoid f();\n#line 1 \"<source>\"\n\nkernel void k() { f(); }|void f() {}|");
  EXPECT_EQ((*linked)->executable()->kernels.size(), 1u);
}

TEST_F(Build, ALibraryIsNotExecutableButLinks) {
  anchor->kernels = {"k"};
  const auto part = source("void f() {}");
  const auto main = source("kernel void k() { f(); }");
  ASSERT_TRUE(compile_program(part, "", {}, {}));
  ASSERT_TRUE(compile_program(main, "", {}, {}));
  const auto library = link(context, "-create-library", {part});
  ASSERT_TRUE(library);
  EXPECT_EQ((*library)->executable(), nullptr);
  EXPECT_EQ((*library)->state().build->type, cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_LIBRARY});
  const auto linked = link(context, "", {main, *library});
  ASSERT_TRUE(linked);
  EXPECT_NE((*linked)->executable(), nullptr);
}

TEST_F(Build, AFailedLinkStillGivesItsProgramWithTheLog) {
  const auto unit = source("kernel void k();");
  ASSERT_TRUE(compile_program(unit, "", {}, {}));
  refused_by_all();
  const auto linked = link(context, "", {unit});
  ASSERT_TRUE(linked);
  EXPECT_EQ((*linked)->state().status, CL_BUILD_ERROR);
  EXPECT_NE((*linked)->state().log, "");
}

TEST_F(Build, LinkingTakesOnlyObjectsAndKnownOptions) {
  const auto program = source("text");
  ASSERT_TRUE(build_program(program, "", {}));
  EXPECT_EQ(link(context, "", {program}).error().code, CL_INVALID_OPERATION);
  const auto unit = source("text");
  ASSERT_TRUE(compile_program(unit, "", {}, {}));
  EXPECT_EQ(link(context, "-no-such-option", {unit}).error().code, CL_INVALID_LINKER_OPTIONS);
  EXPECT_EQ(link(context, "-enable-link-options", {unit}).error().code, CL_INVALID_LINKER_OPTIONS);
}

TEST_F(Build, ABinaryIsBuiltFromTheVendorsBlobs) {
  anchor->kernels = {"k"};
  const auto program = source("text");
  ASSERT_TRUE(build_program(program, "", {}));
  const auto build = program->state().build;
  const auto unpacked = unpack_program(pack_program(*build, collect_blobs(machine, build->native)));
  ASSERT_TRUE(unpacked);
  const auto copy = make_object<Program>(context, Program::Origin::binary, "");
  copy->load(*unpacked);
  EXPECT_EQ(copy->executable(), nullptr) << "before clBuildProgram";
  const size_t builds = anchor->built.size();
  ASSERT_TRUE(build_program(copy, "", {}));
  EXPECT_EQ(anchor->built.size(), builds);
  EXPECT_EQ(anchor->loads, 1);
  EXPECT_EQ(copy->executable()->kernels[0]->program_hash(), program->executable()->kernels[0]->program_hash());
  ASSERT_TRUE(build_program(copy, "", {})) << "and once more";
}

}  // namespace
}  // namespace skmd::icd
