"""Run the notebooks in order and save them with their outputs, the same bytes every time.

    python tools/run_notebooks.py                           all of them
    python tools/run_notebooks.py notebooks/04_*.ipynb      these

A notebook that fails, or takes longer than `--time-limit` seconds, is left on the disk as it was, and the next one is
run. The last line then names those that failed, and the exit code is 1.
"""

import argparse
import asyncio
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty
from typing import Any, NoReturn

import nbformat
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from traitlets import Type
from traitlets.config import Config

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
TIME_LIMIT = 300  # seconds: far beyond what a notebook takes, to end what hangs, also on a machine that is busy
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
HIDDEN = "hide-input"
MODEL_PREFIX = "IPY_MODEL_"
EXPLORER_NOTE = "An explorer: run this cell in JupyterLab to move its controls. What it shows at first:"
# The rest of what a kernel says of itself (versions, mostly) changes from machine to machine.
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}


class NotebookFailed(Exception):
    """A notebook did not run to its end; the message says why."""


class SteadyChannel(AsyncZMQSocketChannel):
    """Looks for a message again every second.

    Now and then an asyncio socket misses the news that one has come, and would wait until the time limit.
    """

    async def get_msg(self, timeout: float | None = None) -> dict[str, Any]:
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        while True:
            try:
                return await super().get_msg(max(0.0, min(1.0, deadline - time.monotonic())))
            except Empty:
                if time.monotonic() >= deadline:
                    raise


class SteadyClient(AsyncKernelClient):
    """A kernel client that listens on steady channels."""

    shell_channel_class = Type(SteadyChannel)
    iopub_channel_class = Type(SteadyChannel)


class UnsignalledLoop(asyncio.SelectorEventLoop):
    """Leaves Ctrl-C to `asyncio.Runner`: nbclient would end the kernel, and so this notebook alone."""

    def add_signal_handler(self, *_: Any) -> NoReturn:
        raise RuntimeError("signals are not handled by this loop")  # as in a thread, which nbclient is ready for


async def run_cells(client: NotebookClient) -> None:
    """Run all cells; when this is cancelled, by Ctrl-C, say so instead of that the kernel died."""
    try:
        await client.async_execute()
    except DeadKernelError:
        if asyncio.current_task().cancelling():
            raise asyncio.CancelledError from None
        raise


def execute(notebook: NotebookNode, folder: Path, time_limit: float = TIME_LIMIT) -> None:
    """Run all cells in a new kernel working in `folder`, within `time_limit` seconds in all."""
    os.environ.pop("MPLBACKEND", None)  # it would turn off the pictures in the notebook
    deadline = time.monotonic() + time_limit
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        config=Config(AsyncKernelManager={"client_factory": SteadyClient}),
        resources={"metadata": {"path": str(folder)}},
        timeout_func=lambda cell: max(1, round(deadline - time.monotonic())),
        startup_timeout=TIME_LIMIT,
        iopub_timeout=TIME_LIMIT,  # for what a cell printed to arrive, once it has ended
        record_timing=False,
        coalesce_streams=True,
        raise_on_iopub_timeout=True,
        # what the kernel says of itself would cut the progress lines in two
        extra_arguments=["--IPKernelApp.log_level=CRITICAL"],
    )
    try:
        with asyncio.Runner(loop_factory=UnsignalledLoop) as runner:
            runner.run(run_cells(client))
    except CellTimeoutError as error:
        raise NotebookFailed(f"took longer than {time_limit:g} s") from error
    except (CellExecutionError, RuntimeError) as error:
        raise NotebookFailed(strip_ansi(str(error))) from error


def tidy(notebook: NotebookNode) -> None:
    """Drop whatever would differ at the next run or on the next machine."""
    widgets = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for position, cell in enumerate(notebook.cells):
        cell.id = f"cell-{position:02d}"
        cell.metadata = nbformat.from_dict({"tags": cell.metadata.tags} if cell.metadata.get("tags") else {})
        if HIDDEN in cell.metadata.get("tags", []):  # the tag hides it on the site, this in JupyterLab
            cell.metadata["jupyter"] = {"source_hidden": True}
        if cell.cell_type == "code":
            cell.outputs = [kept for output in cell.outputs for kept in without_widgets(output, widgets)]


def without_widgets(output: NotebookNode, widgets: dict) -> Iterator[NotebookNode]:
    """The output itself, or for a widget (a number that only its own kernel knows) a still picture of it."""
    if WIDGET_VIEW not in output.get("data", {}):
        yield output
        return
    note = {"text/plain": EXPLORER_NOTE, "text/markdown": f"*{EXPLORER_NOTE}*"}
    yield nbformat.v4.new_output("display_data", data=note)
    for picture in shown_inside(output.data[WIDGET_VIEW]["model_id"], widgets):
        yield from without_widgets(nbformat.from_dict(picture), widgets)


def shown_inside(model: str, widgets: dict) -> Iterator[dict]:
    """The outputs that a widget and its children hold, in their order on the screen."""
    state = widgets.get(model, {}).get("state", {})
    yield from state.get("outputs", [])
    for child in state.get("children", []):
        yield from shown_inside(child.removeprefix(MODEL_PREFIX), widgets)


def save(notebook: NotebookNode, path: Path) -> None:
    """Replace the file in one step, so that it is never half written."""
    text = nbformat.writes(notebook, version=4).rstrip("\n") + "\n"
    unfinished = path.with_suffix(".ipynb.tmp")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def run(path: Path, time_limit: float = TIME_LIMIT) -> None:
    """Run one notebook and save it; raises `NotebookFailed`, and changes nothing, when it fails."""
    try:
        notebook = nbformat.read(path, as_version=4)
        execute(notebook, path.parent, time_limit)
        tidy(notebook)
        save(notebook, path)
    except (OSError, ValueError) as error:
        raise NotebookFailed(str(error)) from error


def timed_run(path: Path, time_limit: float = TIME_LIMIT) -> tuple[float, str]:
    """The seconds that a notebook took, and why it failed: nothing if it did not."""
    start, failure = time.monotonic(), ""
    try:
        run(path, time_limit)
    except NotebookFailed as error:
        failure = str(error)
    return time.monotonic() - start, failure


def run_all(paths: Sequence[Path], time_limit: float) -> list[Path]:
    """Run the notebooks, one line each, whichever of them fail: these are returned."""
    failed = []
    for count, path in enumerate(paths, start=1):
        print(f"[{count}/{len(paths)}] {path.name} ... ", end="", flush=True)
        seconds, failure = timed_run(path, time_limit)
        print("failed" if failure else f"{seconds:.1f} s", flush=True)
        if failure:
            print(failure, file=sys.stderr)
            failed.append(path)
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Run the notebooks; the exit code is 1 if any failed, and 130 if Ctrl-C stopped them."""
    parser = argparse.ArgumentParser(description="Run notebooks in order and save them with their outputs.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="all of the course when none is named")
    about = f"for each ({TIME_LIMIT})"
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS", help=about)
    options = parser.parse_args(arguments)
    try:
        failed = run_all(options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb")), options.time_limit)
    except KeyboardInterrupt:
        print("stopped; the file is as it was", file=sys.stderr)
        return 130
    if failed:
        print(f"failed, and left as they were: {', '.join(path.name for path in failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
