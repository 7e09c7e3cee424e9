#!/usr/bin/python3
"""The pages of cudahisto-report --serve in Chromium: a wall of four inputs that go black, freeze, fall silent, are lost and come back.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import contextlib
import http.client
import json
import os
import socket
import sys
import threading
import time

import browser
from common import TIMEOUT, path_of, run_tests
from serving import Feeder, Serving, is_built

if not is_built() or browser.find_chromium() is None:
    print("skipped: the program was built without libsoup, or there is no Chromium")
    sys.exit(77)

# An alert begins when it has lasted so long; the page shows it within 2 s of that.
DURATION = 0.5
SHORT = [argument for name in ("black", "freeze", "silence") for argument in ("--set", f"{name}-duration={int(DURATION * 1e9)}")]
MOST_SECONDS = 2 * float(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))
CARD = "document.querySelector('article[data-index=\"{}\"]')"
chromium = browser.Browser(1280, 900)


def wait_card(index, expression, event=None):
    """Waits for what a card shows, and says how long after the event."""
    begin = time.monotonic()
    chromium.wait_for(f"(card => card !== null && ({expression}))({CARD.format(index)})")
    took = time.monotonic() - begin
    assert event is None or took < DURATION + MOST_SECONDS, f"{event}: the page took {took:.2f} s"
    return took


def has(kind):
    return f"card.dataset.open.split(' ').includes('{kind}')"


def check_looks(address):
    """Nothing is wider than the screen; what can be pressed has a name."""
    for width, height, theme in ((390, 844, "dark"), (1280, 900, "light"), (390, 844, "light")):
        chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        chromium.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        time.sleep(0.3)
        wide = chromium.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{address}: {wide} of {width} pixels"
        nameless = chromium.evaluate("""[...document.querySelectorAll("button, input, select, a, progress, canvas, main img")].filter(element =>
            element.offsetParent !== null && !(element.innerText || element.getAttribute("aria-label") || element.getAttribute("alt") !== null
            || element.closest("a[aria-label]") || element.labels?.length)).map(element => element.outerHTML)""")
        assert not nameless, f"{address}: {nameless} without a name"


def check_quiet(serving):
    """No error, and nothing from elsewhere."""
    errors = [error for error in chromium.errors if "ERR_" not in str(error)]
    assert not errors, errors
    others = [address for address in chromium.requests if not address.startswith((serving.address, "about:"))]
    assert not others, others


def test_wall():
    with contextlib.ExitStack() as stack:
        feeders = [stack.enter_context(Feeder()) for _ in range(4)]
        serving = stack.enter_context(Serving("--serve", "0", *SHORT, *[feeder.uri for feeder in feeders]))
        for feeder in feeders:
            serving.wait_state("running", feeder.uri)
        chromium.errors.clear()
        chromium.requests.clear()
        chromium.open(serving.address)
        for i in range(4):
            wait_card(i, "card.querySelector('.state').textContent === 'no fault now' && card.querySelector('img').naturalWidth > 0")
        took = {}
        feeders[0].tell("black")
        took["black"] = wait_card(0, has("black"), "black")
        assert "black since" in chromium.evaluate(CARD.format(0) + ".querySelector('.state').textContent")
        feeders[1].tell("still")
        took["frozen"] = wait_card(1, has("freeze"), "frozen")
        feeders[2].tell("silence")
        took["silent"] = wait_card(2, has("silence"), "silent")
        feeders[3].close()
        took["lost"] = wait_card(3, "card.dataset.state === 'waiting' && card.querySelector('.state').classList.contains('bad')", "lost")
        assert "4 with a fault" in chromium.evaluate("document.getElementById('count').textContent")
        check_looks(serving.address)
        for i, command in enumerate(("moving", "moving", "sound")):
            feeders[i].tell(command)
            took[f"{command} again"] = wait_card(i, "card.dataset.open === '' && card.querySelector('.state').classList.contains('good')", command)
        stack.enter_context(Feeder(feeders[3].port))
        # The pause before another try is part of it.
        wait_card(3, "card.dataset.state === 'running'")
        # The latest notices stay.
        for i, word in enumerate(("black", "frozen", "silent")):
            assert word in chromium.evaluate(CARD.format(i) + ".querySelector('ol').textContent"), i
        print({name: round(seconds, 2) for name, seconds in took.items()})
        check_quiet(serving)
        # The keyboard reaches the page of an input.
        chromium.evaluate(CARD.format(0) + ".querySelector('h2 a').focus()")
        assert chromium.evaluate("document.activeElement.getAttribute('href')") == "/input/0"
        chromium.evaluate("document.activeElement.click()")
        chromium.wait_for("location.pathname === '/input/0' && document.querySelector('#charts canvas')?.dataset.rows > 3")
        rows = chromium.evaluate("Number(document.querySelector('#charts canvas').dataset.rows)")
        chromium.wait_for(f"Number(document.querySelector('#charts canvas').dataset.rows) > {rows + 1}")
        chromium.wait_for("document.querySelectorAll('#notices li').length >= 2 && document.querySelector('#notices img')?.naturalWidth !== 0")
        assert "black" in chromium.evaluate("document.getElementById('notices').textContent")
        check_looks(serving.address + "input/0")
        # Hours and minutes come from the program.
        chromium.evaluate("(select => { select.value = 'hours'; select.dispatchEvent(new Event('change')); })(document.getElementById('span'))")
        chromium.wait_for("document.querySelector('#charts canvas').dataset.rows === '1'")
        check_quiet(serving)


class Line:
    """A line to the program that can be cut, in a with statement."""

    def __init__(self, serving):
        self.target, self.is_cut, self.ends = (serving.place.hostname, serving.place.port), False, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.server.getsockname()[1]}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.server.accept()[0]
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(self.target)
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    def copy(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)

    def cut(self):
        self.is_cut = True
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()
        self.server.close()


def test_a_client_that_loses_its_line_catches_up():
    """The page of an input gets the rows that it missed."""
    with Feeder() as feeder, Serving("--serve", "0", feeder.uri) as serving:
        serving.wait_state("running")
        with Line(serving) as line:
            chromium.open(line.address + "input/0")
            chromium.wait_for("document.querySelector('#charts canvas')?.dataset.rows > 1")
            rows = chromium.evaluate("Number(document.querySelector('#charts canvas').dataset.rows)")
            line.cut()
            chromium.wait_for("!document.getElementById('line').hidden")
            time.sleep(4)
            assert chromium.evaluate("Number(document.querySelector('#charts canvas').dataset.rows)") <= rows + 1
            line.is_cut = False
            chromium.wait_for("document.getElementById('line').hidden")
            # All rows of the time between are there, at once.
            chromium.wait_for(f"Number(document.querySelector('#charts canvas').dataset.rows) >= {rows + 4}")
            chromium.open("about:blank")
        # By hand: the rows behind a number.
        first = events_of(serving, "0")
        assert len(first) > 3
        again = events_of(serving, str(first[2][0]))
        assert again[0] == first[3], (first, again)


def events_of(serving, latest):
    """The rows that a client gets first that has the rows until then."""
    connection = http.client.HTTPConnection(serving.place.hostname, serving.place.port, timeout=TIMEOUT)
    connection.request("GET", "/events/0", headers={"Last-Event-ID": latest})
    answer = connection.getresponse()
    assert answer.headers.get_content_type() == "text/event-stream"
    event = None
    while True:
        line = answer.readline().decode().rstrip("\n")
        if line.startswith("event: "):
            event = line[7:]
        if line.startswith("data: ") and event == "rows":
            connection.close()
            return json.loads(line[6:])


def test_hostile_names():
    name = path_of('<img src=x onerror="document.title=1"><script>document.title=2</script>.mkv')
    with Serving("--serve", "0", name, "test") as serving:
        serving.wait_state("waiting", name)
        serving.wait_state("running", "test")
        chromium.errors.clear()
        chromium.requests.clear()
        chromium.open(serving.address)
        wait_card(0, "card.dataset.state === 'waiting'")
        assert "<script>" in chromium.evaluate(CARD.format(0) + ".innerText")
        chromium.open(serving.address + "input/0")
        chromium.wait_for("document.title.includes('cudahisto') && document.getElementById('name').textContent.includes('<script>')")
        assert chromium.evaluate("document.querySelectorAll('script').length") == 1
        check_quiet(serving)


with chromium:
    sys.exit(run_tests([test_wall, test_a_client_that_loses_its_line_catches_up, test_hostile_names]))
