// SPDX-License-Identifier: Apache-2.0
// Kernels that read and write images: what the host wrote they see, what they wrote the host sees.
#include <array>
#include <numeric>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

constexpr size_t kEdge = 16;
using Pixels = std::array<cl_uint, kEdge * kEdge>;

class ImageArguments : public Driver {
 protected:
  void SetUp() override {
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(device(), CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
    if (images == CL_FALSE) GTEST_SKIP() << "the anchor has no images";
    const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = kEdge;
    std::iota(pixels.begin(), pixels.end(), 1000u);
    cl_int status = CL_SUCCESS;
    image = clCreateImage(context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels.data(), &status);
    ASSERT_EQ(status, CL_SUCCESS);
    out = buffer(sizeof(Pixels));
  }
  void TearDown() override {
    if (image != nullptr) clReleaseMemObject(image);
    Driver::TearDown();
  }
  void launch(cl_kernel kernel) {
    const size_t global[2] = {kEdge, kEdge};
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof image, &image), CL_SUCCESS);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue(), kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  }
  cl_kernel reader() {
    return kernel(
        "kernel void k(read_only image2d_t image, global uint* out) {"
        "  const sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;"
        "  int2 at = (int2)(get_global_id(0), get_global_id(1));"
        "  out[at.y * 16 + at.x] = read_imageui(image, plain, at).x; }",
        "k");
  }
  /// Writes every other column.
  cl_kernel writer() {
    return kernel(
        "kernel void k(write_only image2d_t image) {"
        "  int2 at = (int2)(get_global_id(0), get_global_id(1));"
        "  if (at.x % 2 == 1) write_imageui(image, at, (uint4)(at.y * 16 + at.x)); }",
        "k");
  }
  Pixels after_writer() const {
    Pixels expected = pixels;
    for (cl_uint i = 1; i < expected.size(); i += 2) expected[i] = i;
    return expected;
  }
  Pixels buffer_contents() {
    Pixels got{};
    EXPECT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 0, sizeof got, got.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return got;
  }
  Pixels image_contents() {
    Pixels got{};
    const size_t origin[3] = {0, 0, 0};
    const size_t region[3] = {kEdge, kEdge, 1};
    EXPECT_EQ(clEnqueueReadImage(queue(), image, CL_TRUE, origin, region, 0, 0, got.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return got;
  }
  Pixels pixels{};
  cl_mem image = nullptr, out = nullptr;
};

TEST_F(ImageArguments, AKernelReadsWhatTheHostWrote) {
  launch(reader());
  EXPECT_EQ(buffer_contents(), pixels);
}

TEST_F(ImageArguments, TheHostReadsWhatAKernelWroteAndTheRestStays) {
  launch(writer());
  EXPECT_EQ(image_contents(), after_writer());
}

TEST_F(ImageArguments, AKernelReadsWhatAnotherOneWrote) {
  launch(writer());
  launch(reader());
  EXPECT_EQ(buffer_contents(), after_writer());
}

TEST_F(ImageArguments, AnImageOverABufferSeesTheBuffersBytes) {
  const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = pixels.size();
  desc.buffer = buffer(sizeof pixels);
  ASSERT_EQ(clEnqueueWriteBuffer(queue(), desc.buffer, CL_TRUE, 0, sizeof pixels, pixels.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  cl_mem line = clCreateImage(context(), CL_MEM_READ_ONLY, &format, &desc, nullptr, &status);
  if (status == CL_IMAGE_FORMAT_NOT_SUPPORTED) GTEST_SKIP() << "the anchor has no images over buffers";
  ASSERT_EQ(status, CL_SUCCESS);
  cl_kernel made = kernel(
      "kernel void k(read_only image1d_buffer_t image, global uint* out) {"
      "  int i = get_global_id(0); out[i] = read_imageui(image, i).x; }",
      "k");
  const size_t global = pixels.size();
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof line, &line), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made, 1, sizeof out, &out), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(buffer_contents(), pixels);
  clReleaseMemObject(line);
}

}  // namespace
}  // namespace skmd::test
