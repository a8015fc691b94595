"""The table of commands. All commands are plugins; listing them imports none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from footfall.errors import PluginError, error_line
from footfall.interrupts import telling

if TYPE_CHECKING:
    from footfall.registry.registry import Registry

FIRST = (
    *("run", "compare", "view", "export", "scenes", "plugins", "schema"),
    *("check", "import", "validate"),
)
"""Order of the listing; other commands follow by name."""


class CommandTable(Mapping[str, Any]):
    """Click's commands by name, each built at first use."""

    @cached_property
    def registry(self) -> Registry:
        """The registry of installed plugins."""
        from footfall.registry.discover import discover

        return discover()

    def __getitem__(self, name: str) -> Any:
        """Return a command.

        Raises:
            KeyError: if there is no command of this name.
            PluginError: if two distributions offer it, or it cannot be loaded.
        """
        if name not in self.registry.command:
            raise KeyError(name)
        offered = self.registry.command[name].load()
        try:
            return click_command(name, offered)
        except Exception as error:
            raise PluginError(f'command "{name}" cannot be made: {error_line(error)}') from error

    def __iter__(self) -> Iterator[str]:
        names = self.registry.command.names()
        return iter(sorted(names, key=lambda n: (FIRST.index(n) if n in FIRST else len(FIRST), n)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def summary(self, name: str) -> str:
        """Return a command's summary, one line."""
        offered = self.registry.command
        if name in offered.clashes:
            return str(offered.clashes[name])
        return next(entry.summary for entry in offered if entry.name == name)

    def tell_of_broken(self) -> None:
        """Print the broken plugins, whose commands may be missing, to standard error."""
        for broken in self.registry.broken:
            origin = broken.origin
            line = f"note: broken: {origin.distribution} {origin.version}: {broken.reason}"
            typer.echo(line, err=True)


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        offer(self)
        self.table = CommandTable()
        self.commands = self.table  # type: ignore[assignment] # nothing is added to it

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, without building the commands."""
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; if there is none, print the broken plugins and return None."""
        found = self.table.get(cmd_name)
        if found is None:
            self.table.tell_of_broken()
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List names and summaries as click does, without importing plugins' code."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        rows = [
            (name, TyperCommand(name, help=self.table.summary(name)).get_short_help_str(width))
            for name in names
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        self.table.tell_of_broken()


PLAIN: Any = {"add_completion": False, "rich_markup_mode": None}
"""Settings of Typer: plain help starts in half the time."""


def click_command(name: str, offered: Callable[..., Any] | typer.Typer) -> Any:
    """Return click's command for a function with typer's annotations, or the group of a Typer."""
    if isinstance(offered, typer.Typer):
        made: Any = typer.main.get_group(offered)
        made.name = name
    else:
        alone = typer.Typer(**PLAIN)
        alone.command(name)(offered)
        made = typer.main.get_command(alone)
    offer(made)
    return made


TRACEBACK = "--traceback"


def _option() -> Any:
    """Return the option built by Typer; its value is not passed to the command's function."""

    def shows(
        traceback: Annotated[
            bool, typer.Option(TRACEBACK, help="On an error, print the whole traceback.")
        ] = False,
    ) -> None: ...

    only = typer.Typer(**PLAIN)
    only.command()(shows)
    (option,) = typer.main.get_command(only).params
    option.expose_value = False
    return option


OPTION = _option()


def offer(command: Any) -> None:
    """Add the option to a command and all its subcommands, and tell what an interrupt left out.

    Examples at the end of a command's docstring are printed below its options, line by line.
    """
    command.params.append(OPTION)
    command.help, word, examples = (command.help or "").partition("\n\nExamples:")
    command.epilog = word and f"\b\n{word.strip()}{examples}"
    if command.callback is not None:
        command.callback = telling(command.callback)
    for each in getattr(command, "commands", {}).values():
        offer(each)
