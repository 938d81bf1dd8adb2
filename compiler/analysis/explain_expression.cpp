// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/explain_expression.h"

#include "compiler/analysis/analysis_constants.h"

namespace skmd::compiler {

using domain::KernelTraits;
using domain::kNoNode;
using domain::Node;
using domain::NodeId;
using domain::Op;

namespace {

// C's precedences, as far as they are needed to leave out parentheses.
enum Strength : unsigned { kTernary = 0, kBits = 1, kCompare = 2, kSum = 3, kProduct = 4, kAtom = 5 };

struct Text {
  std::string text;
  Strength strength = kAtom;
};

std::string at_least(const Text& part, Strength strength) {
  return part.strength >= strength ? part.text : "(" + part.text + ")";
}

std::string type_name(unsigned bits, bool is_unsigned) {
  const std::string prefix = is_unsigned ? "u" : "";
  switch (bits) {
    case 1:
      return "bool";
    case 8:
      return prefix + "char";
    case 16:
      return prefix + "short";
    case 32:
      return prefix + "int";
    case 64:
      return prefix + "long";
    default:
      return prefix + "int" + std::to_string(bits);
  }
}

const char* predicate_text(unsigned predicate) {
  static constexpr const char* kTexts[] = {"==", "!=", "<u", "<=u", ">u", ">=u", "<", "<=", ">", ">="};
  return predicate < std::size(kTexts) ? kTexts[predicate] : "?";
}

struct Infix {
  const char* sign;
  Strength strength;
};

Infix infix_of(Op op) {
  switch (op) {
    case Op::add:
      return {" + ", kSum};
    case Op::sub:
      return {" - ", kSum};
    case Op::mul:
      return {"*", kProduct};
    case Op::udiv:
      return {" /u ", kProduct};
    case Op::sdiv:
      return {" / ", kProduct};
    case Op::urem:
      return {" %u ", kProduct};
    case Op::srem:
      return {" % ", kProduct};
    case Op::bit_and:
      return {" & ", kBits};
    case Op::bit_or:
      return {" | ", kBits};
    case Op::bit_xor:
      return {" ^ ", kBits};
    case Op::shl:
      return {" << ", kBits};
    case Op::lshr:
      return {" >>u ", kBits};
    case Op::ashr:
      return {" >> ", kBits};
    default:
      return {nullptr, kAtom};
  }
}

const char* function_of(Op op) {
  switch (op) {
    case Op::smin:
      return "min";
    case Op::smax:
      return "max";
    case Op::umin:
      return "umin";
    case Op::umax:
      return "umax";
    case Op::either:
      return "either";
    case Op::group_id:
      return "group_id";
    case Op::local_id:
      return "local_id";
    case Op::global_id:
      return "global_id";
    case Op::local_size:
      return "local_size";
    case Op::group_count:
      return "num_groups";
    case Op::global_size:
      return "global_size";
    case Op::global_offset:
      return "global_offset";
    default:
      return nullptr;
  }
}

class Printer {
 public:
  explicit Printer(const KernelTraits& traits) : traits_(traits) {}

  Text print(NodeId id, unsigned depth = 0) const {
    if (depth > tuning::kMaxPrintedDepth) return {"...", kAtom};
    const Node& node = traits_.nodes[id];
    switch (node.op) {
      case Op::constant:
        return {std::to_string(node.value), node.value < 0 ? kSum : kAtom};
      case Op::work_dim:
        return {"work_dim()", kAtom};
      case Op::scalar_argument:
        return {argument(node), kAtom};
      case Op::iteration:
        return {"i" + std::to_string(node.value), kAtom};
      case Op::unknown:
        return {"?", kAtom};
      case Op::zext:
        return cast(node, "(u" + type_name(node.bits, false) + ")", depth);
      case Op::sext:
      case Op::trunc:
        return cast(node, "(" + type_name(node.bits, false) + ")", depth);
      case Op::select: {
        const std::string yes = at_least(print(node.b, depth + 1), kBits);
        return {at_least(print(node.a, depth + 1), kBits) + " ? " + yes + " : " + print(node.c, depth + 1).text,
                kTernary};
      }
      case Op::compare: {
        const std::string left = at_least(print(node.a, depth + 1), kSum);
        return {left + " " + predicate_text(node.dim) + " " + at_least(print(node.b, depth + 1), kSum), kCompare};
      }
      default:
        return operation(node, depth);
    }
  }

 private:
  std::string argument(const Node& node) const {
    const auto index = static_cast<std::size_t>(node.value);
    const bool named = index < traits_.parameters.size() && !traits_.parameters[index].name.empty();
    const std::string name = named ? traits_.parameters[index].name : "arg" + std::to_string(index);
    const bool image =
        index < traits_.parameters.size() && traits_.parameters[index].kind == domain::ParameterKind::image;
    static constexpr const char* kGeometry[] = {"width", "height", "depth", "element", "row_pitch", "slice_pitch"};
    if (image && node.aux / 8 < std::size(kGeometry)) return name + "." + kGeometry[node.aux / 8];
    const bool whole = index < traits_.parameters.size() && traits_.parameters[index].size * 8 == node.bits;
    return node.aux == 0 && (whole || !named) ? name : name + "@" + std::to_string(node.aux);
  }

  Text cast(const Node& node, const std::string& type, unsigned depth) const {
    return {type + at_least(print(node.a, depth + 1), kAtom), kAtom};
  }

  Text operation(const Node& node, unsigned depth) const {
    if (const Infix infix = infix_of(node.op); infix.sign != nullptr) return this->infix(node, infix, depth);
    const char* function = function_of(node.op);
    if (function == nullptr) return {"?", kAtom};
    if (node.a == kNoNode) return {std::string(function) + "(" + std::to_string(node.dim) + ")", kAtom};
    return {std::string(function) + "(" + print(node.a, depth + 1).text + ", " + print(node.b, depth + 1).text + ")",
            kAtom};
  }

  Text infix(const Node& node, const Infix& infix, unsigned depth) const {
    const Node& right = traits_.nodes[node.b];
    const bool bits = infix.strength == kBits;
    const Text left = print(node.a, depth + 1);
    const std::string first = at_least(left, bits ? kSum : infix.strength);
    if (node.op == Op::add && right.op == Op::constant && right.value < 0 && right.value != INT64_MIN) {
      return {first + " - " + std::to_string(-right.value), kSum};
    }
    // The right operand of a subtraction or division needs more than its own strength.
    const bool associates = node.op == Op::add || node.op == Op::mul;
    const unsigned needed = bits ? kSum : infix.strength + (associates ? 0u : 1u);
    return {first + infix.sign + at_least(print(node.b, depth + 1), static_cast<Strength>(needed)), infix.strength};
  }

  const KernelTraits& traits_;
};

}  // namespace

std::string expression_text(const KernelTraits& traits, NodeId node) {
  return node == kNoNode ? "anywhere" : Printer(traits).print(node).text;
}

}  // namespace skmd::compiler
