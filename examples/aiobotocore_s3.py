"""aiobotocore with a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys
from types import SimpleNamespace

import aiobotocore.httpsession
import aiohttp
from aiobotocore.session import get_session
from botocore.exceptions import ClientError

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """List what begins with each of three prefixes."""
    # aiobotocore makes its sessions itself; it repeats passing errors, and makes its own of others.
    session_class = FailFastSession.with_defaults(when_tripped="respond", retry=None)
    aiobotocore.httpsession.aiohttp = SimpleNamespace(
        **{**vars(aiohttp), "ClientSession": session_class}
    )
    async with get_session().create_client(
        "s3",
        endpoint_url=base_url,  # leave it out for the real S3
        region_name="us-east-1",
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key=key,
    ) as client:
        for word in ("one", "two", "three"):
            print((await client.list_objects_v2(Bucket="bucket", Prefix=word))["Prefix"])


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except ClientError as error:
        sys.exit(f"{type(error).__name__}: {error}")
