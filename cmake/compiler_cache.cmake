# ccache, where it is installed. It finds what was compiled in the same folder: precompiled headers name the folder, and other clones' must
# not be taken. What is not found costs little more than its compilation: ccache neither preprocesses it first (CCACHE_DEPEND) nor reads
# precompiled headers, of 20 to 500 MB, of which it takes a checksum that is made with them (CCACHE_PCH_EXTSUM, cmake/precompile.sh).
find_program(CCACHE ccache)
if(CCACHE)
  set(SKMD_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SKMD_LAUNCHER})
  set(CMAKE_C_COMPILER_LAUNCHER ${SKMD_LAUNCHER})
endif()

# target_precompile_headers() for a target that makes a precompiled header. With Clang it tells headers by their contents, not by their times.
function(skmd_precompile_headers target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(CCACHE)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/precompile.sh;${SKMD_LAUNCHER}")
  endif()
endfunction()
