// SPDX-License-Identifier: Apache-2.0
// The part of Accesses that knows what image functions touch: reads the whole image; writes one element, at
// coordinates that are turned into the place of that element among the image's bytes in host memory.
#include "compiler/analysis/accesses.h"
#include "partitioner/traits/image_geometry.h"

namespace skmd::compiler {

using domain::AccessKind;
using domain::ImageGeometry;
using domain::kNoNode;
using domain::NodeId;
using domain::Op;

namespace {

enum Dim : unsigned { k1D = 0, k2D = 1, k3D = 2, kBuffer = 5 };  // of SPIR-V
enum AccessOf : unsigned { kReadOnly = 0, kWriteOnly = 1, kReadWrite = 2 };

}  // namespace

std::optional<ImageType> image_type_of(const llvm::Type* type) {
  const auto* target = llvm::dyn_cast<llvm::TargetExtType>(type);
  if (target == nullptr || target->getName() != "spirv.Image" || target->getNumIntParameters() < 7) return std::nullopt;
  const unsigned dim = target->getIntParameter(0);
  const bool samples = target->getIntParameter(3) != 0;
  if (samples || (dim > k3D && dim != kBuffer)) return std::nullopt;
  ImageType image;
  image.dimensions = (dim == kBuffer ? 1 : dim + 1) + (target->getIntParameter(2) != 0 ? 1 : 0);
  image.read_write = target->getIntParameter(6) == kReadWrite;
  return image;
}

// The place of the element at `coordinates`, if it lies inside the image: beyond, nothing is written.
bool Accesses::image_place(const llvm::Argument& image, llvm::Value* coordinates, unsigned dimensions,
                           domain::Access& access) {
  NodeTable& nodes = expressions_.nodes();
  const auto geometry = [&](std::size_t byte, unsigned bits) {
    return nodes.argument(image.getArgNo(), static_cast<unsigned>(byte), bits);
  };
  static constexpr std::size_t kSteps[] = {offsetof(ImageGeometry, element_bytes), offsetof(ImageGeometry, row_pitch),
                                           offsetof(ImageGeometry, slice_pitch)};
  NodeId offset = kNoNode;
  for (unsigned d = 0; d < dimensions; ++d) {
    const bool vector = coordinates->getType()->isVectorTy();
    if (!vector && d > 0) return false;
    const NodeId at = vector ? expressions_.lane(coordinates, d) : expressions_.of(coordinates);
    if (nodes.is_unknown(at) || nodes.bits(at) != 32) return false;
    access.guards.push_back({nodes.compare(domain::Predicate::ult, at, geometry(8 * d, 32)), true});
    const NodeId step = nodes.binary(Op::mul, nodes.cast(Op::sext, at, 64), geometry(kSteps[d], 64));
    offset = d == 0 ? step : nodes.binary(Op::add, offset, step);
    access.guards_complete = access.guards_complete && nodes.determined(at);
  }
  if (nodes.is_unknown(offset)) return false;
  access.offset = offset;
  access.width = 1;
  access.count = geometry(offsetof(ImageGeometry, element_bytes), 64);
  return true;
}

bool Accesses::image_function(llvm::CallBase& call, const Builtin& builtin) {
  const bool reads = builtin.name.starts_with("read_image");
  const bool writes = builtin.name.starts_with("write_image");
  if (!reads && !writes) return false;
  const auto* argument = call.arg_empty() ? nullptr : llvm::dyn_cast<llvm::Argument>(call.getArgOperand(0));
  const auto image = argument == nullptr ? std::nullopt : image_type_of(argument->getType());
  if (!image || image->read_write) fact(writes ? domain::kFactImageWritten : domain::kFactImageRead);
  if (argument == nullptr) {
    add_everything(*call.getFunction(), traits_);
    return true;
  }
  domain::Access access;
  access.kind = writes ? AccessKind::write : AccessKind::read;
  access.argument = argument->getArgNo();
  access.element = writes ? 0 : 1;  // parts of an image are never joined by difference
  if (writes) image_write(call, image, access);
  append(std::move(access));
  return true;
}

void Accesses::image_write(llvm::CallBase& call, const std::optional<ImageType>& image, domain::Access& access) {
  const auto* argument = llvm::cast<llvm::Argument>(call.getArgOperand(0));
  const Circumstances& around = circumstances(call.getParent());
  const unsigned influence =
      call.arg_size() > 1 ? influences_.of(call.getArgOperand(1)) | influences_.on(call.getParent()) : 0;
  if ((influence & kFromMemory) != 0) fact(domain::kFactMemoryDecidesAddress);
  const unsigned place = call.arg_size() > 1 ? influences_.of(call.getArgOperand(1)) : 0;
  if ((place & (kFromFloat | kCountsByFloat)) != 0) fact(domain::kFactFloatDecidesAddress);
  domain::Access known = access;
  known.guards = around.guards;
  known.loops = around.loops;
  known.guards_complete = around.complete;
  // With a level of detail there is one argument more.
  if (image && call.arg_size() == 3 && image_place(*argument, call.getArgOperand(1), image->dimensions, known)) {
    access = std::move(known);
  } else {
    fact(domain::kFactImageWritten);
  }
}

}  // namespace skmd::compiler
