"""Open a page in the user's browser, if there is a graphical one."""

from __future__ import annotations

import os
import threading
import webbrowser


def open_page(url: str) -> None:
    """Open the page without waiting for the browser; do nothing if there is only a text browser.

    A text browser would take over the terminal and could not draw the scene.
    """
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is webbrowser.GenericBrowser and "BROWSER" not in os.environ:
        return
    threading.Thread(target=browser.open, args=(url,), daemon=True).start()
