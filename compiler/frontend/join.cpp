// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/join.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "compiler/frontend/file_scope.h"
#include "compiler/frontend/names.h"
#include "compiler/frontend/parse.h"

namespace skmd::compiler {
namespace {

constexpr std::string_view kMark = "_skmd_unit";

using Names = std::set<std::string, std::less<>>;

struct Unit {
  std::string text;
  std::vector<TextToken> tokens;
  std::vector<FileScopeBlock> blocks;
  Names language;  // what it uses and does not declare
};

bool stands_at_file_scope(const Unit& unit, std::string_view directive) {
  int depth = 0;
  auto token = unit.tokens.begin();
  for (std::size_t at = unit.text.find(directive); at != std::string::npos; at = unit.text.find(directive, at + 1)) {
    for (; token != unit.tokens.end() && token->begin < at; ++token) {
      if (spelling(unit.text, *token) == "{") ++depth;
      if (spelling(unit.text, *token) == "}") --depth;
    }
    if (depth == 0) return true;
  }
  return false;
}

std::optional<Unit> read_unit(const std::string& text, const Language& language, const Options& options,
                              llvm::LLVMContext& context) {
  // These reach into the units behind.
  for (const std::string_view lasting :
       {std::string_view("#undef"), std::string_view("#pragma pack"), std::string_view("#pragma ms_struct"),
        std::string_view("#pragma float_control"), std::string_view("#pragma clang attribute"), kMark})
    if (text.find(lasting) != std::string::npos) return std::nullopt;
  Unit unit{text, tokens_of(text), {}, {}};
  if (stands_at_file_scope(unit, "#pragma clang fp")) return std::nullopt;  // in a block it ends there
  const Parsed parsed = parse(text, language, options, LineTables::none, context, [&](clang::ASTContext& tree) {
    unit.blocks = file_scope_blocks(tree, unit.text, unit.tokens);
    unit.language = functions_of_the_language(tree);
  });
  if (!parsed.module) return std::nullopt;
  for (const TextToken& token : unit.tokens)
    if (token.identifier && is_standard_name(spelling(text, token))) unit.language.emplace(spelling(text, token));
  return unit;
}

template <class Visit>
void for_each_token(const Unit& unit, const FileScopeBlock& block, Visit&& visit) {
  auto token = std::lower_bound(unit.tokens.begin(), unit.tokens.end(), block.begin,
                                [](const TextToken& each, std::size_t place) { return each.begin < place; });
  for (; token != unit.tokens.end() && token->end <= block.end; ++token) visit(*token);
}

/// Two blocks of types with the same key and the same meaning of all names in them define the same types.
std::string key_of(const Unit& unit, const FileScopeBlock& block) {
  std::string key = block.layout + '|';
  for_each_token(unit, block, [&](const TextToken& token) {
    key += spelling(unit.text, token);
    key += ' ';
  });
  return key;
}

bool mentions(const Unit& unit, const FileScopeBlock& block, const Names& names) {
  bool found = false;
  for_each_token(unit, block, [&](const TextToken& token) {
    found = found || (token.identifier && names.contains(spelling(unit.text, token)));
  });
  return found;
}

/// Puts units into one text, each behind those before it.
class Joint {
 public:
  explicit Joint(const std::vector<Unit>& units) {
    for (const Unit& unit : units) {
      reserved_.insert(unit.language.begin(), unit.language.end());
      for (const FileScopeBlock& block : unit.blocks)
        for (const FileScopeName& name : block.names)
          if (name.external) reserved_.insert(name.name);
    }
  }

  /// False if it cannot be said what the unit would mean then.
  bool add(const Unit& unit, std::size_t number) {
    Plan plan = plan_for(unit);
    if (!certain(unit, plan)) return false;
    append(unit, plan, std::string(kMark) + std::to_string(number));
    for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
      const FileScopeBlock& block = unit.blocks[i];
      const bool renamed = mentions(unit, block, plan.renamed);
      if (block.types_only && !renamed) types_.insert(key_of(unit, block));
      for (const FileScopeName& name : block.names)
        if (!plan.renamed.contains(name.name)) taken_.insert(name.name);
    }
    return true;
  }
  std::string take() { return std::move(text_); }

 private:
  struct Plan {
    Names renamed;
    std::vector<bool> there;  // per block: its types are there already
  };

  [[nodiscard]] bool is_taken(const FileScopeName& name) const {
    return !name.external && (taken_.contains(name.name) || reserved_.contains(name.name));
  }
  void rename(const FileScopeBlock& block, Names& renamed) const {
    for (const FileScopeName& name : block.names)
      if (is_taken(name)) renamed.insert(name.name);
  }
  [[nodiscard]] Plan plan_for(const Unit& unit) const {
    Plan plan;
    for (const FileScopeBlock& block : unit.blocks) {
      plan.there.push_back(block.types_only && types_.contains(key_of(unit, block)));
      if (!plan.there.back()) rename(block, plan.renamed);
    }
    // What mentions a type that is another one here is another one as well.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
        if (!plan.there[i] || !mentions(unit, unit.blocks[i], plan.renamed)) continue;
        plan.there[i] = false;
        rename(unit.blocks[i], plan.renamed);
        changed = true;
      }
    }
    return plan;
  }

  /// Every token of a renamed name is renamed, for all its meanings; so the name must have no meaning outside the unit.
  [[nodiscard]] static bool certain(const Unit& unit, const Plan& plan) {
    for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
      const FileScopeBlock& block = unit.blocks[i];
      if (plan.there[i] && !block.separate) return false;
      for (const FileScopeName& name : block.names)
        if ((name.external || name.overloaded) && plan.renamed.contains(name.name)) return false;
    }
    std::size_t declared = 0;
    Names known;
    for (const TextToken& token : unit.tokens) {
      for (; declared < unit.blocks.size() && unit.blocks[declared].begin <= token.begin; ++declared)
        for (const FileScopeName& name : unit.blocks[declared].names) known.insert(name.name);
      const std::string_view text = spelling(unit.text, token);
      if (!token.identifier || !plan.renamed.contains(text)) continue;
      // Before its declaration it is a function of the language, or a member's name.
      if (token.in_attribute || !known.contains(text)) return false;
    }
    return true;
  }

  void append(const Unit& unit, const Plan& plan, const std::string& mark) {
    std::string text;
    std::size_t done = 0;
    for (const TextToken& token : unit.tokens) {
      if (!token.identifier || !plan.renamed.contains(spelling(unit.text, token))) continue;
      text.append(unit.text, done, token.end - done).append(mark);
      done = token.end;
      shifts_.push_back({token.end, mark.size()});
    }
    text.append(unit.text, done, std::string::npos);
    for (std::size_t i = 0; i < unit.blocks.size(); ++i)
      if (plan.there[i]) blank(text, place(unit.blocks[i].begin), place(unit.blocks[i].end));
    shifts_.clear();
    text_ += text;
    text_ += '\n';
  }
  /// Lines stay where they are.
  static void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < text.size(); ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
  /// Where a byte of the unit's text is since names got longer.
  [[nodiscard]] std::size_t place(std::size_t offset) const {
    std::size_t moved = offset;
    for (const auto& [at, bytes] : shifts_)
      if (at <= offset) moved += bytes;
    return moved;
  }

  std::string text_;
  Names reserved_;               // mean one thing in all units
  Names taken_;                  // at file scope of the text so far
  std::set<std::string> types_;  // keys of the types of the text so far that have their own names
  std::vector<std::pair<std::size_t, std::size_t>> shifts_;
};

/// Whether a name that one unit declares is the language's for another: then they cannot be one behind the other, and
/// if it is no unit's own, in no text.
enum class Clash : std::uint8_t { none, of_own_names, for_all };

Clash clash_of(const std::vector<Unit>& units) {
  Clash found = Clash::none;
  for (const Unit& declaring : units)
    for (const Unit& using_it : units) {
      if (&declaring == &using_it) continue;
      for (const FileScopeBlock& block : declaring.blocks)
        for (const FileScopeName& name : block.names) {
          if (!using_it.language.contains(name.name)) continue;
          if (name.external) return Clash::for_all;
          found = Clash::of_own_names;
        }
    }
  return found;
}

void forget(std::string& text) {
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at)) {
    std::size_t end = at + kMark.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    text.erase(at, end - at);
  }
}

}  // namespace

std::vector<std::string> joined_texts(const std::vector<std::string>& units, const Language& language,
                                      const Options& options, llvm::LLVMContext& context) {
  if (units.size() == 1) return units;
  std::vector<Unit> read;
  std::string plain;
  for (const std::string& text : units) {
    auto unit = read_unit(text, language, options, context);
    if (!unit) return {};
    read.push_back(std::move(*unit));
    plain += text + '\n';
  }
  const Clash clash = clash_of(read);
  if (clash == Clash::for_all) return {};
  std::vector<std::string> texts;
  if (clash == Clash::none) texts.push_back(std::move(plain));
  Joint joint(read);
  bool certain = true;
  for (std::size_t i = 0; i < read.size() && certain; ++i) certain = joint.add(read[i], i);
  if (certain) texts.push_back(joint.take());
  return texts;
}

void forget_own_names(std::vector<domain::KernelTraits>& kernels) {
  for (domain::KernelTraits& kernel : kernels) {
    forget(kernel.attributes);
    for (domain::Parameter& parameter : kernel.parameters) {
      forget(parameter.name);
      forget(parameter.type_name);
    }
  }
}

}  // namespace skmd::compiler
