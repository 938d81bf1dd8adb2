// SPDX-License-Identifier: Apache-2.0
// Copies and fills.
#include <llvm/Support/MathExtras.h>

#include "compiler/opencl_c/constants.h"
#include "compiler/opencl_c/opencl_c_constants.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

// Integers of `bytes` bytes behind a pointer.
std::string pieces(Printer& printer, const llvm::Value& pointer, std::uint64_t bytes, bool is_volatile) {
  llvm::Type* piece = llvm::Type::getIntNTy(pointer.getContext(), static_cast<unsigned>(8 * bytes));
  const std::string space = space_name(pointer.getType()->getPointerAddressSpace());
  (void)printer.type(*pointer.getType());
  return "((" + std::string(is_volatile ? "volatile " : "") + space + " " +
         printer.types.access_name(*piece, bytes, true) + "*)" + printer.value(pointer) + ")";
}

std::uint64_t unit_of(const llvm::MemIntrinsic& transfer, std::uint64_t bytes) {
  std::uint64_t align = transfer.getDestAlign().valueOrOne().value();
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&transfer))
    align = std::min(align, copy->getSourceAlign().valueOrOne().value());
  align = std::min<std::uint64_t>(align, 8);
  while (bytes % align != 0) align /= 2;
  return align;
}

// `each` is a statement with @, which no name has, in the place of the index.
void repeat(Printer& printer, const std::string& count, std::uint64_t known, const std::string& each, bool backwards) {
  const auto with = [&](const std::string& index) {
    std::string text = each;
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) text.replace(at, 1, index);
    return text;
  };
  if (known != 0 && known <= tuning::kStraightPieces && !backwards) {
    for (std::uint64_t i = 0; i < known; ++i) printer.line(with(std::to_string(i)));
    return;
  }
  const std::string index = printer.names.fresh();
  printer.variables += "  ulong " + index + ";\n";
  if (backwards)
    printer.line("for (" + index + " = " + count + "; " + index + " != 0; --" + index + ") { " + with(index + " - 1") +
                 " }");
  else
    printer.line("for (" + index + " = 0; " + index + " < " + count + "; ++" + index + ") { " + with(index) + " }");
}

std::string fill_value(Printer& printer, const llvm::Value& byte, std::uint64_t unit) {
  const unsigned bits = static_cast<unsigned>(8 * unit);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&byte))
    return integer_literal(0x0101010101010101u * number->getZExtValue() & llvm::maskTrailingOnes<std::uint64_t>(bits),
                           bits);
  const std::string name = integer_name(bits, false);
  return "(" + name + ")((" + name + ")" + printer.value(byte) + " * " +
         integer_literal(0x0101010101010101u & llvm::maskTrailingOnes<std::uint64_t>(bits), bits < 32 ? 32 : bits) +
         ")";
}

}  // namespace

void print_transfer(Printer& printer, const llvm::MemIntrinsic& transfer) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(transfer.getLength());
  const std::uint64_t bytes = length == nullptr ? 0 : length->getZExtValue();
  if (length != nullptr && bytes == 0) return;
  const std::uint64_t unit = length == nullptr ? 1 : unit_of(transfer, bytes);
  const std::string count = length == nullptr ? printer.value(*transfer.getLength()) : std::to_string(bytes / unit);
  const llvm::Value& to = *transfer.getRawDest();
  const std::string target = pieces(printer, to, unit, transfer.isVolatile()) + "[@]";
  if (const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&transfer))
    return repeat(printer, count, bytes / unit, target + " = " + fill_value(printer, *fill->getValue(), unit) + ";",
                  false);
  const llvm::Value& from = *llvm::cast<llvm::MemTransferInst>(transfer).getRawSource();
  const std::string each = target + " = " + pieces(printer, from, unit, transfer.isVolatile()) + "[@];";
  const bool overlaps = llvm::isa<llvm::MemMoveInst>(transfer) && to.getType() == from.getType();
  if (!overlaps) return repeat(printer, count, bytes / unit, each, false);
  printer.line("if (" + printer.value(to) + " <= " + printer.value(from) + ") {");
  repeat(printer, count, 0, each, false);
  printer.line("} else {");
  repeat(printer, count, 0, each, true);
  printer.line("}");
}

}  // namespace skmd::compiler::opencl_c
