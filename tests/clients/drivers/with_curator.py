"""bespokelabs-curator, a whole ``LLM()`` run; it makes a session for each file of requests.

The variant "on_trip" ends the job where the latch trips, by cancelling what runs in its loop.
"""

from __future__ import annotations

import asyncio
import os
import tempfile

os.environ.update(CURATOR_DISABLE_CACHE="1", CURATOR_DISABLE_RICH_DISPLAY="1")

from bespokelabs import curator
from bespokelabs.curator.request_processor.online import base_online_request_processor
from driver import Job, main_program
from jobs import cancel_all, told
from stand_in import aiohttp_with


def program(job: Job) -> list[str]:
    """Have each prompt answered."""
    if job.variant == "on_trip":
        cancel_all(job)
    base_online_request_processor.aiohttp = aiohttp_with(job.session_class())
    model = curator.LLM(
        model_name="gpt-4o-mini",
        backend="openai",
        backend_params={
            "base_url": f"{job.url}/v1",
            "api_key": job.key,
            "max_concurrent_requests": job.concurrency,
            "max_requests_per_minute": 100_000,
            "max_tokens_per_minute": 100_000_000,
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            return list(model(job.prompts, working_dir=folder).dataset["response"])
        except asyncio.CancelledError:
            raise told(job) from None


if __name__ == "__main__":
    main_program(program)
