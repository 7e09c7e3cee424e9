#!/usr/bin/python3
"""The manual page and the completion in bash of cudahisto-report.

    GST_PLUGIN_PATH_1_0=FOLDER tests/install/shell.py PROGRAM PAGE COMPLETION

Every option is in the page, and is completed; so are files, groups and alerts. Needs the packages
bash-completion and man-db.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
# Completes the line in $1 with the completion file $2, as bash does for the key Tab.
SCRIPT = r"""
. /usr/share/bash-completion/bash_completion
. "$2"
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
# Words as bash breaks them: = is a word of its own.
read -r -a COMP_WORDS <<< "${1//=/ = }"
[[ $1 != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt () { :; }       # works inside a real completion only
_cudahisto_report cudahisto-report "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
                          check=False, **how)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def options_of(program):
    """The long options in the program's help, in its order."""
    return re.findall(r"^ +(?:-\w, )?(--[\w-]+)", run(program, "--help"), re.MULTILINE)


def check_page(page, options):
    text = run("man", "--warnings", "--encoding=UTF-8", "-l", page, env=dict(os.environ, MANWIDTH="200"))
    assert "warning" not in text.lower(), text
    for option in options:
        assert re.search(rf"^\s+(-\w, )?{option}\b", text, re.MULTILINE), f"the page has no {option}"
    for heading in "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES":
        assert f"\n{heading}\n" in text, f"the page has no section {heading}"


class Completion:
    def __init__(self, program, completion):
        self.completion = completion
        self.path = os.pathsep.join([os.path.dirname(program), os.environ["PATH"]])

    def of(self, line, folder="."):
        printed = run("bash", "-c", SCRIPT, "bash", line, self.completion, cwd=folder,
                      env=dict(os.environ, PATH=self.path))
        return sorted(printed.split("\n")[:-1])


def values_of(name):
    """The values of a property of flags, as gst-inspect-1.0 lists them."""
    text = run("gst-inspect-1.0", "cudahisto")
    part = re.search(rf"^  {name} +:.*?(?=^  [\w-]+ +:)", text, re.MULTILINE | re.DOTALL)[0]
    return re.findall(r"^ +\(0x[0-9a-f]+\): (\S+)", part, re.MULTILINE)


def check_completion(complete, options):
    for option in options:
        found = [word.rstrip("=") for word in complete.of(f"cudahisto-report {option}")]
        assert option in found, f"{option}: {found}"
    assert complete.of("cudahisto-report --measures signal+mo") == ["signal+motion"]
    assert complete.of("cudahisto-report --measures=signal+mo") == ["signal+motion"]
    for option, name in ("--measures", "measures"), ("--alerts", "alerts"):
        values = values_of(name)
        assert len(values) >= 7, values
        found = complete.of(f"cudahisto-report {option} ")
        assert set(values) <= set(found) <= set(values) | {"none"}, found
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
        for name in "one film.mkv", "one.wav", "two.mkv":
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
        os.mkdir(os.path.join(folder, "ones"))
        assert complete.of("cudahisto-report on", folder) == ["one film.mkv", "one.wav", "ones"]
        assert complete.of("cudahisto-report --results on", folder) == ["ones"]
        with open(os.path.join(folder, "ebu.policy"), "w", encoding="utf-8"):
            pass
        assert complete.of("cudahisto-report --policy ebu", folder) == ["ebu-r103", "ebu-r128", "ebu.policy"]
        assert complete.of("cudahisto-report --show-policy ebu", folder) == ["ebu-r103", "ebu-r128"]


def main():
    program, page, completion = map(os.path.abspath, sys.argv[1:])
    if not os.path.exists(BASH_COMPLETION) or not shutil.which("man"):
        print("skipped: there is no bash-completion, or no man")
        return 77
    options = options_of(program)
    assert len(options) > 8, options
    check_page(page, options)
    check_completion(Completion(program, completion), options)
    print(f"{len(options)} options are in the page and completed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
