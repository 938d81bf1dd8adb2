// SPDX-License-Identifier: Apache-2.0
#include "profiler/ssh_command.h"

#include <sys/wait.h>

#include <cstring>
#include <sstream>

#include "profiler/ssh_constants.h"

namespace skmd::profiler {

std::vector<std::string> ssh_command(const std::string& ssh, const SshPlace& place) {
  std::vector<std::string> command;
  std::istringstream words(ssh);
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command.emplace_back("ssh");
  // No terminal, X11 or agent is of use there.
  for (const char* flag : {"-T", "-x", "-a"}) command.emplace_back(flag);
  // A connection that others share would keep the sockets, and a question would go to the application's terminal.
  const std::string timeout = "ConnectTimeout=" + std::to_string(kSshConnection.count());
  for (const std::string& option :
       {std::string("BatchMode=yes"), timeout, std::string("ControlMaster=no"), std::string("ControlPath=none"),
        std::string("RemoteCommand=none"), std::string("StreamLocalBindMask=0177"),
        // The last three are known since OpenSSH 8.7; the user's own list, which this stands for, may have others.
        std::string("IgnoreUnknown=*"), std::string("StdinNull=no"), std::string("ForkAfterAuthentication=no"),
        std::string("SessionType=default")}) {
    command.emplace_back("-o");
    command.push_back(option);
  }
  for (const char* socket : kSshSockets) {
    command.emplace_back("-L");
    command.push_back(place.here + "/" + socket + ":" + place.there + "/" + socket);
  }
  command.emplace_back("--");
  command.push_back(place.destination);
  command.push_back("skmd-serve --listen unix:" + place.there + " --until-eof");
  return command;
}

bool tells_serving(const std::string& line, const std::string& folder) {
  return line.starts_with("serving ") && line.ends_with(" devices on unix:" + folder);
}

std::string why_ssh_ended(int status, const std::string& last_line) {
  constexpr int kShellFoundNothing = 127;  // sh(1)
  const std::string detail = last_line.empty() ? "" : ": " + last_line;
  if (WIFSIGNALED(status)) return std::string("ssh was ended by a signal: ") + strsignal(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (code == kSshFailed) return last_line.empty() ? "ssh could not connect" : last_line;
  if (code == kShellFoundNothing) return "skmd-serve is not in the PATH there" + detail;
  return "skmd-serve ended with status " + std::to_string(code) + detail;
}

}  // namespace skmd::profiler
