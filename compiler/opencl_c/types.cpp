// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/types.h"

#include <llvm/ADT/STLExtras.h>

#include "compiler/ir/address_spaces.h"
#include "compiler/ir/lanes.h"

namespace skmd::compiler::opencl_c {

std::string space_name(unsigned space) {
  switch (space) {
    case kPrivateSpace:
      return "private";
    case kGlobalSpace:
      return "global";
    case kConstantSpace:
      return "constant";
    case kLocalSpace:
      return "local";
    default:
      return {};
  }
}

std::string integer_name(unsigned bits, bool is_signed) {
  const std::string sign = is_signed ? "" : "u";
  switch (bits) {
    case 8:
      return sign + "char";
    case 16:
      return sign + "short";
    case 32:
      return sign + "int";
    case 64:
      return sign + "long";
    default:
      return {};
  }
}

bool has_vector_of(unsigned lanes) { return llvm::is_contained({2u, 3u, 4u, 8u, 16u}, lanes); }

std::string Types::scalar_name(const llvm::Type& type, bool is_signed) {
  if (type.isFloatTy()) return "float";
  if (type.isDoubleTy()) {
    use("cl_khr_fp64");
    return "double";
  }
  if (type.isHalfTy()) {
    use("cl_khr_fp16");
    return "half";
  }
  return type.isIntegerTy() ? integer_name(type.getIntegerBitWidth(), is_signed) : "";
}

std::string Types::vector_or_scalar(const llvm::Type& type, bool is_signed) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  if (vector == nullptr) return type.isIntegerTy(1) ? "bool" : scalar_name(type, is_signed);
  const unsigned lanes = vector->getNumElements();
  if (!has_vector_of(lanes)) return {};
  const llvm::Type& element = *vector->getElementType();
  const std::string name = element.isIntegerTy(1) ? "char" : scalar_name(element, is_signed);
  return name.empty() ? name : name + std::to_string(lanes);
}

std::string Types::name(const llvm::Type& type) {
  if (!type.isPointerTy()) return vector_or_scalar(type, false);
  const std::string space = space_name(type.getPointerAddressSpace());
  return space.empty() ? space : space + " uchar*";
}

std::string Types::signed_name(const llvm::Type& type) { return vector_or_scalar(type, true); }

std::string Types::access_name(const llvm::Type& type, std::uint64_t align, bool any) {
  if (type.isIntOrIntVectorTy(1) || lanes_of(&type) == 3) return {};
  const std::string plain = name(type);
  if (plain.empty()) return {};
  const std::uint64_t bytes = type.isPointerTy() ? 8 : type.getPrimitiveSizeInBits().getFixedValue() / 8;
  const bool packed = align < bytes;
  any = any && bytes > 1;
  if (!any && !packed && !type.isPointerTy()) return plain;
  std::string own = "skmd_" + (type.isPointerTy() ? space_name(type.getPointerAddressSpace()) + "_pointer" : plain);
  if (any) own += "_any";
  if (packed) own += "_at_" + std::to_string(align);
  std::string attributes = any ? "may_alias" : "";
  if (packed) attributes += std::string(any ? ", " : "") + "aligned(" + std::to_string(align) + ")";
  typedefs_.insert("typedef " + plain + " " + own + (attributes.empty() ? "" : " __attribute__((" + attributes + "))") +
                   ";\n");
  return own;
}

std::string Types::extensions() const {
  std::string text;
  for (const std::string& extension : extensions_) text += "#pragma OPENCL EXTENSION " + extension + " : enable\n";
  return text;
}

std::string Types::declarations() const {
  std::string text;
  for (const std::string& line : typedefs_) text += "  " + line;
  return text;
}

}  // namespace skmd::compiler::opencl_c
