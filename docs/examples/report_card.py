"""Write the report card of a contact law: closed forms, energy, impacts, cost.
You see one line in the terminal, and get a page with figures."""

import subprocess
import tempfile
from pathlib import Path

LAW = "compliant"  # a law of yours as well, once its package is installed
page = Path(tempfile.mkdtemp()) / f"report-{LAW}.html"

subprocess.run(["footfall", "report", LAW, "--quick", "--output", str(page)], check=True)
print(f"{page} has {page.stat().st_size / 1e3:.0f} kB and needs no network")
