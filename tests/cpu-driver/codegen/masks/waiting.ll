; RUN: %skmd-opt --passes=skmd-masks %s 2>%t.log | %FileCheck %s
; RUN: %FileCheck --check-prefix=LOG --implicit-check-not=skmd-masks: %s <%t.log
; Loops that end when another work-item has done something never would in step: these functions stay item functions.

; LOG: skmd-masks: lock: a loop waits for another work-item
; CHECK: define void @lock(i64 "skmd-lane" %i, ptr addrspace(1) %p)
define void @lock(i64 "skmd-lane" %i, ptr addrspace(1) %p) "skmd-item" {
entry:
  br label %spin
spin:
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 acquire monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %end, label %spin
end:
  ret void
}

; LOG: skmd-masks: flag: a loop waits for another work-item
define void @flag(i64 "skmd-lane" %i, ptr addrspace(1) %p) "skmd-item" {
entry:
  br label %spin
spin:
  %v = load volatile i32, ptr addrspace(1) %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %spin
end:
  ret void
}

; What is waited for decides by control only.
; LOG: skmd-masks: done: a loop waits for another work-item
define void @done(i64 "skmd-lane" %i, ptr addrspace(1) %p) "skmd-item" {
entry:
  br label %head
head:
  %turn = phi i32 [0, %entry], [%next, %latch]
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %yes, label %no
yes:
  br label %latch
no:
  br label %latch
latch:
  %over = phi i1 [true, %yes], [false, %no]
  %next = add i32 %turn, 1
  br i1 %over, label %end, label %head
end:
  ret void
}

; LOG: skmd-masks: read_by_adding: a loop waits for another work-item
define void @read_by_adding(i64 "skmd-lane" %i, ptr addrspace(1) %p) "skmd-item" {
entry:
  br label %spin
spin:
  %v = atomicrmw add ptr addrspace(1) %p, i32 0 monotonic
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %spin
end:
  ret void
}

; Whether the way out is reached depends on the exchange.
; LOG: skmd-masks: guarded_exit: a loop waits for another work-item
define void @guarded_exit(i64 "skmd-lane" %i, i1 %flag, ptr addrspace(1) %p) "skmd-item" {
entry:
  br label %head
head:
  %v = atomicrmw xchg ptr addrspace(1) %p, i32 1 monotonic
  %free = icmp eq i32 %v, 0
  br i1 %free, label %try, label %latch
try:
  br i1 %flag, label %end, label %latch
latch:
  br label %head
end:
  ret void
}

; A queue: each turn takes something.
; CHECK: define void @queue({{.*}}, i1 "skmd-live" %live)
; CHECK: call i32 @skmd.each.{{.*}}(ptr addrspace(1) %p) [ "skmd.mask"(i1 %{{.*}}) ]
define void @queue(i64 "skmd-lane" %i, i32 %n, ptr addrspace(1) %p) "skmd-item" {
entry:
  br label %head
head:
  %v = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %more = icmp ult i32 %v, %n
  br i1 %more, label %head, label %end
end:
  ret void
}

; The exchange decides what is done, not how often.
; CHECK: define void @counted({{.*}}, i1 "skmd-live" %live)
define void @counted(i64 "skmd-lane" %i, i32 %n, ptr addrspace(1) %p, ptr addrspace(1) %out) "skmd-item" {
entry:
  br label %head
head:
  %turn = phi i32 [0, %entry], [%next, %latch]
  %v = atomicrmw xchg ptr addrspace(1) %p, i32 1 monotonic
  %free = icmp eq i32 %v, 0
  br i1 %free, label %yes, label %latch
yes:
  store i32 %turn, ptr addrspace(1) %out
  br label %latch
latch:
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %end
end:
  ret void
}
