"""Programs that do a whole job by themselves, and libraries that repeat calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from client import Client
from dialects_llm import OPENAI
from dialects_services import LITELLM_PROXY

PERMANENT = "aiohttp_failfast.PermanentEndpointError"
OURS = ("session", "default", "middleware", "trace")

_DICT = {"dict": (False, False)}
_NONE = {"NoneType": (False, False)}


def _sees(status: int, *more: str) -> Mapping[str, str]:
    """Return what is seen of a session that raises: its own error in place of aiohttp's."""
    ours = dict.fromkeys((*OURS, *more), f"{PERMANENT}[{status}]")
    return {"plain": f"aiohttp.ClientResponseError[{status}]", **ours}


def _retries(library: str, **more: Any) -> Client:
    return Client(
        environment="services",
        driver="retries",
        variant=library,
        **{
            "name": library.replace("_", "-"),
            "dialect": OPENAI,
            "spent": _sees(429, "respond", "respond_402"),
            "invalid": _sees(401),
            "headers": _NONE,
            **more,
        },
    )


_CURATOR = Client(
    name="curator",
    environment="curator",
    driver="curator",
    dialect=OPENAI,
    spent={"plain": "ValueError"},
    invalid={"plain": "ValueError"},
    headers=_DICT,
    whole=True,
)

CLIENTS = (
    _retries(
        "aiohttp_retry",
        headers=_DICT,
        more_kinds=("respond", "respond_402"),
        core=True,
        example="aiohttp_retry_client",
    ),
    _retries("tenacity", core=True, example="tenacity_retries"),
    _retries("tenacity-all"),
    _retries("stamina", example="stamina_retries"),
    _retries(
        "tenacity",
        name="litellm-proxy",
        dialect=LITELLM_PROXY,
        spent=_sees(422),
    ),
    Client(
        name="tenacity-on-trip",
        environment="services",
        driver="on_trip",
        dialect=OPENAI,
        spent=_sees(429),
        invalid=_sees(401),
        headers=_NONE,
        whole=True,
        core=True,
        example="on_trip_job",
    ),
    Client(
        name="lm-eval",
        environment="lm_eval",
        driver="lm_eval",
        dialect=OPENAI,
        spent=_sees(429),
        invalid=_sees(401),
        headers=_DICT,
        whole=True,
        core=True,
    ),
    Client(
        name="lm-eval-on-trip",
        environment="lm_eval",
        driver="lm_eval",
        variant="on_trip",
        dialect=OPENAI,
        spent=_sees(429),
        invalid=_sees(401),
        headers=_DICT,
        whole=True,
        core=True,
        example="lm_eval_job",
    ),
    _CURATOR,
    Client(
        name="curator-on-trip",
        environment="curator",
        driver="curator",
        variant="on_trip",
        dialect=OPENAI,
        spent={"plain": "ValueError", **dict.fromkeys(OURS, f"{PERMANENT}[429]")},
        invalid={"plain": "ValueError", **dict.fromkeys(OURS, f"{PERMANENT}[401]")},
        headers=_DICT,
        whole=True,
        example="curator_job",
    ),
)
