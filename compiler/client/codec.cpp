// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/codec.h"

#include <span>

#include "compiler/client/hash.h"
#include "compiler/client/wire.h"
#include "partitioner/traits/traits_codec.h"

namespace skmd::compiler {
namespace {

using domain::Error;
using domain::Result;

constexpr std::uint64_t kRequestMagic = 0x3451524B4D4453ULL;  // "SDMKRQ4"
constexpr std::uint64_t kAnswerMagic = 0x33534E414B4D53ULL;   // "SMKANS3"
constexpr std::uint64_t kCodeMagic = 0x31444F434B4D53ULL;     // "SMKCOD1": an answer with code
constexpr std::uint64_t kReplyMagic = 0x31504552'4B4D53ULL;   // "SMKREP1"
constexpr std::uint64_t kFrameMagic = 0x314D5246'4B4D53ULL;   // "SMKFRM1"
constexpr std::size_t kFrameHead = 16;                        // bytes: magic and size
constexpr std::size_t kFrameHash = 16;                        // bytes of the hash at the end
constexpr std::size_t kMinimalText = 8;                       // bytes of an empty text: its length
constexpr std::uint64_t kMaxLanes = 1024;                     // a request that asks for more is damaged

void write(Writer& writer, const std::vector<std::string>& texts) {
  writer.number(texts.size());
  for (const std::string& text : texts) writer.text(text);
}

std::vector<std::string> read_texts(Reader& reader) {
  std::vector<std::string> texts(reader.count(kMinimalText));
  for (std::string& text : texts) text = reader.text();
  return texts;
}

bool has_code(const CompileAnswer& answer) { return !answer.kernel_code.empty() || !answer.kernel_notes.empty(); }

void write_code(Writer& writer, const CompileAnswer& answer) {
  writer.text(answer.kernel_code);
  writer.number(answer.kernel_notes.size());
  for (const KernelNote& note : answer.kernel_notes) {
    writer.text(note.name);
    writer.text(note.obstacle);
    write(writer, note.remarks);
  }
}

void read_code(Reader& reader, CompileAnswer& answer) {
  answer.kernel_code = reader.text();
  answer.kernel_notes.resize(reader.count(3 * kMinimalText));
  for (KernelNote& note : answer.kernel_notes) {
    note.name = reader.text();
    note.obstacle = reader.text();
    note.remarks = read_texts(reader);
  }
}

Error refused(const char* what) { return Error{0, std::string("these bytes are no ") + what + " of this version"}; }

}  // namespace

std::string encode(const CompileRequest& request) {
  Writer writer;
  writer.number(kRequestMagic);
  writer.text(request.source);
  write(writer, request.units);
  writer.text(request.options);
  writer.number(request.headers.size());
  for (const Header& header : request.headers) {
    writer.text(header.name);
    writer.text(header.text);
  }
  write(writer, request.language.extensions);
  write(writer, request.language.features);
  writer.flag(request.language.fp64);
  writer.flag(request.language.images);
  writer.byte(static_cast<std::uint8_t>(request.stage));
  writer.text(request.working_directory);
  writer.text(request.target.isa);
  writer.number(request.target.width);
  writer.flag(request.target.checked);
  writer.byte(static_cast<std::uint8_t>(request.target.yields));
  writer.flag(request.line_markers);
  writer.text(request.unread.cache);
  writer.text(request.unread.helper);
  return writer.take();
}

Result<CompileRequest> decode_request(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.number() != kRequestMagic) return refused("request");
  CompileRequest request;
  request.source = reader.text();
  request.units = read_texts(reader);
  request.options = reader.text();
  request.headers.resize(reader.count(2 * kMinimalText));
  for (Header& header : request.headers) {
    header.name = reader.text();
    header.text = reader.text();
  }
  request.language.extensions = read_texts(reader);
  request.language.features = read_texts(reader);
  request.language.fp64 = reader.flag();
  request.language.images = reader.flag();
  request.stage = static_cast<Stage>(reader.byte(static_cast<std::uint8_t>(Stage::code)));
  request.working_directory = reader.text();
  request.target.isa = reader.text();
  const std::uint64_t width = reader.number();
  if (width > kMaxLanes) return refused("request");
  request.target.width = static_cast<std::uint32_t>(width);
  request.target.checked = reader.flag();
  request.target.yields = static_cast<Yields>(reader.byte(static_cast<std::uint8_t>(Yields::traps)));
  request.line_markers = reader.flag();
  request.unread.cache = reader.text();
  request.unread.helper = reader.text();
  if (!reader.complete()) return refused("request");
  return request;
}

std::string encode(const CompileAnswer& answer) {
  Writer writer;
  writer.number(has_code(answer) ? kCodeMagic : kAnswerMagic);
  writer.byte(static_cast<std::uint8_t>(answer.outcome));
  writer.text(answer.log);
  writer.text(answer.reason);
  writer.text(answer.preprocessed);
  writer.text(answer.text);
  writer.text(answer.vendor_options);
  writer.text(domain::encode(answer.kernels));
  writer.text(answer.hash);
  writer.flag(answer.kernel_arg_info);
  writer.text(answer.span_code);
  writer.text(answer.merge_ptx);
  if (has_code(answer)) write_code(writer, answer);
  return writer.take();
}

Result<CompileAnswer> decode_answer(const std::string& bytes) {
  Reader reader(bytes);
  const std::uint64_t magic = reader.number();
  if (magic != kAnswerMagic && magic != kCodeMagic) return refused("answer");
  CompileAnswer answer;
  answer.outcome = static_cast<Outcome>(reader.byte(static_cast<std::uint8_t>(Outcome::failed)));
  answer.log = reader.text();
  answer.reason = reader.text();
  answer.preprocessed = reader.text();
  answer.text = reader.text();
  answer.vendor_options = reader.text();
  const std::string_view kernels = reader.view();
  answer.hash = reader.text();
  answer.kernel_arg_info = reader.flag();
  answer.span_code = reader.text();
  answer.merge_ptx = reader.text();
  if (magic == kCodeMagic) read_code(reader, answer);
  if (!reader.complete()) return refused("answer");
  Result<std::vector<domain::KernelTraits>> traits =
      domain::decode_traits(std::as_bytes(std::span(kernels.data(), kernels.size())));
  if (!traits) return traits.error();
  answer.kernels = std::move(*traits);
  return answer;
}

std::string encode(const Reply& reply) {
  Writer writer;
  writer.number(kReplyMagic);
  writer.text(encode(reply.answer));
  writer.number(reply.files.size());
  for (const Dependency& file : reply.files) {
    writer.text(file.path);
    writer.number(file.size);
    writer.number(file.modified);
    writer.text(file.hash);
  }
  return writer.take();
}

Result<Reply> decode_reply(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.number() != kReplyMagic) return refused("reply");
  const std::string answer = reader.text();
  Reply reply;
  reply.files.resize(reader.count(4 * kMinimalText));
  for (Dependency& file : reply.files) {
    file.path = reader.text();
    file.size = reader.number();
    file.modified = reader.number();
    file.hash = reader.text();
  }
  if (!reader.complete()) return refused("reply");
  Result<CompileAnswer> decoded = decode_answer(answer);
  if (!decoded) return decoded.error();
  reply.answer = std::move(*decoded);
  return reply;
}

std::string frame(std::string_view bytes) {
  Writer writer;
  writer.number(kFrameMagic);
  writer.text(bytes);
  Hasher hasher(kFrameHash);
  hasher.add(bytes);
  return writer.take() + hasher.finish();
}

Result<std::string> unframe(std::string_view framed) {
  Reader reader(framed);
  if (reader.number() != kFrameMagic) return refused("frame");
  const std::string_view bytes = reader.view();
  if (!reader.good() || framed.size() != kFrameHead + bytes.size() + kFrameHash) return refused("frame");
  Hasher hasher(kFrameHash);
  hasher.add(bytes);
  if (hasher.finish() != framed.substr(framed.size() - kFrameHash)) return refused("undamaged frame");
  return std::string(bytes);
}

bool frame_ended(std::string_view bytes) {
  if (bytes.size() < kFrameHead) return false;
  Reader reader(bytes);
  if (reader.number() != kFrameMagic) return true;
  const std::uint64_t size = reader.number();
  return bytes.size() - kFrameHead >= kFrameHash && size <= bytes.size() - kFrameHead - kFrameHash;
}

}  // namespace skmd::compiler
