// SPDX-License-Identifier: Apache-2.0
// Making images, and asking about them.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

using Mem = cl_mem;

struct Wanted {
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  bool null_format = false, null_desc = false, host = false;
  Mem World::*buffer = nullptr;
};

/// Changes a good 2D image into a wrong one.
using Change = void (*)(Wanted&);

struct WrongImage {
  cl_int code;
  const char* wrong;
  Change change;
};

const WrongImage kImages[] = {
    {CL_INVALID_VALUE, "flags exclude each other", [](Wanted& i) { i.flags = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY; }},
    {CL_INVALID_VALUE, "an unknown flag", [](Wanted& i) { i.flags = cl_mem_flags{1} << 40; }},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the format is NULL", [](Wanted& i) { i.null_format = true; }},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the order is unknown", [](Wanted& i) { i.format.image_channel_order = 1; }},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the type is unknown",
     [](Wanted& i) { i.format.image_channel_data_type = 1; }},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "order and type do not go together",
     [](Wanted& i) {
       i.format = {CL_RGB, CL_FLOAT};
     }},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED, "the format is not listed",
     [](Wanted& i) {
       i.format = {CL_RA, CL_HALF_FLOAT};
     }},
    {CL_INVALID_IMAGE_SIZE, "width 0", [](Wanted& i) { i.desc.image_width = 0; }},
    {CL_INVALID_IMAGE_SIZE, "height 0", [](Wanted& i) { i.desc.image_height = 0; }},
    {CL_INVALID_IMAGE_SIZE, "too wide", [](Wanted& i) { i.desc.image_width = size_t{1} << 40; }},
    {CL_INVALID_IMAGE_SIZE, "too high", [](Wanted& i) { i.desc.image_height = size_t{1} << 40; }},
    {CL_INVALID_HOST_PTR, "a pointer without a flag", [](Wanted& i) { i.host = true; }},
    {CL_INVALID_HOST_PTR, "use without a pointer", [](Wanted& i) { i.flags = CL_MEM_USE_HOST_PTR; }},
    {CL_INVALID_HOST_PTR, "copy without a pointer", [](Wanted& i) { i.flags = CL_MEM_COPY_HOST_PTR; }},
};

/// Only where there is a descriptor.
const WrongImage kDescriptors[] = {
    {CL_INVALID_IMAGE_DESCRIPTOR, "the descriptor is NULL", [](Wanted& i) { i.null_desc = true; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "the type is no image", [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_BUFFER; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "mip levels", [](Wanted& i) { i.desc.num_mip_levels = 2; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "samples", [](Wanted& i) { i.desc.num_samples = 4; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a pitch without host memory", [](Wanted& i) { i.desc.image_row_pitch = 64; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a slice pitch that is no multiple",
     [](Wanted& i) {
       i.flags = CL_MEM_COPY_HOST_PTR, i.host = true;
       i.desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, i.desc.image_array_size = 1;
       i.desc.image_slice_pitch = 65;
     }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a pitch of less than a row",
     [](Wanted& i) { i.flags = CL_MEM_COPY_HOST_PTR, i.host = true, i.desc.image_row_pitch = 8; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a pitch of broken elements",
     [](Wanted& i) { i.flags = CL_MEM_COPY_HOST_PTR, i.host = true, i.desc.image_row_pitch = 66; }},
    {CL_INVALID_OPERATION, "a 2D image over a buffer", [](Wanted& i) { i.buffer = &World::second_buffer; }},
    {CL_INVALID_OPERATION, "a 2D image over an image", [](Wanted& i) { i.buffer = &World::image3d; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a buffer image without a buffer",
     [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a buffer image over an image",
     [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, i.buffer = &World::image3d; }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a buffer image of more bytes than the buffer's",
     [](Wanted& i) {
       i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, i.buffer = &World::second_buffer;
       i.desc.image_width = World::kBytes;
     }},
    {CL_INVALID_IMAGE_DESCRIPTOR, "a buffer image with a pitch",
     [](Wanted& i) {
       i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, i.buffer = &World::second_buffer;
       i.desc.image_row_pitch = 128;
     }},
    {CL_INVALID_VALUE, "a buffer image that takes host memory",
     [](Wanted& i) {
       i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, i.buffer = &World::second_buffer;
       i.flags = CL_MEM_ALLOC_HOST_PTR;
     }},
    {CL_INVALID_VALUE, "a buffer image with more host access than the buffer's",
     [](Wanted& i) {
       i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, i.buffer = &World::read_only_host;
       i.flags = CL_MEM_HOST_WRITE_ONLY;
     }},
    {CL_INVALID_IMAGE_SIZE, "an array of no layers",
     [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY; }},
    {CL_INVALID_IMAGE_SIZE, "an array of too many layers",
     [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, i.desc.image_array_size = 1 << 30; }},
    {CL_INVALID_IMAGE_SIZE, "a volume of depth 0", [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_IMAGE3D; }},
    {CL_INVALID_IMAGE_SIZE, "too deep",
     [](Wanted& i) { i.desc.image_type = CL_MEM_OBJECT_IMAGE3D, i.desc.image_depth = 1 << 30; }},
};

Wanted wanted(World& w, Change change) {
  Wanted image;
  image.desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  image.desc.image_width = image.desc.image_height = 8;
  if (change != nullptr) change(image);
  if (image.buffer != nullptr) image.desc.buffer = w.*image.buffer;
  return image;
}

Mem create(World& w, const Wanted& i, cl_context context, bool with_properties, const cl_mem_properties* list) {
  const cl_image_format* format = i.null_format ? nullptr : &i.format;
  const cl_image_desc* desc = i.null_desc ? nullptr : &i.desc;
  void* host = i.host ? w.value() : nullptr;
  return with_properties ? clCreateImageWithProperties(context, list, i.flags, format, desc, host, w.code())
                         : clCreateImage(context, i.flags, format, desc, host, w.code());
}

Mem create_old(World& w, const Wanted& i, cl_context context, bool volume) {
  const cl_image_format* format = i.null_format ? nullptr : &i.format;
  const cl_image_desc& d = i.desc;
  void* host = i.host ? w.value() : nullptr;
  return volume ? clCreateImage3D(context, i.flags, format, d.image_width, d.image_height, 2, d.image_row_pitch,
                                  d.image_slice_pitch, host, w.code())
                : clCreateImage2D(context, i.flags, format, d.image_width, d.image_height, d.image_row_pitch, host,
                                  w.code());
}

/// The four functions that make images.
struct Maker {
  const char* function;
  std::function<Mem(World&, const Wanted&, cl_context)> make;
};
const std::vector<Maker>& makers() {
  static const auto* const list = new std::vector<Maker>{
      {"clCreateImage",
       [](World& w, const Wanted& i, cl_context context) { return create(w, i, context, false, nullptr); }},
      {"clCreateImageWithProperties",
       [](World& w, const Wanted& i, cl_context context) { return create(w, i, context, true, nullptr); }},
      {"clCreateImage2D",
       [](World& w, const Wanted& i, cl_context context) { return create_old(w, i, context, false); }},
      {"clCreateImage3D",
       [](World& w, const Wanted& i, cl_context context) { return create_old(w, i, context, true); }},
  };
  return *list;
}

/// Makes the largest images until one is refused; all are released again.
cl_int exhaust(World& w, const Maker& maker) {
  std::vector<Mem> made;
  cl_int code = CL_SUCCESS;
  Wanted image = wanted(w, [](Wanted& i) { i.desc.image_width = i.desc.image_height = 2048; });
  while (code == CL_SUCCESS && made.size() < 4096) {
    Mem one = maker.make(w, image, w.mine.context);
    code = *w.code();
    if (one != nullptr) made.push_back(one);
  }
  for (Mem one : made) EXPECT_EQ(clReleaseMemObject(one), CL_SUCCESS);
  return code;
}

void add_creation(Cases& cases) {
  for (size_t m = 0; m < makers().size(); ++m) {
    const Maker& maker = makers()[m];
    const auto add = [&](const WrongImage& wrong) {
      cases.push_back({maker.function, wrong.code, wrong.wrong,
                       [&maker, change = wrong.change](World& w) {
                         return w.made(maker.make(w, wanted(w, change), w.mine.context));
                       },
                       Machine::with_images});
    };
    for (const WrongImage& wrong : kImages) add(wrong);
    if (m < 2)
      for (const WrongImage& wrong : kDescriptors) add(wrong);
    add_bad_handles<cl_context>(
        cases, maker.function, CL_INVALID_CONTEXT, "the context",
        [&maker](World& w, cl_context context) { return w.made(maker.make(w, wanted(w, nullptr), context)); },
        Machine::with_images);
    cases.push_back({maker.function, CL_INVALID_OPERATION, "the device has no images",
                     [&maker](World& w) { return w.made(maker.make(w, wanted(w, nullptr), w.mine.context)); },
                     Machine::without_images});
    cases.push_back({maker.function, CL_MEM_OBJECT_ALLOCATION_FAILURE, "more than the device has",
                     [&maker](World& w) { return exhaust(w, maker); }, Machine::with_images});
  }
  static constexpr cl_mem_properties kUnknown[] = {0x7777, 1, 0};
  cases.push_back({"clCreateImageWithProperties", CL_INVALID_PROPERTY, "a property is unknown",
                   [](World& w) { return w.made(create(w, wanted(w, nullptr), w.mine.context, true, kUnknown)); },
                   Machine::with_images});
  cases.push_back({"clCreateImage3D", CL_INVALID_IMAGE_SIZE, "depth 1",
                   [](World& w) {
                     const Wanted i = wanted(w, nullptr);
                     return w.made(
                         clCreateImage3D(w.mine.context, i.flags, &i.format, 8, 8, 1, 0, 0, nullptr, w.code()));
                   },
                   Machine::with_images});
  cases.push_back(
      {"clCreateImage2D", CL_INVALID_IMAGE_SIZE, "a pitch of less than a row",
       [](World& w) {
         const Wanted i = wanted(w, nullptr);
         return w.made(clCreateImage2D(w.mine.context, CL_MEM_COPY_HOST_PTR, &i.format, 8, 8, 4, w.value(), w.code()));
       },
       Machine::with_images});
}

void add_queries(Cases& cases) {
  add_bad_handles<Mem>(cases, "clGetImageInfo", CL_INVALID_MEM_OBJECT, "the image", [](World& w, Mem image) {
    return clGetImageInfo(image, CL_IMAGE_WIDTH, World::kValueBytes, w.value(), w.size_ret());
  });
  cases.push_back({"clGetImageInfo", CL_INVALID_MEM_OBJECT, "a buffer", [](World& w) {
                     return clGetImageInfo(w.mine.buffer, CL_IMAGE_WIDTH, World::kValueBytes, w.value(), w.size_ret());
                   }});
  add_bad_queries(
      cases, "clGetImageInfo", CL_IMAGE_WIDTH,
      [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
        return clGetImageInfo(w.mine.image, name, size, value, size_ret);
      },
      Machine::with_images);
  const auto formats = [](World& w, cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint entries) {
    return clGetSupportedImageFormats(context, flags, type, entries, w.array<cl_image_format>(), w.count());
  };
  constexpr cl_mem_object_type k2d = CL_MEM_OBJECT_IMAGE2D;
  add_bad_handles<cl_context>(
      cases, "clGetSupportedImageFormats", CL_INVALID_CONTEXT, "the context",
      [formats](World& w, cl_context context) { return formats(w, context, CL_MEM_READ_ONLY, k2d, 8); });
  cases.push_back({"clGetSupportedImageFormats", CL_INVALID_VALUE, "flags exclude each other", [formats](World& w) {
                     return formats(w, w.mine.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, k2d, 8);
                   }});
  cases.push_back({"clGetSupportedImageFormats", CL_INVALID_VALUE, "an unknown flag",
                   [formats](World& w) { return formats(w, w.mine.context, cl_mem_flags{1} << 40, k2d, 8); }});
  cases.push_back({"clGetSupportedImageFormats", CL_INVALID_VALUE, "the type is no image", [formats](World& w) {
                     return formats(w, w.mine.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 8);
                   }});
  cases.push_back({"clGetSupportedImageFormats", CL_INVALID_VALUE, "a list of 0 entries",
                   [formats](World& w) { return formats(w, w.mine.context, CL_MEM_READ_ONLY, k2d, 0); }});
}

}  // namespace

void add_image_cases(Cases& cases) {
  add_creation(cases);
  add_queries(cases);
}

}  // namespace skmd::test
