// SPDX-License-Identifier: Apache-2.0
#include "compiler/rewrite/record.h"

#include <algorithm>
#include <array>

#include "compiler/client/client.h"

namespace skmd::compiler {
namespace {

// The text below declares this layout.
static_assert(sizeof(HiddenRecord) == 15 * 8);

/// A query with a dimension: what it answers in a dimension of the launch, and beyond (OpenCL C 3.0, section 6.15.1).
struct Query {
  std::string_view name;
  std::string_view field;
  std::string_view native;  // added to the field
  std::string_view beyond;
};
constexpr std::array<Query, 5> kQueries{{{"get_group_id", "first_group", "get_group_id(dimension) + ", "0"},
                                         {"get_num_groups", "group_count", "", "1"},
                                         {"get_global_size", "global_size", "", "1"},
                                         {"get_global_offset", "global_offset", "", "0"},
                                         {"get_enqueued_local_size", "local_size", "", "1"}}};
constexpr std::string_view kLinearId = "get_global_linear_id";

std::string query_function(const RecordNames& names, const Query& query) {
  const std::string record = names.parameter();
  const std::string field = record + "." + std::string(query.field);
  // Chosen by comparison: an array indexed at run time would keep the record in memory. Dimensions that the launch has
  // not are in the record as the query wants them, so that nothing depends on get_work_dim(): PoCL 3.1's compiler
  // aborts on some kernels with barriers in branches if it does.
  const std::string picked =
      "(dimension == 0 ? " + field + "[0] : dimension == 1 ? " + field + "[1] : " + field + "[2])";
  return names.storage() + " size_t " + names.query(query.name) + "(uint dimension, " + names.declaration() +
         ") {\n  return dimension < 3 ? (size_t)(" + std::string(query.native) + picked + ") : (size_t)" +
         std::string(query.beyond) + ";\n}\n";
}

std::string linear_id_function(const RecordNames& names) {
  const auto ask = [&](std::string_view query, int dimension) {
    return names.query(query) + "(" + std::to_string(dimension) + ", " + names.parameter() + ")";
  };
  const auto position = [&](int dimension) {
    return "(get_global_id(" + std::to_string(dimension) + ") - " + ask("get_global_offset", dimension) + ")";
  };
  return names.storage() + " size_t " + names.query(kLinearId) + "(" + names.declaration() + ") {\n  return (" +
         position(2) + " * " + ask("get_global_size", 1) + " + " + position(1) + ") * " + ask("get_global_size", 0) +
         " + " + position(0) + ";\n}\n";
}

/// Units that are linked later each have these functions, so they are static. OpenCL C before 1.2 has no such word, and
/// no linking.
std::string storage_macro(const RecordNames& names) {
  const std::string define = "#define " + names.storage();
  return "#if !defined(__OPENCL_C_VERSION__) || __OPENCL_C_VERSION__ < 120\n" + define + "\n#else\n" + define +
         " static\n#endif\n";
}

}  // namespace

RecordNames names_unused_in(std::string_view text) {
  std::string prefix = "skmd_";
  for (int i = 1; text.find(prefix) != std::string_view::npos; ++i) prefix = "skmd" + std::to_string(i) + "_";
  return {prefix};
}

bool is_geometry_query(std::string_view name) {
  return name == kLinearId ||
         std::any_of(kQueries.begin(), kQueries.end(), [&](const Query& query) { return query.name == name; });
}

std::string record_prelude(const RecordNames& names, const std::set<std::string>& queries) {
  std::string text = "typedef struct " + names.type() +
                     " {\n  ulong global_offset[3];\n  ulong global_size[3];\n  ulong group_count[3];\n  ulong "
                     "first_group[3];\n  ulong local_size[3];\n} " +
                     names.type() + ";\n";
  if (!queries.empty()) text += storage_macro(names);
  const bool linear = queries.contains(std::string(kLinearId));
  for (const Query& query : kQueries) {
    const bool helps = linear && (query.name == "get_global_offset" || query.name == "get_global_size");
    if (helps || queries.contains(std::string(query.name))) text += query_function(names, query);
  }
  if (linear) text += linear_id_function(names);
  return text;
}

}  // namespace skmd::compiler
