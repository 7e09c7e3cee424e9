#!/usr/bin/python3
"""Outputs: no input is lost, and a file has its old content or a whole report.

    tests/report/outputs.py PROGRAM LIST_OPTIONS

LIST_OPTIONS is the program that prints the table of the options.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import gzip
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
import xml.etree.ElementTree

from common import PROGRAM, TIMEOUT, ffmpeg, makes_pages, one_line, path_of, report, run_tests

HAS_PAGES = makes_pages()
FILE_OPTIONS = (["--html"] if HAS_PAGES else []) + ["--qctools"]
OLD = b"yesterday's report\n"


def film(name="film.mkv"):
    """Some frames with sound."""
    path = path_of(name)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=32x32:rate=25:duration=0.4", "-f", "lavfi", "-i",
               "sine=sample_rate=48000:duration=0.4", "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a",
               "pcm_s16le", path)
    return path


def folder(name):
    """A new folder with two films."""
    path = path_of(name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    for number in (1, 2):
        shutil.copyfile(film(), os.path.join(path, f"{number}.mkv"))
    return path


def old_file(name="old.txt"):
    path = path_of(name)
    with open(path, "wb") as file:
        file.write(OLD)
    return path


def content(path):
    with open(path, "rb") as file:
        return file.read()


def is_whole_page(data):
    return data.startswith(b"<!DOCTYPE html>") and data.rstrip().endswith(b"</html>")


def is_whole_document(data):
    root = xml.etree.ElementTree.fromstring(gzip.decompress(data))
    return root.find("format") is not None


WHOLE = {"--html": is_whole_page, "--qctools": is_whole_document}


def hidden_files(path):
    return [name for name in os.listdir(path) if name.startswith(".")]


def test_output_is_input():
    """Whatever the name of an output is, no input is replaced."""
    place = folder("inputs")
    path = os.path.join(place, "1.mkv")
    before = content(path), os.stat(path).st_mtime_ns
    os.symlink("1.mkv", os.path.join(place, "link.mkv"))
    os.link(path, os.path.join(place, "hard.mkv"))
    os.symlink(".", os.path.join(place, "here"))
    names = [path, os.path.join(place, "link.mkv"), os.path.join(place, "hard.mkv"),
             os.path.join(place, "here", "1.mkv"), os.path.relpath(path, path_of("."))]
    uri = "file://" + path.replace("1.mkv", "%31.mkv")
    sources = [path, uri, os.path.join(place, "link.mkv")]
    for option in ["--output", *FILE_OPTIONS]:
        for number, name in enumerate(names):
            output, errors = report(option, name, sources[number % 3], status=2)
            assert output == b"" and "is an input" in one_line(errors), errors
    _, errors = report("--json", "--output", path, place, status=2)
    assert "is an input" in one_line(errors)
    _, errors = report("--jobs", "2", "--output", path, film(), path, status=2)
    assert "is an input" in one_line(errors)
    # An input of another shard.
    _, errors = report("--shard", "1/2", "--output", path, path, film(), status=2)
    assert "is an input" in one_line(errors)
    with open(path, "ab") as file:
        done = subprocess.run([PROGRAM, path], stdout=file, stderr=subprocess.PIPE, timeout=TIMEOUT,
                              check=False)
    assert done.returncode == 2 and "is an input" in one_line(done.stderr), done
    with open(path, "rb") as file:
        done = subprocess.run([PROGRAM, "--output", path, "fd://0"], stdin=file, capture_output=True,
                              timeout=TIMEOUT, check=False)
    assert done.returncode == 2 and "is an input" in one_line(done.stderr), done
    assert (content(path), os.stat(path).st_mtime_ns) == before


def test_output_is_film():
    """With one argument too few a film is the output. Old reports of all formats are replaced."""
    place = folder("forgotten")
    one, two = os.path.join(place, "1.mkv"), os.path.join(place, "2.mkv")
    before = content(one)
    for option in ["--output", *FILE_OPTIONS]:
        _, errors = report(option, one, two, status=2)
        assert "is a film" in one_line(errors) and content(one) == before
    for options in [[], ["--json"], ["--json-summary"], ["--csv"], ["--ffprobe"], ["--ffprobe-json"]]:
        for _ in range(2):
            report(*options, "--output", "again", two)
    for option in FILE_OPTIONS:
        for _ in range(2):
            report(option, "again" + option, two)


def test_output_is_result():
    """Summaries that are merged, and result files, are inputs, too."""
    report("--json-summary", "--output", "summary.json", film())
    before = content(path_of("summary.json"))
    _, errors = report("--merge", "--output", "./summary.json", "summary.json", status=2)
    assert "is an input" in one_line(errors) and content(path_of("summary.json")) == before
    report("--results", "kept", film())
    (name,) = os.listdir(path_of("kept"))
    before = content(os.path.join(path_of("kept"), name))
    _, errors = report("--results", "kept", "--output", "kept/" + name, film(), status=2)
    assert "the same file" in one_line(errors)
    assert content(os.path.join(path_of("kept"), name)) == before


def test_two_outputs():
    """Two outputs must not be one file."""
    os.symlink("both", path_of("both-link"))
    for one, other in (("--output", "--qctools"), *((option, "--qctools") for option in FILE_OPTIONS[:-1])):
        for name in ("./both", "both-link"):
            _, errors = report(one, "both", other, name, film(), status=2)
            assert "the same file" in one_line(errors)
    assert not os.path.exists(path_of("both"))
    with open(path_of("both"), "wb") as file:
        done = subprocess.run([PROGRAM, "--qctools", path_of("both"), film()], stdout=file,
                              stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
    assert done.returncode == 2 and "the same file" in one_line(done.stderr), done
    # A device is no file.
    report("--output", "/dev/null", "--qctools", "/dev/null", film())
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_old_file_stays():
    """Wrong options, inputs that are not there, and failures leave yesterday's report."""
    wrong = [(["--measures", "nonsense", film()], 2), (["--set", "black-duration=-1", film()], 2),
             (["--jobs", "2147483647", film()], 2), (["--shard", "1/1", film()], 2)]
    for option in ["--output", *FILE_OPTIONS]:
        for arguments, status in wrong + [(["missing.avi"], 1), (["missing.avi", "--jobs", "2"], 1)]:
            path = old_file()
            _, errors = report(option, path, *arguments, status=status)
            one_line(errors)
            assert content(path) == OLD, (option, arguments)
        # A new file is not made for nothing.
        report(option, "new.txt", "missing.avi", status=1)
        assert not os.path.exists(path_of("new.txt"))
    # The same of what all inputs have in common; the text on the terminal tells.
    for arguments in (["missing.avi", "nothing.avi"], ["--jobs", "2", "missing.avi", "nothing.avi"],
                      ["--images", "missing.png"]):
        for policy in ([], ["--policy", "web-flash", "--junit", "verdicts.xml"]):
            if policy and "--images" in arguments:
                continue
            path, verdicts = old_file(), old_file("verdicts.xml")
            output, _ = report("--json-summary", "--output", path, *policy, *arguments, status=1)
            assert content(path) == content(verdicts) == OLD and output == b"", arguments
    assert b"missing.avi" in report("missing.avi", status=1)[0]
    # What --merge cannot read leaves them, too.
    for arguments in (["--merge", "missing.json"], ["--merge", "--results", "none", "missing.avi"],
                      ["--compare", film(), "missing.avi"]):
        path, verdicts = old_file(), old_file("verdicts.xml")
        report("--output", path, *(["--junit", "verdicts.xml"] if "--merge" in arguments else []), *arguments, status=1)
        assert content(path) == content(verdicts) == OLD, arguments
    # A pipe gets what a terminal gets, and a shard without inputs is no fault: its verdicts are new.
    assert b"missing.avi" in subprocess.run([PROGRAM, "--quiet", "--output", "/dev/stdout", "missing.avi"],
                                            capture_output=True, timeout=TIMEOUT, check=False).stdout
    report("--shard", "1/2", "--policy", "web-flash", "--junit", verdicts, film())
    assert b"<testsuites" in content(verdicts) and b"<testcase" not in content(verdicts)
    # With one input that could be measured, it names the others.
    for jobs in ([], ["--jobs", "2"]):
        report("--json-summary", "--output", path, *jobs, "missing.avi", film(), status=1)
        assert b"missing.avi" in content(path) and b"film.mkv" in content(path)
    assert not hidden_files(path_of("."))


def option_table():
    """All options that have an argument, also hidden ones: pairs of an option and what its argument is."""
    done = subprocess.run([os.path.abspath(sys.argv[2])], capture_output=True, timeout=TIMEOUT, check=True)
    table = dict(line.split() for line in done.stdout.decode().splitlines())
    assert table.pop("--") == "inputs"
    # There is no other way to an option.
    told = re.findall(r"^  (?:-.*, )?(--[a-z0-9-]+)", report("--help")[0].decode(), re.MULTILINE)
    assert set(table) - {"--worker-for-jobs", "--serve-rate"} == {name for name in told if not name.startswith("--help")}, told
    return [(name, kind) for name, kind in table.items() if kind != "none"]


def listing():
    """What is in the folder: names, and which files they are."""
    return {entry.name: entry.inode() for entry in os.scandir(path_of("."))}


def test_every_option():
    """Whatever the argument of an option is meant as, no input is replaced, and only an option that writes makes a file."""
    policy = path_of("rules.policy")
    with open(policy, "w", encoding="utf-8") as file:
        file.write("a: Y.mean < 300\n")
    copies = {path: content(path) for path in (film(), policy)}
    os.link(film(), path_of("film-link"))
    os.link(policy, path_of("policy-link"))
    before = listing()
    for option, kind in option_table():
        writes = kind in ("file", "file-or-folder", "results")
        wrong = ["", "file:x", "FILE:x", "file://x", "file://x/y", "http://example.org/x"] if writes else []
        for value in ["film-link", *(["policy-link"] if writes else []), *wrong]:
            _, errors = report(f"{option}={value}", "--policy", policy, film(), status=None)
            assert all(content(name) == data for name, data in copies.items()), (option, value)
            assert listing() == before, (option, value, set(listing()) ^ set(before))
            if value in wrong:
                assert f"{option} needs a path" in one_line(errors), (option, value, errors)
            elif kind in ("file", "file-or-folder"):
                assert "is an input" in one_line(errors), (option, value, errors)
        # What is read is not written. With --serve nothing is.
        if kind == "read" and option != "--serve-token":
            _, errors = report(option, "rules.policy", "--output", "policy-link", film(), status=2)
            assert "is an input" in one_line(errors), errors
    os.remove(path_of("film-link"))
    os.remove(path_of("policy-link"))


def test_uris_of_files():
    """A URI of a file of this machine is its path."""
    for start in ("file://", "file://localhost", "file:", "FILE://"):
        name = path_of("by uri.txt")
        report("--output", start + name.replace(" ", "%20"), film())
        assert b"film.mkv" in content(name), start
        os.remove(name)
    report("--results", "file://" + path_of("by-uri"), film())
    assert len(os.listdir(path_of("by-uri"))) == 1 and not os.path.exists(path_of("file:"))
    # What only looks like one is a name.
    report("--output", "take:1.txt", film())
    assert b"film.mkv" in content(path_of("take:1.txt"))


def test_lists_stay():
    """A list of images on the standard input, and what a list names, are inputs."""
    with open(path_of("captions.txt"), "wb") as file:
        file.write(OLD)
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=16x16:duration=0.04", path_of("image.png"))
    text = f"{path_of('image.png')}\n{path_of('captions.txt')}\n".encode()
    with open(path_of("list.txt"), "wb") as file:
        file.write(text)
    for output in ("list.txt", "captions.txt", "image.png"):
        before = content(path_of(output))
        for source in ("-", "list.txt"):
            with open(path_of("list.txt"), "rb") as list_file:
                _, errors = report("--images", source, "--output", output, status=2, stdin=list_file)
            assert "is an input" in one_line(errors), errors
            assert content(path_of(output)) == before, (output, source)
    # What the shell appends to is an output, too.
    before = content(path_of("image.png"))
    with open(path_of("image.png"), "ab") as file:
        done = subprocess.run([PROGRAM, "--images", path_of("list.txt")], stdout=file, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False)
    assert done.returncode == 2 and "is an input" in one_line(done.stderr), done
    assert content(path_of("image.png")) == before
    # An image of a folder need not be named so; a report there may be written again.
    os.mkdir(path_of("photos"))
    shutil.copyfile(path_of("image.png"), path_of("photos/portrait"))
    for _ in range(2):
        report("--images", "photos", "--output", "photos/report.txt")
    report("--images", "photos", "--output", "photos/portrait", status=2)
    assert content(path_of("photos/portrait")) == before


def test_limit_of_file_sizes():
    """A file that cannot be written whole is not written."""
    for option, more in [("--output", ["--json-histograms"]), *((option, []) for option in FILE_OPTIONS)]:
        path = old_file()
        _, errors = report(option, path, *more, film(), status=1, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (1000, 1000)))
        assert f"{path}: " in one_line(errors) and "File too large" in one_line(errors), errors
        assert content(path) == OLD and not hidden_files(path_of("."))
    # Who reads the message of a process of --jobs does not know its hidden file.
    os.mkdir(path_of("scratch"))
    for arguments, name in ((["--results", "kept"], "kept/film.mkv."), (["--jobs", "2"], "a temporary file in "),
                            (["--compare", film()], "a temporary file in ")):
        path = old_file()
        _, errors = report("--json", "--output", path, *arguments, film(), status=1,
                           env=dict(os.environ, TMPDIR=path_of("scratch")),
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        text = errors.decode()
        assert name in text and "File too large" in text and "/." not in text, text
        assert content(path) == OLD, arguments
        assert not any(hidden_files(path_of(place)) for place in (".", "kept", "scratch")), arguments


def test_place_of_file():
    """Links, modes, devices and pipes stay what they are."""
    path = old_file()
    os.chmod(path, 0o640)
    os.symlink("old.txt", path_of("link.txt"))
    os.symlink("to-come.txt", path_of("dangling.txt"))
    report("--output", "link.txt", film())
    report("--output", "dangling.txt", film())
    assert os.path.islink(path_of("link.txt")) and b"audio 1" in content(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    assert os.path.islink(path_of("dangling.txt")) and b"audio 1" in content(path_of("to-come.txt"))
    os.chmod(path, 0o640)
    umask = os.umask(0o27)
    report("--output", "new-mode.txt", film())
    os.umask(umask)
    assert stat.S_IMODE(os.stat(path_of("new-mode.txt")).st_mode) == 0o640
    # An open file goes on where it was.
    done = subprocess.run(["sh", "-c", 'echo before; "$0" --output /dev/stdout "$1"; echo after', PROGRAM, film()],
                          stdout=open(path_of("open.txt"), "wb"), timeout=TIMEOUT, check=False)
    lines = content(path_of("open.txt")).splitlines()
    assert done.returncode == 0 and lines[0] == b"before" and lines[-1] == b"after" and len(lines) > 5, lines
    os.mkfifo(path_of("pipe"))
    reader = subprocess.Popen(["cat", path_of("pipe")], stdout=subprocess.PIPE)
    report("--output", "pipe", film())
    assert b"audio 1" in reader.communicate(timeout=TIMEOUT)[0]
    assert stat.S_ISFIFO(os.stat(path_of("pipe")).st_mode)
    for option in ["--output", *FILE_OPTIONS]:
        _, errors = report(option, "/dev/full", film(), status=1)
        assert "/dev/full: " in one_line(errors) and "No space" in one_line(errors)
        _, errors = report(option, "nowhere/file", film(), status=1)
        assert "nowhere/file" in one_line(errors) and "No such file" in one_line(errors)


def test_several_inputs():
    """A folder gets a page or a document of each film; one file is refused."""
    place = folder("films")
    for option in FILE_OPTIONS:
        for arguments in ([place], [film(), place + "/1.mkv"], ["--jobs", "2", place]):
            path = old_file()
            output, errors = report(option, path, *arguments, status=2)
            assert output == b"" and "must be a folder" in one_line(errors), errors
            assert content(path) == OLD
        for jobs in ("1", "2"):
            target = path_of(f"made{option}-{jobs}/deep")
            report("--jobs", jobs, option, target + "/", place)
            names, suffix = sorted(os.listdir(target)), {"--html": ".html", "--qctools": ".qctools.xml.gz"}[option]
            if option == "--html":
                assert is_whole_page(content(os.path.join(target, names.pop())))
            assert len(names) == 2 and [name[:6] for name in names] == ["1.mkv.", "2.mkv."], names
            for name in names:
                assert name.endswith(suffix) and len(name) == len("1.mkv.") + 16 + len(suffix), name
                assert WHOLE[option](content(os.path.join(target, name)))
        # One input goes into a folder, too. Its name is the same, however it is written.
        before = sorted(os.listdir(target))
        report(option, target, "file://" + place + "/1.mkv")
        assert sorted(os.listdir(target)) == before
        # Something that has the name of a page is replaced, not followed.
        victim = old_file("victim")
        os.remove(os.path.join(target, names[0]))
        os.symlink(victim, os.path.join(target, names[0]))
        report(option, target, place)
        assert content(victim) == OLD and WHOLE[option](content(os.path.join(target, names[0])))


def test_index():
    """The index of a folder of pages replaces only an index; nothing is written if nothing could be measured."""
    if not HAS_PAGES:
        return
    place, target = folder("indexed"), path_of("index-pages")
    os.makedirs(target)
    index = os.path.join(target, "index.html")
    for make in (lambda: old_file("index-pages/index.html"), lambda: os.symlink(old_file(), index), lambda: os.mkfifo(index)):
        make()
        output, errors = report("--html", target, place, status=2)
        assert output == b"" and "index.html is no index of this program" in one_line(errors) and os.listdir(target) == ["index.html"]
        os.remove(index)
    assert content(path_of("old.txt")) == OLD
    # One input writes none, wherever its page goes.
    report("--html", target, film())
    assert not os.path.exists(index)
    report("--html", target, place)
    before = content(index)
    assert is_whole_page(before)
    report("--html", target, "missing.mkv", "gone.mkv", status=1)
    assert content(index) == before
    # An output that is the index, by any name, is refused. Those of shards have names of their own.
    os.symlink(target, path_of("also-pages"))
    _, errors = report("--html", target, "--output", path_of("also-pages/index.html"), place, status=2)
    assert "the same file" in one_line(errors) and content(index) == before
    for shard in ("0/2", "1/2"):
        report("--html", target, "--shard", shard, place)
        assert is_whole_page(content(os.path.join(target, f"index.{shard[0]}-of-2.html"))) and content(index) == before


def test_signals():
    """The second signal, or one that ends the program at once, leaves no part of a report."""
    long = path_of("long.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=2", "-c:v", "libx264", "-preset",
           "ultrafast", path_of("part.mkv"))
    ffmpeg("-stream_loop", "200", "-i", path_of("part.mkv"), "-c", "copy", long)
    os.makedirs(path_of("signals"))
    path = old_file("signals/old.txt")
    for number in (signal.SIGHUP, signal.SIGABRT, signal.SIGINT):
        process = subprocess.Popen([PROGRAM, "--json", "--output", path, "--qctools", path_of("signals/new"), long],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   # nohup has SIGHUP ignored.
                                   preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        start = time.monotonic()
        # Some of the report has been written.
        while (sum(os.path.getsize(os.path.join(path_of("signals"), name))
                   for name in hidden_files(path_of("signals"))) == 0
               and time.monotonic() - start < TIMEOUT):
            time.sleep(0.01)
        assert sorted(name.split(".")[1] for name in hidden_files(path_of("signals"))) == ["new", "old"]
        process.send_signal(number)
        process.communicate(timeout=TIMEOUT)
        if number == signal.SIGINT:
            # The report of what was measured.
            assert process.returncode == 130 and json.loads(content(path).splitlines()[-1])["type"] == "summary"
            assert is_whole_document(content(path_of("signals/new")))
        else:
            assert process.returncode == -number and content(path) == OLD, process.returncode
            assert os.listdir(path_of("signals")) == ["old.txt"], os.listdir(path_of("signals"))


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
