// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/analysis/generate.h"

#include <algorithm>
#include <utility>

namespace skmd::test {

namespace {

struct Variable {
  std::int64_t index;
  Type type;
  bool fixed;  // loop counters are not assigned
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    scope_ = {{-1, Type::i32, true}, {-2, Type::u32, true}, {-3, Type::i64, true}};
  }

  Kernel kernel(const std::string& name) {
    Kernel result;
    result.name = name;
    for (int i = pick(1, 3); i > 0; --i) result.body.push_back(declare());
    statements(result.body, 0);
    result.body.push_back(store());
    result.variables = next_;
    return result;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  Type any_type() { return static_cast<Type>(pick(0, 3)); }

  static ExprPtr make(Expr::Kind kind, Type type, std::string text, std::int64_t value = 0) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->type = type;
    expr->text = std::move(text);
    expr->value = value;
    return expr;
  }

  static ExprPtr constant(std::int64_t value, Type type = Type::i32) {
    return make(Expr::Kind::constant, type, "", value);
  }

  static ExprPtr cast(Type type, ExprPtr inner) {
    auto expr = make(Expr::Kind::unary_cast, type, "");
    expr->operands.push_back(std::move(inner));
    return expr;
  }

  static ExprPtr binary(const std::string& op, ExprPtr a, ExprPtr b) {
    const bool compares = op == "<" || op == ">=" || op == "==" || op == "!=";
    const bool shifts = op == "<<" || op == ">>";
    const Type type = compares ? Type::i32 : shifts ? a->type : std::max(a->type, b->type);
    auto expr = make(Expr::Kind::binary, type, op);
    expr->operands.push_back(std::move(a));
    expr->operands.push_back(std::move(b));
    return expr;
  }

  ExprPtr query() {
    static const char* kNames[] = {"get_global_id",   "get_global_id",  "get_global_id",
                                   "get_local_id",    "get_group_id",   "get_local_size",
                                   "get_global_size", "get_num_groups", "get_global_offset"};
    return make(Expr::Kind::query, Type::u64, kNames[pick(0, 8)], pick(0, 1));
  }

  ExprPtr variable() {
    const Variable& chosen = scope_[static_cast<std::size_t>(pick(0, static_cast<int>(scope_.size()) - 1))];
    return make(Expr::Kind::variable, chosen.type, "", chosen.index);
  }

  ExprPtr leaf() {
    const int kind = pick(0, 9);
    if (kind < 4) return query();
    if (kind < 8) return variable();
    return constant(pick(0, 12), chance(70) ? Type::i32 : any_type());
  }

  ExprPtr load(int depth) {
    auto expr = make(Expr::Kind::load, Type::i32, "");
    expr->operands.push_back(bounded(value(depth + 1), kElements));
    return expr;
  }

  ExprPtr value(int depth) {
    if (depth >= 4) return leaf();
    const int kind = pick(0, 99);
    if (kind < 25) return leaf();
    if (kind < 45) return binary("+", value(depth + 1), value(depth + 1));
    if (kind < 53) return binary("-", value(depth + 1), value(depth + 1));
    if (kind < 66) return binary("*", value(depth + 1), chance(60) ? constant(pick(1, 8)) : leaf());
    if (kind < 72)
      return binary(chance(50) ? "/" : "%", value(depth + 1), chance(75) ? constant(pick(1, 9)) : variable());
    if (kind < 78) return binary(chance(60) ? "&" : chance(50) ? "|" : "^", value(depth + 1), constant(pick(0, 31)));
    if (kind < 82) return binary(chance(50) ? "<<" : ">>", value(depth + 1), constant(pick(0, 4)));
    if (kind < 88) return cast(any_type(), value(depth + 1));
    if (kind < 93) return extreme(depth);
    if (kind < 96) return choice(depth);
    return load(depth);
  }

  ExprPtr extreme(int depth) {
    const Type type = any_type();
    auto expr = make(Expr::Kind::builtin, type, chance(50) ? "min" : "max");
    expr->operands.push_back(cast(type, value(depth + 1)));
    expr->operands.push_back(cast(type, chance(50) ? constant(pick(0, 40)) : value(depth + 1)));
    return expr;
  }

  ExprPtr choice(int depth) {
    ExprPtr yes = value(depth + 1);
    ExprPtr no = value(depth + 1);
    auto expr = make(Expr::Kind::ternary, std::max(yes->type, no->type), "");
    expr->operands.push_back(condition(depth + 1));
    expr->operands.push_back(std::move(yes));
    expr->operands.push_back(std::move(no));
    return expr;
  }

  ExprPtr condition(int depth) {
    static const char* kTests[] = {"<", ">=", "==", "!="};
    ExprPtr test = binary(kTests[chance(70) ? pick(0, 1) : pick(2, 3)], value(depth + 1), value(depth + 2));
    if (depth > 2 || !chance(25)) return test;
    auto both = make(Expr::Kind::logical, Type::i32, chance(60) ? "&&" : "||");
    both->operands.push_back(std::move(test));
    both->operands.push_back(condition(depth + 1));
    return both;
  }

  // An index that is inside a buffer, most of the time.
  ExprPtr bounded(ExprPtr index, std::size_t size) {
    const int kind = pick(0, 9);
    const auto last = static_cast<std::int64_t>(size) - 1;
    if (kind < 6) return index;
    if (kind < 8) return binary("&", std::move(index), constant(last));
    if (kind < 9)
      return binary("%", cast(Type::u32, std::move(index)), constant(static_cast<std::int64_t>(size), Type::u32));
    auto low = make(Expr::Kind::builtin, Type::i64, "max");
    low->operands.push_back(cast(Type::i64, std::move(index)));
    low->operands.push_back(constant(0, Type::i64));
    auto high = make(Expr::Kind::builtin, Type::i64, "min");
    high->operands.push_back(std::move(low));
    high->operands.push_back(constant(last, Type::i64));
    return high;
  }

  static std::unique_ptr<Stmt> statement(Stmt::Kind kind) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = kind;
    return stmt;
  }

  std::unique_ptr<Stmt> declare() {
    auto stmt = statement(Stmt::Kind::declare);
    stmt->type = any_type();
    stmt->operands.push_back(value(1));
    stmt->variable = next_++;
    scope_.push_back({static_cast<std::int64_t>(stmt->variable), stmt->type, false});
    return stmt;
  }

  std::unique_ptr<Stmt> store() {
    const bool to_c = chance(70);
    auto stmt = statement(to_c ? Stmt::Kind::store_c : Stmt::Kind::store_d);
    stmt->operands.push_back(bounded(value(0), to_c ? kElements : kBytes));
    if (to_c) stmt->operands.push_back(chance(50) ? constant(1) : chance(50) ? load(1) : value(2));
    return stmt;
  }

  std::unique_ptr<Stmt> assign() {
    std::vector<Variable> free;
    std::copy_if(scope_.begin(), scope_.end(), std::back_inserter(free), [](const Variable& v) { return !v.fixed; });
    if (free.empty()) return store();
    const Variable& chosen = free[static_cast<std::size_t>(pick(0, static_cast<int>(free.size()) - 1))];
    auto stmt = statement(Stmt::Kind::assign);
    stmt->variable = static_cast<std::size_t>(chosen.index);
    stmt->operands.push_back(value(1));
    return stmt;
  }

  std::unique_ptr<Stmt> branch(int depth) {
    auto stmt = statement(Stmt::Kind::branch);
    stmt->operands.push_back(condition(1));
    if (chance(15)) {
      stmt->body.push_back(statement(loops_ > 0 && chance(60) ? Stmt::Kind::stop : Stmt::Kind::leave));
      return stmt;
    }
    statements(stmt->body, depth + 1);
    if (chance(35)) statements(stmt->otherwise, depth + 1);
    return stmt;
  }

  std::unique_ptr<Stmt> loop(int depth) {
    auto stmt = statement(Stmt::Kind::loop);
    stmt->type = any_type();
    stmt->operands.push_back(chance(60) ? constant(pick(0, 3)) : value(2));
    stmt->operands.push_back(chance(40) ? constant(pick(1, 9)) : chance(60) ? variable() : value(2));
    stmt->operands.push_back(chance(60) ? constant(pick(1, 3)) : chance(50) ? leaf() : value(3));
    stmt->variable = next_++;
    const std::size_t outer = scope_.size();
    scope_.push_back({static_cast<std::int64_t>(stmt->variable), stmt->type, true});
    ++loops_;
    statements(stmt->body, depth + 1);
    --loops_;
    scope_.resize(outer);
    return stmt;
  }

  std::unique_ptr<Stmt> walk() {
    auto stmt = statement(Stmt::Kind::walk);
    stmt->operands.push_back(value(2));
    stmt->operands.push_back(chance(50) ? constant(pick(1, 6)) : make(Expr::Kind::variable, Type::i32, "", -1));
    stmt->operands.push_back(chance(50) ? constant(pick(1, 5)) : make(Expr::Kind::variable, Type::i32, "", -1));
    stmt->variable = next_++;
    return stmt;
  }

  void statements(Block& block, int depth) {
    const std::size_t outer = scope_.size();
    for (int i = pick(1, depth == 0 ? 4 : 2); i > 0; --i) {
      const int kind = pick(0, 99);
      if (kind < 35 || depth >= 3) {
        block.push_back(store());
      } else if (kind < 50) {
        block.push_back(assign());
      } else if (kind < 58) {
        block.push_back(declare());
      } else if (kind < 78) {
        block.push_back(branch(depth));
      } else if (kind < 94) {
        block.push_back(loop(depth));
      } else {
        block.push_back(walk());
      }
    }
    scope_.resize(outer);
  }

  std::mt19937_64 random_;
  std::vector<Variable> scope_;
  std::size_t next_ = 0;
  int loops_ = 0;
};

}  // namespace

Kernel generate(std::uint64_t seed, const std::string& name) { return Generator(seed).kernel(name); }

}  // namespace skmd::test
