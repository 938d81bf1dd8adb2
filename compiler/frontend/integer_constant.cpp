// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/integer_constant.h"

#include <charconv>
#include <limits>
#include <string_view>

#include "compiler/frontend/frontend_constants.h"

namespace skmd::compiler {
namespace {

using Value = std::optional<std::int64_t>;

struct Literal {
  std::int64_t value = 0;
  bool is_unsigned = false;
};

std::optional<Literal> literal(std::string_view text) {
  Literal out;
  const std::size_t digits_end = text.find_last_not_of("uUlL") + 1;  // 0 of npos
  std::string_view digits = text.substr(0, digits_end);
  const std::string_view suffix = text.substr(digits_end);
  out.is_unsigned = suffix.find_first_of("uU") != std::string_view::npos;
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char kind = digits[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), out.value, base);
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  if (!whole || digits.empty() || digits[0] == '-' || suffix.size() > 3) return std::nullopt;
  return out;
}

int precedence(std::string_view op) {
  constexpr std::string_view kLevels[][4] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  for (int level = 0; level < static_cast<int>(std::size(kLevels)); ++level)
    for (const std::string_view known : kLevels[level])
      if (!known.empty() && known == op) return level + 1;
  return 0;
}

/// Both sides have their values: what && and || leave out has no literal without one either.
Value apply(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "||") return a != 0 || b != 0;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "&") return a & b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" || op == "%") {
    if (b == 0) return std::nullopt;
    return op == "/" ? a / b : a % b;
  }
  if (a < 0 || b < 0 || b > 31) return std::nullopt;  // OpenCL C takes b modulo 32, C does not
  return op == "<<" ? a << b : a >> b;
}

class Expression {
 public:
  explicit Expression(const std::vector<std::string>& tokens) : tokens_(tokens) {}

  Value whole() {
    const Value value = conditional();
    return at_ == tokens_.size() && !(unsigned_ && negative_) ? value : std::nullopt;
  }

 private:
  bool take(std::string_view token) {
    if (at_ == tokens_.size() || tokens_[at_] != token) return false;
    ++at_;
    return true;
  }

  /// In the range of int an operation of int, unsigned, long and size_t alike has one result, unless signed and
  /// unsigned values meet below zero.
  Value in_range(Value value) {
    if (!value || *value > std::numeric_limits<std::int32_t>::max() ||
        *value < std::numeric_limits<std::int32_t>::min())
      return std::nullopt;
    negative_ |= *value < 0;
    return value;
  }

  Value conditional() {
    const Value condition = binary(1);
    if (!condition || !take("?")) return condition;
    const Value yes = deeper(&Expression::conditional);
    if (!yes || !take(":")) return std::nullopt;
    const Value no = deeper(&Expression::conditional);
    if (!no) return std::nullopt;
    return *condition != 0 ? yes : no;
  }

  Value binary(int lowest) {
    Value left = unary();
    while (left && at_ < tokens_.size()) {
      const std::string& op = tokens_[at_];
      const int level = precedence(op);
      if (level == 0 || level < lowest) break;
      ++at_;
      const Value right = binary(level + 1);
      left = right ? in_range(apply(op, *left, *right)) : std::nullopt;
    }
    return left;
  }

  Value deeper(Value (Expression::*part)()) {
    if (depth_ == tuning::kMaxConstantDepth) return std::nullopt;
    ++depth_;
    const Value value = (this->*part)();
    --depth_;
    return value;
  }

  Value unary() {
    if (at_ == tokens_.size()) return std::nullopt;
    if (take("(")) {
      const Value inner = deeper(&Expression::conditional);
      return take(")") ? inner : std::nullopt;
    }
    const std::string& token = tokens_[at_++];
    if (token == "+" || token == "-" || token == "~" || token == "!") {
      const Value value = deeper(&Expression::unary);
      if (!value) return std::nullopt;
      return in_range(token == "+"   ? *value
                      : token == "-" ? -*value
                      : token == "~" ? ~*value
                                     : std::int64_t{*value == 0});
    }
    const auto found = literal(token);
    if (!found) return std::nullopt;
    unsigned_ |= found->is_unsigned;
    return in_range(found->value);
  }

  const std::vector<std::string>& tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool unsigned_ = false;
  bool negative_ = false;
};

}  // namespace

std::optional<std::int32_t> integer_constant(const std::vector<std::string>& tokens) {
  const Value value = Expression(tokens).whole();
  if (!value) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

}  // namespace skmd::compiler
