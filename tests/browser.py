"""Debian's chromium without a window, driven by the DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import requests
import websocket

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ABSENT = "no chromium on the PATH: apt-get install chromium"
GONE = "navigated or closed"  # says the browser of a page that is just being replaced
PATIENCE = 120  # seconds, on a machine that is busy


class Replaced(Exception):
    """The page went away while it was asked."""


class Page:
    """One page of a browser: it goes to an address, works out expressions and remembers what it asked for."""

    def __init__(self, socket: websocket.WebSocket) -> None:
        self._socket, self._last = socket, 0
        self.requested: list[str] = []
        self.errors: list[str] = []
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser something, and note what happens on the page until it has answered."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._last:
                if GONE in message.get("error", {}).get("message", ""):
                    raise Replaced(message)
                assert "error" not in message, message
                return message["result"]
            if message.get("method") == "Network.requestWillBeSent":
                self.requested.append(message["params"]["request"]["url"])
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(message["params"]["exceptionDetails"]))

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is worth on the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str) -> Any:
        """The value of an expression as soon as it is worth something."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(Replaced):  # the next page is asked again
                found = self.value(expression)
                if found:
                    return found
            time.sleep(0.1)
        raise TimeoutError(f"still nothing after {PATIENCE} s: {expression}")

    def open(self, address: str, width: int = 1280, height: int = 900) -> None:
        """Go to an address, in a window of this size, and wait until it is loaded and its formulas are drawn."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Page.navigate", url=address)
        self.wait(f"document.URL.startsWith({json.dumps(address.split('#')[0])}) && document.readyState == 'complete'")
        self.value("window.MathJax?.startup?.promise?.then(() => 0)")

    def press(self, key: str, code: int, *, shift: bool = False) -> None:
        """Press a key and let it go."""
        for kind in ("rawKeyDown", "keyUp"):
            about = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 * shift}
            self.call("Input.dispatchKeyEvent", type=kind, **about)

    def click(self, selector: str) -> None:
        """Click into the middle of the first element of this kind, as soon as there is one."""
        box = f"document.querySelector({json.dumps(selector)})?.getBoundingClientRect()"
        x, y = self.wait(f"((box) => box && [box.left + box.width / 2, box.top + box.height / 2])({box})")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path: Path) -> None:
        """Save what is seen as a PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """A page of a new browser, which keeps its files in `folder` and is ended at the end."""
    command = [str(CHROMIUM), "--headless", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    command += ["--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
    command += ["--no-sandbox"] if os.getuid() == 0 else []  # it does not run as root otherwise
    command += ["about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            port = _port(process, folder / "DevToolsActivePort")
            tabs = requests.get(f"http://127.0.0.1:{port}/json", timeout=PATIENCE).json()
            address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
            socket = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
            try:
                yield Page(socket)
            finally:
                socket.close()
        finally:
            process.terminate()


def _port(process: subprocess.Popen[bytes], file: Path) -> str:
    """The port on which the browser listens, as soon as it has written it down."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if file.exists() and (text := file.read_text(encoding="utf-8")).count("\n"):
            return text.split("\n")[0]
        time.sleep(0.05)
    raise RuntimeError(f"chromium did not start, exit code {process.poll()}")
