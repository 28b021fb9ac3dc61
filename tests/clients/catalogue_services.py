"""Services that are no language models, and the libraries that call them."""

from __future__ import annotations

from collections.abc import Mapping

from client import Client
from dialects_services import DISCORD, GRAPHQL, HUGGINGFACE, S3, SLACK

PERMANENT = "aiohttp_failfast.PermanentEndpointError"

# They make errors of their own from answers, and no httpx tells them apart from other callers.
_RESPOND = {"when_tripped": "respond"}
_DICT = {"dict": (False, False)}


def _mixed(native: str, status: int) -> Mapping[str, str]:
    """Return what is seen where a trace config raises to some calls, and not to all."""
    return {"plain": native, "trace": f"{native} | {PERMANENT}[{status}]"}


CLIENTS = (
    Client(
        name="slack",
        environment="services",
        driver="slack",
        dialect=SLACK,
        session_options={**_RESPOND, "watch_ok_bodies": True},
        # A 200 is judged as it is read: calls in flight see it as it is.
        spent=_mixed("slack_sdk.SlackApiError", 200),
        invalid=_mixed("slack_sdk.SlackApiError", 200),
        headers=_DICT,
        own_retries=False,
        example="slack_bot",
    ),
    Client(
        name="gql",
        environment="services",
        driver="gql",
        dialect=GRAPHQL,
        session_options={**_RESPOND, "watch_ok_bodies": True},
        spent={"plain": "gql.TransportQueryError"},
        invalid={
            "plain": "gql.TransportServerError < aiohttp.ClientResponseError[401]",
            "session": f"gql.TransportServerError < {PERMANENT}[401]",
            "default": f"gql.TransportServerError < {PERMANENT}[401]",
            "middleware": f"gql.TransportServerError < {PERMANENT}[401]",
        },
        headers={"NoneType": (False, False)},
        own_retries=False,
        without={"trace": "a passing 503 comes out as this package's kind of ClientResponseError"},
        example="gql_client",
    ),
    Client(
        name="discord",
        environment="services",
        driver="discord",
        dialect=DISCORD,
        session_options=_RESPOND,
        sightings=2,
        spent=_mixed("discord.HTTPException[401]", 401),
        invalid=_mixed("discord.HTTPException[401]", 401),
        headers=_DICT,
        example="discord_bot",
    ),
    Client(
        name="aiobotocore",
        environment="services",
        driver="aiobotocore",
        dialect=S3,
        session_options=_RESPOND,
        spent={
            "plain": "botocore.ClientError",
            "trace": f"botocore.HTTPClientError < {PERMANENT}[400]",
        },
        invalid={
            "plain": "botocore.ClientError",
            "trace": f"botocore.HTTPClientError < {PERMANENT}[403]",
        },
        headers={"multidict._multidict.CIMultiDict": (False, False)},
        example="aiobotocore_s3",
    ),
    Client(
        name="huggingface-hub",
        environment="services",
        driver="huggingface_hub",
        dialect=HUGGINGFACE,
        session_options=_RESPOND,
        spent={
            "plain": "aiohttp.ClientResponseError[402]",
            "session": f"{PERMANENT}[402]",
            "default": f"{PERMANENT}[402]",
            "middleware": f"{PERMANENT}[402]",
        },
        invalid={
            "plain": "aiohttp.ClientResponseError[401]",
            "session": f"{PERMANENT}[401]",
            "default": f"{PERMANENT}[401]",
            "middleware": f"{PERMANENT}[401]",
        },
        headers={"NoneType": (False, False)},
        own_retries=False,
        without={"trace": "it crashes on what a session raises, and leaves its sessions open"},
        example="huggingface_hub_calls",
    ),
)
