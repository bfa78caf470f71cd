"""The pages of the catalogue shared out among processes: the same files, in the same order, for any number of them.

Every process gets the catalogue as bytes, makes every n-th page, and reads it as a browser would; a second core halves
the longest part of a build.
"""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context, parent_process
from threading import Thread
from types import MappingProxyType
from typing import Any

from cabe.pages.catalogue.estimates import Catalogue, catalogue_of
from cabe.pages.catalogue.render import entries, outputs
from cabe.pages.check import Reading, read
from cabe.pages.frame import blamed, templates_of
from cabe.pages.site import Site
from cabe.reading import Fault, Faults


@dataclass(frozen=True)
class Finished:
    """A file of the site; `reading` is what the check has to know of a page, None for another file."""

    path: str
    content: bytes
    reading: Reading | None


@contextmanager
def shared_out(site: Site, jobs: int) -> Iterator[Callable[[], Iterator[Finished]]]:
    """A function that gives the files of the catalogue; several processes begin with them at once.

    Raises Faults for a mistake in a template.
    """
    if not site.navigation.catalogue:
        yield lambda: iter(())
    elif jobs == 1:
        yield lambda: chain.from_iterable(_made(catalogue_of(site), 0, 1))
    else:
        packed = _packed(catalogue_of(site))
        try:
            # a fork of a process with threads may hang
            with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin) as pool:
                parts = [pool.submit(_part, packed, number, jobs) for number in range(jobs)]
                yield lambda: _in_order([part.result() for part in parts])
        except BrokenProcessPool as error:
            what = "a process that makes pages was ended, perhaps for want of memory"
            raise Faults([Fault("build.py", 0, what, "try again with --jobs 1")]) from error


def _begin() -> None:
    """A process ends at the keyboard without a word, and whenever the one that started it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
    os._exit(1)


def _part(packed: bytes, first: int, jobs: int) -> list[list[Finished]]:
    """Every page of a process, with the files beside it."""
    catalogue: Catalogue = pickle.loads(packed)
    return list(_made(catalogue, first, jobs))


def _made(catalogue: Catalogue, first: int, jobs: int) -> Iterator[list[Finished]]:
    templates = templates_of(catalogue.site)
    with blamed(catalogue.site):
        for entry in entries(catalogue)[first::jobs]:
            yield [_finished(path, content) for path, content in outputs(entry, templates)]


def _finished(path: str, content: bytes) -> Finished:
    return Finished(path, content, read(path, content) if path.endswith(".html") else None)


def _in_order(parts: list[list[list[Finished]]]) -> Iterator[Finished]:
    """The files as one process would give them: the parts take turns."""
    for number in range(len(parts[0])):
        for part in parts:
            yield from part[number] if number < len(part) else ()


def _packed(catalogue: Catalogue) -> bytes:
    """The catalogue as bytes; the tables of facts are read-only views, which pickle does not take by itself."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {MappingProxyType: _reduced}
    pickler.dump(catalogue)
    return buffer.getvalue()


def _reduced(view: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
    return _view, (dict(view),)


def _view(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)
