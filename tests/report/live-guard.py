#!/usr/bin/python3
"""cudahisto-report --serve: who may read, and what clients that mean no good can do.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import http.client
import json
import os
import random
import socket
import statistics
import sys
import threading
import time

from common import TIMEOUT, path_of, run_tests
from serving import HAS_TOOL, Serving, is_built

if not is_built():
    print("skipped: the program was built without libsoup")
    sys.exit(77)

PATHS = ("/", "/wall.js", "/live.js", "/input.js", "/live.css", "/input/0", "/state.json", "/notices.json", "/metrics", "/rows/0/seconds",
         "/rows/0/minutes", "/rows/0/hours", "/pictures/0")
TOKEN = "a token that nobody guesses 8271"


def status_of(serving, path="/state.json", **named):
    return serving.ask(path, **named)[0]


def test_only_get():
    with Serving("--serve", "0", "test") as serving:
        serving.wait_state("running")
        for path in PATHS:
            status, headers, text = serving.ask(path)
            assert status == 200 and text, (path, status)
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy and "data:" not in policy, headers
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Frame-Options"] == "DENY", headers
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "NONSENSE"):
            for path in ("/", "/state.json", "/events"):
                status = serving.ask(path, method=method)[0]
                assert status in (400, 405), (method, path, status)
        assert status_of(serving, headers={"Content-Length": "3"}, body=b"abc") == 413
        # No file is served but the page's own.
        for path in ("/nothing", "/../wall.html", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/etc/passwd", "/wall.html", "/input.html",
                     "/live.gresource.xml", "/input/1", "/input/-1", "/input/0/", "/input/", "/events/9", "/events/x", "/picture/0/1",
                     "/picture/0/x", "/notice/0/999", "/rows/0/days", "/rows/0", "/input/99999999999999999999", "/input/0%00"):
            status = status_of(serving, path)
            assert status in (400, 404), (path, status)


def test_host_and_origin():
    with Serving("--serve", "0", "test") as serving:
        port = serving.place.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", "localhost", f"[::1]:{port}", "192.0.2.7"):
            assert status_of(serving, headers={"Host": host}) == 200, host
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "", "localhost@evil.example",
                     "127.0.0.1/evil", "evil.example#localhost", "127.0.0.1:1:2", "[::1", "a\x80b"):
            status = status_of(serving, headers={"Host": host})
            assert status in (400, 421), (host, status)
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}", "https://localhost", "file://", "http://",
                       f"evil://127.0.0.1:{port}", ""):
            for path in ("/state.json", "/events", "/metrics"):
                assert status_of(serving, path, headers={"Origin": origin}) == 403, origin
        assert status_of(serving, headers={"Origin": f"http://127.0.0.1:{port}"}) == 200


def test_token():
    path = path_of("token")
    with open(path, "w", encoding="ascii") as file:
        file.write(TOKEN + "\nwhat follows is no part of it\n")
    with Serving("--serve", "0", "--serve-token", path, "test") as serving:
        for page in (*PATHS, "/events", "/events/0", "/nothing"):
            assert status_of(serving, page) == 401, page
        for given in (TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "", "x" * 32):
            assert status_of(serving, headers={"Authorization": f"Bearer {given}"}) == 401, given
        for authorization in (TOKEN, f"Basic {TOKEN}"):
            assert status_of(serving, headers={"Authorization": authorization}) == 401, authorization
        assert status_of(serving, "/metrics", headers={"Authorization": f"Bearer {TOKEN}"}) == 200
        quoted = TOKEN.replace(" ", "%20")
        # Only the page itself takes it in its address.
        assert status_of(serving, f"/state.json?token={quoted}") == 401
        assert status_of(serving, "/?token=wrong") == 401
        status, headers, _ = serving.ask(f"/?token={quoted}")
        cookie = headers["Set-Cookie"]
        assert status == 303 and headers["Location"] == "/", headers
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "nobody" not in cookie, cookie
        value = cookie.split(";")[0]
        assert status_of(serving, headers={"Cookie": f"other=1; {value}; more=2"}) == 200
        for wrong in (value[:-1], value + "0", value.split("=")[0] + "=", "cudahisto-live=" + TOKEN):
            assert status_of(serving, headers={"Cookie": wrong}) == 401, wrong


def test_names_of_inputs_are_text():
    """An input may have any name: the answers are JSON and metrics, and no page has it in its HTML."""
    name = path_of('<script>alert(1)</script>"\\\n&amp;.mkv')
    with Serving("--serve", "0", name, os.fsencode(path_of("b")) + b"\xff\xfe.mkv") as serving:
        serving.wait_state("waiting")
        for path in ("/", "/input/0"):
            assert b"alert" not in serving.ask(path)[2]
        shown = serving.get("/state.json")["inputs"][0]["name"]
        assert "<script>" in shown and "\n" not in shown, shown
        _, headers, text = serving.ask("/metrics")
        assert headers.get_content_type() == "text/plain" and b'\\"' in text and b"\\\\" in text, text[:2000]


def attack(serving, kind, end, counts):
    """Does something evil until the end. Its address is another one than that of the others."""
    chance = random.Random(kind)
    while time.monotonic() < end:
        try:
            with socket.create_connection((serving.place.hostname, serving.place.port), 2, ("127.0.0.2", 0)) as client:
                counts[kind] = counts.get(kind, 0) + 1
                if kind == "bytes":
                    client.sendall(chance.randbytes(5000))
                elif kind == "headers":
                    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
                    for i in range(1000):
                        client.sendall(b"X-%d: " % i + b"a" * 1000 + b"\r\n")
                elif kind == "slow":
                    for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"a" * 1000:
                        client.sendall(bytes([byte]))
                        time.sleep(0.5)
                        if time.monotonic() > end:
                            break
                elif kind == "flood":
                    client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
                    client.settimeout(0.5)
                    while client.recv(65536):
                        pass
                elif kind == "deaf":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    client.sendall(b"GET /events/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    time.sleep(max(min(4, end - time.monotonic()), 0))
                elif kind == "body":
                    client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n")
                    for _ in range(200):
                        client.sendall(b"a" * 65536)
        except OSError:
            time.sleep(0.05)


def main_thread_of(serving):
    """Seconds that the thread that answers has run, and has waited for a processor."""
    pid = serving.process.pid
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as file:
        return [int(word) / 1e9 for word in file.read().split()[:2]]


def test_idle_and_hostile_clients():
    """200 that follow, and 50 that mean no good: others get their answers, and the memory stays."""
    kinds = ("bytes", "headers", "slow", "flood", "deaf", "body")
    counts = {}
    with Serving("--serve", "0", "test") as serving:
        serving.wait_state("running")
        idle = []
        for _ in range(200):
            client = socket.create_connection((serving.place.hostname, serving.place.port), TIMEOUT)
            client.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            idle.append(client)
        # Pictures of the first seconds are part of what stays.
        time.sleep(2)
        end = time.monotonic() + 12
        # Another process, so that they do not hold up the one that measures.
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            attackers = [threading.Thread(target=attack, args=(serving, kinds[i % len(kinds)], end, counts)) for i in range(50)]
            for attacker in attackers:
                attacker.start()
            for attacker in attackers:
                attacker.join()
            os.write(writing, json.dumps(counts).encode())
            os._exit(0)
        os.close(writing)
        times, memories, before, start = [], [], main_thread_of(serving), time.monotonic()
        while time.monotonic() < end:
            begin = time.monotonic()
            assert status_of(serving) == 200
            times.append(time.monotonic() - begin)
            memories.append(serving.memory())
            for client in idle:
                client.setblocking(False)
                try:
                    while client.recv(65536):
                        pass
                except BlockingIOError:
                    pass
            time.sleep(0.05)
        with os.fdopen(reading) as counted:
            counts = json.loads(counted.read())
        os.waitpid(child, 0)
        assert set(counts) == set(kinds), counts
        ran, waited = (100 * (now - then) / (time.monotonic() - start) for now, then in zip(main_thread_of(serving), before))
        print(f"the thread that answers ran for {ran:.0f} % of the time, and waited for a processor for {waited:.0f} %")
        half = len(memories) // 2
        grown = max(memories[half:]) - max(memories[:half])
        print(f"{len(times)} answers, median {1000 * statistics.median(times):.1f} ms, most {1000 * max(times):.1f} ms; memory {max(memories[:half]) / 1e6:.1f} MB, "
              f"then {grown / 1e6:+.1f} MB; connections {counts}")
        # On a machine that has nothing else to do the share is nearly 1.
        share = ran / (ran + waited)
        if not HAS_TOOL:
            assert statistics.median(times) * share < 0.2 and statistics.quantiles(times, n=20)[18] * share < 1, (share, sorted(times)[-10:])
            assert grown < 8e6, memories
        for client in idle:
            client.close()
        # Those who are gone are forgotten.
        deadline = time.monotonic() + 20
        while (n := clients_of(serving)) > 3:
            assert time.monotonic() < deadline, f"{n} connections are left"
            time.sleep(0.2)


def clients_of(serving):
    text = serving.ask("/metrics")[2].decode()
    return int(float(next(line.split()[1] for line in text.splitlines() if line.startswith("cudahisto_clients "))))


def test_too_many():
    """One address cannot take all connections, nor all of the time."""
    with Serving("--serve", "0", "test") as serving:
        serving.wait_state("running")
        place = (serving.place.hostname, serving.place.port)
        statuses = []
        for _ in range(1000):
            connection = http.client.HTTPConnection(*place, timeout=TIMEOUT, source_address=("127.0.0.3", 0))
            try:
                connection.request("GET", "/live.css")
                answer = connection.getresponse()
                answer.read()
                statuses.append(answer.status)
            except (OSError, http.client.HTTPException):
                statuses.append(None)
            connection.close()
        # Of a machine that is slow, fewer come in a second.
        assert statuses[:300] == [200] * 300 and set(statuses) <= {200, 429, None}, statuses
        print({status: statuses.count(status) for status in set(statuses)})
        assert status_of(serving) == 200
        many = []
        for _ in range(600):
            many.append(socket.create_connection(place, TIMEOUT, ("127.0.0.4", 0)))
        assert status_of(serving) == 200
        n = clients_of(serving)
        assert 300 < n < 450, n
        for client in many:
            client.close()


sys.exit(run_tests([test_only_get, test_host_and_origin, test_token, test_names_of_inputs_are_text, test_idle_and_hostile_clients, test_too_many]))
