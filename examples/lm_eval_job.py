"""lm-eval with a FailFastSession, cancelled at a trip."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import lm_eval.models.api_models
from datasets import Dataset

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError, Trip

TASK = {
    "task": "words",
    "dataset_path": "words",
    "custom_dataset": lambda **_: {
        "test": Dataset.from_list([{"text": word} for word in ("one", "two", "three")])
    },
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{text}}",
    "doc_to_target": "{{text}}",
    "generation_kwargs": {"until": ["\n"]},
    "metric_list": [{"metric": "bypass"}],
}


# [inject
latch = Latch()


def stop(trip: Trip) -> None:
    """End the evaluation: its loop runs nothing else."""
    for task in asyncio.all_tasks():
        task.cancel()


def evaluate(base_url: str, key: str, tasks: list[Any]) -> dict[str, Any]:
    """Evaluate an API."""
    lm_eval.models.api_models.ClientSession = FailFastSession.with_defaults(
        latch=latch, on_trip=stop, retry=None
    )
    try:
        return lm_eval.simple_evaluate(
            model="local-chat-completions",
            model_args={
                "base_url": f"{base_url}/v1/chat/completions",
                "model": "gpt-4o-mini",
                "auth_token": key,
                "num_concurrent": 4,  # with 1 it does not use aiohttp
            },
            tasks=tasks,
            apply_chat_template=True,
            log_samples=True,
        )
    except asyncio.CancelledError:
        for trip in latch.trips:
            latch.check(trip.endpoint)  # raises: whose key is dead, and why
        raise


# inject]
if __name__ == "__main__":
    try:
        found = evaluate(os.environ["API_BASE_URL"], os.environ["API_KEY"], [TASK])
    except PermanentEndpointError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    for sample in found["samples"]["words"]:
        print(sample["resps"][0][0])
