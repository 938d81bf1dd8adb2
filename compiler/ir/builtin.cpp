// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/builtin.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Function.h>

namespace skmd::compiler {

namespace {

// The type after the first 'P': address space and qualifiers skipped.
llvm::StringRef pointee(llvm::StringRef parameters) {
  const std::size_t start = parameters.find('P');
  if (start == llvm::StringRef::npos) return {};
  llvm::StringRef type = parameters.drop_front(start + 1);
  for (bool more = true; more;) {
    more = type.consume_front("V") || type.consume_front("K") || type.consume_front("r") ||
           type.consume_front("U7_Atomic");
    if (type.consume_front("U3AS")) {
      type = type.drop_while([](char c) { return c >= '0' && c <= '9'; });
      more = true;
    }
  }
  return type;
}

// "Dv4_f" gives 4 and leaves "f".
unsigned consume_lanes(llvm::StringRef& type) {
  if (!type.consume_front("Dv")) return 1;
  unsigned lanes = 0;
  if (type.consumeInteger(10, lanes)) return 0;
  type.consume_front("_");
  return lanes;
}

unsigned scalar_bytes(llvm::StringRef type) {
  if (type.starts_with("Dh")) return 2;
  if (type.empty()) return 0;
  switch (type.front()) {
    case 'c':
    case 'a':
    case 'h':
      return 1;
    case 's':
    case 't':
      return 2;
    case 'i':
    case 'j':
    case 'f':
      return 4;
    case 'l':
    case 'm':
    case 'd':
      return 8;
    default:
      return 0;
  }
}

}  // namespace

Builtin demangled(llvm::StringRef symbol) {
  llvm::StringRef rest = symbol;
  std::size_t length = 0;
  if (!rest.consume_front("_Z") || rest.consumeInteger(10, length) || rest.size() < length) return {symbol, {}, false};
  return {rest.take_front(length), rest.drop_front(length), true};
}

Builtin builtin_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr ? Builtin{} : demangled(callee->getName());
}

unsigned pointee_bytes(llvm::StringRef parameters) {
  llvm::StringRef type = pointee(parameters);
  const unsigned lanes = consume_lanes(type);
  return scalar_bytes(type) * (lanes == 3 ? 4 : lanes);
}

unsigned pointee_element_bytes(llvm::StringRef parameters) {
  llvm::StringRef type = pointee(parameters);
  consume_lanes(type);
  return scalar_bytes(type);
}

bool pointee_is_unsigned(llvm::StringRef parameters) {
  llvm::StringRef type = pointee(parameters);
  consume_lanes(type);
  return !type.empty() && llvm::StringRef("htjm").contains(type.front());
}

bool is_geometry(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size"}, true)
      .Cases({"get_num_groups", "get_global_offset", "get_work_dim", "get_enqueued_local_size"}, true)
      .Cases({"get_global_linear_id", "get_local_linear_id"}, true)
      .Default(false);
}

bool is_sub_group(llvm::StringRef name) { return name.contains("sub_group"); }

bool is_barrier(llvm::StringRef name) { return name == "barrier" || name.starts_with("work_group_"); }

bool is_silent(llvm::StringRef name) {
  return is_barrier(name) || llvm::StringSwitch<bool>(name)
                                 .Case("__translate_sampler_initializer", true)
                                 .Cases({"mem_fence", "read_mem_fence", "write_mem_fence"}, true)
                                 .Cases({"atomic_work_item_fence", "prefetch", "wait_group_events", "printf"}, true)
                                 .Default(false);
}

}  // namespace skmd::compiler
