// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/analysis/program.h"

namespace skmd::test {

namespace {

const char* type_name(Type type) {
  switch (type) {
    case Type::i32:
      return "int";
    case Type::u32:
      return "uint";
    case Type::i64:
      return "long";
    case Type::u64:
      return "ulong";
  }
  return "int";
}

std::string variable_name(std::int64_t index) {
  if (index == -1) return "n";
  if (index == -2) return "m";
  return index == -3 ? "w" : "v" + std::to_string(index);
}

std::string text_of(const Expr& expr) {
  const auto operand = [&](std::size_t i) { return text_of(*expr.operands[i]); };
  switch (expr.kind) {
    case Expr::Kind::constant: {
      const std::string suffix = expr.type == Type::u32   ? "u"
                                 : expr.type == Type::i64 ? "l"
                                 : expr.type == Type::u64 ? "ul"
                                                          : "";
      return "(" + std::to_string(expr.value) + suffix + ")";
    }
    case Expr::Kind::variable:
      return variable_name(expr.value);
    case Expr::Kind::query:
      return expr.text + "(" + std::to_string(expr.value) + ")";
    case Expr::Kind::load:
      return "a[" + operand(0) + "]";
    case Expr::Kind::unary_cast:
      return std::string("((") + type_name(expr.type) + ")" + operand(0) + ")";
    case Expr::Kind::binary:
    case Expr::Kind::logical:
      return "(" + operand(0) + " " + expr.text + " " + operand(1) + ")";
    case Expr::Kind::ternary:
      return "(" + operand(0) + " ? " + operand(1) + " : " + operand(2) + ")";
    case Expr::Kind::builtin:
      return expr.text + "(" + operand(0) + ", " + operand(1) + ")";
  }
  return "";
}

void print_block(const Block& block, const std::string& indent, std::string& out);

void print_statement(const Stmt& stmt, const std::string& indent, std::string& out) {
  const auto operand = [&](std::size_t i) { return text_of(*stmt.operands[i]); };
  const std::string name = variable_name(static_cast<std::int64_t>(stmt.variable));
  switch (stmt.kind) {
    case Stmt::Kind::declare:
      out += indent + type_name(stmt.type) + " " + name + " = " + operand(0) + ";\n";
      return;
    case Stmt::Kind::assign:
      out += indent + name + " = " + operand(0) + ";\n";
      return;
    case Stmt::Kind::store_c:
      out += indent + "c[" + operand(0) + "] = " + operand(1) + ";\n";
      return;
    case Stmt::Kind::store_d:
      out += indent + "d[" + operand(0) + "] = 1;\n";
      return;
    case Stmt::Kind::leave:
      out += indent + "return;\n";
      return;
    case Stmt::Kind::stop:
      out += indent + "break;\n";
      return;
    case Stmt::Kind::branch:
      out += indent + "if (" + operand(0) + ") {\n";
      print_block(stmt.body, indent + "  ", out);
      if (!stmt.otherwise.empty()) {
        out += indent + "} else {\n";
        print_block(stmt.otherwise, indent + "  ", out);
      }
      out += indent + "}\n";
      return;
    case Stmt::Kind::loop:
      out += indent + "for (" + type_name(stmt.type) + " " + name + " = " + operand(0) + "; " + name + " < " +
             operand(1) + "; " + name + " += " + operand(2) + ") {\n";
      print_block(stmt.body, indent + "  ", out);
      out += indent + "}\n";
      return;
    case Stmt::Kind::walk:
      out += indent + "__global int* p" + name + " = c + " + operand(0) + ";\n";
      out += indent + "for (int " + name + " = 0; " + name + " < " + operand(1) + "; ++" + name + ") {\n";
      out += indent + "  *p" + name + " = 1;\n" + indent + "  p" + name + " += " + operand(2) + ";\n" + indent + "}\n";
      return;
  }
}

void print_block(const Block& block, const std::string& indent, std::string& out) {
  for (const auto& stmt : block) print_statement(*stmt, indent, out);
}

}  // namespace

std::string print(const Kernel& kernel) {
  std::string out = "__kernel void " + kernel.name + kSignature + " {\n";
  print_block(kernel.body, "  ", out);
  return out + "}\n";
}

}  // namespace skmd::test
