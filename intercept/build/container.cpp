// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/container.h"

#include <utility>

#include "compiler/client/hash.h"
#include "compiler/client/wire.h"

namespace skmd::icd {
namespace {

using domain::Error;

constexpr std::string_view kMagic = "SKMD program\n2\n\n";  // the digit is the version
constexpr size_t kHash = 32;                                // bytes of a SHA-256

void write_unit(compiler::Writer& out, const Unit& unit) {
  out.text(unit.text);
  out.text(unit.vendor_options);
  out.flag(unit.opaque);
  out.flag(unit.kernel_arg_info);
}

Unit read_unit(compiler::Reader& in) {
  Unit unit;
  unit.text = in.text();
  unit.vendor_options = in.text();
  unit.opaque = in.flag();
  unit.kernel_arg_info = in.flag();
  return unit;
}

VendorBlob read_blob(compiler::Reader& in) {
  VendorBlob blob;
  blob.driver = in.text();
  const std::string_view bytes = in.view();
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  blob.bytes.assign(begin, begin + bytes.size());
  return blob;
}

Error bad(const char* what) { return {CL_INVALID_BINARY, std::string("not a program binary of SKMD: ") + what}; }

}  // namespace

std::string pack_program(const ProgramBuild& build, const std::vector<VendorBlob>& blobs) {
  compiler::Writer out;
  out.number(build.type);
  out.text(compiler::encode(build.answer));
  out.text(build.opaque_text);
  out.text(build.opaque_options);
  out.number(build.units.size());
  for (const Unit& unit : build.units) write_unit(out, unit);
  out.number(blobs.size());
  for (const VendorBlob& blob : blobs) {
    out.text(blob.driver);
    out.text({reinterpret_cast<const char*>(blob.bytes.data()), blob.bytes.size()});
  }
  const std::string body = out.take();
  return std::string(kMagic) + compiler::content_hash(body) + body;
}

Result<std::shared_ptr<ProgramBuild>> unpack_program(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + kHash) return bad("too short");
  if (bytes.substr(0, kMagic.size()) != kMagic) return bad("other magic or version");
  const std::string_view body = bytes.substr(kMagic.size() + kHash);
  if (compiler::content_hash(body) != bytes.substr(kMagic.size(), kHash)) return bad("the checksum differs");

  compiler::Reader in(body);
  auto build = std::make_shared<ProgramBuild>();
  const std::uint64_t type = in.number();
  const bool known = type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE || type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                     type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
  if (!known) return bad("unknown type");
  build->type = static_cast<cl_program_binary_type>(type);
  auto answer = compiler::decode_answer(in.text());
  if (!answer) return bad(answer.error().reason.c_str());
  build->answer = std::move(*answer);
  build->opaque_text = in.text();
  build->opaque_options = in.text();
  for (std::uint64_t count = in.count(18); count > 0 && in.good(); --count) build->units.push_back(read_unit(in));
  for (std::uint64_t count = in.count(16); count > 0 && in.good(); --count) build->blobs.push_back(read_blob(in));
  if (!in.complete()) return bad("damaged fields");
  return build;
}

}  // namespace skmd::icd
