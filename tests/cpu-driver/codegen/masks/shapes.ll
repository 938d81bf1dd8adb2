; RUN: %skmd-opt --passes=skmd-masks %s 2>%t.log | %FileCheck %s
; RUN: %FileCheck --check-prefix=LOG --implicit-check-not=skmd-masks: %s <%t.log

; Switches become branches, and these masks.
; CHECK-LABEL: define void @several(
; CHECK-NOT: switch
; CHECK-NOT: br i1
; CHECK: call void @skmd.store.i32.p1(i32 1,
; CHECK: ret void
define void @several(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
entry:
  switch i64 %i, label %end [i64 1, label %one
                             i64 5, label %five]
one:
  store i32 1, ptr addrspace(1) %out
  br label %end
five:
  store i32 5, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; A loop with two entries gets one, whose way in is chosen by each lane.
; CHECK-LABEL: define void @irreducible({{.*}}, i1 "skmd-live" %live)
; CHECK: call i1 @skmd.any(
define void @irreducible(i64 "skmd-lane" %i, i32 %n, ptr addrspace(1) %out) "skmd-item" {
entry:
  %c = icmp ult i64 %i, 3
  br i1 %c, label %a, label %b
a:
  %x = phi i32 [0, %entry], [%y1, %b]
  %x1 = add i32 %x, 1
  br label %b
b:
  %y = phi i32 [7, %entry], [%x1, %a]
  %y1 = add i32 %y, 1
  %more = icmp ult i32 %y1, %n
  br i1 %more, label %a, label %end
end:
  store i32 %y1, ptr addrspace(1) %out
  ret void
}

; What never ends does so for all; what cannot be reached by a lane is not run for it.
; CHECK-LABEL: define void @endless({{.*}}, i1 "skmd-live" %live)
; CHECK: call void @skmd.store.i32.p1(i32 1,
define void @endless(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
entry:
  %c = icmp ult i64 %i, 3
  br i1 %c, label %loop, label %other
other:
  %d = icmp ult i64 %i, 5
  br i1 %d, label %never, label %end
never:
  unreachable
loop:
  store i32 1, ptr addrspace(1) %out
  br label %loop
end:
  store i32 2, ptr addrspace(1) %out
  ret void
}

; Three ways out of two loops at once.
; CHECK-LABEL: define void @ways_out({{.*}}, i1 "skmd-live" %live)
; CHECK: ret void
define void @ways_out(i64 "skmd-lane" %i, i64 %n, ptr addrspace(1) %out) "skmd-item" {
entry:
  br label %outer
outer:
  %k = phi i64 [0, %entry], [%k1, %next]
  br label %inner
inner:
  %j = phi i64 [0, %outer], [%j1, %again]
  %s = add i64 %j, %k
  %first = icmp eq i64 %s, %i
  br i1 %first, label %found, label %second
second:
  %late = icmp ugt i64 %s, %n
  br i1 %late, label %end, label %again
again:
  %j1 = add i64 %j, 1
  %on = icmp ult i64 %j1, %k
  br i1 %on, label %inner, label %next
next:
  %k1 = add i64 %k, 1
  br label %outer
found:
  store i64 %s, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; LOG: skmd-masks: structure: an access of a structure: %x = load
; CHECK-LABEL: define void @structure(i64 "skmd-lane" %i, ptr addrspace(1) %out) #
define void @structure(i64 "skmd-lane" %i, ptr addrspace(1) %out) "skmd-item" {
  %x = load { i32, i32 }, ptr addrspace(1) %out
  ret void
}

; LOG: skmd-masks: computed: where work-items go on after a barrier is computed
define i32 @computed(i64 "skmd-lane" %i) "skmd-item" {
  %x = trunc i64 %i to i32
  ret i32 %x
}

; LOG: skmd-masks: no_lane: no parameter tells lanes apart
define void @no_lane(i64 %i) "skmd-item" {
  ret void
}
