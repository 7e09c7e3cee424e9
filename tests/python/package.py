#!/usr/bin/python3
"""Tests what packages and type checkers need of the Python module cudahisto: that its import starts nothing, its version, its
types, and that pip installs it.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python tests/python/package.py VERSION

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import typing
import unittest

try:
    import cudahisto
except (ImportError, ValueError) as error:
    print("skipped:", error)
    sys.exit(77)

VERSION = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.path.join(ROOT, "pipelines", "python")


def has_module(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def run(arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, encoding="utf-8", timeout=60, check=False,
                          **options)


def public_functions():
    """The public functions, and the public methods and properties of the public classes, by their names."""
    for name in cudahisto.__all__:
        value = getattr(cudahisto, name)
        if inspect.isfunction(value):
            yield name, value
            continue
        assert inspect.isclass(value), name
        for method, member in inspect.getmembers(value):
            function = member.fget if isinstance(member, property) else member
            if inspect.isfunction(function) and function.__module__ == "cudahisto" \
                    and (not method.startswith("_") or method in ("__init__", "__next__", "__missing__", "__enter__", "__exit__")):
                yield f"{name}.{method}", function


class Package(unittest.TestCase):
    def test_import_begins_nothing(self):
        """GStreamer is initialized, and looks for its plugins, when something is measured or read."""
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
            registry = os.path.join(folder, "registry.bin")
            done = run(["-c", textwrap.dedent("""
                import os, sys
                import cudahisto
                from gi.repository import Gst
                def state():
                    return Gst.is_initialized(), os.path.exists(sys.argv[1])
                print(state())
                component = {"bins": 2, "range-min": 0, "range-max": 4}
                print(cudahisto.edges(component).tolist(), state())
                print(len(list(cudahisto.launch(
                    "videotestsrc num-buffers=2 ! cudahisto post-messages=true ! fakesink"))), state())
                """), registry], env={**os.environ, "GST_REGISTRY_1_0": registry})
        self.assertEqual((done.stdout.splitlines(), done.stderr), (
            ["(False, False)", "[0.0, 2.0, 4.0] (False, False)", "2 (True, True)"], ""))

    def test_first_call(self):
        """Each function that needs GStreamer initializes it, in several threads at once, too, and leaves it if the program
        has."""
        for call in ("cudahisto.read(None)", "next(cudahisto.launch('videotestsrc ! cudahisto post-messages=true ! fakesink'))",
                     "Gst.init(None); cudahisto.read(Gst.Buffer.new())",
                     "[t.start() for t in [threading.Thread(target=cudahisto.read, args=(None,)) for _ in range(8)]]"):
            done = run(["-c", f"import cudahisto, threading\nfrom gi.repository import Gst\n{call}\n"
                        "[t.join() for t in threading.enumerate() if t != threading.main_thread()]\n"
                        "print(Gst.is_initialized(), Gst.Caps.from_string('video/x-raw').to_string())"])
            self.assertEqual((done.stdout, done.stderr), ("True video/x-raw\n", ""), call)

    def test_version(self):
        self.assertEqual(cudahisto.__version__, VERSION)

    def test_public_names(self):
        self.assertTrue(set(cudahisto.__all__) <= set(dir(cudahisto)))
        for name in cudahisto.__all__:
            self.assertTrue(getattr(cudahisto, name).__doc__, name)

    def test_type_hints(self):
        """Every argument and every result of what is public has a type that exists."""
        names = set()
        for name, function in public_functions():
            hints = typing.get_type_hints(function)
            names.add(name)
            for argument in list(inspect.signature(function).parameters)[1 if "." in name else 0:]:
                self.assertIn(argument, hints, name)
            self.assertTrue("return" in hints or name.endswith("__init__"), name)
        self.assertGreater(names, {"measure", "read", "read_report", "Frame.figures", "Frame.time", "Measurement.stats"})

    @unittest.skipUnless(has_module("mypy"), "there is no mypy")
    def test_mypy(self):
        """The module agrees with its types, and a program that does not is told so."""
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write("import cudahisto\n"
                           "for item in cudahisto.measure('a.mkv', timeout=2.0):\n"
                           "    if isinstance(item, cudahisto.Frame):\n"
                           "        print(item.time, item['Y']['mean'], dict(item.figures()))\n"
                           "number: int = cudahisto.__version__\n"
                           "cudahisto.measure(1)\n")
            command = ["-m", "mypy", "--cache-dir", os.path.join(folder, "cache"), "--ignore-missing-imports"]
            done = run([*command, "--check-untyped-defs", os.path.join(SOURCE, "cudahisto")], cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = run([*command, program], cwd=folder, env={**os.environ, "MYPYPATH": SOURCE})
            self.assertRegex(done.stdout, r"program.py:5: error: Incompatible types.*\n.*program.py:6: error: Argument 1 to \"measure\"")
            self.assertIn("Found 2 errors", done.stdout)

    @unittest.skipUnless(has_module("setuptools, pip, wheel"), "pip, setuptools or wheel is missing")
    def test_pip(self):
        """pip installs the module, its version and its mark for type checkers, without the net."""
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
            # Building leaves files beside the source.
            copy, target = os.path.join(folder, "copy"), os.path.join(folder, "target")
            shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
            done = run(["-m", "pip", "--no-cache-dir", "--disable-pip-version-check", "install", "--quiet", "--no-index",
                        "--no-build-isolation", "--no-deps", "--no-compile", "--target", target, copy],
                       cwd=folder, env={**os.environ, "PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": "", "HOME": folder})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(sorted(os.listdir(os.path.join(target, "cudahisto"))), ["VERSION", "__init__.py", "py.typed"])
            self.assertIn(f"cudahisto-{VERSION}.dist-info", os.listdir(target))
            done = run(["-c", "import cudahisto; print(cudahisto.__version__, cudahisto.__file__)"], cwd=folder,
                       env={**os.environ, "PYTHONPATH": target})
            self.assertEqual(done.stdout.split(), [VERSION, os.path.join(target, "cudahisto", "__init__.py")], done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
