# Writes OUTPUT, a source file that knows the commit of the tree SOURCE ("" where git does not tell; a "+" after it: with
# changes since). Only when it says something else than before: what links it is linked again, and nothing is compiled.
execute_process(COMMAND git describe --always --abbrev=12 --dirty=+ --exclude=* WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT commit MATCHES "^[0-9a-f]+\\+?$")
  set(commit "")
endif()
set(text "#include \"profiler/database/commit.h\"\n\nnamespace skmd::profiler {\n\nstd::string commit() { return \"${commit}\"; }\n\n}  // namespace skmd::profiler\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
