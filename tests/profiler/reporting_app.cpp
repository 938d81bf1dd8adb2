// SPDX-License-Identifier: Apache-2.0
// An application for skmd-run: loads the driver that the loader's folder names, makes it report, and ends as asked.
//   reporting_app LAUNCHES MISMATCHES return|exit|kill
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4 || std::getenv("OCL_ICD_VENDORS") == nullptr) return 90;
  std::string library;
  std::ifstream icd(std::string(std::getenv("OCL_ICD_VENDORS")) + "/skmd.icd");
  if (!std::getline(icd, library)) return 91;
  void* driver = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return 92;
  const auto report = reinterpret_cast<void (*)(int, int)>(dlsym(driver, "report_launches"));
  if (report == nullptr) return 93;
  report(std::atoi(argv[1]), std::atoi(argv[2]));
  const std::string end = argv[3];
  if (end == "kill") kill(getpid(), SIGKILL);
  if (end == "exit") _exit(0);
  return 0;
}
