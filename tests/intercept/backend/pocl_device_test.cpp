// SPDX-License-Identifier: Apache-2.0
// The adapters against a real driver: PoCL's threaded and its single-threaded device, in place and with memory of their
// own, and both ways beside our own driver, which has no code of these kernels.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {
namespace {

constexpr const char* kAxpy =
    "kernel void axpy(global float* y, global const float* x, float a) {"
    "  size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }";

class PoclDevice : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { setenv("POCL_DEVICES", "pthread basic", 1); }
  void SetUp() override {
    DiscoveryOptions options{.vendors_folder = "/etc/OpenCL/vendors", .selectors = GetParam(), .own_library = ""};
    // Our driver without a code generator: all kernels run on the other one.
    const auto no_code = [](const auto&...) { return CpuCode{{}, {}, "there is no generator"}; };
    if (options.selectors.starts_with("cpu"))
      options.cpu_driver = CpuDriverOptions{.compile = no_code, .report = {}, .code_folder = ""};
    auto found = discover(options);
    ASSERT_TRUE(found) << found.error().reason;
    ASSERT_EQ(found->devices.size(), 1u);
    device_ = found->devices.front();
  }
  /// A buffer over `host`: in place where the device shares memory, else a native one that holds a copy.
  std::shared_ptr<NativeMemory> buffer(std::vector<float>& host) {
    const std::uint64_t bytes = host.size() * sizeof(float);
    const bool own = device_->description().discrete;
    auto memory = device_->allocate(bytes, own ? nullptr : bytes_at(host.data()));
    EXPECT_TRUE(memory) << (memory ? "" : memory.error().reason);
    if (own) {
      EXPECT_EQ(run_batch(*device_, {WriteOp{*memory, bytes_at(host.data()), plain_rows(0, bytes)}}).status,
                CL_SUCCESS);
    }
    return *memory;
  }
  void fetch(const std::shared_ptr<NativeMemory>& memory, std::vector<float>& host) {
    if (!device_->description().discrete) return;
    const auto rows = plain_rows(0, host.size() * sizeof(float));
    EXPECT_EQ(run_batch(*device_, {ReadOp{memory, bytes_at(host.data()), rows}}).status, CL_SUCCESS);
  }
  std::shared_ptr<Device> device_;
};

TEST_P(PoclDevice, KnowsHowItsDriverRunsWork) {
  const std::string selector = GetParam();
  const DeviceDescription& d = device_->description();
  EXPECT_EQ(d.blocking, selector.find("basic") != std::string::npos);
  EXPECT_EQ(d.discrete, selector.find("@discrete") != std::string::npos);
  EXPECT_EQ(d.space, d.discrete ? 1u : 0u);
  EXPECT_EQ(d.kind, DeviceKind::cpu);
}

TEST_P(PoclDevice, RunsOnlyTheItemsOfTheOffsetRange) {
  std::vector<float> x(64), y(64, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  const auto kernel = kernel_of(*device_, kAxpy, "axpy");
  const auto nx = buffer(x);
  const auto ny = buffer(y);
  RunOp run;
  run.kernel = kernel;
  run.arguments = arguments_of({BufferArgument{ny, 0, 256}, BufferArgument{nx, 0, 256}, bytes_of(2.0f)});
  run.range = line_range(16, 32, 8);
  const BatchResult result = run_batch(*device_, {run}, true);
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  ASSERT_EQ(result.times.size(), 1u);
  EXPECT_GT(result.times[0].device_ns, 0u);
  EXPECT_LE(result.times[0].start, result.times[0].end);
  fetch(ny, y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], i >= 16 && i < 48 ? 2.0f * static_cast<float>(i) + 1.0f : 1.0f) << i;
  }
}

TEST_P(PoclDevice, TakesHostPointersInPlaceOrNotAtAll) {
  if (device_->description().discrete) {
    std::vector<float> host(16);
    const auto refused = device_->allocate(64, bytes_at(host.data()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, CL_INVALID_HOST_PTR);
    return;
  }
  alignas(128) static float block[300];
  const auto kernel = kernel_of(*device_, kAxpy, "axpy");
  for (std::size_t skip : {0, 16, 4, 1}) {
    std::fill(std::begin(block), std::end(block), 1.0f);
    auto memory = device_->allocate(64 * sizeof(float), bytes_at(block + skip));
    ASSERT_TRUE(memory) << memory.error().reason;
    RunOp run;
    run.kernel = kernel;
    run.arguments = arguments_of({BufferArgument{*memory, 0, 256}, BufferArgument{*memory, 0, 256}, bytes_of(2.0f)});
    run.range = line_range(0, 64, 16);
    ASSERT_EQ(run_batch(*device_, {run}).status, CL_SUCCESS);
    for (std::size_t i = 0; i < 300; ++i) {
      ASSERT_EQ(block[i], i >= skip && i < skip + 64 ? 3.0f : 1.0f) << skip << " " << i;
    }
  }
}

TEST_P(PoclDevice, MovesPlainBytesRowsFillsAndCopies) {
  constexpr std::size_t kBytes = 4096;
  auto memory = device_->allocate(kBytes, nullptr);
  auto other = device_->allocate(kBytes, nullptr);
  ASSERT_TRUE(memory && other);
  std::vector<std::byte> source(kBytes), back(kBytes), expected(kBytes, std::byte{0});
  for (std::size_t i = 0; i < kBytes; ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
  // Rows that wrap around a multiple of their stride as well.
  const domain::RowRun rows = {50, 40, 64, 20};
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::copy_n(source.begin() + 50 + static_cast<std::ptrdiff_t>(64 * i), 40,
                expected.begin() + 50 + static_cast<std::ptrdiff_t>(64 * i));
  }
  std::fill_n(expected.begin() + 3000, 5, std::byte{9});
  const auto moved =
      run_batch(*device_, {FillOp{*memory, {std::byte{0}}, 0, kBytes}, WriteOp{*memory, source.data(), rows},
                           FillOp{*memory, {std::byte{9}}, 3000, 5}, FillOp{*other, {std::byte{1}}, 0, kBytes},
                           CopyOp{*memory, *other, 0, 0, 2048}, CopyOp{*memory, *other, 2048, 2048, 2048},
                           ReadOp{*other, back.data(), plain_rows(0, kBytes)}});
  ASSERT_EQ(moved.status, CL_SUCCESS) << moved.reason;
  EXPECT_EQ(back, expected);
  std::vector<std::byte> partly(kBytes, std::byte{5}), wanted(kBytes, std::byte{5});
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::copy_n(expected.begin() + 50 + static_cast<std::ptrdiff_t>(64 * i), 40,
                wanted.begin() + 50 + static_cast<std::ptrdiff_t>(64 * i));
  }
  ASSERT_EQ(run_batch(*device_, {ReadOp{*other, partly.data(), rows}}).status, CL_SUCCESS);
  EXPECT_EQ(partly, wanted);
}

TEST_P(PoclDevice, CopiesBoxesOfRows) {
  constexpr std::size_t kBytes = 4096;
  auto from = device_->allocate(kBytes, nullptr);
  auto to = device_->allocate(kBytes, nullptr);
  ASSERT_TRUE(from && to);
  std::vector<std::byte> source(kBytes), back(kBytes), expected(kBytes, std::byte{1});
  for (std::size_t i = 0; i < kBytes; ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
  // The second begins behind the first row's end of its pitch.
  const CopyRectOp boxes[] = {{*from, *to, 21, 67, {13, 5, 3}, {64, 640}, {40, 400}},
                              {*from, *to, 1000, 2030, {30, 4, 1}, {100, 400}, {32, 128}}};
  for (const CopyRectOp& box : boxes)
    for (std::size_t z = 0; z < box.region[2]; ++z)
      for (std::size_t y = 0; y < box.region[1]; ++y)
        for (std::size_t x = 0; x < box.region[0]; ++x)
          expected[box.to_begin + z * box.to_pitch[1] + y * box.to_pitch[0] + x] =
              source[box.from_begin + z * box.from_pitch[1] + y * box.from_pitch[0] + x];
  const auto copied =
      run_batch(*device_, {WriteOp{*from, source.data(), plain_rows(0, kBytes)}, FillOp{*to, {std::byte{1}}, 0, kBytes},
                           boxes[0], boxes[1], ReadOp{*to, back.data(), plain_rows(0, kBytes)}});
  ASSERT_EQ(copied.status, CL_SUCCESS) << copied.reason;
  EXPECT_EQ(back, expected);
}

TEST_P(PoclDevice, RunsOnViewsNullPointersLocalMemoryAndRecords) {
  const auto kernel =
      kernel_of(*device_,
                "struct record { ulong base; ulong pad[3]; };"
                "kernel void k(global int* out, global int* none, local int* tmp, struct record r) {"
                "  size_t l = get_local_id(0); tmp[l] = (int)get_global_id(0); barrier(CLK_LOCAL_MEM_FENCE);"
                "  out[get_global_id(0)] = tmp[get_local_size(0) - 1 - l] + (int)r.base + (none == 0 ? 100 : 0);"
                "}",
                "k");
  std::vector<float> host(256, 0.0f);
  const auto memory = buffer(host);
  RunOp run;
  run.kernel = kernel;
  run.arguments = arguments_of({BufferArgument{memory, 512, 512}, BufferArgument{}, LocalArgument{8 * sizeof(int)}});
  run.record = bytes_of(std::array<std::uint64_t, 4>{1000, 0, 0, 0});
  run.range = line_range(0, 64, 8);
  const auto result = run_batch(*device_, {run});
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  fetch(memory, host);
  std::vector<int> out(256);
  std::memcpy(out.data(), host.data(), 1024);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], 0) << "outside the view";
    EXPECT_EQ(out[static_cast<std::size_t>(128 + i)], i / 8 * 8 + 7 - i % 8 + 1100) << i;
  }
}

TEST_P(PoclDevice, AFailingBuildTellsWhy) {
  std::string log;
  const auto program = device_->build("kernel void k(global int* p) { p[0] = nonsense; }", "", log);
  ASSERT_FALSE(program);
  EXPECT_LT(program.error().code, 0);
  EXPECT_NE(log.find("nonsense"), std::string::npos) << log;
}

TEST_P(PoclDevice, LinksUnitsAndLoadsBinaries) {
  std::string log;
  auto linked =
      device_->build_linked({{"int twice(int x); kernel void k(global int* p) { p[0] = twice(p[0]); }", "-DV=3"},
                             {"int twice(int x) { return V * x; }", "-DV=2"}},
                            "", log);
  ASSERT_TRUE(linked) << linked.error().reason << log;
  EXPECT_EQ(*device_->kernel_names(**linked), std::vector<std::string>{"k"});
  auto program = device_->build(kAxpy, "", log);
  ASSERT_TRUE(program) << log;
  auto binary = device_->binary(**program);
  ASSERT_TRUE(binary) << binary.error().reason;
  auto loaded = device_->load(*binary, "");
  ASSERT_TRUE(loaded) << loaded.error().reason;
  auto kernel = device_->kernel(*loaded, "axpy");
  ASSERT_TRUE(kernel) << kernel.error().reason;
  EXPECT_EQ(*device_->argument_count(**kernel), 3u);
  EXPECT_GT((*kernel)->limits().work_group_size, 0u);
  EXPECT_FALSE(device_->kernel(*loaded, "no_such_kernel"));
}

TEST_P(PoclDevice, EightThreadsSubmitAndHelp) {
  constexpr int kThreads = 8;
  constexpr int kBatches = 50;
  std::vector<float> host(64, 0.0f);
  const auto memory = buffer(host);
  RunOp run;
  run.kernel = kernel_of(*device_, "kernel void up(global float* p) { p[get_global_id(0)] += 1.0f; }", "up");
  run.arguments = arguments_of({BufferArgument{memory, 0, 256}});
  run.range = line_range(0, 64, 64);
  std::atomic<int> completed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      int own = 0;
      for (int i = 0; i < kBatches; ++i) {
        Batch batch;
        batch.ops = {run};
        batch.done = [&, i](BatchResult&& result) {
          EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
          EXPECT_EQ(own++, i);
          ++completed;
        };
        const Ticket ticket = device_->submit(std::move(batch));
        if ((i + t) % 3 != 0 || i + 1 == kBatches) device_->help(ticket);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, kThreads * kBatches);
  fetch(memory, host);
  EXPECT_EQ(host, std::vector<float>(64, kThreads * kBatches));
}

TEST_P(PoclDevice, ThousandOpsInABatch) {
  std::vector<float> host(64, 0.0f);
  const auto memory = buffer(host);
  RunOp run;
  run.kernel = kernel_of(*device_, "kernel void up(global float* p) { p[get_global_id(0)] += 1.0f; }", "up");
  run.arguments = arguments_of({BufferArgument{memory, 0, 256}});
  run.range = line_range(0, 64, 64);
  ASSERT_EQ(run_batch(*device_, std::vector<Op>(1000, run)).status, CL_SUCCESS);
  fetch(memory, host);
  EXPECT_EQ(host, std::vector<float>(64, 1000.0f));
}

TEST_P(PoclDevice, AnswersQueriesAndErrorsLikeItsDriver) {
  const auto units = device_->info(CL_DEVICE_MAX_COMPUTE_UNITS);
  ASSERT_TRUE(units);
  EXPECT_EQ(units->size(), sizeof(cl_uint));
  EXPECT_EQ(device_->info(0x7777).error().code, CL_INVALID_VALUE);
  const auto formats = device_->image_formats(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D);
  ASSERT_TRUE(formats) << formats.error().reason;
  EXPECT_FALSE(formats->empty());
}

TEST_P(PoclDevice, ImagesKeepTheirTexels) {
  const ImageShape shape = {{CL_RGBA, CL_FLOAT}, {CL_MEM_OBJECT_IMAGE2D, 16, 8, 0, 0, 0, 0, 0, 0, {}}, 16};
  auto image = device_->allocate_image(shape, nullptr);
  ASSERT_TRUE(image) << image.error().reason;
  auto sampler = device_->sampler(false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
  ASSERT_TRUE(sampler);
  std::vector<float> texels(16 * 8 * 4), back(16 * 8 * 4), picked(128);
  std::iota(texels.begin(), texels.end(), 1.0f);
  const auto out = buffer(picked);
  RunOp run;
  run.kernel = kernel_of(*device_,
                         "kernel void pick(read_only image2d_t i, sampler_t s, global float* out) {"
                         "  int x = get_global_id(0), y = get_global_id(1);"
                         "  out[y * 16 + x] = read_imagef(i, s, (int2)(x, y)).z; }",
                         "pick");
  run.arguments = arguments_of({ImageArgument{*image}, SamplerArgument{*sampler}, BufferArgument{out, 0, 512}});
  run.range.work_dim = 2;
  run.range.global = {16, 8, 1};
  run.range.local = {4, 4, 1};
  const auto result = run_batch(*device_, {WriteImageOp{*image, bytes_at(texels.data()), {0, 2048, 2048, 1}}, run,
                                           ReadImageOp{*image, bytes_at(back.data()), {0, 2048, 2048, 1}}});
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  EXPECT_EQ(back, texels);
  fetch(out, picked);
  for (std::size_t i = 0; i < picked.size(); ++i) EXPECT_EQ(picked[i], texels[4 * i + 2]) << i;
}

/// A second driver whose work runs inside the calls, with other habits than PoCL's.
TEST(Oclgrind, IsUsedOnlyWhenNamedAndBlocks) {
  const char* const library = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "oclgrind is not installed";
  const skmd::test::TemporaryFolder folder;
  std::ofstream(folder.file("oclgrind.icd")) << library;
  const auto by_default = discover({.vendors_folder = folder.path(), .selectors = "", .own_library = ""});
  const auto named = discover({.vendors_folder = folder.path(), .selectors = "oclgrind:0@discrete", .own_library = ""});
  EXPECT_FALSE(by_default);
  ASSERT_TRUE(named) << named.error().reason;
  Device& device = *named->devices.front();
  EXPECT_TRUE(device.description().blocking);
  const auto memory = device.allocate(256, nullptr);
  ASSERT_TRUE(memory);
  std::vector<float> host(64, 1.0f);
  RunOp run;
  run.kernel = kernel_of(device, kAxpy, "axpy");
  run.arguments = arguments_of({BufferArgument{*memory, 0, 256}, BufferArgument{*memory, 0, 256}, bytes_of(2.0f)});
  run.range = line_range(8, 16, 8);
  const auto result = run_batch(device, {WriteOp{*memory, bytes_at(host.data()), plain_rows(0, 256)}, run,
                                         ReadOp{*memory, bytes_at(host.data()), plain_rows(0, 256)}});
  ASSERT_EQ(result.status, CL_SUCCESS) << result.reason;
  for (std::size_t i = 0; i < host.size(); ++i) EXPECT_EQ(host[i], i >= 8 && i < 24 ? 3.0f : 1.0f) << i;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Devices, PoclDevice,
                         testing::Values("portable:pthread", "portable:basic", "portable:pthread@discrete",
                                         "portable:basic@discrete", "cpu", "cpu@discrete"),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name) {
                             if (c == ':' || c == '@') c = '_';
                           }
                           return name;
                         });

}  // namespace skmd::icd
