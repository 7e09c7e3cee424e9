#!/usr/bin/python3
"""Tests cudahisto.read_report() with reports of cudahisto-report.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python PATH=BUILD_DIR/pipelines/report:$PATH tests/python/report.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402
import cudahisto  # noqa: E402

try:
    import pandas
except ImportError:
    pandas = None

FOLDER = tempfile.TemporaryDirectory(prefix="cudahisto-")
CLIP, SOUND = (os.path.join(FOLDER.name, name) for name in ("clip.mkv", "=sound;-1.wav"))
REGIONS = "--regions=left=0,0,50%,100%;@spot=10,10,20,20"


def setUpModule():
    clips.ffmpeg(*clips.clip_input(), "-t", "0.5", "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-s", "64x48", "-c:a", "pcm_s16le", CLIP)
    clips.ffmpeg("-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "0.5", SOUND)


def write(name, text):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def report(*options, inputs=(CLIP, SOUND)):
    """The path of a report, and its text."""
    done = subprocess.run(["cudahisto-report", *options, REGIONS, "--", *inputs], stdout=subprocess.PIPE, check=True, cwd=FOLDER.name)
    return write("report", done.stdout.decode()), done.stdout.decode()


class WithoutPandas(unittest.TestCase):
    def test_missing(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            self.assertRaisesRegex(cudahisto.Error, "install python3-pandas", cudahisto.read_report, CLIP)


@unittest.skipIf(pandas is None, "there is no pandas")
class Report(unittest.TestCase):
    def check(self, frame, row, column, text):
        """A cell has the value that the report says in text."""
        value = frame[column][row]
        if text == "":
            self.assertTrue(pandas.isna(value), (row, column, value))
        elif isinstance(value, str):
            self.assertEqual(value, text, column)
        else:
            self.assertTrue(value == float(text) or math.isnan(value) and text == "nan", (row, column, value, text))

    def test_csv(self):
        for options in ((), ("--csv-names=2", "--csv-columns=all")):
            path, text = report("--csv", *options)
            frame, names, n_cells, row = cudahisto.read_report(path), [], 0, 0
            for cells in csv.reader(text.splitlines()):
                if cells[:3] == ["input", "stream", "title"]:
                    names = cells
                    continue
                for name, cell in zip(names, cells):
                    if name.startswith("'@") or "sound" in cell:
                        continue
                    self.check(frame, row, name, cell)
                    n_cells += 1
                row += 1
            self.assertEqual(len(frame), row)
            self.assertGreater(n_cells, 1000)
            # The names are those before they were made safe for spreadsheets.
            self.assertEqual(set(frame["input"]), {CLIP, SOUND})
            prefix = "regions." if options else ""
            self.assertIn(f"{prefix}@spot.Y.mean", frame.columns)
            self.assertIn(f"{prefix}left.Y.mean", frame.columns)
            self.assertEqual((frame[frame["input"] == SOUND]["ch0.rms-peak"] == -math.inf).sum(), len(frame[frame["input"] == SOUND]))
            self.assertEqual(str(frame["timestamp"].dtype), "Int64")
            self.assertEqual(str(frame["Y.count"].dtype), "Int64")
            self.assertEqual(str(frame["Y.min"].dtype), "float64")

    def test_json_and_csv_agree(self):
        """Same paths, same values, same types."""
        of_csv = cudahisto.read_report(report("--csv", "--csv-names=2", "--csv-columns=all")[0])
        for option in "--json", "--json-histograms":
            path, text = report(option)
            of_json = cudahisto.read_report(path)
            self.assertEqual(len(of_json), len([line for line in text.splitlines() if json.loads(line)["type"] != "summary"]))
            # JSON leaves out what is nowhere.
            self.assertEqual(set(of_csv.dropna(axis=1, how="all").columns) ^ set(of_json.columns), {
                "title", "type", "channels", "rate", "colorimetry", "backend"})
            common = [name for name in of_csv.columns if name in of_json.columns]
            self.assertGreater(len(common), 300)
            pandas.testing.assert_frame_equal(of_csv[common], of_json[common], check_exact=True)

    def test_large(self):
        """More rows than are read at a time, with other columns in between, and a time that no double has."""
        time = 2**53 + 1
        many = "".join(f"a.mkv,0,video 0,{time + i},0,1,{i}\n" for i in range(5000))
        frame = cudahisto.read_report(write("large.csv", "input,stream,title,timestamp,stream-time,duration,Y.count\n" + many
                                            + "input,stream,title,timestamp,stream-time,duration,ch0.rms\nb.wav,0,audio 0,0,0,1,-3.5\n"))
        self.assertEqual((len(frame), frame["timestamp"][4999], frame["Y.count"][4999]), (5001, time + 4999, 4999))
        self.assertTrue(pandas.isna(frame["Y.count"][5000]))
        self.assertEqual(frame["ch0.rms"][5000], -3.5)

    def test_wrong(self):
        """An error names the file and the place."""
        head = "input,stream,title,timestamp\n"
        for text, reason in (
                ("", "neither frames nor windows"), (head, "neither frames nor windows"), ("a film\n", "line 1 has other columns"),
                (head + "a,0,b\n", "line 2 has other columns"), (head + "a,0,b,x\n", "column timestamp"),
                ('{"type":"summary"}\n', "neither frames nor windows"), ('{"type":"frame"}\n{"type":\n', "line 2 is none"),
                ("{}\n", "line 1 is none"), ('{"type":"frame","regions":[1]}\n', "line 1 is none"),
                ("{" + '"a":{' * 100000 + "\n", "line 1 is none"), ('{"type":"frame","Y":{"mean":"x"}}\n', "column Y.mean"),
                (head + "a,0,b," + "9" * 30 + "\n", "column timestamp"), ("\0", "line")):
            path = write("wrong", text)
            with self.assertRaisesRegex(cudahisto.Error, f"^{path}.*{reason}", msg=text[:60]):
                cudahisto.read_report(path)
        self.assertRaises(cudahisto.NotFound, cudahisto.read_report, "/no/such")
        self.assertRaisesRegex(cudahisto.Error, "cannot be read", cudahisto.read_report, "/")


if __name__ == "__main__":
    unittest.main(verbosity=2)
