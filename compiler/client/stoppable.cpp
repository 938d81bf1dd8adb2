// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/stoppable.h"

#include "compiler/client/wire.h"

namespace skmd::compiler {

namespace {

constexpr std::uint64_t kMagic = 0x33504F54'534B4DULL;  // "MKSTOP3"
constexpr std::size_t kLeastKernel = 75;                // bytes of a kernel without a name

}  // namespace

std::string encode(const StoppableText& text) {
  Writer writer;
  writer.number(kMagic);
  writer.number(text.kernels.size());
  for (const StoppableKernel& kernel : text.kernels) {
    writer.text(kernel.name);
    writer.number(kernel.facts.schema);
    writer.number(kernel.facts.group_words);
    writer.number(kernel.facts.item_words);
    writer.flag(kernel.facts.together != 0);
    writer.number(kernel.facts.points);
    writer.number(kernel.local_bytes);
    writer.number(kernel.local_parameters);
    writer.flag(kernel.only_buffers);
    writer.text(kernel.why_not);
    writer.flag(kernel.goes_on);
    writer.text(kernel.sites);
  }
  writer.text(text.text);
  return writer.take();
}

domain::Result<StoppableText> decode_stoppable(const std::string& bytes) {
  Reader reader(bytes);
  StoppableText text;
  if (reader.number() != kMagic) return domain::Error{0, "these bytes are no stoppable text of this version"};
  text.kernels.resize(reader.count(kLeastKernel));
  for (StoppableKernel& kernel : text.kernels) {
    kernel.name = reader.text();
    kernel.facts.schema = reader.number();
    kernel.facts.group_words = static_cast<std::uint32_t>(reader.number());
    kernel.facts.item_words = static_cast<std::uint32_t>(reader.number());
    kernel.facts.together = reader.flag() ? 1 : 0;
    kernel.facts.points = static_cast<std::uint32_t>(reader.number());
    kernel.local_bytes = reader.number();
    kernel.local_parameters = static_cast<std::uint32_t>(reader.number());
    kernel.only_buffers = reader.flag();
    kernel.why_not = reader.text();
    kernel.goes_on = reader.flag();
    kernel.sites = reader.text();
  }
  text.text = reader.text();
  if (!reader.complete()) return domain::Error{0, "these bytes are no stoppable text of this version"};
  return text;
}

}  // namespace skmd::compiler
