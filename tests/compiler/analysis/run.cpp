// SPDX-License-Identifier: Apache-2.0
// Runs a kernel as OpenCL C defines it, in integers that cannot overflow.
#include "tests/compiler/analysis/program.h"

namespace skmd::test {

namespace {

using Wide = __int128;

constexpr unsigned kMaxSteps = 400;  // of one work-item

bool is_signed(Type type) { return type == Type::i32 || type == Type::i64; }
unsigned bits_of(Type type) { return type == Type::i32 || type == Type::u32 ? 32 : 64; }
Wide low_of(Type type) { return is_signed(type) ? -(Wide{1} << (bits_of(type) - 1)) : 0; }
Wide high_of(Type type) { return low_of(type) + (Wide{1} << bits_of(type)) - 1; }

Wide wrapped(Wide value, Type type) {
  const Wide span = Wide{1} << bits_of(type);
  Wide result = value % span;
  if (result < 0) result += span;
  return result > high_of(type) ? result - span : result;
}

struct Undefined {};

class Item {
 public:
  Item(const Kernel& kernel, const domain::NdRange& range, const Arguments& arguments, const domain::Extent3& group,
       const domain::Extent3& local, Touched& touched)
      : range_(range),
        arguments_(arguments),
        group_(group),
        local_(local),
        touched_(touched),
        variables_(kernel.variables),
        types_(kernel.variables, Type::i32) {}

  void run(const Block& block) {
    for (const auto& stmt : block) {
      if (++steps_ > kMaxSteps) throw Undefined{};
      step(*stmt);
      if (left_ || stopped_) return;
    }
  }

 private:
  Wide query(const Expr& expr) const {
    const auto d = static_cast<std::size_t>(expr.value);
    if (expr.text == "get_global_id") return range_.offset[d] + group_[d] * range_.local[d] + local_[d];
    if (expr.text == "get_local_id") return local_[d];
    if (expr.text == "get_group_id") return group_[d];
    if (expr.text == "get_local_size") return range_.local[d];
    if (expr.text == "get_global_size") return range_.global[d];
    return expr.text == "get_num_groups" ? range_.group_counts()[d] : range_.offset[d];
  }

  Wide variable(const Expr& expr) const {
    if (expr.value == -1) return arguments_.n;
    if (expr.value == -2) return arguments_.m;
    return expr.value == -3 ? Wide{arguments_.w} : variables_[static_cast<std::size_t>(expr.value)];
  }

  Wide value(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::constant:
        return expr.value;
      case Expr::Kind::variable:
        return variable(expr);
      case Expr::Kind::query:
        return query(expr);
      case Expr::Kind::load: {
        const std::size_t index = inside(value(*expr.operands[0]), kElements);
        return arguments_.a[index];
      }
      case Expr::Kind::unary_cast:
        return wrapped(value(*expr.operands[0]), expr.type);
      case Expr::Kind::logical: {
        const bool first = value(*expr.operands[0]) != 0;
        if (first == (expr.text == "||")) return first;
        return value(*expr.operands[1]) != 0;
      }
      case Expr::Kind::ternary:
        return wrapped(value(*expr.operands[value(*expr.operands[0]) != 0 ? 1 : 2]), expr.type);
      case Expr::Kind::builtin: {
        const Wide a = value(*expr.operands[0]);
        const Wide b = value(*expr.operands[1]);
        return (expr.text == "min") == (a < b) ? a : b;
      }
      case Expr::Kind::binary:
        return binary(expr);
    }
    return 0;
  }

  // Comparisons convert to the operands' common type, which is the type of the wider (or unsigned) one.
  Wide binary(const Expr& expr) {
    const Expr& left = *expr.operands[0];
    const Expr& right = *expr.operands[1];
    const Type common = std::max(left.type, right.type);
    const std::string& op = expr.text;
    if (op == "<<" || op == ">>") return shifted(op, value(left), value(right), left.type);
    const Wide a = wrapped(value(left), common);
    const Wide b = wrapped(value(right), common);
    if (op == "<") return a < b;
    if (op == ">=") return a >= b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    return arithmetic(op, a, b, common);
  }

  // Bits shifted out are lost; shift amounts are small constants.
  static Wide shifted(const std::string& op, Wide a, Wide b, Type type) {
    return op == "<<" ? wrapped(a << static_cast<int>(b), type) : a >> static_cast<int>(b);
  }

  static Wide arithmetic(const std::string& op, Wide a, Wide b, Type type) {
    Wide result = 0;
    if ((op == "/" || op == "%") && b == 0) throw Undefined{};
    if (op == "+") result = a + b;
    if (op == "-") result = a - b;
    if (op == "*" && __builtin_mul_overflow(a, b, &result)) return wrapped_product(a, b, type);
    if (op == "/") result = a / b;
    if (op == "%") result = a % b;
    if (op == "&") result = a & b;
    if (op == "|") result = a | b;
    if (op == "^") result = a ^ b;
    if (!is_signed(type)) return wrapped(result, type);
    const bool overflow =
        result < low_of(type) || result > high_of(type) || (op == "%" && b == -1 && a == low_of(type));
    if (overflow) throw Undefined{};
    return result;
  }

  static Wide wrapped_product(Wide a, Wide b, Type type) {
    if (is_signed(type)) throw Undefined{};
    return wrapped(
        static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) & ~std::uint64_t{0}),
        type);
  }

  static std::size_t inside(Wide index, std::size_t size) {
    if (index < 0 || index >= static_cast<Wide>(size)) throw Undefined{};
    return static_cast<std::size_t>(index);
  }

  void store_c(Wide index, Wide stored) {
    const std::size_t at = inside(index, kElements);
    for (std::size_t byte = 0; byte < 4; ++byte) touched_.written_c.set(4 * at + byte);
    touched_.c[at] = static_cast<std::int32_t>(wrapped(stored, Type::i32));
  }

  void store_at(const Stmt& stmt) {
    const Wide index = value(*stmt.operands[0]);
    store_c(index, value(*stmt.operands[1]));
  }

  void set(const Stmt& stmt, Wide to) {
    if (stmt.kind != Stmt::Kind::assign) types_[stmt.variable] = stmt.type;
    variables_[stmt.variable] = wrapped(to, types_[stmt.variable]);
  }

  void step(const Stmt& stmt) {
    switch (stmt.kind) {
      case Stmt::Kind::declare:
      case Stmt::Kind::assign:
        set(stmt, value(*stmt.operands[0]));
        return;
      case Stmt::Kind::store_c:
        store_at(stmt);
        return;
      case Stmt::Kind::store_d:
        touched_.written_d.set(inside(value(*stmt.operands[0]), kBytes));
        return;
      case Stmt::Kind::branch:
        run(value(*stmt.operands[0]) != 0 ? stmt.body : stmt.otherwise);
        return;
      case Stmt::Kind::loop:
        loop(stmt);
        return;
      case Stmt::Kind::walk:
        walk(stmt);
        return;
      case Stmt::Kind::leave:
        left_ = true;
        return;
      case Stmt::Kind::stop:
        stopped_ = true;
        return;
    }
  }

  void loop(const Stmt& stmt) {
    set(stmt, value(*stmt.operands[0]));
    for (;;) {
      if (++steps_ > kMaxSteps) throw Undefined{};
      const Expr& bound = *stmt.operands[1];
      const Type common = std::max(stmt.type, bound.type);
      if (wrapped(variables_[stmt.variable], common) >= wrapped(value(bound), common)) return;
      run(stmt.body);
      if (left_) return;
      if (stopped_) break;
      const Expr& by = *stmt.operands[2];
      const Type sum = std::max(stmt.type, by.type);
      const Wide next = arithmetic("+", wrapped(variables_[stmt.variable], sum), wrapped(value(by), sum), sum);
      variables_[stmt.variable] = wrapped(next, stmt.type);
    }
    stopped_ = false;
  }

  void walk(const Stmt& stmt) {
    Wide place = value(*stmt.operands[0]);
    for (Wide i = 0; i < value(*stmt.operands[1]); ++i) {
      if (++steps_ > kMaxSteps) throw Undefined{};
      store_c(place, 1);
      place += value(*stmt.operands[2]);
      if (place < 0 || place > static_cast<Wide>(kElements)) throw Undefined{};
    }
  }

  const domain::NdRange& range_;
  const Arguments& arguments_;
  domain::Extent3 group_, local_;
  Touched& touched_;
  std::vector<Wide> variables_;
  std::vector<Type> types_;
  unsigned steps_ = 0;
  bool left_ = false, stopped_ = false;
};

template <class Visit>
void for_each_in(const domain::Extent3& sizes, const Visit& visit) {
  for (std::uint64_t z = 0; z < sizes[2]; ++z) {
    for (std::uint64_t y = 0; y < sizes[1]; ++y) {
      for (std::uint64_t x = 0; x < sizes[0]; ++x) visit(domain::Extent3{x, y, z});
    }
  }
}

}  // namespace

bool run(const Kernel& kernel, const domain::NdRange& range, const domain::GroupSpan& span, const Arguments& arguments,
         std::vector<Touched>& touched) {
  touched.assign(span.size(), {});
  try {
    std::uint64_t flat = 0;
    for_each_in(range.group_counts(), [&](const domain::Extent3& group) {
      const std::uint64_t at = flat++;
      if (at < span.first || at >= span.last) return;
      for_each_in(range.local, [&](const domain::Extent3& local) {
        Item(kernel, range, arguments, group, local, touched[at - span.first]).run(kernel.body);
      });
    });
  } catch (const Undefined&) {
    return false;
  }
  return true;
}

}  // namespace skmd::test
