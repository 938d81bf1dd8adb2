// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/launch_geometry.h"

#include "compiler/ir/builtin.h"

namespace skmd::compiler {

bool is_of_launch(llvm::StringRef name) {
  return is_geometry(name) && name != "get_local_id" && name != "get_local_size" && name != "get_local_linear_id" &&
         name != "get_enqueued_local_size";
}

Geometry geometry_of_group(llvm::IRBuilder<>& ir, llvm::Value* number, const LaunchWords& words,
                           llvm::function_ref<llvm::Value*(std::uint32_t index)> word,
                           llvm::function_ref<llvm::Value*(llvm::StringRef name, unsigned dimension)> native) {
  const auto wide = [&](llvm::Value* value) { return ir.CreateZExt(value, ir.getInt64Ty()); };
  Geometry geometry;
  for (unsigned d = 0; d < 3; ++d) {
    llvm::Value* count = word(words.group_counts + d);
    geometry.groups[d] = wide(count);
    geometry.group_id[d] = wide(d < 2 ? ir.CreateURem(number, count) : number);
    if (d < 2) number = ir.CreateUDiv(number, count);
    geometry.local[d] = native("_Z14get_local_sizej", d);
    geometry.local_id[d] = native("_Z12get_local_idj", d);
    llvm::Value* low = wide(word(words.offsets + 2 * d));
    geometry.offset[d] = ir.CreateOr(low, ir.CreateShl(wide(word(words.offsets + 2 * d + 1)), 32));
    geometry.size[d] = ir.CreateMul(geometry.groups[d], geometry.local[d]);
  }
  geometry.work_dim = word(words.work_dim);
  return geometry;
}

}  // namespace skmd::compiler
