// SPDX-License-Identifier: Apache-2.0
// Reading images, by the rules of the specification's chapter on addressing and filtering. One item at a time; what
// differs between kinds of images and types of channels is decided as it runs. Reads stay inside the image for every
// coordinate. Names are not OpenCL's: the code generator calls these (images.h).

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#include "image_taps.clh"

// What a byte of an sRGB channel stands for.
constant float skmd_srgb_linear[] = {
    0x0p+0f, 0x1.3e4568p-12f, 0x1.3e4568p-11f, 0x1.dd681cp-11f, 0x1.3e4568p-10f, 0x1.8dd6c2p-10f, 0x1.dd681cp-10f,
    0x1.167cbap-9f, 0x1.3e4568p-9f, 0x1.660e14p-9f, 0x1.8dd6c2p-9f, 0x1.b6a31cp-9f, 0x1.e1e31ep-9f, 0x1.07c38cp-8f,
    0x1.1fcc2cp-8f, 0x1.390ffap-8f, 0x1.53936cp-8f, 0x1.6f5adep-8f, 0x1.8c6a94p-8f, 0x1.aac6cp-8f, 0x1.ca7382p-8f,
    0x1.eb74e2p-8f, 0x1.06e76cp-7f, 0x1.18c2a6p-7f, 0x1.2b4e0ap-7f, 0x1.3e8b7cp-7f, 0x1.527cd6p-7f, 0x1.6723eep-7f,
    0x1.7c8292p-7f, 0x1.929a88p-7f, 0x1.a96d92p-7f, 0x1.c0fd68p-7f, 0x1.d94bbep-7f, 0x1.f25a44p-7f, 0x1.061552p-6f,
    0x1.135f3ep-6f, 0x1.210bb8p-6f, 0x1.2f1b8cp-6f, 0x1.3d8f84p-6f, 0x1.4c6866p-6f, 0x1.5ba6fap-6f, 0x1.6b4c04p-6f,
    0x1.7b5842p-6f, 0x1.8bcc74p-6f, 0x1.9ca958p-6f, 0x1.adefaap-6f, 0x1.bfa02p-6f, 0x1.d1bb74p-6f, 0x1.e4425ap-6f,
    0x1.f73586p-6f, 0x1.054ad4p-5f, 0x1.0f31bap-5f, 0x1.194fccp-5f, 0x1.23a55ep-5f, 0x1.2e32c8p-5f, 0x1.38f86p-5f,
    0x1.43f678p-5f, 0x1.4f2d64p-5f, 0x1.5a9d76p-5f, 0x1.664702p-5f, 0x1.722a56p-5f, 0x1.7e47c8p-5f, 0x1.8a9fa4p-5f,
    0x1.97323ap-5f, 0x1.a3ffd8p-5f, 0x1.b108dp-5f, 0x1.be4d6cp-5f, 0x1.cbcdfap-5f, 0x1.d98ac6p-5f, 0x1.e7841cp-5f,
    0x1.f5ba48p-5f, 0x1.0216cap-4f, 0x1.096f26p-4f, 0x1.10e65cp-4f, 0x1.187c9p-4f, 0x1.2031e8p-4f, 0x1.280688p-4f,
    0x1.2ffa92p-4f, 0x1.380e2ap-4f, 0x1.404174p-4f, 0x1.489494p-4f, 0x1.5107acp-4f, 0x1.599adep-4f, 0x1.624e4ep-4f,
    0x1.6b221ep-4f, 0x1.74167p-4f, 0x1.7d2b66p-4f, 0x1.86612p-4f, 0x1.8fb7cp-4f, 0x1.992f68p-4f, 0x1.a2c83ap-4f,
    0x1.ac8256p-4f, 0x1.b65ddcp-4f, 0x1.c05aecp-4f, 0x1.ca79a8p-4f, 0x1.d4ba3p-4f, 0x1.df1ca2p-4f, 0x1.e9a12p-4f,
    0x1.f447cap-4f, 0x1.ff10bcp-4f, 0x1.04fe0cp-3f, 0x1.0a84fep-3f, 0x1.101d44p-3f, 0x1.15c6eep-3f, 0x1.1b8208p-3f,
    0x1.214ea6p-3f, 0x1.272cd4p-3f, 0x1.2d1ca2p-3f, 0x1.331e1ep-3f, 0x1.393158p-3f, 0x1.3f566p-3f, 0x1.458d42p-3f,
    0x1.4bd60ep-3f, 0x1.5230d4p-3f, 0x1.589dap-3f, 0x1.5f1c84p-3f, 0x1.65ad8ap-3f, 0x1.6c50c4p-3f, 0x1.73063ep-3f,
    0x1.79ce06p-3f, 0x1.80a82ep-3f, 0x1.8794cp-3f, 0x1.8e93ccp-3f, 0x1.95a55ep-3f, 0x1.9cc986p-3f, 0x1.a40052p-3f,
    0x1.ab49cep-3f, 0x1.b2a60ap-3f, 0x1.ba1512p-3f, 0x1.c196f4p-3f, 0x1.c92bbep-3f, 0x1.d0d37cp-3f, 0x1.d88e3ep-3f,
    0x1.e05c0ep-3f, 0x1.e83cfcp-3f, 0x1.f03116p-3f, 0x1.f83866p-3f, 0x1.00297ep-2f, 0x1.044072p-2f, 0x1.086116p-2f,
    0x1.0c8b7p-2f, 0x1.10bf86p-2f, 0x1.14fd6p-2f, 0x1.194502p-2f, 0x1.1d9676p-2f, 0x1.21f1bep-2f, 0x1.2656e4p-2f,
    0x1.2ac5ecp-2f, 0x1.2f3edep-2f, 0x1.33c1cp-2f, 0x1.384e98p-2f, 0x1.3ce56cp-2f, 0x1.418642p-2f, 0x1.46312p-2f,
    0x1.4ae60ep-2f, 0x1.4fa51p-2f, 0x1.546e2cp-2f, 0x1.59416cp-2f, 0x1.5e1edp-2f, 0x1.630664p-2f, 0x1.67f82ap-2f,
    0x1.6cf428p-2f, 0x1.71fa68p-2f, 0x1.770aecp-2f, 0x1.7c25bcp-2f, 0x1.814adcp-2f, 0x1.867a54p-2f, 0x1.8bb428p-2f,
    0x1.90f86p-2f, 0x1.9647p-2f, 0x1.9ba01p-2f, 0x1.a10394p-2f, 0x1.a67192p-2f, 0x1.abea1p-2f, 0x1.b16d14p-2f,
    0x1.b6faa4p-2f, 0x1.bc92c6p-2f, 0x1.c2357ep-2f, 0x1.c7e2d2p-2f, 0x1.cd9acap-2f, 0x1.d35d6ap-2f, 0x1.d92ab6p-2f,
    0x1.df02b8p-2f, 0x1.e4e57p-2f, 0x1.ead2e8p-2f, 0x1.f0cb26p-2f, 0x1.f6ce2cp-2f, 0x1.fcdcp-2f, 0x1.017a56p-1f,
    0x1.048c18p-1f, 0x1.07a34ap-1f, 0x1.0abfeep-1f, 0x1.0de208p-1f, 0x1.11099ap-1f, 0x1.1436a8p-1f, 0x1.176932p-1f,
    0x1.1aa13ep-1f, 0x1.1ddecap-1f, 0x1.2121dep-1f, 0x1.246a7ap-1f, 0x1.27b8ap-1f, 0x1.2b0c54p-1f, 0x1.2e6598p-1f,
    0x1.31c46ep-1f, 0x1.3528dcp-1f, 0x1.3892ep-1f, 0x1.3c028p-1f, 0x1.3f77bcp-1f, 0x1.42f29ap-1f, 0x1.467318p-1f,
    0x1.49f93ep-1f, 0x1.4d850ap-1f, 0x1.511682p-1f, 0x1.54ada4p-1f, 0x1.584a78p-1f, 0x1.5becfep-1f, 0x1.5f9538p-1f,
    0x1.634328p-1f, 0x1.66f6d4p-1f, 0x1.6ab03ap-1f, 0x1.6e6f6p-1f, 0x1.723448p-1f, 0x1.75fef4p-1f, 0x1.79cf64p-1f,
    0x1.7da59ep-1f, 0x1.8181a4p-1f, 0x1.856378p-1f, 0x1.894b1cp-1f, 0x1.8d3892p-1f, 0x1.912bdep-1f, 0x1.9525p-1f,
    0x1.9923fep-1f, 0x1.9d28d8p-1f, 0x1.a13392p-1f, 0x1.a5442cp-1f, 0x1.a95aacp-1f, 0x1.ad771p-1f, 0x1.b1995ep-1f,
    0x1.b5c198p-1f, 0x1.b9efbep-1f, 0x1.be23d4p-1f, 0x1.c25ddep-1f, 0x1.c69ddcp-1f, 0x1.cae3d2p-1f, 0x1.cf2fcp-1f,
    0x1.d381aap-1f, 0x1.d7d994p-1f, 0x1.dc377ep-1f, 0x1.e09b6ap-1f, 0x1.e5055cp-1f, 0x1.e97556p-1f, 0x1.edeb5cp-1f,
    0x1.f2676cp-1f, 0x1.f6e98cp-1f, 0x1.fb71bcp-1f, 0x1p+0f};

// Channels as they lie in memory to red, green, blue, alpha.
#define ARRANGED(TYPE, ONE)                               \
  INLINE TYPE arranged_##TYPE(uint order, TYPE in) {      \
    switch (order) {                                      \
      case CLK_R:                                         \
      case CLK_Rx:                                        \
      case CLK_DEPTH:                                     \
        return (TYPE)(in.x, 0, 0, ONE);                   \
      case CLK_A:                                         \
        return (TYPE)(0, 0, 0, in.x);                     \
      case CLK_RG:                                        \
      case CLK_RGx:                                       \
        return (TYPE)(in.xy, 0, ONE);                     \
      case CLK_RA:                                        \
        return (TYPE)(in.x, 0, 0, in.y);                  \
      case CLK_RGB:                                       \
      case CLK_RGBx:                                      \
      case CLK_sRGB:                                      \
      case CLK_sRGBx:                                     \
        return (TYPE)(in.xyz, ONE);                       \
      case CLK_BGRA:                                      \
      case CLK_sBGRA:                                     \
        return in.zyxw;                                   \
      case CLK_ARGB:                                      \
        return in.yzwx;                                   \
      case CLK_ABGR:                                      \
        return in.wzyx;                                   \
      case CLK_INTENSITY:                                 \
        return in.xxxx;                                   \
      case CLK_LUMINANCE:                                 \
        return (TYPE)(in.xxx, ONE);                       \
      default:                                            \
        return in;                                        \
    }                                                     \
  }                                                       \
  INLINE TYPE border_##TYPE(uint order) {                 \
    const bool opaque = order == CLK_R || order == CLK_RG || order == CLK_RGB || order == CLK_LUMINANCE || order == CLK_sRGB; \
    return (TYPE)(0, 0, 0, opaque ? ONE : 0);             \
  }

ARRANGED(float4, 1.0f)
ARRANGED(int4, 1)

// `GET` of each channel that there is.
#define EACH(GET)                        \
  do {                                   \
    value.x = GET(0);                    \
    if (channels > 1) value.y = GET(1);  \
    if (channels > 2) value.z = GET(2);  \
    if (channels > 3) value.w = GET(3);  \
  } while (0)

INLINE float4 linear_of(global const uchar* at, uint channels, float4 value) {
  // Alpha, the last, is linear as it is.
#define GET(i) skmd_srgb_linear[at[i]]
  const float alpha = value.w;
  EACH(GET);
#undef GET
  value.w = alpha;
  return value;
}

INLINE float4 element_float(constant const Image* image, ulong place) {
  global const uchar* const at = image->bytes + place;
  const uint channels = channels_of(image->order);
  float4 value = 0;
  switch (image->type) {
#define GET(i) (float)at[i] / 255.0f
    case CLK_UNORM_INT8:
      EACH(GET);
      if (is_srgb(image->order)) value = linear_of(at, channels, value);
      break;
#undef GET
#define GET(i) (float)((global const ushort*)at)[i] / 65535.0f
    case CLK_UNORM_INT16:
      EACH(GET);
      break;
#undef GET
#define GET(i) fmax((float)((global const char*)at)[i] / 127.0f, -1.0f)
    case CLK_SNORM_INT8:
      EACH(GET);
      break;
#undef GET
#define GET(i) fmax((float)((global const short*)at)[i] / 32767.0f, -1.0f)
    case CLK_SNORM_INT16:
      EACH(GET);
      break;
#undef GET
#define GET(i) (float)as_half(((global const ushort*)at)[i])
    case CLK_HALF_FLOAT:
      EACH(GET);
      break;
#undef GET
#define GET(i) ((global const float*)at)[i]
    case CLK_FLOAT:
      EACH(GET);
      break;
#undef GET
    case CLK_UNORM_SHORT_565: {
      const uint bits = *(global const ushort*)at;
      value.xyz = (float3)((float)(bits >> 11) / 31.0f, (float)(bits >> 5 & 63) / 63.0f, (float)(bits & 31) / 31.0f);
      break;
    }
    case CLK_UNORM_SHORT_555: {
      const uint bits = *(global const ushort*)at;
      value.xyz = convert_float3((uint3)(bits >> 10 & 31, bits >> 5 & 31, bits & 31)) / 31.0f;
      break;
    }
    case CLK_UNORM_INT_101010: {
      const uint bits = *(global const uint*)at;
      value.xyz = convert_float3((uint3)(bits >> 20 & 1023, bits >> 10 & 1023, bits & 1023)) / 1023.0f;
      break;
    }
    case CLK_UNORM_INT_101010_2: {
      const uint bits = *(global const uint*)at;
      value.xyz = convert_float3((uint3)(bits >> 22, bits >> 12 & 1023, bits >> 2 & 1023)) / 1023.0f;
      value.w = (float)(bits & 3) / 3.0f;
      break;
    }
    default:
      break;
  }
  return arranged_float4(image->order, value);
}

INLINE int4 element_int(constant const Image* image, ulong place) {
  global const uchar* const at = image->bytes + place;
  const uint channels = channels_of(image->order);
  int4 value = 0;
  switch (image->type) {
#define GET(i) (int)((global const char*)at)[i]
    case CLK_SIGNED_INT8:
      EACH(GET);
      break;
#undef GET
#define GET(i) (int)((global const short*)at)[i]
    case CLK_SIGNED_INT16:
      EACH(GET);
      break;
#undef GET
#define GET(i) (int)at[i]
    case CLK_UNSIGNED_INT8:
      EACH(GET);
      break;
#undef GET
#define GET(i) (int)((global const ushort*)at)[i]
    case CLK_UNSIGNED_INT16:
      EACH(GET);
      break;
#undef GET
#define GET(i) ((global const int*)at)[i]
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32:
      EACH(GET);
      break;
#undef GET
    default:
      break;
  }
  return arranged_int4(image->order, value);
}

INLINE Taps tap(uint sampler, int at, int size) {
  Taps taps;
  taps.first = (sampler & kAddressing) == CLK_ADDRESS_CLAMP_TO_EDGE ? clamp(at, 0, size - 1) : at;
  taps.second = 0;
  taps.part = 0;
  return taps;
}

INLINE int in_layers(float at, uint layers) { return (int)fmin(fmax(at, 0.0f), (float)(layers - 1)); }

// Where elements are; x, y, z: behind what is asked for, coordinates are 0.
typedef struct {
  Taps x, y, z;
  bool linear;
} Place;

INLINE Place with_layer(Place place, uint shape, int layer) {
  const Taps here = {layer, layer, 0};
  if (shape == (1 | kLayers)) place.y = here;
  if (shape == (2 | kLayers)) place.z = here;
  return place;
}

INLINE Place place_of_floats(constant const Image* image, uint sampler, uint shape, bool linear, float x, float y, float z) {
  const uint dimensions = shape & kDimensions;
  const Taps none = {0, 0, 0};
  Place place;
  place.linear = linear;
  place.x = taps_of(sampler, linear, x, (int)image->width);
  place.y = dimensions > 1 ? taps_of(sampler, linear, y, (int)image->height) : none;
  place.z = dimensions > 2 ? taps_of(sampler, linear, z, (int)image->depth) : none;
  if ((shape & kLayers) == 0) return place;
  return with_layer(place, shape, in_layers(rint(dimensions == 1 ? y : z), image->layers));
}

INLINE Place place_of_ints(constant const Image* image, uint sampler, uint shape, int x, int y, int z) {
  const uint dimensions = shape & kDimensions;
  const Taps none = {0, 0, 0};
  Place place;
  place.linear = false;
  place.x = tap(sampler, x, (int)image->width);
  place.y = dimensions > 1 ? tap(sampler, y, (int)image->height) : none;
  place.z = dimensions > 2 ? tap(sampler, z, (int)image->depth) : none;
  if ((shape & kLayers) == 0) return place;
  return with_layer(place, shape, clamp(dimensions == 1 ? y : z, 0, (int)image->layers - 1));
}

INLINE float4 float_of(constant const Image* image, uint shape, const Place place) {
  const uint3 extent = extent_of(image, shape);
  const uint dimensions = shape & kDimensions;
  const uint count = place.linear ? 1u << dimensions : 1u;
  float4 sum = 0;
  for (uint i = 0; i < count; ++i) {
    const bool right = i & 1, below = i & 2, behind = i & 4;
    const int x = right ? place.x.second : place.x.first;
    const int y = below ? place.y.second : place.y.first;
    const int z = behind ? place.z.second : place.z.first;
    const float4 value = inside(extent, x, y, z) ? element_float(image, offset_of(image, x, y, z)) : border_float4(image->order);
    if (count == 1) return value;
    float weight = right ? place.x.part : 1.0f - place.x.part;
    if (dimensions > 1) weight *= below ? place.y.part : 1.0f - place.y.part;
    if (dimensions > 2) weight *= behind ? place.z.part : 1.0f - place.z.part;
    sum += weight * value;
  }
  return sum;
}

INLINE int4 int_of(constant const Image* image, uint shape, const Place place) {
  if (!inside(extent_of(image, shape), place.x.first, place.y.first, place.z.first)) return border_int4(image->order);
  return element_int(image, offset_of(image, place.x.first, place.y.first, place.z.first));
}

void skmd_image_readf_at_floats(constant const Image* image, uint sampler, uint shape, float x, float y, float z,
                                private float4* color) {
  const bool linear = sampler & kLinear;
  *color = float_of(image, shape, place_of_floats(image, sampler, shape, linear, x, y, z));
}

void skmd_image_readf_at_ints(constant const Image* image, uint sampler, uint shape, int x, int y, int z,
                              private float4* color) {
  *color = float_of(image, shape, place_of_ints(image, sampler, shape, x, y, z));
}

// Integers are not filtered.
void skmd_image_readi_at_floats(constant const Image* image, uint sampler, uint shape, float x, float y, float z,
                                private int4* color) {
  *color = int_of(image, shape, place_of_floats(image, sampler, shape, false, x, y, z));
}

void skmd_image_readi_at_ints(constant const Image* image, uint sampler, uint shape, int x, int y, int z,
                              private int4* color) {
  *color = int_of(image, shape, place_of_ints(image, sampler, shape, x, y, z));
}
