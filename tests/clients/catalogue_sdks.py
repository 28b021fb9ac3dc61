"""SDKs of language models."""

from __future__ import annotations

from client import Client
from dialects_llm import OPENAI

PERMANENT = "aiohttp_failfast.PermanentEndpointError"

_HTTPX = {"httpx.Headers": (True, True)}
_HTTPX2 = {"httpx2.Headers": (True, True)}

CLIENTS = (
    Client(
        name="openai3",
        environment="openai3",
        driver="openai",
        dialect=OPENAI,
        spent={"plain": "openai.RateLimitError[429]", "trace": PERMANENT + "[429]"},
        invalid={"plain": "openai.AuthenticationError[401]", "trace": PERMANENT + "[401]"},
        headers=_HTTPX2,
        core=True,
    ),
)
