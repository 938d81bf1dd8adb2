// RUN: %skmd-compile --preprocess %s -DA=1 -D "B=2 + 3" -DC -D "F(x)=#x" "-DG(a,b)=a##b" -DA=4 -D D=1 -U D '-DS="text"' | %FileCheck %s
// In the order given, the last one wins; function-like ones too.

#ifdef D
#error taken away
#endif
a = A; b = B; c = C; f = F(hello world); g = G(x, y); s = S;
// CHECK: a = 4; b = 2 + 3; c = 1; f = "hello world"; g = xy; s = "text";
