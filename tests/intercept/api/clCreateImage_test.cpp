// SPDX-License-Identifier: Apache-2.0
// clCreateImage and its deprecated forms, clGetImageInfo, clGetSupportedImageFormats, and the commands on images.
#include <array>
#include <cstdint>
#include <numeric>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

constexpr cl_image_format kRgba8{CL_RGBA, CL_UNSIGNED_INT8};

cl_image_desc describe(cl_mem_object_type type, size_t width, size_t height = 0, size_t depth = 0, size_t layers = 0) {
  cl_image_desc desc{};
  desc.image_type = type;
  desc.image_width = width;
  desc.image_height = height;
  desc.image_depth = depth;
  desc.image_array_size = layers;
  return desc;
}

class Images : public Driver {
 protected:
  void SetUp() override {
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(device(), CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
    if (images == CL_FALSE) GTEST_SKIP() << "the anchor has no images";
  }
  void TearDown() override {
    for (cl_mem image : images_) clReleaseMemObject(image);
    Driver::TearDown();
  }
  cl_mem image(const cl_image_desc& desc, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr,
               cl_image_format format = kRgba8) {
    cl_int status = 1;
    cl_mem made = clCreateImage(context(), flags, &format, &desc, host, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    images_.push_back(made);
    return made;
  }
  static cl_int create(const cl_image_format* format, const cl_image_desc* desc, cl_mem_flags flags = CL_MEM_READ_WRITE,
                       void* host = nullptr) {
    cl_int status = 1;
    cl_mem made = clCreateImage(context(), flags, format, desc, host, &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) clReleaseMemObject(made);
    return status;
  }
  template <class T>
  static T ask(cl_mem image, cl_image_info name) {
    return value_of<T>(check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetImageInfo(image, name, size, value, size_ret);
    }));
  }
  std::vector<std::uint8_t> pixels(cl_mem of, std::array<size_t, 3> region) {
    std::vector<std::uint8_t> out(4 * region[0] * region[1] * region[2]);
    EXPECT_EQ(clEnqueueReadImage(queue(), of, CL_TRUE, kZero, region.data(), 0, 0, out.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return out;
  }
  static std::vector<std::uint8_t> counting(size_t size) {
    std::vector<std::uint8_t> bytes(size);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    return bytes;
  }
  static constexpr size_t kZero[3] = {0, 0, 0};

 private:
  std::vector<cl_mem> images_;
};

TEST_F(Images, DescriptorsAreChecked) {
  const cl_image_desc good = describe(CL_MEM_OBJECT_IMAGE2D, 8, 8);
  EXPECT_EQ(create(&kRgba8, &good), CL_SUCCESS);
  EXPECT_EQ(create(nullptr, &good), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  const cl_image_format odd{CL_RGB, CL_UNSIGNED_INT8};
  EXPECT_EQ(create(&odd, &good), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(create(&kRgba8, nullptr), CL_INVALID_IMAGE_DESCRIPTOR);
  const auto broken = [&](auto&& change) {
    cl_image_desc desc = good;
    change(desc);
    return create(&kRgba8, &desc);
  };
  EXPECT_EQ(broken([](auto& d) { d.image_type = CL_MEM_OBJECT_BUFFER; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(broken([](auto& d) { d.image_width = 0; }), CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(broken([](auto& d) { d.image_height = 1u << 30; }), CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(broken([](auto& d) { d.num_mip_levels = 1; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(broken([](auto& d) { d.num_samples = 1; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(broken([](auto& d) { d.image_row_pitch = 32; }), CL_INVALID_IMAGE_DESCRIPTOR) << "without host_ptr";
  EXPECT_EQ(broken([](auto& d) { d.image_depth = 77; }), CL_SUCCESS) << "fields of other types are ignored";
  std::vector<std::uint8_t> host(4096);
  cl_image_desc pitched = good;
  pitched.image_row_pitch = 34;
  EXPECT_EQ(create(&kRgba8, &pitched, CL_MEM_COPY_HOST_PTR, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(create(&kRgba8, &good, CL_MEM_COPY_HOST_PTR), CL_INVALID_HOST_PTR);
  EXPECT_EQ(create(&kRgba8, &good, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY), CL_INVALID_VALUE);
}

TEST_F(Images, InfoTellsPitchesAndUsedExtentsOnly) {
  cl_mem flat = image(describe(CL_MEM_OBJECT_IMAGE2D, 8, 4, 9, 9));
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_ELEMENT_SIZE), 4u);
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_ROW_PITCH), 32u);
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_SLICE_PITCH), 0u);
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_HEIGHT), 4u);
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_DEPTH), 0u);
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_ARRAY_SIZE), 0u);
  EXPECT_EQ(ask<cl_mem>(flat, CL_IMAGE_BUFFER), nullptr);
  cl_mem volume = image(describe(CL_MEM_OBJECT_IMAGE3D, 8, 4, 2));
  EXPECT_EQ(ask<size_t>(volume, CL_IMAGE_SLICE_PITCH), 128u);
  EXPECT_EQ(ask<size_t>(volume, CL_IMAGE_DEPTH), 2u);
  EXPECT_EQ(clGetImageInfo(buffer(64), CL_IMAGE_WIDTH, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(Images, SupportedFormatsHoldTheMandatoryOnes) {
  cl_uint count = 0;
  ASSERT_EQ(clGetSupportedImageFormats(context(), CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_SUCCESS);
  std::vector<cl_image_format> list(count);
  ASSERT_EQ(clGetSupportedImageFormats(context(), CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, count, list.data(), nullptr),
            CL_SUCCESS);
  const auto has = [&](cl_channel_order order, cl_channel_type type) {
    for (const auto& format : list)
      if (format.image_channel_order == order && format.image_channel_data_type == type) return true;
    return false;
  };
  for (const cl_channel_type type : {CL_UNORM_INT8, CL_UNORM_INT16, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,
                                     CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT})
    EXPECT_TRUE(has(CL_RGBA, type)) << type;
  EXPECT_EQ(
      clGetSupportedImageFormats(context(), CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
      CL_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(clGetSupportedImageFormats(context(), CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 0, nullptr, &count),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetSupportedImageFormats(context(), CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, list.data(), &count),
            CL_INVALID_VALUE);
}

TEST_F(Images, WriteAndReadOfPartsKeepTheRestAndThePitches) {
  cl_mem flat = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4));
  auto all = counting(64);
  const size_t whole[3] = {4, 4, 1};
  ASSERT_EQ(clEnqueueWriteImage(queue(), flat, CL_TRUE, kZero, whole, 0, 0, all.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  const size_t origin[3] = {1, 1, 0};
  const size_t region[3] = {2, 2, 1};
  std::vector<std::uint8_t> part(40, 200);
  ASSERT_EQ(clEnqueueWriteImage(queue(), flat, CL_TRUE, origin, region, 20, 0, part.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  auto expected = all;
  for (size_t row = 1; row < 3; ++row)
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(16 * row + 4), 8, std::uint8_t{200});
  EXPECT_EQ(pixels(flat, {4, 4, 1}), expected);
}

TEST_F(Images, RegionsAndPitchesAreChecked) {
  cl_mem flat = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4));
  std::vector<std::uint8_t> host(4096);
  const auto read = [&](std::array<size_t, 3> origin, std::array<size_t, 3> region, size_t row, size_t slice,
                        void* to) {
    return clEnqueueReadImage(queue(), flat, CL_TRUE, origin.data(), region.data(), row, slice, to, 0, nullptr,
                              nullptr);
  };
  EXPECT_EQ(read({0, 0, 0}, {4, 4, 1}, 0, 0, host.data()), CL_SUCCESS);
  EXPECT_EQ(read({1, 0, 0}, {4, 4, 1}, 0, 0, host.data()), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 1}, {4, 4, 1}, 0, 0, host.data()), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 0}, {4, 4, 0}, 0, 0, host.data()), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 0}, {4, ~size_t{0}, 1}, 0, 0, host.data()), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 0}, {4, 4, 1}, 15, 0, host.data()), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 0}, {4, 4, 1}, 0, 64, host.data()), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 0}, {4, 4, 1}, 0, 0, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueReadImage(queue(), buffer(64), CL_TRUE, kZero, kZero, 0, 0, host.data(), 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueReadBuffer(queue(), flat, CL_TRUE, 0, 4, host.data(), 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(Images, CopiesNeedEqualFormatsAndNoOverlap) {
  auto all = counting(64);
  cl_mem a = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4), CL_MEM_COPY_HOST_PTR, all.data());
  cl_mem b = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4));
  cl_mem other = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4), CL_MEM_READ_WRITE, nullptr, {CL_RGBA, CL_SIGNED_INT8});
  const size_t corner[3] = {2, 2, 0};
  const size_t near[3] = {1, 1, 0};
  const size_t region[3] = {2, 2, 1};
  const auto copy = [&](cl_mem from, cl_mem to, const size_t* target) {
    return clEnqueueCopyImage(queue(), from, to, kZero, target, region, 0, nullptr, nullptr);
  };
  EXPECT_EQ(copy(a, other, kZero), CL_IMAGE_FORMAT_MISMATCH);
  EXPECT_EQ(copy(a, a, near), CL_MEM_COPY_OVERLAP);
  ASSERT_EQ(copy(a, b, corner), CL_SUCCESS);
  const auto out = pixels(b, {4, 4, 1});
  EXPECT_EQ(out[4 * 10], all[0]);
  EXPECT_EQ(out[4 * 15], all[4 * 5]);
}

TEST_F(Images, CopiesBetweenImagesAndBuffersArePacked) {
  auto all = counting(64);
  cl_mem flat = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4), CL_MEM_COPY_HOST_PTR, all.data());
  cl_mem memory = buffer(64);
  const size_t origin[3] = {1, 1, 0};
  const size_t region[3] = {2, 2, 1};
  ASSERT_EQ(clEnqueueCopyImageToBuffer(queue(), flat, memory, origin, region, 8, 0, nullptr, nullptr), CL_SUCCESS);
  std::uint8_t out[64] = {};
  clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, 64, out, 0, nullptr, nullptr);
  EXPECT_EQ(out[8], all[20]);
  EXPECT_EQ(out[16], all[36]);
  EXPECT_EQ(out[24], 0);
  ASSERT_EQ(clEnqueueCopyBufferToImage(queue(), memory, flat, 8, kZero, region, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(pixels(flat, {4, 4, 1})[0], all[20]);
  EXPECT_EQ(clEnqueueCopyImageToBuffer(queue(), flat, memory, origin, region, 56, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
}

TEST_F(Images, FillConvertsTheColorAndAKernelReadsIt) {
  cl_mem unorm = image(describe(CL_MEM_OBJECT_IMAGE2D, 4, 4), CL_MEM_READ_WRITE, nullptr, {CL_RGBA, CL_UNORM_INT8});
  const float color[4] = {0.0f, 1.0f, 2.0f, -1.0f};
  const size_t region[3] = {2, 1, 1};
  EXPECT_EQ(clEnqueueFillImage(queue(), unorm, nullptr, kZero, region, 0, nullptr, nullptr), CL_INVALID_VALUE);
  ASSERT_EQ(clEnqueueFillImage(queue(), unorm, color, kZero, region, 0, nullptr, nullptr), CL_SUCCESS);
  const auto out = pixels(unorm, {4, 4, 1});
  EXPECT_EQ((std::vector<std::uint8_t>(out.begin(), out.begin() + 12)),
            (std::vector<std::uint8_t>{0, 255, 255, 0, 0, 255, 255, 0, 0, 0, 0, 0}));
  cl_kernel reads = kernel(
      "kernel void reads(read_only image2d_t image, global float4* out) {"
      "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;"
      "  out[get_global_id(0)] = read_imagef(image, s, (int2)(get_global_id(0), 0)); }",
      "reads");
  cl_mem result = buffer(64);
  clSetKernelArg(reads, 0, sizeof unorm, &unorm);
  clSetKernelArg(reads, 1, sizeof result, &result);
  const size_t global = 4;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), reads, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  float values[16] = {};
  ASSERT_EQ(clEnqueueReadBuffer(queue(), result, CL_TRUE, 0, sizeof values, values, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(values[1], 1.0f);
  EXPECT_EQ(values[4], 0.0f);
  EXPECT_EQ(values[6], 1.0f);
  EXPECT_EQ(values[9], 0.0f);
}

TEST_F(Images, MapsAreTightAndWritesThroughThemCount) {
  cl_mem volume = image(describe(CL_MEM_OBJECT_IMAGE3D, 4, 2, 2));
  const size_t region[3] = {4, 2, 2};
  size_t row = 0;
  size_t slice = 0;
  cl_int status = 1;
  const auto map = [&](size_t* row_pitch, size_t* slice_pitch) {
    return static_cast<std::uint8_t*>(clEnqueueMapImage(queue(), volume, CL_TRUE, CL_MAP_WRITE, kZero, region,
                                                        row_pitch, slice_pitch, 0, nullptr, nullptr, &status));
  };
  EXPECT_EQ(map(nullptr, &slice), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(map(&row, nullptr), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  std::uint8_t* pointer = map(&row, &slice);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(row, 16u);
  EXPECT_EQ(slice, 32u);
  pointer[slice + row] = 42;
  ASSERT_EQ(clEnqueueUnmapMemObject(queue(), volume, pointer, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(pixels(volume, {4, 2, 2})[48], 42);
}

TEST_F(Images, AUseHostPtrImageWithLoosePitchesIsMappedAtTheApplicationsAddress) {
  std::vector<std::uint8_t> host(3 * 24, 7);
  cl_image_desc desc = describe(CL_MEM_OBJECT_IMAGE2D, 4, 3);
  desc.image_row_pitch = 24;
  cl_mem flat = image(desc, CL_MEM_USE_HOST_PTR, host.data());
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_ROW_PITCH), 24u);
  const size_t origin[3] = {1, 1, 0};
  const size_t region[3] = {2, 2, 1};
  const std::uint32_t color[4] = {9, 9, 9, 9};
  ASSERT_EQ(clEnqueueFillImage(queue(), flat, color, origin, region, 0, nullptr, nullptr), CL_SUCCESS);
  size_t row = 0;
  cl_int status = 1;
  auto* pointer = static_cast<std::uint8_t*>(clEnqueueMapImage(
      queue(), flat, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, nullptr, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(pointer, host.data() + 24 + 4);
  EXPECT_EQ(row, 24u);
  EXPECT_EQ(pointer[24], 9);
  EXPECT_EQ(host[24], 7);
  pointer[0] = 11;
  ASSERT_EQ(clEnqueueUnmapMemObject(queue(), flat, pointer, 0, nullptr, nullptr), CL_SUCCESS);
  const auto out = pixels(flat, {4, 3, 1});
  EXPECT_EQ(out[16 + 4], 11);
  EXPECT_EQ(out[16 + 8], 9);
  EXPECT_EQ(out[16], 7);
}

TEST_F(Images, AnImageOverABufferSharesItsBytesAndKeepsIt) {
  auto all = counting(64);
  cl_mem memory = clCreateBuffer(context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 64, all.data(), nullptr);
  cl_image_desc desc = describe(CL_MEM_OBJECT_IMAGE1D_BUFFER, 16);
  EXPECT_EQ(create(&kRgba8, &desc), CL_INVALID_IMAGE_DESCRIPTOR);
  desc.buffer = memory;
  EXPECT_EQ(create(&kRgba8, &desc, CL_MEM_WRITE_ONLY), CL_INVALID_VALUE);
  cl_mem line = image(desc, 0);
  EXPECT_EQ(ask<cl_mem>(line, CL_IMAGE_BUFFER), memory);
  desc.image_width = 17;
  EXPECT_EQ(create(&kRgba8, &desc, 0), CL_INVALID_IMAGE_DESCRIPTOR);
  const std::uint8_t changed = 99;
  clEnqueueWriteBuffer(queue(), memory, CL_TRUE, 4, 1, &changed, 0, nullptr, nullptr);
  clReleaseMemObject(memory);
  const auto out = pixels(line, {16, 1, 1});
  EXPECT_EQ(out[4], 99);
  EXPECT_EQ(out[5], all[5]);
}

TEST_F(Images, TheOldCallsCreateTheSameImages) {
  cl_int status = 1;
  cl_mem flat = clCreateImage2D(context(), CL_MEM_READ_WRITE, &kRgba8, 8, 4, 0, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(ask<size_t>(flat, CL_IMAGE_HEIGHT), 4u);
  clReleaseMemObject(flat);
  EXPECT_EQ(clCreateImage2D(context(), CL_MEM_READ_WRITE, &kRgba8, 8, 4, 99, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clCreateImage3D(context(), CL_MEM_READ_WRITE, &kRgba8, 8, 4, 1, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
  cl_mem volume = clCreateImage3D(context(), CL_MEM_READ_WRITE, &kRgba8, 8, 4, 2, 0, 0, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(ask<size_t>(volume, CL_IMAGE_DEPTH), 2u);
  clReleaseMemObject(volume);
}

}  // namespace
}  // namespace skmd::test
