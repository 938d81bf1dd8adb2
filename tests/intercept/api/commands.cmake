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
  vendor_extras_test.cpp
)
skmd_api_test(api_image_test
  clCreateImage_test.cpp
  clCreateSampler_test.cpp
  image_arguments_test.cpp
)
# The same over a device that uses host memory in place: its images have memory of their own all the same.
gtest_discover_tests(api_image_test TEST_PREFIX in_place. TEST_LIST api_image_in_place_tests TEST_FILTER "ImageArguments.*"
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
skmd_test_environment(api_image_in_place_tests SKMD_DEVICES=portable:pthread)

# And on our own CPU driver.
gtest_discover_tests(api_image_test TEST_PREFIX cpu_driver. TEST_LIST api_image_cpu_tests TEST_FILTER "ImageArguments.*"
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
gtest_discover_tests(api_memory_test TEST_PREFIX cpu_driver. TEST_LIST api_memory_cpu_tests
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
gtest_discover_tests(api_kernel_test TEST_PREFIX cpu_driver. TEST_LIST api_kernel_cpu_tests
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
foreach(list api_image_cpu_tests api_memory_cpu_tests api_kernel_cpu_tests)
  skmd_test_environment(${list} SKMD_DEVICES=cpu SKMD_TEST_CPU_DRIVER=1)
endforeach()
# And where no other driver is installed.
set(no_vendors ${CMAKE_CURRENT_BINARY_DIR}/no-vendors)
file(MAKE_DIRECTORY ${no_vendors})
gtest_discover_tests(api_kernel_test TEST_PREFIX alone. TEST_LIST api_kernel_alone_tests
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
gtest_discover_tests(api_image_test TEST_PREFIX alone. TEST_LIST api_image_alone_tests
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
gtest_discover_tests(api_memory_test TEST_PREFIX alone. TEST_LIST api_memory_alone_tests
  DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device TIMEOUT 120)
foreach(list api_kernel_alone_tests api_image_alone_tests api_memory_alone_tests)
  skmd_test_environment(${list} SKMD_VENDORS=${no_vendors} SKMD_DEVICES=cpu SKMD_TEST_CPU_DRIVER=1)
endforeach()

# Shared virtual memory needs a device in the host's: PoCL's beside one that copies, PoCL's alone, our own CPU driver beside one that copies,
# and alone.
skmd_api_test(api_svm_test svm_kernel_test.cpp svm_memory_test.cpp)
skmd_test_environment(api_svm_test_TESTS "SKMD_DEVICES=portable:pthread@discrete,portable:basic" SKMD_PARTITION=equal)
set(composition_in_place SKMD_DEVICES=portable:pthread)
set(composition_cpu_driver "SKMD_DEVICES=cpu,portable:basic@discrete" SKMD_TEST_CPU_DRIVER=1 SKMD_PARTITION=equal)
set(composition_alone SKMD_VENDORS=${no_vendors} SKMD_DEVICES=cpu SKMD_TEST_CPU_DRIVER=1)
foreach(composition in_place cpu_driver alone)
  gtest_discover_tests(api_svm_test TEST_PREFIX ${composition}. TEST_LIST api_svm_${composition}_tests DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS device TIMEOUT 120)
  skmd_test_environment(api_svm_${composition}_tests ${composition_${composition}})
endforeach()

# Sub-devices are threads of our own CPU driver: four, however many processors there are.
skmd_api_test(api_sub_devices_test sub_devices_test.cpp)
skmd_test_environment(api_sub_devices_test_TESTS SKMD_DEVICES=cpu SKMD_TEST_CPU_DRIVER=1 SKMD_CPU_THREADS=4)
gtest_discover_tests(api_sub_devices_test TEST_PREFIX alone. TEST_LIST api_sub_devices_alone_tests DISCOVERY_TIMEOUT 60
  PROPERTIES LABELS device TIMEOUT 120)
skmd_test_environment(api_sub_devices_alone_tests SKMD_VENDORS=${no_vendors} SKMD_DEVICES=cpu SKMD_TEST_CPU_DRIVER=1 SKMD_CPU_THREADS=4)
