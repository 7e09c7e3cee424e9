#!/usr/bin/python3
"""/metrics of cudahisto-report --serve: both forms, their numbers, and the series of inputs that are gone.

promtool reads the earlier form, and the parser of prometheus_client that of OpenMetrics. Either is left out where it is missing.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time

from common import ROOT, TIMEOUT, clip, path_of, run_tests
from serving import Feeder, Serving, is_built

if not is_built():
    print("skipped: the program was built without libsoup")
    sys.exit(77)

PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")
OPENMETRICS = {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"}


def parse(text):
    """name and labels: value, of the earlier form"""
    samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r'([a-z_]+)(?:\{(.*)\})? (\S+)', line).groups()
        pairs = re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', labels or "")
        key = name, tuple(sorted((label, text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")) for label, text in pairs))
        assert key not in samples, f"two samples of {key}"
        samples[key] = float(value)
    return samples


def scrape(serving):
    return parse(serving.ask("/metrics")[2].decode())


def values(samples, metric, **labels):
    return [value for (name, pairs), value in samples.items() if name == metric and set(labels.items()) <= set(pairs)]


def wait_values(serving, is_so, metric, **labels):
    """Waits until the values of a metric are as they should be; returns all samples."""
    deadline = time.monotonic() + TIMEOUT
    while not is_so(values(samples := scrape(serving), metric, **labels)):
        assert time.monotonic() < deadline, (metric, labels, samples)
        time.sleep(0.1)
    return samples


def check_text(serving):
    """Both forms are read by the programs that read them."""
    status, headers, text = serving.ask("/metrics")
    assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers
    if PROMTOOL is not None:
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, timeout=TIMEOUT)
        assert done.returncode == 0 and not done.stderr, done
    else:
        print("promtool is missing")
    status, headers, openmetrics = serving.ask("/metrics", headers=OPENMETRICS)
    assert headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8", headers
    assert openmetrics.endswith(b"# EOF\n")
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        print("prometheus_client is missing")
        return
    families = list(text_string_to_metric_families(openmetrics.decode()))
    assert len(families) == openmetrics.count(b"# TYPE"), families
    names = {sample.name for family in families for sample in family.samples}
    assert names == {name for name, _ in parse(text.decode())}, names


def test_numbers():
    with Feeder() as feeder, Serving("--serve", "0", "--set", "black-duration=300000000", feeder.uri, "test") as serving:
        serving.wait_state("running", feeder.uri)
        serving.wait_state("running", "test")
        time.sleep(2)
        check_text(serving)
        feeder.tell("black")
        serving.wait_notice("begin", "black", feeder.uri)
        samples, state = scrape(serving), serving.get("/state.json")["inputs"]
        assert values(samples, "cudahisto_notice_open", input=feeder.uri, kind="black") == [1], samples
        assert values(samples, "cudahisto_notices_total", input=feeder.uri, kind="black") == [1]
        assert values(samples, "cudahisto_notice_open", input="test", kind="black") == [0]
        assert values(samples, "cudahisto_input_state", input="test", cudahisto_input_state="running") == [1]
        # Of a tone of -20 dBFS.
        assert all(abs(value + 20) < 0.1 for value in values(samples, "cudahisto_audio_peak_dbfs", input="test", channel="ch1"))
        integrated = values(samples, "cudahisto_loudness_lufs", input="test", span="integrated")
        assert len(integrated) == 1 and abs(integrated[0] - state[1]["streams"][1]["integrated"]) < 0.2, (integrated, state)
        wait_values(serving, lambda found: found[0] > 20, "cudahisto_results_total", input="test", stream="video 0")
        assert values(samples, "cudahisto_element_seconds_total", input="test", stream="video 0")[0] > 0
        assert values(samples, "cudahisto_processor_seconds_total")[0] > 0
        before = values(samples, "cudahisto_results_total", input=feeder.uri, stream="video 0")[0]
        wait_values(serving, lambda found: found[0] > before, "cudahisto_results_total", input=feeder.uri, stream="video 0")
        # Series of what is gone go; what is counted stays.
        feeder.close()
        serving.wait_state("waiting", feeder.uri)
        samples = scrape(serving)
        for metric in ("cudahisto_results_total", "cudahisto_video_level_percent", "cudahisto_audio_peak_dbfs", "cudahisto_loudness_lufs",
                       "cudahisto_decoder_seconds_total"):
            assert values(samples, metric, input=feeder.uri) == [] and values(samples, metric, input="test"), metric
        assert values(samples, "cudahisto_notices_total", input=feeder.uri, kind="black") == [1]
        assert values(samples, "cudahisto_notice_open", input=feeder.uri, kind="incomplete") == [1]
        check_text(serving)


def test_names_are_escaped():
    name = path_of('a"b\\c{}=,\u00e9 <x>.mkv')
    shutil.copy(clip(), name)
    with Serving("--serve", "0", name, path_of('never"there\\')) as serving:
        serving.wait_state("running", name)
        wait_values(serving, bool, "cudahisto_audio_peak_dbfs", input=name)
        assert values(scrape(serving), "cudahisto_results_total", input=name, stream="video 0"), scrape(serving)
        serving.wait_state("ended", name)
        check_text(serving)


def test_dashboard_and_documents():
    """The dashboard asks for metrics and labels that there are; docs/live.md names all of them."""
    with open(os.path.join(ROOT, "pipelines/examples/grafana-live.json"), encoding="utf-8") as file:
        board = json.load(file)
    with open(os.path.join(ROOT, "docs/live.md"), encoding="utf-8") as file:
        page = file.read()
    with Serving("--serve", "0", "test") as serving:
        serving.wait_state("running")
        wait_values(serving, bool, "cudahisto_audio_peak_dbfs", input="test")
        samples = wait_values(serving, bool, "cudahisto_video_level_percent", input="test")
    names = {name for name, _ in samples}
    labels = {label for _, pairs in samples for label, _ in pairs}
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    used = {name for text in asked for name in re.findall(r"cudahisto_[a-z_]+(?!=)", re.sub(r"cudahisto_input_state=", "", text))}
    assert used <= names, used - names
    assert {label for text in asked for label in re.findall(r"([a-z_]+)=~?\"", text)} <= labels, labels
    told = {name for name in re.findall(r"`(cudahisto_[a-z_]+)`", page)}
    assert told == names, (told - names, names - told)


sys.exit(run_tests([test_numbers, test_names_are_escaped, test_dashboard_and_documents]))
