// SPDX-License-Identifier: Apache-2.0
// Writing images: conversions as the specification prefers them. What is outside the image is not written.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#include "image_layout.clh"

ushort __attribute__((overloadable)) skmd_half_rte(float value);

// From here on a value is nearer to the next byte.
constant float skmd_srgb_bounds[] = {
    0x1.3e4568p-13f, 0x1.dd681cp-12f, 0x1.8dd6c2p-11f, 0x1.167cbap-10f, 0x1.660e14p-10f, 0x1.b59f6ep-10f,
    0x1.029864p-9f, 0x1.2a6112p-9f, 0x1.5229bep-9f, 0x1.79f26ap-9f, 0x1.a1e5ap-9f, 0x1.cbf734p-9f, 0x1.f86806p-9f,
    0x1.13a0bep-8f, 0x1.2c4666p-8f, 0x1.46297ap-8f, 0x1.614e6p-8f, 0x1.7db96cp-8f, 0x1.9b6edap-8f, 0x1.ba72cep-8f,
    0x1.dac95ep-8f, 0x1.fc768ap-8f, 0x1.0fbf22p-7f, 0x1.21f234p-7f, 0x1.34d662p-7f, 0x1.486d8ep-7f, 0x1.5cb98ep-7f,
    0x1.71bc32p-7f, 0x1.877748p-7f, 0x1.9dec9p-7f, 0x1.b51dc8p-7f, 0x1.cd0ca8p-7f, 0x1.e5baep-7f, 0x1.ff2a1ep-7f,
    0x1.0cae04p-6f, 0x1.1a291cp-6f, 0x1.28072ap-6f, 0x1.3648f6p-6f, 0x1.44ef4cp-6f, 0x1.53faeep-6f, 0x1.636ca4p-6f,
    0x1.73453p-6f, 0x1.83855p-6f, 0x1.942dc4p-6f, 0x1.a53f48p-6f, 0x1.b6ba94p-6f, 0x1.c8a062p-6f, 0x1.daf168p-6f,
    0x1.edae5cp-6f, 0x1.006bf6p-5f, 0x1.0a3768p-5f, 0x1.1439d8p-5f, 0x1.1e73ap-5f, 0x1.28e514p-5f, 0x1.338e8ap-5f,
    0x1.3e7056p-5f, 0x1.498acep-5f, 0x1.54de42p-5f, 0x1.606b08p-5f, 0x1.6c316ep-5f, 0x1.7831c6p-5f, 0x1.846c62p-5f,
    0x1.90e192p-5f, 0x1.9d91a4p-5f, 0x1.aa7ce4p-5f, 0x1.b7a3a4p-5f, 0x1.c5063p-5f, 0x1.d2a4d4p-5f, 0x1.e07fdcp-5f,
    0x1.ee9794p-5f, 0x1.fcec46p-5f, 0x1.05bf2p-4f, 0x1.0d26e4p-4f, 0x1.14ad94p-4f, 0x1.1c5356p-4f, 0x1.24184cp-4f,
    0x1.2bfc9cp-4f, 0x1.34006ap-4f, 0x1.3c23d6p-4f, 0x1.446708p-4f, 0x1.4cca1ep-4f, 0x1.554d4p-4f, 0x1.5df08ep-4f,
    0x1.66b428p-4f, 0x1.6f9836p-4f, 0x1.789cd4p-4f, 0x1.81c228p-4f, 0x1.8b085p-4f, 0x1.946f72p-4f, 0x1.9df7aap-4f,
    0x1.a7a11cp-4f, 0x1.b16beap-4f, 0x1.bb583p-4f, 0x1.c56612p-4f, 0x1.cf95bp-4f, 0x1.d9e72ap-4f, 0x1.e45a9ep-4f,
    0x1.eef02ep-4f, 0x1.f9a7f8p-4f, 0x1.02410ep-3f, 0x1.07bf5cp-3f, 0x1.0d4ef6p-3f, 0x1.12efecp-3f, 0x1.18a24cp-3f,
    0x1.1e6626p-3f, 0x1.243b8ap-3f, 0x1.2a2286p-3f, 0x1.301b2ap-3f, 0x1.362582p-3f, 0x1.3c41a2p-3f, 0x1.426f94p-3f,
    0x1.48af6ap-3f, 0x1.4f0132p-3f, 0x1.5564f8p-3f, 0x1.5bdacep-3f, 0x1.6262cp-3f, 0x1.68fcep-3f, 0x1.6fa938p-3f,
    0x1.7667d8p-3f, 0x1.7d38cep-3f, 0x1.841c28p-3f, 0x1.8b11f6p-3f, 0x1.921a42p-3f, 0x1.99351ep-3f, 0x1.a06296p-3f,
    0x1.a7a2bap-3f, 0x1.aef594p-3f, 0x1.b65b34p-3f, 0x1.bdd3a6p-3f, 0x1.c55efap-3f, 0x1.ccfd3ep-3f, 0x1.d4ae7cp-3f,
    0x1.dc72c2p-3f, 0x1.e44a2p-3f, 0x1.ec34a4p-3f, 0x1.f43256p-3f, 0x1.fc4348p-3f, 0x1.0233c2p-2f, 0x1.064f8ep-2f,
    0x1.0a750cp-2f, 0x1.0ea442p-2f, 0x1.12dd3ap-2f, 0x1.171ff8p-2f, 0x1.1b6c82p-2f, 0x1.1fc2dep-2f, 0x1.242316p-2f,
    0x1.288d2cp-2f, 0x1.2d0128p-2f, 0x1.317f12p-2f, 0x1.3606eep-2f, 0x1.3a98c2p-2f, 0x1.3f3496p-2f, 0x1.43da7p-2f,
    0x1.488a54p-2f, 0x1.4d444cp-2f, 0x1.52085ap-2f, 0x1.56d688p-2f, 0x1.5baed8p-2f, 0x1.609154p-2f, 0x1.657ep-2f,
    0x1.6a74e2p-2f, 0x1.6f76p-2f, 0x1.74816p-2f, 0x1.79970ap-2f, 0x1.7eb7p-2f, 0x1.83e14cp-2f, 0x1.8915f2p-2f,
    0x1.8e54f8p-2f, 0x1.939e64p-2f, 0x1.98f23ap-2f, 0x1.9e5084p-2f, 0x1.a3b944p-2f, 0x1.a92c8p-2f, 0x1.aeaa42p-2f,
    0x1.b4328ap-2f, 0x1.b9c562p-2f, 0x1.bf62cep-2f, 0x1.c50ad4p-2f, 0x1.cabd7ap-2f, 0x1.d07ac4p-2f, 0x1.d642bap-2f,
    0x1.dc156p-2f, 0x1.e1f2bcp-2f, 0x1.e7dad4p-2f, 0x1.edcdaep-2f, 0x1.f3cb4ep-2f, 0x1.f9d3bcp-2f, 0x1.ffe6fap-2f,
    0x1.030288p-1f, 0x1.061702p-1f, 0x1.0930eep-1f, 0x1.0c504cp-1f, 0x1.0f7522p-1f, 0x1.129f72p-1f, 0x1.15cf3ep-1f,
    0x1.190488p-1f, 0x1.1c3f54p-1f, 0x1.1f7fa4p-1f, 0x1.22c57ap-1f, 0x1.2610dap-1f, 0x1.2961c8p-1f, 0x1.2cb844p-1f,
    0x1.30145p-1f, 0x1.3375f2p-1f, 0x1.36dd2ap-1f, 0x1.3a49fcp-1f, 0x1.3dbc6ap-1f, 0x1.413476p-1f, 0x1.44b224p-1f,
    0x1.483576p-1f, 0x1.4bbe6ep-1f, 0x1.4f4d1p-1f, 0x1.52e15ep-1f, 0x1.567b58p-1f, 0x1.5a1b04p-1f, 0x1.5dc064p-1f,
    0x1.616b7ap-1f, 0x1.651c46p-1f, 0x1.68d2dp-1f, 0x1.6c8f16p-1f, 0x1.70511cp-1f, 0x1.7418e6p-1f, 0x1.77e672p-1f,
    0x1.7bb9c8p-1f, 0x1.7f92e8p-1f, 0x1.8371d4p-1f, 0x1.87569p-1f, 0x1.8b411cp-1f, 0x1.8f317cp-1f, 0x1.9327b4p-1f,
    0x1.9723c4p-1f, 0x1.9b25bp-1f, 0x1.9f2d7ap-1f, 0x1.a33b22p-1f, 0x1.a74ebp-1f, 0x1.ab682p-1f, 0x1.af877ap-1f,
    0x1.b3acbep-1f, 0x1.b7d7ecp-1f, 0x1.bc090cp-1f, 0x1.c0401ap-1f, 0x1.c47d1ep-1f, 0x1.c8c018p-1f, 0x1.cd090ap-1f,
    0x1.d157f6p-1f, 0x1.d5acep-1f, 0x1.da07c8p-1f, 0x1.de68b4p-1f, 0x1.e2cfa2p-1f, 0x1.e73c98p-1f, 0x1.ebaf98p-1f,
    0x1.f028a2p-1f, 0x1.f4a7bap-1f, 0x1.f92ce2p-1f, 0x1.fdb81cp-1f};


// Those channels that are kept, as they lie in memory.
#define STORED(TYPE)                                      \
  INLINE TYPE stored_##TYPE(uint order, TYPE color) {     \
    switch (order) {                                      \
      case CLK_A:                                         \
        return color.wwww;                                \
      case CLK_RA:                                        \
        return color.xwww;                                \
      case CLK_BGRA:                                      \
      case CLK_sBGRA:                                     \
        return color.zyxw;                                \
      case CLK_ARGB:                                      \
        return color.wxyz;                                \
      case CLK_ABGR:                                      \
        return color.wzyx;                                \
      default:                                            \
        return color;                                     \
    }                                                     \
  }

STORED(float4)
STORED(int4)

INLINE float srgb_of(float value) {
  // As many bounds are not above as the byte says. Not a number: 0.
  uint byte = 0;
  for (uint step = 128; step > 0; step /= 2)
    if (byte + step <= 255 && value >= skmd_srgb_bounds[byte + step - 1]) byte += step;
  return (float)byte / 255.0f;
}

#define PUT(VALUE)                   \
  do {                               \
    to[0] = VALUE(color.x);                 \
    if (channels > 1) to[1] = VALUE(color.y);  \
    if (channels > 2) to[2] = VALUE(color.z);  \
    if (channels > 3) to[3] = VALUE(color.w);  \
  } while (0)

INLINE uint packed(float value, float most) { return min((uint)convert_ushort_sat_rte(value * most), (uint)most); }

void skmd_image_writef(constant const Image* image, uint shape, int x, int y, int z, float r, float g, float b, float a) {
  if (!inside(extent_of(image, shape), x, y, z)) return;
  global uchar* const at = image->bytes + offset_of(image, x, y, z);
  const uint channels = channels_of(image->order);
  float4 color = (float4)(r, g, b, a);
  if (is_srgb(image->order)) color = (float4)(srgb_of(r), srgb_of(g), srgb_of(b), a);
  color = stored_float4(image->order, color);
  switch (image->type) {
#define VALUE(v) convert_uchar_sat_rte(v * 255.0f)
    case CLK_UNORM_INT8: {
      global uchar* const to = at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) convert_ushort_sat_rte(v * 65535.0f)
    case CLK_UNORM_INT16: {
      global ushort* const to = (global ushort*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) convert_char_sat_rte(v * 127.0f)
    case CLK_SNORM_INT8: {
      global char* const to = (global char*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) convert_short_sat_rte(v * 32767.0f)
    case CLK_SNORM_INT16: {
      global short* const to = (global short*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) skmd_half_rte(v)
    case CLK_HALF_FLOAT: {
      global ushort* const to = (global ushort*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) v
    case CLK_FLOAT: {
      global float* const to = (global float*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
    case CLK_UNORM_SHORT_565:
      *(global ushort*)at = (ushort)(packed(r, 31.0f) << 11 | packed(g, 63.0f) << 5 | packed(b, 31.0f));
      break;
    case CLK_UNORM_SHORT_555:
      *(global ushort*)at = (ushort)(packed(r, 31.0f) << 10 | packed(g, 31.0f) << 5 | packed(b, 31.0f));
      break;
    case CLK_UNORM_INT_101010:
      *(global uint*)at = packed(r, 1023.0f) << 20 | packed(g, 1023.0f) << 10 | packed(b, 1023.0f);
      break;
    case CLK_UNORM_INT_101010_2:
      *(global uint*)at =
          packed(r, 1023.0f) << 22 | packed(g, 1023.0f) << 12 | packed(b, 1023.0f) << 2 | packed(a, 3.0f);
      break;
    default:
      break;
  }
}

void skmd_image_writei(constant const Image* image, uint shape, int x, int y, int z, int r, int g, int b, int a) {
  if (!inside(extent_of(image, shape), x, y, z)) return;
  global uchar* const at = image->bytes + offset_of(image, x, y, z);
  const uint channels = channels_of(image->order);
  const int4 color = stored_int4(image->order, (int4)(r, g, b, a));
  switch (image->type) {
#define VALUE(v) convert_char_sat(v)
    case CLK_SIGNED_INT8: {
      global char* const to = (global char*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) convert_short_sat(v)
    case CLK_SIGNED_INT16: {
      global short* const to = (global short*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) convert_uchar_sat(as_uint(v))
    case CLK_UNSIGNED_INT8: {
      global uchar* const to = at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) convert_ushort_sat(as_uint(v))
    case CLK_UNSIGNED_INT16: {
      global ushort* const to = (global ushort*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
#define VALUE(v) v
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32: {
      global int* const to = (global int*)at;
      PUT(VALUE);
      break;
    }
#undef VALUE
    default:
      break;
  }
}
