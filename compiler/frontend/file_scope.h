// SPDX-License-Identifier: Apache-2.0
// What a translation unit declares at file scope, and where.
#pragma once

#include <clang/AST/ASTContext.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skmd::compiler {

/// A token of a text: bytes [begin, end). Of directives only those of expressions: `#pragma unroll N` has an N.
struct TextToken {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool identifier = false;
  bool in_attribute = false;  // between the parentheses of __attribute__((…))
};

std::vector<TextToken> tokens_of(const std::string& text);

inline std::string_view spelling(const std::string& text, const TextToken& token) {
  return std::string_view(text).substr(token.begin, token.end - token.begin);
}

struct FileScopeName {
  std::string name;
  bool external = false;  // means the same in every unit: functions and variables that are not static, kernels
  bool type = false;      // a type's, or an enumerator
  bool overloaded = false;
};

/// A declaration, or several that share their text (`typedef struct { … } t;`): bytes [begin, end), with the semicolon.
struct FileScopeBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<FileScopeName> names;
  std::string layout;  // sizes and offsets of the types that are defined here
  bool types_only = true;
  bool separate = true;  // it begins behind a semicolon, a brace or nothing
};

/// Functions that are called though the text declares none of the name: the language's, and what C takes for granted.
std::set<std::string, std::less<>> functions_of_the_language(clang::ASTContext& tree);

/// Of `text`, whose tree this is, in its order.
std::vector<FileScopeBlock> file_scope_blocks(const clang::ASTContext& tree, const std::string& text,
                                              const std::vector<TextToken>& tokens);

}  // namespace skmd::compiler
