// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/file_scope.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace skmd::compiler {
namespace {

/// Follows `__attribute__` and its parentheses.
class AttributeFollower {
 public:
  /// Whether the token is inside.
  bool next(const clang::Token& token, std::string_view text) {
    const bool inside = depth_ > 0;
    if (token.is(clang::tok::raw_identifier)) {
      expected_ = text == "__attribute__" || text == "__attribute";
      return inside;
    }
    if (token.is(clang::tok::l_paren) && (inside || expected_)) ++depth_;
    if (token.is(clang::tok::r_paren) && inside) --depth_;
    expected_ = false;
    return inside;
  }

 private:
  int depth_ = 0;
  bool expected_ = false;
};

/// Which tokens of a directive are the program's: what stands behind the name of a pragma that takes expressions.
class DirectiveFollower {
 public:
  /// Whether the token is none of the program's.
  bool next(const clang::Token& token, std::string_view text) {
    if (token.isAtStartOfLine()) words_ = token.is(clang::tok::hash) ? "#" : "";
    if (words_.empty()) return false;
    for (const std::string_view known :
         {"# pragma unroll", "# pragma unroll_and_jam", "# pragma GCC unroll", "# pragma clang loop"})
      if (words_ == known) return false;
    if (!token.is(clang::tok::hash)) (words_ += ' ') += text;
    return true;
  }

 private:
  std::string words_;  // of the directive so far; "" outside of one
};

bool is_kernel(const clang::FunctionDecl& function) { return function.hasAttr<clang::DeviceKernelAttr>(); }

/// An inline function of C without any declaration that would make it the program's.
bool inline_for_itself(const clang::FunctionDecl& function) {
  return std::all_of(function.redecls_begin(), function.redecls_end(), [](const clang::FunctionDecl* each) {
    return each->isInlineSpecified() && each->getStorageClass() == clang::SC_None;
  });
}

FileScopeName function_name(const clang::FunctionDecl& function) {
  FileScopeName name{function.getNameAsString()};
  const bool own = function.getFormalLinkage() == clang::Linkage::Internal || inline_for_itself(function);
  name.external = !own || is_kernel(function);
  name.overloaded = function.hasAttr<clang::OverloadableAttr>();
  return name;
}

void describe_record(const clang::ASTContext& tree, const clang::RecordDecl& record, std::string& layout) {
  if (record.getDefinition() == nullptr || record.isInvalidDecl()) return;
  const clang::ASTRecordLayout& found = tree.getASTRecordLayout(record.getDefinition());
  layout += std::to_string(found.getSize().getQuantity()) + ':' + std::to_string(found.getAlignment().getQuantity());
  for (unsigned i = 0; i < found.getFieldCount(); ++i) layout += ' ' + std::to_string(found.getFieldOffset(i));
  layout += ';';
}

void add_type_name(const clang::NamedDecl& declared, std::vector<FileScopeName>& names) {
  if (!declared.getName().empty()) names.push_back({declared.getNameAsString(), false, true});
}

/// False of what has no name that could matter.
bool add_names(const clang::ASTContext& tree, const clang::Decl& decl, FileScopeBlock& block) {
  if (const auto* tag = llvm::dyn_cast<clang::TagDecl>(&decl)) {
    add_type_name(*tag, block.names);
    if (const auto* list = llvm::dyn_cast<clang::EnumDecl>(tag))
      for (const clang::EnumConstantDecl* each : list->enumerators()) add_type_name(*each, block.names);
    if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(tag)) describe_record(tree, *record, block.layout);
    return true;
  }
  if (const auto* type = llvm::dyn_cast<clang::TypedefNameDecl>(&decl)) {
    add_type_name(*type, block.names);
    return true;
  }
  block.types_only = false;
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&decl)) {
    block.names.push_back(function_name(*function));
    return true;
  }
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&decl)) {
    const bool own = variable->getFormalLinkage() == clang::Linkage::Internal;
    block.names.push_back({variable->getNameAsString(), !own});
    return true;
  }
  return false;
}

/// From where a declaration's own tokens end to behind its semicolon.
std::size_t end_of_declaration(const std::string& text, const std::vector<TextToken>& tokens, std::size_t end) {
  auto at = std::lower_bound(tokens.begin(), tokens.end(), end,
                             [](const TextToken& token, std::size_t place) { return token.begin < place; });
  while (at != tokens.end() && spelling(text, *at) != ";") ++at;
  return at == tokens.end() ? text.size() : at->end;
}

bool begins_anew(const std::string& text, const std::vector<TextToken>& tokens, std::size_t begin) {
  const auto at = std::lower_bound(tokens.begin(), tokens.end(), begin,
                                   [](const TextToken& token, std::size_t place) { return token.begin < place; });
  if (at == tokens.begin()) return true;
  const std::string_view before = spelling(text, *std::prev(at));
  return before == ";" || before == "}";
}

class LanguageFunctions : public clang::RecursiveASTVisitor<LanguageFunctions> {
 public:
  explicit LanguageFunctions(const clang::SourceManager& sources) : sources_(sources) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(use->getDecl());
    if (function != nullptr && (function->isImplicit() || !sources_.isWrittenInMainFile(function->getLocation())))
      names.insert(function->getNameAsString());
    return true;
  }

  std::set<std::string, std::less<>> names;

 private:
  const clang::SourceManager& sources_;
};

bool has_body(const clang::Decl& decl) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&decl);
  return function != nullptr && function->doesThisDeclarationHaveABody();
}

}  // namespace

std::vector<TextToken> tokens_of(const std::string& text) {
  clang::LangOptions language;
  language.C99 = true;
  language.OpenCL = true;
  language.LineComment = true;
  clang::Lexer lexer(clang::SourceLocation(), language, text.c_str(), text.c_str(), text.c_str() + text.size());
  std::vector<TextToken> tokens;
  AttributeFollower attributes;
  DirectiveFollower directives;
  clang::Token token;
  for (lexer.LexFromRawLexer(token); !token.is(clang::tok::eof); lexer.LexFromRawLexer(token)) {
    const std::size_t end = static_cast<std::size_t>(lexer.getBufferLocation() - text.c_str());
    TextToken found{end - token.getLength(), end, token.is(clang::tok::raw_identifier)};
    if (directives.next(token, spelling(text, found))) continue;
    found.in_attribute = attributes.next(token, spelling(text, found));
    tokens.push_back(found);
  }
  return tokens;
}

std::set<std::string, std::less<>> functions_of_the_language(clang::ASTContext& tree) {
  LanguageFunctions visitor(tree.getSourceManager());
  visitor.TraverseDecl(tree.getTranslationUnitDecl());
  return std::move(visitor.names);
}

std::vector<FileScopeBlock> file_scope_blocks(const clang::ASTContext& tree, const std::string& text,
                                              const std::vector<TextToken>& tokens) {
  const clang::SourceManager& sources = tree.getSourceManager();
  std::vector<FileScopeBlock> blocks;
  for (const clang::Decl* decl : tree.getTranslationUnitDecl()->decls()) {
    if (decl->isImplicit() || !sources.isWrittenInMainFile(decl->getBeginLoc())) continue;
    FileScopeBlock block;
    if (!add_names(tree, *decl, block)) continue;
    block.begin = sources.getFileOffset(decl->getBeginLoc());
    block.end = sources.getFileOffset(decl->getEndLoc()) +
                clang::Lexer::MeasureTokenLength(decl->getEndLoc(), sources, tree.getLangOpts());
    if (!has_body(*decl)) block.end = end_of_declaration(text, tokens, block.end);
    if (blocks.empty() || block.begin >= blocks.back().end) {
      blocks.push_back(std::move(block));
      continue;
    }
    FileScopeBlock& shared = blocks.back();
    shared.begin = std::min(shared.begin, block.begin);
    shared.end = std::max(shared.end, block.end);
    shared.types_only &= block.types_only;
    shared.layout += block.layout;
    shared.names.insert(shared.names.end(), block.names.begin(), block.names.end());
  }
  for (FileScopeBlock& block : blocks) block.separate = begins_anew(text, tokens, block.begin);
  return blocks;
}

}  // namespace skmd::compiler
