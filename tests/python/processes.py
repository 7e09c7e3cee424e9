#!/usr/bin/python3
"""Tests the Python module cudahisto in programs that start processes: fork, and multiprocessing's
"fork" and "spawn". A process that waits for a thread that it does not have is killed.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python tests/python/processes.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="cudahisto-")
CLIP = os.path.join(FOLDER.name, "clip.mkv")
PIPELINE = "videotestsrc num-buffers=40 ! cudahisto post-messages=true ! fakesink"
START = f"""
    import gc, multiprocessing, os, sys
    import cudahisto
    PIPELINE = {PIPELINE!r}

    def count(name):
        return len(list(cudahisto.measure(name)))

    def in_child(function):
        pid = os.fork()
        if pid == 0:
            sys.exit(function())
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def error_of(function):
        try:
            function()
        except cudahisto.Error as error:
            return 7 if 'get_context("spawn")' in str(error) else 8
"""


class Processes(unittest.TestCase):
    def run_program(self, text, output):
        """Runs the program, which must end by itself, in a group of processes of its own."""
        path = os.path.join(FOLDER.name, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(START) + textwrap.dedent(text))
        # Python 3.12 and later warn of each fork() in a process with threads. A child whose parent holds a lock of GLib's
        # allocator would wait for it for ever; malloc() has none then.
        environment = dict(os.environ, G_SLICE="always-malloc")
        with subprocess.Popen([sys.executable, "-W", "ignore::DeprecationWarning", path, CLIP],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              start_new_session=True, env=environment) as process:
            try:
                out, errors = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                self.fail("the program, or a child of it, hangs")
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.assertEqual((out, errors, process.returncode), (output, "", 0))

    def test_child_ends(self):
        """A child ends while the parent holds a measurement: at its end, in the garbage
        collection, with close() and in a `with` block. The parent's goes on."""
        self.run_program("""
            frames = cudahisto.launch(PIPELINE, queue=1)
            next(frames)
            def drop():
                global frames
                del frames
                gc.collect()
                return 4
            def leave():
                with frames:
                    return 5
            print(in_child(lambda: 3), in_child(drop), in_child(leave), in_child(frames.close))
            print(len(list(frames)))
            """, "3 4 5 0\n39\n")

    def test_measurement_of_the_parent(self):
        """It gives nothing in the child, not even counters."""
        self.run_program("""
            frames = cudahisto.launch(PIPELINE, queue=1)
            next(frames)
            print(in_child(lambda: error_of(lambda: next(frames))),
                  in_child(lambda: error_of(frames.stats)))
            """, "7 7\n")

    def test_measuring_in_a_child(self):
        self.run_program("""
            print(in_child(lambda: error_of(lambda: count(sys.argv[1]))), flush=True)
            list(cudahisto.launch(PIPELINE))
            print(in_child(lambda: error_of(lambda: count(sys.argv[1]))),
                  in_child(lambda: error_of(lambda: cudahisto.launch(PIPELINE))))
            """, "0\n7 7\n")

    def test_pools(self):
        """A pool of forked processes gives the error, and one of spawned processes measures."""
        self.run_program("""
            def main():
                alone = count(sys.argv[1])
                for method in "fork", "spawn":
                    with multiprocessing.get_context(method).Pool(2) as pool:
                        try:
                            print(pool.map(count, [sys.argv[1]] * 3) == [alone] * 3)
                        except cudahisto.Error as error:
                            print('get_context("spawn")' in str(error))

            if __name__ == "__main__":
                main()
            """, "True\nTrue\n")

    def test_pool_before_measuring(self):
        """Forked processes measure if their parent has not."""
        self.run_program("""
            if __name__ == "__main__":
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    counts = pool.map(count, [sys.argv[1]] * 3)
                print(counts == [count(sys.argv[1])] * 3)
            """, "True\n")

    def test_interrupted_images(self):
        """Ctrl-C goes to the program, and what measures the images does not go on; nor is the exception lost if the
        reading end of the paths is closed."""
        self.run_program("""
            import signal
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for end in "exec sleep 60", "exit 1":
                with open(sys.argv[0] + ".sh", "w") as file:
                    # It has a path, so Python has started it.
                    file.write("#!/bin/sh\\nread -r path\\nkill -INT $PPID\\n" + end)
                os.chmod(file.name, 0o755)
                try:
                    cudahisto.measure_images(["a.png"] * 100000, program=file.name)
                except KeyboardInterrupt:
                    print("interrupted")
                try:
                    os.waitpid(-1, 0)       # as long as it runs
                except ChildProcessError:
                    pass
            """, "interrupted\n" * 2)


if __name__ == "__main__":
    clips.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:d=0.4", "-f", "lavfi", "-i",
                 "sine=d=0.4", "-c:v", "ffv1", "-c:a", "pcm_s16le", CLIP)
    unittest.main(verbosity=2)
