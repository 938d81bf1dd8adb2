// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/describe.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace skmd::compiler {
namespace {

using domain::ImageAccess;
using domain::Parameter;
using domain::ParameterKind;

// Values of CL/cl.h; the compiler has no other use for the API's header.
constexpr std::uint32_t kAddressGlobal = 0x119B, kAddressLocal = 0x119C, kAddressConstant = 0x119D,
                        kAddressPrivate = 0x119E;
// Likewise.
constexpr std::uint32_t kAccessReadOnly = 0x11A0, kAccessWriteOnly = 0x11A1, kAccessReadWrite = 0x11A2,
                        kAccessNone = 0x11A3;
// CL_KERNEL_ARG_TYPE_*, bit by bit.
constexpr std::uint64_t kTypeConst = 1, kTypeRestrict = 2, kTypeVolatile = 4, kTypePipe = 8;
constexpr std::uint32_t kHandleBytes = 8;  // of a pointer, an image and a sampler

struct ImageType {
  std::string_view name;
  std::uint32_t object;  // CL_MEM_OBJECT_IMAGE…
};
constexpr ImageType kImageTypes[] = {{"image2d_t", 0x10F1},       {"image3d_t", 0x10F2},
                                     {"image2d_array_t", 0x10F3}, {"image1d_t", 0x10F4},
                                     {"image1d_array_t", 0x10F5}, {"image1d_buffer_t", 0x10F6},
                                     {"image2d_depth_t", 0x10F1}, {"image2d_array_depth_t", 0x10F3}};

/// As Clang spells it for its own argument metadata: uint for "unsigned int", no qualifiers.
std::string spelled(const clang::ASTContext& context, clang::QualType qualified) {
  clang::Qualifiers dropped;
  const clang::QualType type = context.getUnqualifiedArrayType(qualified, dropped);
  std::string name = type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
  if (!type.isCanonical()) return name;
  const auto starts_with = [&](std::string_view prefix) { return name.rfind(prefix, 0) == 0; };
  if (starts_with("unsigned ")) return "u" + name.substr(9);
  if (starts_with("signed ")) return name.substr(7);
  return name;
}

void describe_pointer(Parameter& parameter, const clang::ASTContext& context, clang::QualType type) {
  const clang::QualType pointee = type->getPointeeType();
  parameter.type_name = spelled(context, pointee) + "*";
  parameter.size = kHandleBytes;
  parameter.align = kHandleBytes;
  if (type.isRestrictQualified()) parameter.type_qualifier |= kTypeRestrict;
  if (pointee.isConstQualified()) parameter.type_qualifier |= kTypeConst;
  if (pointee.isVolatileQualified()) parameter.type_qualifier |= kTypeVolatile;
  switch (pointee.getAddressSpace()) {
    case clang::LangAS::opencl_global:
      parameter.kind = ParameterKind::global_pointer;
      parameter.address_qualifier = kAddressGlobal;
      break;
    case clang::LangAS::opencl_constant:
      parameter.kind = ParameterKind::constant_pointer;
      parameter.address_qualifier = kAddressConstant;
      parameter.type_qualifier |= kTypeConst;
      break;
    case clang::LangAS::opencl_local:
      parameter.kind = ParameterKind::local_pointer;
      parameter.address_qualifier = kAddressLocal;
      break;
    default:
      parameter.kind = ParameterKind::other;
      parameter.address_qualifier = kAddressPrivate;
      break;
  }
}

void describe_image(Parameter& parameter, const clang::ASTContext& context, clang::QualType type) {
  // "__read_only image2d_t"
  const std::string full = type.getCanonicalType().getUnqualifiedType().getAsString(context.getPrintingPolicy());
  const std::size_t blank = full.find(' ');
  const std::string access = full.substr(0, blank);
  parameter.type_name = blank == std::string::npos ? full : full.substr(blank + 1);
  parameter.kind = ParameterKind::image;
  parameter.size = kHandleBytes;
  parameter.align = kHandleBytes;
  parameter.address_qualifier = kAddressGlobal;
  parameter.image_access = access == "__write_only"   ? ImageAccess::write_only
                           : access == "__read_write" ? ImageAccess::read_write
                                                      : ImageAccess::read_only;
  parameter.access_qualifier = parameter.image_access == ImageAccess::write_only   ? kAccessWriteOnly
                               : parameter.image_access == ImageAccess::read_write ? kAccessReadWrite
                                                                                   : kAccessReadOnly;
  for (const ImageType& image : kImageTypes) {
    if (image.name == parameter.type_name) parameter.image_type = image.object;
  }
}

void describe_value(Parameter& parameter, const clang::ASTContext& context, clang::QualType type) {
  parameter.type_name = spelled(context, type);
  parameter.address_qualifier = kAddressPrivate;
  const clang::QualType canonical = type.getCanonicalType();
  if (canonical->isSamplerT()) {
    parameter.kind = ParameterKind::sampler;
    parameter.size = kHandleBytes;
    parameter.align = kHandleBytes;
    return;
  }
  if (canonical->isPipeType() || canonical->isEventT() || canonical->isQueueT() || canonical->isReserveIDT()) {
    parameter.kind = ParameterKind::other;
    if (canonical->isPipeType()) parameter.type_qualifier = kTypePipe;
    parameter.size = kHandleBytes;
    parameter.align = kHandleBytes;
    return;
  }
  parameter.kind = ParameterKind::value;
  parameter.size = static_cast<std::uint32_t>(context.getTypeSizeInChars(type).getQuantity());
  parameter.align = static_cast<std::uint32_t>(context.getTypeAlignInChars(type).getQuantity());
  if (const auto* vector = canonical->getAs<clang::VectorType>())
    parameter.three_vector = vector->getNumElements() == 3;
}

Parameter describe_parameter(const clang::ASTContext& context, const clang::ParmVarDecl& declaration) {
  const clang::QualType type = declaration.getType();
  Parameter parameter;
  parameter.name = declaration.getNameAsString();
  parameter.access_qualifier = kAccessNone;
  if (type->isPointerType()) {
    describe_pointer(parameter, context, type);
  } else if (type->isImageType()) {
    describe_image(parameter, context, type);
  } else {
    describe_value(parameter, context, type);
  }
  return parameter;
}

/// "Attributes are returned as they were declared inside __attribute__((...)), with any surrounding whitespace and
/// embedded newlines removed" (CL_KERNEL_ATTRIBUTES).
std::string describe_attributes(const clang::ASTContext& context, const clang::FunctionDecl& kernel) {
  const clang::SourceManager& sources = context.getSourceManager();
  std::vector<std::pair<unsigned, std::string>> found;
  for (const clang::Attr* attribute : kernel.attrs()) {
    if (attribute->isImplicit() || !attribute->isGNUAttribute()) continue;
    const auto range = clang::CharSourceRange::getTokenRange(sources.getSpellingLoc(attribute->getRange().getBegin()),
                                                             sources.getSpellingLoc(attribute->getRange().getEnd()));
    std::string text = clang::Lexer::getSourceText(range, sources, context.getLangOpts()).str();
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
    if (!text.empty()) found.emplace_back(sources.getFileOffset(range.getBegin()), std::move(text));
  }
  // Those of an earlier declaration are inherited.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::string joined;
  for (const auto& [offset, text] : found) joined += (joined.empty() ? "" : " ") + text;
  return joined;
}

std::uint32_t dimension(const clang::ASTContext& context, const clang::Expr* expression) {
  const auto value = expression->getIntegerConstantExpr(context);
  return value ? static_cast<std::uint32_t>(value->getZExtValue()) : 0;
}

}  // namespace

std::vector<domain::KernelTraits> describe_kernels(clang::ASTContext& context) {
  std::vector<domain::KernelTraits> kernels;
  for (const clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
    const auto* function = clang::dyn_cast<clang::FunctionDecl>(declaration);
    if (function == nullptr || !function->isThisDeclarationADefinition()) continue;
    if (!function->hasAttr<clang::DeviceKernelAttr>()) continue;
    domain::KernelTraits kernel;
    kernel.name = function->getNameAsString();
    kernel.attributes = describe_attributes(context, *function);
    for (const clang::ParmVarDecl* parameter : function->parameters()) {
      kernel.parameters.push_back(describe_parameter(context, *parameter));
    }
    if (const auto* size = function->getAttr<clang::ReqdWorkGroupSizeAttr>()) {
      kernel.required_local = {dimension(context, size->getXDim()), dimension(context, size->getYDim()),
                               dimension(context, size->getZDim())};
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace skmd::compiler
