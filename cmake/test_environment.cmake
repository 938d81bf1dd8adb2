# gtest_discover_tests() keeps only the first entry of ENVIRONMENT. skmd_test_environment(LIST entry…) gives all of them to
# the tests of a TEST_LIST that was discovered before, in the same folder.
function(skmd_test_environment list)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${list}_environment.cmake)
  file(WRITE ${script} "if(${list})\n  set_tests_properties(\${${list}} PROPERTIES ENVIRONMENT \"${ARGN}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# For executables of which a sanitizer's run has no test (CMakePresets.json): they are not built for it.
function(skmd_not_for_sanitizers)
  if(SKMD_SANITIZE)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# Likewise where every test needs a real device: ThreadSanitizer's run has none of those.
function(skmd_not_for_thread_sanitizer)
  if(SKMD_SANITIZE MATCHES "thread")
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
