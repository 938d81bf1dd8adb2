// SPDX-License-Identifier: Apache-2.0
// Images and samplers as kernel arguments: the address of a cpu::SpanImage, and a sampler's 32 bits.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace skmd::codegen {

/// Functions of the library (images.cl) that calls of OpenCL's become. They are never inlined.
inline bool is_image_function(llvm::StringRef name) { return name.starts_with("skmd_image_"); }

/// Those that are inlined, for what is common (images_quick.cl).
inline bool is_quick_image_function(llvm::StringRef name) { return name.starts_with("skmd_quick_"); }

/// Gives kernels that take images or samplers parameters of those types: pointers to constant memory, and i32. Queries
/// of an image are read from its SpanImage; reads and writes become calls of functions that take scalars only and give
/// a color through a pointer to a private variable. Everything must be inlined into the kernels. Kernels with images
/// that OpenCL C has through extensions only (depth, multi-sampled) stay as they are; calls that are not known (of
/// mipmaps) stay calls, which no library has.
void lower_images(llvm::Module& module);

}  // namespace skmd::codegen
