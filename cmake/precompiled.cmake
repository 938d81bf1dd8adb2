# Precompiled headers for the sanitizer builds, which would otherwise spend half of their time on reading the standard
# library and GoogleTest once for every file. The release build goes without, but for LLVM's (compiler/llvm.cmake): there a file
# that does not include what it uses is an error. A precompiled header serves only files that are compiled with the same flags, so
# there are four: for code of shared libraries and of programs, with and without GoogleTest.
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
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# Whether the target has GoogleTest's definitions, by what it links or what that does.
function(skmd_uses_gtest target result)
  set(answer OFF)
  get_target_property(links ${target} LINK_LIBRARIES)
  get_target_property(further ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links further)
    if(link MATCHES "^GTest::")
      set(answer ON)
    elseif(NOT answer AND TARGET ${link})
      skmd_uses_gtest(${link} answer)
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
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(opted_out ${target} DISABLE_PRECOMPILE_HEADERS)
    if(opted_out OR target MATCHES "^skmd_precompiled" OR NOT type MATCHES "EXECUTABLE|LIBRARY" OR type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    set(header skmd_precompiled)
    skmd_uses_gtest(${target} uses_gtest)
    if(uses_gtest)
      string(APPEND header _tests)
    endif()
    if(type STREQUAL "EXECUTABLE")
      string(APPEND header _program)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${header})
  endforeach()
endfunction()

find_package(GTest REQUIRED)
skmd_add_precompiled(skmd_precompiled LIBRARY ${standard_headers})
skmd_add_precompiled(skmd_precompiled_program EXECUTABLE ${standard_headers})
skmd_add_precompiled(skmd_precompiled_tests LIBRARY ${standard_headers} <gtest/gtest.h>)
skmd_add_precompiled(skmd_precompiled_tests_program EXECUTABLE ${standard_headers} <gtest/gtest.h>)
skmd_use_precompiled(${CMAKE_SOURCE_DIR})
