// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/in_child.h"

#include "compiler/client/codec.h"
#include "compiler/client/wire.h"

namespace skmd::compiler {

namespace {

std::string encode(const ChildResult& result) {
  Writer writer;
  writer.number(result.kernels.size());
  for (const MergeKernel& kernel : result.kernels) {
    writer.text(kernel.obstacle);
    writer.number(kernel.loads.size());
    for (const std::uint32_t load : kernel.loads) writer.number(load);
  }
  writer.text(result.code);
  writer.text(result.ptx);
  return writer.take();
}

ChildResult decode(const std::string& bytes) {
  Reader reader(bytes);
  ChildResult result;
  result.kernels.resize(reader.count(16));
  for (MergeKernel& kernel : result.kernels) {
    kernel.obstacle = reader.text();
    kernel.loads.resize(reader.count(8));
    for (std::uint32_t& load : kernel.loads) load = static_cast<std::uint32_t>(reader.number());
  }
  result.code = reader.text();
  result.ptx = reader.text();
  return reader.complete() ? result : ChildResult{};
}

}  // namespace

ChildResult in_child(const std::function<ChildResult()>& work, unsigned seconds) {
  const std::string bytes = bytes_from_child([&] { return encode(work()); }, seconds);
  return bytes.empty() ? ChildResult{} : decode(bytes);
}

}  // namespace skmd::compiler
