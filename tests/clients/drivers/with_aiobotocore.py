"""aiobotocore, which makes its sessions itself: S3."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import aiobotocore.httpsession
import botocore.retryhandler
from aiobotocore.session import get_session
from driver import Ask, Job, main
from stand_in import aiohttp_with

# Its waits are drawn from 0 to 1, 2, 4 seconds; runs that are compared must draw the same.
botocore.retryhandler.random = SimpleNamespace(random=lambda: 0.05)


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open a client of S3."""
    aiobotocore.httpsession.aiohttp = aiohttp_with(job.session_class())
    opening = get_session().create_client(
        "s3",
        endpoint_url=job.url,
        region_name="us-east-1",
        aws_access_key_id="AKIALOOPBACK23456789",
        aws_secret_access_key=job.key,
    )
    async with opening as client:

        async def ask(prompt: str) -> object:
            return (await client.list_objects_v2(Bucket="bucket", Prefix=prompt))["Prefix"]

        yield ask


if __name__ == "__main__":
    main(opened)
