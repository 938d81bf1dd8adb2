# SPDX-License-Identifier: Apache-2.0
"""What the driver alone gave for a case, kept in a folder: several tests run the same cases through SKMD in modes of their own."""
import hashlib
import os


class Answers:
    """Without a folder nothing is kept. `files`: an answer counts as long as these are the same files."""

    def __init__(self, folder, files):
        self.folder = folder
        self.same = [(path, *os.stat(path)[6:9:2]) for path in files if os.path.exists(path)] if folder else []  # size and time
        if folder:
            os.makedirs(folder, exist_ok=True)

    def path(self, case, environment):
        with open(case, encoding="utf-8") as file:
            told = [file.read(), self.same, sorted(environment.items())]
        return os.path.join(self.folder, hashlib.sha256(repr(told).encode()).hexdigest())

    def of(self, case, environment, ask):
        """What `ask` returns for a case in these variables, None if it fails; asked only where it is not known."""
        if not self.folder:
            return ask()
        path = self.path(case, environment)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
        answer = ask()
        if answer is not None:
            temporary = f"{path}.{os.getpid()}"
            with open(temporary, "w", encoding="utf-8") as file:
                file.write(answer)
            os.replace(temporary, path)
        return answer
