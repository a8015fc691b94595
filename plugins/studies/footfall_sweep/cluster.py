"""Workers of a Dask cluster, given as an address or a client, or made on this machine."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from importlib import import_module
from time import monotonic
from typing import Any

from footfall.api.plugin import PluginError, SimulationError
from footfall_sweep.task import Brief, Outcome, do_run, make_a_step, unfitness
from footfall_sweep.workers import Values, Workers

LOCAL = "local"
"""Address that stands for a cluster made on this machine, which ends with the sweep."""
PATIENCE = 15.0
"""Longest time for a scheduler to answer, and for a cluster to have a worker, [s]."""
WITHOUT = 60.0
"""Longest time without workers or scheduler during a sweep, [s]."""


def connect(address: str, count: int | None) -> Cluster:
    """Connect to a scheduler, or make a cluster on this machine.

    Args:
        address: address of a scheduler, e.g. ``tcp://host:8786``, or ``local``.
        count: number of processes of a local cluster; by default one per core.

    Raises:
        PluginError: if Dask is not installed, or no scheduler answers in time.
    """
    try:
        dask: Any = import_module("distributed")
    except ImportError as error:
        raise PluginError(f"Dask is not installed: {PluginError.pip('sweep')}") from error
    _quieten(dask)
    if address == LOCAL:
        made = dask.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )
        return Cluster(dask.Client(made), made)
    try:
        return Cluster(dask.Client(address, timeout=PATIENCE))
    except (OSError, ValueError, TypeError) as error:
        raise PluginError(
            f"no scheduler answers at {address} within {PATIENCE:g} s: start one "
            "(dask scheduler), or check the address"
        ) from error


def _quieten(dask: Any) -> None:
    """Silence Dask's logs; Footfall reports errors of a cluster in one line."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in ("tornado.application", *names):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", dask.versions.VersionMismatchWarning)


class Cluster(Workers):
    """Workers of a Dask cluster; a run whose worker dies goes to another worker."""

    def __init__(self, client: Any, cluster: Any = None) -> None:
        """Take over a client.

        Args:
            client: ``distributed.Client``.
            cluster: cluster that is closed with the client; None: the client is closed unless
                ``closes`` is False.
        """
        self.client = client
        self._cluster = cluster
        self.closes = True
        self._executor = client.get_executor(pure=False)
        self._seen = monotonic()

    @property
    def at_once(self) -> int:  # type: ignore[override]
        """Two runs per thread: one running, one ready."""
        return max(2 * sum(self._threads().values()), 2)

    def begin(self, brief: Brief, samples: Sequence[Values]) -> None:
        """Wait for a worker, check all workers, and compile on one worker of each machine."""
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
            self._refuse_unfit(self.client.run(unfitness, brief, on_error="return"))
            machines = {worker.rpartition(":")[0]: worker for worker in self._threads()}
            for values in samples:
                chosen = list(machines.values())
                self.client.run(make_a_step, brief, values, workers=chosen, on_error="return")
        except TimeoutError as error:
            raise PluginError(
                f"the scheduler {self._address} has no workers after {PATIENCE:g} s: start one "
                f"(dask worker {self._address})"
            ) from error
        except OSError as error:
            raise SimulationError(f"the scheduler {self._address} cannot be reached") from error

    def _refuse_unfit(self, answers: Mapping[str, Any]) -> None:
        """Reject workers that cannot do the runs.

        Args:
            answers: result of ``unfitness`` by worker, or the error there.

        Raises:
            PluginError: for the first such worker.
        """
        for worker, unfit in answers.items():
            if isinstance(unfit, ModuleNotFoundError):
                raise PluginError(f"{worker} lacks {unfit.name}: install Footfall and Dask there")
            if unfit and not isinstance(unfit, OSError):  # such a worker has just gone
                raise PluginError(f"{worker}: {unfit}")

    def submit(self, brief: Brief, number: int, values: Values) -> Future[Outcome]:
        """Submit a run.

        Raises:
            SimulationError: if the client is closed.
        """
        try:
            future: Future[Outcome] = self._executor.submit(do_run, brief, number, values)
        except (OSError, RuntimeError, ValueError) as error:
            raise SimulationError(f"the scheduler {self._address} cannot be reached") from error
        return future

    def look_after(self) -> None:
        """Check that the scheduler and a worker are there; raise after a minute without them."""
        if self.client.status == "running" and self._threads():
            self._seen = monotonic()
        elif self.client.status in ("closed", "closing") or monotonic() - self._seen > WITHOUT:
            gone = f"the scheduler {self._address} cannot be reached, or has no workers left"
            raise SimulationError(f"{gone}: start the same sweep again to continue")

    @property
    def _address(self) -> str:
        scheduler = self.client.scheduler
        return str(scheduler.address if scheduler is not None else "of the client")

    def _threads(self) -> Mapping[str, int]:
        """Return the number of threads by worker; none if the scheduler does not answer."""
        try:
            threads: Mapping[str, int] = self.client.nthreads()
        except OSError:
            return {}
        return threads

    def __exit__(self, *error: object) -> None:
        """Cancel unfinished runs."""
        if self.client.status == "running":
            self._executor.shutdown(wait=False)
        if self.closes:
            self.client.close(timeout=2)
        if self._cluster is not None:
            self._cluster.close()
