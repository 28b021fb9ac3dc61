"""SDKs of language models.

Where no kind is named, the user sees what they see on plain aiohttp: the SDK's own error. A trace
config can only raise; most SDKs of httpx wrap that and sleep through their retries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from client import Client
from dialects_llm import ANTHROPIC, GEMINI, OPENAI

PERMANENT = "aiohttp_failfast.PermanentEndpointError"
OURS = ("session", "default", "middleware", "trace")

# What `is_library_transport` says of their headers: to the session, to the middleware.
_HTTPX = {"httpx.Headers": (True, True)}
_HTTPX2 = {"httpx2.Headers": (True, True)}
_DICT = {"dict": (False, False)}

_LITELLM_500 = "litellm.InternalServerError[500] < litellm.AnthropicError[500] < httpx.RequestError"
_LITELLM_LOST = (
    "litellm.InternalServerError[500] < litellm.OpenAIError[500]"
    " < openai.APIConnectionError < httpx.RequestError"
)

_NAPS = {"trace": "the SDK takes the error for a lost connection, and sleeps before its retries"}


def _raised(native: str, status: int) -> Mapping[str, str]:
    """Return what is seen where a raise out of the session goes through as it is."""
    return {"plain": native, "trace": f"{PERMANENT}[{status}]"}


def _wrapped(native: str, wrapper: str) -> Mapping[str, str]:
    """Return what is seen where a raise out of the session is wrapped."""
    return {"plain": native, "trace": f"{wrapper} < {PERMANENT}"}


def _openai(
    version: int, headers: Mapping[str, tuple[bool, bool]], name: str = "", **more: Any
) -> Client:
    lost = "openai.APIConnectionError"
    seen = {"openai.RateLimitError[429]": 429, "openai.AuthenticationError[401]": 401}
    spent, invalid = (
        _wrapped(native, lost) if version < 3 else _raised(native, status)
        for native, status in seen.items()
    )
    return Client(
        name=name or f"openai{version}",
        environment=f"openai{version}",
        driver="openai",
        dialect=OPENAI,
        spent={**spent, "spent_402": "openai.APIStatusError[402]"},
        invalid=invalid,
        headers=headers,
        more_kinds=("spent_402",),
        slow=_NAPS if version < 3 else {},
        **more,
    )


def _anthropic(
    version: int, environment: str, headers: Mapping[str, tuple[bool, bool]], **more: Any
) -> Client:
    lost = "anthropic.APIConnectionError"
    return Client(
        name=f"anthropic{version}",
        environment=environment,
        driver="anthropic",
        dialect=ANTHROPIC,
        spent=_wrapped("anthropic.BadRequestError[400]", lost),
        invalid=_wrapped("anthropic.AuthenticationError[401]", lost),
        headers=headers,
        slow=_NAPS,
        **more,
    )


def _google(name: str, **more: Any) -> Client:
    spent = dict.fromkeys(OURS, f"{PERMANENT}[429]")
    invalid = dict.fromkeys(OURS, f"{PERMANENT}[400]")
    return Client(
        name=name,
        environment="frameworks",
        driver="google_genai",
        dialect=GEMINI,
        spent={"plain": "google.ClientError", **spent},
        invalid={"plain": "google.ClientError", **invalid},
        headers=_DICT,
        **more,
    )


CLIENTS = (
    _openai(1, _HTTPX, example="openai_1_and_2"),
    _openai(2, _HTTPX, example="openai_1_and_2"),
    _openai(3, _HTTPX2, example="openai_3", core=True),
    _openai(3, _HTTPX2, name="openai3-stream", variant="stream"),
    _anthropic(0, "openai1", _HTTPX),
    _anthropic(1, "openai2", _HTTPX2),
    _anthropic(2, "openai3", _HTTPX2, example="anthropic_2", core=True),
    Client(
        name="langchain-openai",
        environment="frameworks",
        driver="langchain",
        dialect=OPENAI,
        spent=_raised("langchain_openai.OpenAIRateLimitError[429]", 429),
        invalid=_raised("langchain_openai.OpenAIAuthenticationError[401]", 401),
        headers=_HTTPX2,
        example="langchain_openai_chat",
    ),
    Client(
        name="pydantic-ai",
        environment="frameworks",
        driver="pydantic_ai",
        dialect=OPENAI,
        spent={
            **_raised("pydantic_ai.ModelQuotaExceededError[429]", 429),
            "spent_402": "pydantic_ai.ModelQuotaExceededError[402]",
        },
        invalid=_raised("pydantic_ai.ModelAuthenticationError[401]", 401),
        headers=_HTTPX2,
        more_kinds=("spent_402",),
        example="pydantic_ai_agent",
    ),
    _google("google-genai", own_retries=False, example="google_genai"),
    _google(
        "google-genai-retries",
        variant="retries",
        more_kinds=("respond", "respond_402"),
        example="google_genai_retries",
    ),
    Client(
        name="litellm",
        environment="litellm",
        driver="litellm",
        variant="openai",
        dialect=OPENAI,
        spent={
            **_wrapped("litellm.RateLimitError[429]", _LITELLM_LOST),
            "spent_402": "litellm.APIError[402]",
        },
        invalid=_wrapped("litellm.AuthenticationError[401]", _LITELLM_LOST),
        headers=_HTTPX,
        more_kinds=("spent_402",),
        slow=_NAPS,
        core=True,
        example="litellm_openai",
    ),
    Client(
        name="litellm-router",
        environment="litellm",
        driver="litellm",
        variant="router",
        dialect=OPENAI,
        spent={
            "plain": "litellm.RateLimitError[429]",
            **dict.fromkeys(("session", "default", "middleware"), "litellm.APIError[402]"),
        },
        invalid={"plain": "litellm.AuthenticationError[401] | litellm.RouterRateLimitError[429]"},
        headers=_HTTPX,
        session_options={"spent_status": 402},
        more_kinds=("without_402",),
        without={
            "trace": "the Router retries what litellm makes of the error, for half a minute",
            "busy": "its waits take that long",
        },
        calls=8,
        example="litellm_router",
    ),
    Client(
        name="litellm-anthropic",
        environment="litellm",
        driver="litellm",
        variant="anthropic",
        dialect=ANTHROPIC,
        spent=_wrapped("litellm.BadRequestError[400]", _LITELLM_500),
        invalid=_wrapped("litellm.AuthenticationError[401]", _LITELLM_500),
        headers=_HTTPX,
        own_retries=False,
        example="litellm_anthropic",
    ),
)
