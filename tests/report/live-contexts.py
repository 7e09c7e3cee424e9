#!/usr/bin/python3
"""cudahisto-report --serve on a GPU (here the mock driver): all inputs share one context of CUDA.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import sys
import time

from common import TIMEOUT, path_of, run_tests
from serving import Serving, is_built

if not is_built():
    print("skipped: the program was built without libsoup")
    sys.exit(77)


def wait_until_all_run(serving):
    end = time.monotonic() + TIMEOUT
    while any(one["state"] != "running" or len(one["streams"]) != 2 for one in serving.get("/state.json")["inputs"]):
        assert time.monotonic() < end, serving.get("/state.json")
        time.sleep(0.1)


def count_made(log):
    with open(log, encoding="utf-8") as lines:
        return sum("Created CUDA context" in line for line in lines)


def test_one_context():
    log = path_of("contexts.log")
    environment = {"GST_DEBUG": "cudacontext:4", "GST_DEBUG_FILE": log, "GST_DEBUG_NO_COLOR": "1"}
    with Serving("--serve", "0", "--set", "backend=cuda", "test", "test", "test", "test", environment=environment) as serving:
        wait_until_all_run(serving)
    assert count_made(log) == 1
    assert os.environ["CUDAHISTO_TEST_BACKEND"] == "cuda"


def test_a_context_that_has_failed():
    """A launch fails, which ends all inputs; they come back with another context."""
    log = path_of("failed.log")
    environment = {"GST_DEBUG": "cudacontext:4", "GST_DEBUG_FILE": log, "GST_DEBUG_NO_COLOR": "1", "MOCK_CUDA_FAIL_EXECUTION": "60"}
    with Serving("--serve", "0", "--set", "backend=cuda", "test", "test", "test", environment=environment) as serving:
        serving.wait_state("waiting", "test")
        wait_until_all_run(serving)
    assert count_made(log) > 1


sys.exit(run_tests([test_one_context, test_a_context_that_has_failed]))
