"""bespokelabs-curator with a FailFastSession, cancelled at a trip."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from types import SimpleNamespace

import aiohttp
from bespokelabs import curator
from bespokelabs.curator.request_processor.online import base_online_request_processor

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError, Trip

# [inject
latch = Latch()


def stop(trip: Trip) -> None:
    """End the run: its loop runs nothing else."""
    for task in asyncio.all_tasks():
        task.cancel()


def answers(base_url: str, key: str, prompts: list[str], folder: str) -> list[str]:
    """Have prompts answered."""
    session_class = FailFastSession.with_defaults(latch=latch, on_trip=stop, retry=None)
    base_online_request_processor.aiohttp = SimpleNamespace(
        **{**vars(aiohttp), "ClientSession": session_class}
    )
    model = curator.LLM(
        model_name="gpt-4o-mini",
        backend="openai",
        backend_params={"base_url": f"{base_url}/v1", "api_key": key},
    )
    try:
        return list(model(prompts, working_dir=folder).dataset["response"])
    except asyncio.CancelledError:
        for trip in latch.trips:
            latch.check(trip.endpoint)  # raises: whose key is dead, and why
        raise


# inject]
if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = answers(
                os.environ["API_BASE_URL"], os.environ["API_KEY"], ["one", "two", "three"], folder
            )
        except PermanentEndpointError as error:
            sys.exit(f"{type(error).__name__}: {error}")
    print(*found, sep="\n")
