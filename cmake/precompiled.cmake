# Precompiled headers: the standard library and GoogleTest are read once for all files. A file that does not include what it
# uses is found by clang-tidy, which reads every changed file without them. A precompiled header serves only files that are
# compiled with the same flags, so there are four: for code of shared libraries and of programs, with and without GoogleTest; and
# in sanitizers' builds, where folders differ in -O0, two more.
# Files that include LLVM's headers have another (compiler/llvm.cmake).
set(standard_headers <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstring> <deque> <filesystem> <fstream>
  <functional> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread>
  <unordered_map> <utility> <variant> <vector>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "int main() {}\n")

# kind: EXECUTABLE for the flags of programs, else LIBRARY.
function(skmd_add_precompiled name kind)
  if(kind STREQUAL EXECUTABLE)
    add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
  else()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
  endif()
  target_link_libraries(${name} PRIVATE skmd_warnings)
  if(name MATCHES tests)
    target_link_libraries(${name} PRIVATE GTest::gtest)
  endif()
  if(SKMD_SANITIZE AND name MATCHES unoptimised)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# Whether the target links a library whose name matches, or links one that does.
function(skmd_links target pattern result)
  set(answer OFF)
  get_target_property(links ${target} LINK_LIBRARIES)
  get_target_property(further ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links further)
    if(link MATCHES "${pattern}")
      set(answer ON)
    elseif(NOT answer AND TARGET ${link})
      skmd_links(${link} "${pattern}" answer)
    endif()
  endforeach()
  set(${result} ${answer} PARENT_SCOPE)
endfunction()

# Gives every target of the folder and of those below it the header for its flags. A target with flags of its own opts out
# by the property DISABLE_PRECOMPILE_HEADERS.
function(skmd_use_precompiled folder)
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    skmd_use_precompiled(${subfolder})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(options DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(opted_out ${target} DISABLE_PRECOMPILE_HEADERS)
    get_target_property(own_header ${target} PRECOMPILE_HEADERS)
    get_target_property(other_header ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(opted_out OR own_header OR other_header OR target MATCHES "^skmd_precompiled" OR NOT type MATCHES "EXECUTABLE|LIBRARY" OR type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    # Compiled without exceptions, as LLVM is.
    skmd_links(${target} "^skmd_llvm" uses_llvm)
    if(uses_llvm)
      continue()
    endif()
    set(header skmd_precompiled)
    skmd_links(${target} "^GTest::" uses_gtest)
    if("-O0" IN_LIST options)
      string(APPEND header _unoptimised)
    elseif(uses_gtest)
      string(APPEND header _tests)
    endif()
    if(type STREQUAL "EXECUTABLE")
      string(APPEND header _program)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${header})
    # GCC 12 sees lengths in std::string that are not there (its bug 105651), and forgets that a precompiled header is the system's.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
  endforeach()
endfunction()

find_package(GTest REQUIRED)
skmd_add_precompiled(skmd_precompiled LIBRARY ${standard_headers})
skmd_add_precompiled(skmd_precompiled_program EXECUTABLE ${standard_headers})
skmd_add_precompiled(skmd_precompiled_tests LIBRARY ${standard_headers} <gtest/gtest.h>)
skmd_add_precompiled(skmd_precompiled_tests_program EXECUTABLE ${standard_headers} <gtest/gtest.h>)
if(SKMD_SANITIZE)
  skmd_add_precompiled(skmd_precompiled_unoptimised LIBRARY ${standard_headers})
  skmd_add_precompiled(skmd_precompiled_unoptimised_program EXECUTABLE ${standard_headers})
endif()
skmd_use_precompiled(${CMAKE_SOURCE_DIR})
