# gtest_discover_tests() keeps only the first entry of ENVIRONMENT. skmd_test_environment(LIST entry…) gives all of them to
# the tests of a TEST_LIST that was discovered before, in the same folder.
function(skmd_test_environment list)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${list}_environment.cmake)
  file(WRITE ${script} "if(${list})\n  set_tests_properties(\${${list}} PROPERTIES ENVIRONMENT \"${ARGN}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
