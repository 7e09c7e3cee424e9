"""Chromium without a window, driven through its DevTools protocol on a pair of pipes.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT = 60  # seconds that one answer may take


def find_chromium():
    """The path of the browser, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    """One page. Use it in a with statement.

    errors has what the page wrote to the console as an error or warning, and its exceptions;
    requests has the address of everything that the page tried to load.
    """

    def __init__(self, width=1400, height=1000, dark=False):
        self.errors, self.requests, self.number, self.buffer = [], [], 0, b""
        self.directory = tempfile.TemporaryDirectory(prefix="cudahisto-browser-", ignore_cleanup_errors=True)
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            """The browser reads from file descriptor 3 and writes to 4."""
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [find_chromium(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             f"--user-data-dir={self.directory.name}", f"--window-size={width},{height}",
             "about:blank"],
            # Its sockets are in a folder there.
            env={**os.environ, "TMPDIR": self.directory.name},
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # It ends with its processes, which would still write to the folder. One that does not answer is killed.
        try:
            os.write(self.output, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
            self.process.wait(timeout=10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        os.close(self.input)
        self.directory.cleanup()

    # ---- The protocol: JSON, each message ends with a zero byte -----------------------------

    def read_message(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        """An event of the page."""
        parameters = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif message["method"] == "Log.entryAdded":
            if parameters["entry"]["level"] in ("error", "warning"):
                self.errors.append(parameters["entry"]["text"])
        elif message["method"] == "Runtime.consoleAPICalled":
            text = str(parameters["args"])
            # Debian 13's dygraphs says so of each line that leaves its chart, which is meant to be.
            if parameters["type"] in ("error", "warning", "assert") and "points out of Y bounds" not in text:
                self.errors.append(text)
        elif message["method"] == "Page.javascriptDialogOpening":
            self.errors.append("a dialog: " + parameters["message"])
        elif message["method"] == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def call(self, method, **parameters):
        """Calls a method of the protocol. Returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read_message()
            if "method" in answer:
                self.note(answer)
            elif answer["id"] == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    # ---- What tests do ------------------------------------------------------------------------

    def evaluate(self, expression):
        """The value of an expression of the page. Promises are waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, f"{expression}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def wait_for(self, expression):
        """Waits until the expression is true."""
        deadline = time.monotonic() + TIMEOUT
        while not self.is_true(expression):
            assert time.monotonic() < deadline, f"never: {expression}; {self.errors}"
            time.sleep(.02)

    def leave(self, expression):
        """Evaluates what leads to another page, which may come before the answer."""
        self.is_true(expression)

    def is_true(self, expression):
        """Whether it is; a page that is just replaced by another one has no answer yet."""
        try:
            return self.evaluate(expression)
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            return False

    def open(self, address):
        self.call("Page.navigate", url=address)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y):
        self.drag(x, y, x, y)

    def drag(self, from_x, from_y, to_x, to_y):
        """Presses the button at one place and releases it at another one."""
        self.move(from_x, from_y)
        self.mouse("mousePressed", from_x, from_y, button="left", buttons=1, clickCount=1)
        if (from_x, from_y) != (to_x, to_y):
            self.mouse("mouseMoved", (from_x + to_x) / 2, (from_y + to_y) / 2, button="left", buttons=1)
            self.mouse("mouseMoved", to_x, to_y, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def screenshot(self, path, whole=False):
        """A PNG of what is seen, or of the whole page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
