"""A small driver of headless Chromium over the DevTools protocol, for tests that need a real browser."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--remote-allow-origins=*"),
    "--remote-debugging-port=0",
)
START_SECONDS = 60  # a machine that is busy with other tests needs some
REPLY_SECONDS = 60
TALLEST = 16_000
"""Pixels of a page that a picture shows: one of more than 16,384 is refused, or comes out empty."""


def find() -> str | None:
    """The browser on this machine, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


class Chromium:
    """A running browser. Pages are opened one at a time."""

    def __init__(self, binary: str, profile: Path) -> None:
        self._process = subprocess.Popen(
            [binary, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = profile / "DevToolsActivePort"
        deadline = time.monotonic() + START_SECONDS
        while not (port_file.exists() and len(port_file.read_text().splitlines()) == 2):
            if self._process.poll() is not None or time.monotonic() > deadline:
                ended = self._process.poll()
                self.close()
                raise RuntimeError(f"Chromium did not start (exit code {ended})")
            time.sleep(0.05)
        self._port, path = port_file.read_text().splitlines()
        self._browser = _Socket(f"ws://127.0.0.1:{self._port}{path}")

    def page(self, file: Path, *, fragment: str = "", **view: Any) -> Page:
        """Open a file; ``view`` is as for :meth:`Page.view`."""
        page = self._opened({})
        page.view(**view)
        page.go(file.as_uri() + fragment)
        return page

    def apart(self, **view: Any) -> Page:
        """An empty page with cookies of its own, as in another person's browser."""
        page = self._opened(self._browser.call("Target.createBrowserContext"))
        page.view(**view)
        return page

    def _opened(self, context: dict[str, Any]) -> Page:
        target = self._browser.call("Target.createTarget", url="about:blank", **context)["targetId"]
        return Page(f"ws://127.0.0.1:{self._port}/devtools/page/{target}")

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)


class Page:
    """One page, with everything that it asked of the network and everything that it complained about."""

    def __init__(self, address: str) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._socket = _Socket(address, self._on_event)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._socket.call(f"{domain}.enable")

    def _on_event(self, method: str, event: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(event["exceptionDetails"])[:1000])
        elif method == "Runtime.consoleAPICalled" and event["type"] in {"error", "warning", "assert"}:
            self.complaints.append(json.dumps(event["args"])[:1000])
        elif method == "Log.entryAdded" and event["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(event["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("dialog: " + event["message"])
            self._socket.send("Page.handleJavaScriptDialog", accept=True)

    def view(self, width: int = 1280, height: int = 900, dark: bool = False, scale: float = 1) -> None:
        """Set the window's size and the preferred colour scheme."""
        self._socket.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._socket.call("Emulation.setEmulatedMedia", features=[scheme, motion])

    def connection(self, *, up: bool) -> None:
        """Take the network away from the page, or give it back."""
        self._socket.call(
            "Network.emulateNetworkConditions",
            offline=not up,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def scripts(self, *, allowed: bool) -> None:
        """Turn the page's own scripts on or off."""
        self._socket.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def go(self, address: str) -> None:
        """Load an address and wait until it is through."""
        self._socket.call("Page.navigate", url=address)
        deadline = time.monotonic() + REPLY_SECONDS
        while self.js("document.readyState") != "complete" or self.js("location.href") == "about:blank":
            if time.monotonic() > deadline:
                raise RuntimeError(f"{address} did not load")
            time.sleep(0.02)

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        reply = self._socket.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in reply:
            raise RuntimeError(f"{expression}: {reply['exceptionDetails']}")
        return reply["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys one after another: names ("ArrowDown") or single characters."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "Home": 36, "End": 35, " ": 32, "Backspace": 8}
        codes |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        for key in keys:
            text = "\r" if key == "Enter" else key if len(key) == 1 else ""
            code = codes.get(key) or ord(key.upper())
            common: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
            self._socket.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
            self._socket.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text: str) -> None:
        """Type text into what has the focus."""
        self._socket.call("Input.insertText", text=text)

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Save what is seen, or the whole page, as PNG; below :data:`TALLEST` it goes on in ``NAME-2.png``."""
        if not whole:
            self._save(file)
            return
        wide, high = self.js("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        for part, top in enumerate(range(0, high, TALLEST), 1):
            clip = {"x": 0, "y": top, "width": wide, "height": min(high - top, TALLEST), "scale": 1}
            self._save(
                file if part == 1 else file.with_stem(f"{file.stem}-{part}"),
                captureBeyondViewport=True,
                clip=clip,
            )

    def _save(self, file: Path, **what: Any) -> None:
        reply = self._socket.call("Page.captureScreenshot", format="png", **what)
        file.write_bytes(base64.b64decode(reply["data"]))

    def close(self) -> None:
        """Close the page."""
        self._socket.call("Page.close")
        self._socket.close()


class _Socket:
    """Calls and events of one DevTools session."""

    def __init__(self, address: str, on_event: Any = None) -> None:
        import websocket

        self._socket = websocket.create_connection(address, timeout=REPLY_SECONDS)
        self._on_event = on_event or (lambda method, event: None)
        self._count = 0

    def send(self, method: str, **parameters: Any) -> int:
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        return self._count

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = self.send(method, **parameters)
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return dict(message["result"])
            if "method" in message:
                self._on_event(message["method"], message["params"])

    def close(self) -> None:
        self._socket.close()
