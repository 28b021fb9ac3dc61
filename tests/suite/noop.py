"""Stand-ins for the class under test, to try the harness itself.

``noop:NoopSession`` changes nothing: what fails with it fails with any subclass and belongs into
``expected.py``. ``noop:BrokenSession`` is wrong on purpose: a run that passes with it sees nothing.
"""

from __future__ import annotations

import warnings
from http import HTTPStatus
from typing import Any

import aiohttp

with warnings.catch_warnings():
    # aiohttp discourages inheritance; here that is the point.
    warnings.simplefilter("ignore", DeprecationWarning)

    class NoopSession(aiohttp.ClientSession):
        """Overrides what a real subclass overrides, and leaves everything as it was."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)

        async def _request(self, *args: Any, **kwargs: Any) -> aiohttp.ClientResponse:
            return await super()._request(*args, **kwargs)

    class BrokenSession(aiohttp.ClientSession):
        """Reports every 404 as 405, which aiohttp's tests must notice."""

        async def _request(self, *args: Any, **kwargs: Any) -> aiohttp.ClientResponse:
            response = await super()._request(*args, **kwargs)
            if response.status == HTTPStatus.NOT_FOUND:
                response.status = HTTPStatus.METHOD_NOT_ALLOWED
            return response
