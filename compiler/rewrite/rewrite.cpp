// SPDX-License-Identifier: Apache-2.0
#include "compiler/rewrite/rewrite.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <optional>
#include <vector>

#include "compiler/rewrite/record.h"

namespace skmd::compiler {
namespace {

using clang::FunctionDecl;

struct Call {
  const FunctionDecl* caller;
  const FunctionDecl* callee;  // canonical
  const clang::CallExpr* expression;
  const clang::DeclRefExpr* name;
  bool query;
};

/// A geometry query is the builtin unless the program defines a function of that name.
bool is_query(const FunctionDecl& function) {
  return function.getDeclName().isIdentifier() && is_geometry_query(function.getName()) && !function.isDefined();
}

/// The call graph, resolved by declaration: variables and functions that shadow a builtin's name are not the builtin.
class CallCollector : public clang::RecursiveASTVisitor<CallCollector> {
 public:
  bool TraverseFunctionDecl(FunctionDecl* function) {
    if (!function->isThisDeclarationADefinition()) return true;
    functions.push_back(function);
    caller_ = function->getCanonicalDecl();
    TraverseStmt(function->getBody());
    caller_ = nullptr;
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (caller_ == nullptr || callee == nullptr) return true;
    const auto* name = clang::dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (name == nullptr) return true;
    called_.insert(name);
    calls.push_back({caller_, callee->getCanonicalDecl(), call, name, is_query(*callee)});
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (caller_ != nullptr && clang::isa<FunctionDecl>(name->getDecl())) named_.push_back(name);
    return true;
  }

  /// A function named other than to call it: its address may go anywhere.
  [[nodiscard]] const FunctionDecl* taken_address() const {
    for (const clang::DeclRefExpr* name : named_) {
      if (!called_.contains(name)) return clang::cast<FunctionDecl>(name->getDecl());
    }
    return nullptr;
  }

  std::vector<const FunctionDecl*> functions;
  std::vector<Call> calls;

 private:
  const FunctionDecl* caller_ = nullptr;
  std::set<const clang::DeclRefExpr*> called_;
  std::vector<const clang::DeclRefExpr*> named_;
};

class Rewriting {
 public:
  explicit Rewriting(clang::ASTContext& context) : context_(context), sources_(context.getSourceManager()) {}

  Rewritten run() {
    const std::string original = sources_.getBufferData(sources_.getMainFileID()).str();
    collector_.TraverseDecl(context_.getTranslationUnitDecl());
    find_needy();
    Rewritten result{original, {}, {}};
    if (needy_.empty()) return result;
    names_ = names_unused_in(original);
    if (const FunctionDecl* function = collector_.taken_address(); function != nullptr && needs(function)) {
      obstacle_ = "the address of " + function->getNameAsString() + " is taken";
    }
    for (const FunctionDecl* function : needy_) edit_declarations(*function);
    for (const Call& call : collector_.calls) edit_call(call);
    if (!obstacle_.empty()) {
      result.obstacle = obstacle_;
      return result;
    }
    result.text = record_prelude(names_, queries_) + apply(original);
    for (const FunctionDecl* function : needy_) {
      if (function->hasAttr<clang::DeviceKernelAttr>() && function->isDefined())
        result.kernels.insert(function->getNameAsString());
    }
    return result;
  }

 private:
  [[nodiscard]] bool needs(const FunctionDecl* function) const { return needy_.contains(function->getCanonicalDecl()); }

  /// Functions that reach a query.
  void find_needy() {
    for (const Call& call : collector_.calls) {
      if (call.query) needy_.insert(call.caller);
    }
    for (bool grown = true; grown;) {
      grown = false;
      for (const Call& call : collector_.calls) {
        if (!call.query && needy_.contains(call.callee)) grown |= needy_.insert(call.caller).second;
      }
    }
  }

  /// Where a token stands in the main file; nothing for the tokens of a macro of the base header.
  [[nodiscard]] std::optional<unsigned> offset_of(clang::SourceLocation location) const {
    const auto [file, offset] = sources_.getDecomposedLoc(sources_.getSpellingLoc(location));
    if (file != sources_.getMainFileID()) return std::nullopt;
    return offset;
  }

  void insert(clang::SourceLocation before, const std::string& text) { replace(before, 0, text); }

  void replace(clang::SourceLocation location, unsigned length, const std::string& text) {
    if (const auto offset = offset_of(location)) {
      // The same place may be reached twice, through both forms of an initialiser list.
      edits_.insert({*offset, {length, text}});
    } else if (obstacle_.empty()) {
      obstacle_ = "a call comes out of a macro of the language";
    }
  }

  void edit_declarations(const FunctionDecl& function) {
    for (const FunctionDecl* declaration : function.redecls()) {
      if (declaration->isImplicit()) continue;
      const clang::FunctionTypeLoc type = declaration->getFunctionTypeLoc();
      if (!type) {
        obstacle_ = declaration->getNameAsString() + " is declared by a typedef";
        return;
      }
      if (!clang::isa<clang::FunctionProtoType>(declaration->getType()) && type.getNumParams() != 0) {
        obstacle_ = declaration->getNameAsString() + " is defined in the old style";
        return;
      }
      if (type.getNumParams() != 0) {
        insert(type.getRParenLoc(), ", " + names_.declaration());
        continue;
      }
      const auto open = offset_of(type.getLParenLoc());
      const auto close = offset_of(type.getRParenLoc());
      if (!open || !close) {
        obstacle_ = declaration->getNameAsString() + " is declared through a macro of the language";
        return;
      }
      replace(type.getLParenLoc().getLocWithOffset(1), *close - *open - 1, names_.declaration());
    }
  }

  void edit_call(const Call& call) {
    if (!call.query && !needy_.contains(call.callee)) return;
    if (call.query) {
      const std::string builtin = call.callee->getNameAsString();
      queries_.insert(builtin);
      replace(call.name->getLocation(), static_cast<unsigned>(builtin.size()), names_.query(builtin));
    }
    const bool first = call.expression->getNumArgs() == 0;
    insert(call.expression->getRParenLoc(), (first ? "" : ", ") + names_.parameter());
  }

  [[nodiscard]] std::string apply(const std::string& original) const {
    std::string text;
    std::size_t done = 0;
    for (const auto& [offset, edit] : edits_) {
      text.append(original, done, offset - done);
      text += edit.second;
      done = offset + edit.first;
    }
    return text.append(original, done);
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  CallCollector collector_;
  std::set<const FunctionDecl*> needy_;  // canonical
  RecordNames names_;
  std::set<std::string> queries_;
  std::map<unsigned, std::pair<unsigned, std::string>> edits_;  // offset: length removed, text put there
  std::string obstacle_;
};

}  // namespace

Rewritten rewrite(clang::ASTContext& context) { return Rewriting(context).run(); }

}  // namespace skmd::compiler
