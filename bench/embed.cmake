# Run with -P: turns kernel file IN into header OUT, which defines its text as bench::kernels::NAME.
file(READ ${IN} text)
file(WRITE ${OUT} "#pragma once\nnamespace bench::kernels {\ninline constexpr char ${NAME}[] = R\"opencl(${text})opencl\";\n}\n")
