// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/names.h"

#include <algorithm>
#include <array>

namespace skmd::compiler {
namespace {

using Names = std::vector<std::string_view>;

/// OpenCL C 1.2, sections 6.12.2 (constants of mathematics) and 6.12.8 (fences).
const Names& core_names() {
  static const Names names{"NULL",
                           "MAXFLOAT",
                           "HUGE_VALF",
                           "INFINITY",
                           "NAN",
                           "FP_ILOGB0",
                           "FP_ILOGBNAN",
                           "FLT_MAX",
                           "FLT_MIN",
                           "FLT_EPSILON",
                           "M_E_F",
                           "M_LOG2E_F",
                           "M_LOG10E_F",
                           "M_LN2_F",
                           "M_LN10_F",
                           "M_PI_F",
                           "M_PI_2_F",
                           "M_PI_4_F",
                           "M_1_PI_F",
                           "M_2_PI_F",
                           "M_2_SQRTPI_F",
                           "M_SQRT2_F",
                           "M_SQRT1_2_F",
                           "CLK_LOCAL_MEM_FENCE",
                           "CLK_GLOBAL_MEM_FENCE"};
  return names;
}

/// OpenCL C 1.2, section 6.12.14: samplers, and an image's channels.
const Names& image_names() {
  static const Names names{"CLK_ADDRESS_NONE",
                           "CLK_ADDRESS_CLAMP_TO_EDGE",
                           "CLK_ADDRESS_CLAMP",
                           "CLK_ADDRESS_REPEAT",
                           "CLK_ADDRESS_MIRRORED_REPEAT",
                           "CLK_NORMALIZED_COORDS_FALSE",
                           "CLK_NORMALIZED_COORDS_TRUE",
                           "CLK_FILTER_NEAREST",
                           "CLK_FILTER_LINEAR",
                           "CLK_SNORM_INT8",
                           "CLK_SNORM_INT16",
                           "CLK_UNORM_INT8",
                           "CLK_UNORM_INT16",
                           "CLK_UNORM_SHORT_565",
                           "CLK_UNORM_SHORT_555",
                           "CLK_UNORM_INT_101010",
                           "CLK_SIGNED_INT8",
                           "CLK_SIGNED_INT16",
                           "CLK_SIGNED_INT32",
                           "CLK_UNSIGNED_INT8",
                           "CLK_UNSIGNED_INT16",
                           "CLK_UNSIGNED_INT32",
                           "CLK_HALF_FLOAT",
                           "CLK_FLOAT",
                           "CLK_R",
                           "CLK_A",
                           "CLK_RG",
                           "CLK_RA",
                           "CLK_RGB",
                           "CLK_RGBA",
                           "CLK_BGRA",
                           "CLK_ARGB",
                           "CLK_INTENSITY",
                           "CLK_LUMINANCE",
                           "CLK_Rx",
                           "CLK_RGx",
                           "CLK_RGBx"};
  return names;
}

const Names& double_names() {
  static const Names names{"HUGE_VAL", "DBL_MAX", "DBL_MIN",    "DBL_EPSILON", "M_E",      "M_LOG2E",
                           "M_LOG10E", "M_LN2",   "M_LN10",     "M_PI",        "M_PI_2",   "M_PI_4",
                           "M_1_PI",   "M_2_PI",  "M_2_SQRTPI", "M_SQRT2",     "M_SQRT1_2"};
  return names;
}

const Names& half_names() {
  static const Names names{"HALF_MAX", "HALF_MIN",     "HALF_EPSILON", "M_E_H",      "M_LOG2E_H", "M_LOG10E_H",
                           "M_LN2_H",  "M_LN10_H",     "M_PI_H",       "M_PI_2_H",   "M_PI_4_H",  "M_1_PI_H",
                           "M_2_PI_H", "M_2_SQRTPI_H", "M_SQRT2_H",    "M_SQRT1_2_H"};
  return names;
}

const Names& version_3_names() {
  static const Names names{"CLK_IMAGE_MEM_FENCE",
                           "CLK_UNORM_INT_101010_2",
                           "CLK_sRGB",
                           "CLK_sRGBx",
                           "CLK_sRGBA",
                           "CLK_sBGRA",
                           "CLK_ABGR",
                           "CLK_DEPTH",
                           "ATOMIC_VAR_INIT",
                           "ATOMIC_FLAG_INIT"};
  return names;
}

constexpr std::array<std::string_view, 22> kIntegerLimits{"CHAR_BIT=8",
                                                          "SCHAR_MAX=127",
                                                          "SCHAR_MIN=(-127-1)",
                                                          "CHAR_MAX=127",
                                                          "CHAR_MIN=(-127-1)",
                                                          "UCHAR_MAX=255",
                                                          "SHRT_MAX=32767",
                                                          "SHRT_MIN=(-32767-1)",
                                                          "USHRT_MAX=65535",
                                                          "INT_MAX=2147483647",
                                                          "INT_MIN=(-2147483647-1)",
                                                          "UINT_MAX=0xffffffffU",
                                                          "LONG_MAX=0x7fffffffffffffffL",
                                                          "LONG_MIN=(-0x7fffffffffffffffL-1)",
                                                          "ULONG_MAX=0xffffffffffffffffUL",
                                                          "FLT_DIG=6",
                                                          "FLT_MANT_DIG=24",
                                                          "FLT_MAX_10_EXP=+38",
                                                          "FLT_MAX_EXP=+128",
                                                          "FLT_MIN_10_EXP=-37",
                                                          "FLT_MIN_EXP=-125",
                                                          "FLT_RADIX=2"};

constexpr std::array<std::string_view, 7> kDoubleLimits{
    "DBL_DIG=15",          "DBL_MANT_DIG=53",   "DBL_MAX_10_EXP=+308", "DBL_MAX_EXP=+1024",
    "DBL_MIN_10_EXP=-307", "DBL_MIN_EXP=-1021", "DBL_RADIX=2"};

constexpr std::array<std::string_view, 7> kHalfLimits{"HALF_DIG=3",       "HALF_MANT_DIG=11",   "HALF_MAX_10_EXP=+4",
                                                      "HALF_MAX_EXP=+16", "HALF_MIN_10_EXP=-4", "HALF_MIN_EXP=-13",
                                                      "HALF_RADIX=2"};

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_half(const Language& language) { return offers(language, "cl_khr_fp16"); }

void add_as_themselves(std::vector<std::string>& macros, const Names& names) {
  for (const std::string_view name : names) macros.push_back(std::string(name) + "=" + std::string(name));
}

/// The virtual device is one of OpenCL 3.0 for every language version (OpenCL C 3.0, section 6.10).
void add_versions(std::vector<std::string>& macros, const Language& language, const Options& options) {
  macros.emplace_back("__OPENCL_VERSION__=300");
  macros.push_back("__OPENCL_C_VERSION__=" + std::to_string(options.version));
  for (const char* version : {"1_0=100", "1_1=110", "1_2=120", "2_0=200", "2_1=210", "2_2=220", "3_0=300"}) {
    macros.push_back(std::string("CL_VERSION_") + version);
  }
  macros.emplace_back("__ENDIAN_LITTLE__=1");
  macros.emplace_back(
      "__kernel_exec(X,typen)=__kernel __attribute__((work_group_size_hint(X,1,1))) "
      "__attribute__((vec_type_hint(typen)))");
  if (language.images) macros.emplace_back("__IMAGE_SUPPORT__=1");
  if (options.fast_relaxed_math) macros.emplace_back("__FAST_RELAXED_MATH__=1");
}

}  // namespace

bool offers(const Language& language, std::string_view extension) {
  return std::find(language.extensions.begin(), language.extensions.end(), extension) != language.extensions.end();
}

bool is_standard_name(std::string_view name) {
  return contains(core_names(), name) || contains(image_names(), name) || contains(double_names(), name) ||
         contains(half_names(), name) || contains(version_3_names(), name);
}

std::vector<std::string> virtual_device_macros(const Language& language, const Options& options) {
  std::vector<std::string> macros;
  add_versions(macros, language, options);
  for (const std::string& extension : language.extensions) macros.push_back(extension + "=1");
  if (options.version >= 300) {
    for (const std::string& feature : language.features) macros.push_back(feature + "=1");
    add_as_themselves(macros, version_3_names());
  }
  add_as_themselves(macros, core_names());
  add_as_themselves(macros, image_names());
  macros.insert(macros.end(), kIntegerLimits.begin(), kIntegerLimits.end());
  if (language.fp64) {
    add_as_themselves(macros, double_names());
    macros.insert(macros.end(), kDoubleLimits.begin(), kDoubleLimits.end());
  }
  if (has_half(language)) {
    add_as_themselves(macros, half_names());
    macros.insert(macros.end(), kHalfLimits.begin(), kHalfLimits.end());
  }
  return macros;
}

void add_preprocessor_options(std::vector<std::string>& words, const Options& options) {
  for (const PreprocessorOption& option : options.preprocessor) {
    switch (option.kind) {
      case PreprocessorOption::Kind::define:
        words.push_back("-D" + option.text);
        break;
      case PreprocessorOption::Kind::undefine:
        words.push_back("-U" + option.text);
        break;
      case PreprocessorOption::Kind::include_folder:
        words.push_back("-I" + option.text);
        break;
    }
  }
  words.emplace_back("-I.");
}

std::string extension_switch(const Language& language, const Options& options) {
  std::string text = "-cl-ext=-all";
  for (const std::string& extension : language.extensions) text += ",+" + extension;
  if (language.fp64) text += ",+cl_khr_fp64";
  if (options.version >= 300) {
    for (const std::string& feature : language.features) text += ",+" + feature;
    if (language.fp64) text += ",+__opencl_c_fp64";
    if (language.images) text += ",+__opencl_c_images";
  }
  return text;
}

}  // namespace skmd::compiler
