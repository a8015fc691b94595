"""The command line, in this process."""

import pytest

from footfall.cli.main import main


def run_command(capsys, *arguments):
    """Run the command; return exit code, output and errors."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    out, err = capsys.readouterr()
    return exit_.value.code or 0, out, err
