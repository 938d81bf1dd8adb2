# Tests of queues, events, memory objects and the commands on them.
skmd_api_test(api_queue_test
  clCreateCommandQueueWithProperties_test.cpp
  clCreateUserEvent_test.cpp
  wait_list_test.cpp
)
skmd_api_test(api_memory_test
  clCreateBuffer_test.cpp
  clEnqueueCopyBuffer_test.cpp
  clEnqueueMapBuffer_test.cpp
  clEnqueueReadBuffer_test.cpp
)
skmd_api_test(api_image_test
  clCreateImage_test.cpp
  clCreateSampler_test.cpp
)
