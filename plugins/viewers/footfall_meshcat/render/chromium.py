"""A Chromium without a window that draws one page and evaluates JavaScript on it.

It is controlled by the Chrome DevTools Protocol, JSON ended by zero bytes, over two pipes, without
an open port. https://chromedevtools.github.io/devtools-protocol
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from contextlib import ExitStack
from typing import Any

from footfall.api.advanced import unfinished_folder
from footfall.api.plugin import PluginError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Names of programs to search for, in this order."""
ARGUMENTS = (
    "--headless",
    "--remote-debugging-pipe",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-extensions",
    "--disable-gpu-compositing",
)
PATIENCE = 120.0
"""Longest time between two answers, [s]."""


def find_chromium(program: str | None) -> str:
    """Return the path of a Chromium.

    Args:
        program: its name or path; None: the first of ``NAMES`` that is installed.

    Raises:
        PluginError: if none is found.
    """
    for name in (program,) if program else NAMES:
        if found := shutil.which(name):
            return found
    named = f"there is no {program}" if program else "no Chromium or Chrome was found"
    raise PluginError(
        f"drawing needs a browser, and {named}: install one (apt install chromium, dnf install "
        "chromium, brew install --cask chromium), or name it with --browser"
    )


class Chromium:
    """A page in a browser of its own; a context manager.

    Raises:
        PluginError: from every method, if the browser ends or does not answer.
    """

    def __init__(self, program: str, address: str, size: tuple[int, int]) -> None:
        """Start the browser with a page.

        Args:
            program: path of the browser.
            address: address of the page.
            size: size of its window, [pixels].
        """
        self._made = ExitStack()
        self._folder = self._made.enter_context(unfinished_folder())
        self._serial, self._rest = 0, b""
        self._errors = self._folder / "errors.txt"
        self._start(program, size)
        try:
            self._open(address, size)
        except BaseException:
            self.close()
            raise

    def _start(self, program: str, size: tuple[int, int]) -> None:
        theirs, self._write = os.pipe()
        self._read, answers = os.pipe()
        arguments = [*ARGUMENTS, f"--user-data-dir={self._folder}"]
        arguments += [f"--window-size={size[0]},{size[1]}", "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(0, "--no-sandbox")  # root cannot start it otherwise
        # The browser reads from descriptor 3 and writes to 4.
        script = f'exec "$0" "$@" 3<&{theirs} 4>&{answers}'
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                ["/bin/bash", "-c", script, program, *arguments],
                pass_fds=(theirs, answers),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        os.close(theirs)
        os.close(answers)

    def _open(self, address: str, size: tuple[int, int]) -> None:
        targets = self._ask("Target.getTargets")["targetInfos"]
        pages = [target for target in targets if target["type"] == "page"]
        target = pages[0] if pages else self._ask("Target.createTarget", url="about:blank")
        asked = {"targetId": target["targetId"], "flatten": True}
        self._session: str = self._ask("Target.attachToTarget", **asked)["sessionId"]
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", self._session, **metrics)
        self._ask("Page.navigate", self._session, url=address)

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, awaited if it is a promise.

        Raises:
            PluginError: if the expression throws, or the browser fails.
        """
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self._ask("Runtime.evaluate", self._session, **asked)
        if "exceptionDetails" in answer:
            fault = answer["exceptionDetails"]
            text = fault.get("exception", {}).get("description") or fault["text"]
            raise PluginError(f"the page cannot be drawn: {text.splitlines()[0]}")
        return answer["result"].get("value")

    def _ask(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        self._serial += 1
        message: dict[str, Any] = {"id": self._serial, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        try:
            left = json.dumps(message).encode() + b"\0"
            while left:
                left = left[os.write(self._write, left) :]
        except OSError as error:
            raise self._ended() from error
        while (answer := self._next()).get("id") != self._serial:
            pass
        if "error" in answer:
            raise PluginError(f"the browser refuses {method}: {answer['error'].get('message')}")
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        """Return the next message of the browser."""
        end = time.monotonic() + PATIENCE
        parts = [self._rest]
        while b"\0" not in parts[-1]:
            if not select.select([self._read], [], [], max(end - time.monotonic(), 0.0))[0]:
                raise PluginError(f"the browser has not answered for {PATIENCE:.0f} s")
            parts.append(os.read(self._read, 1 << 20))
            if not parts[-1]:
                raise self._ended()
        text, _, self._rest = b"".join(parts).partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def _ended(self) -> PluginError:
        said = self._errors.read_text("utf-8", "replace").strip().splitlines()
        why = f": {said[-1]}" if said else ""
        return PluginError(f"the browser has ended{why}")

    def close(self) -> None:
        """End the browser."""
        for pipe in (self._write, self._read):
            os.close(pipe)
        self._process.terminate()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._made.close()
