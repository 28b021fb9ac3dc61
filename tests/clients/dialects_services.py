"""The dialects of services that are no language models, with errors as they really send them.

Where "spent" and "invalid" mean the same to a service, two spellings of it stand for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from dialects_llm import OPENAI
from fake_api import Dialect, as_json, corpus, soon
from loopback import BUSY, Reply

_XML = {"Content-Type": "application/xml"}


def _slack_message(path: str, body: bytes, text: str) -> Reply:
    message = {"type": "message", "text": text, "ts": "1700000000.000100"}
    return as_json({"ok": True, "channel": "C0LOOPBACK", "message": message})


def _graphql(path: str, body: bytes, text: str) -> Reply:
    return as_json({"data": {"echo": text}})


def _discord(path: str, body: bytes, text: str) -> Reply:
    user = {"id": "1", "discriminator": "0000", "avatar": None}
    if path.endswith("/users/@me"):
        return as_json({**user, "username": text})
    if path.endswith("/oauth2/applications/@me"):
        owner = {**user, "username": "loopback"}
        shown = {"id": "3", "name": text, "description": "", "icon": None, "owner": owner}
        flags = {"bot_public": False, "bot_require_code_grant": False}
        return as_json({**shown, **flags, "verify_key": "0", "rpc_origins": []})
    return _discord_message(path, text, {**user, "username": "loopback"})


def _discord_message(path: str, text: str, author: Mapping[str, object]) -> Reply:
    flags = dict.fromkeys(("tts", "mention_everyone", "pinned"), False)
    lists: dict[str, list[object]] = {
        name: [] for name in ("mentions", "mention_roles", "attachments", "embeds")
    }
    times = {"timestamp": "2026-01-01T00:00:00+00:00", "edited_timestamp": None}
    named = {"id": "2", "channel_id": path.split("/")[-2], "type": 0}
    return as_json({**named, "author": author, "content": text, **flags, **lists, **times})


def _objects(path: str, body: bytes, text: str) -> Reply:
    names = f"<Name>bucket</Name><Prefix>{text}</Prefix><KeyCount>0</KeyCount>"
    space = "http://s3.amazonaws.com/doc/2006-03-01/"
    return Reply(
        200, f'<ListBucketResult xmlns="{space}">{names}</ListBucketResult>'.encode(), _XML
    )


SLACK = Dialect(
    fine=_slack_message,
    spent=corpus("slack-200-account-inactive"),
    invalid=corpus("slack-200-invalid-auth"),
    busy=(soon(Reply(429, b'{"ok":false,"error":"ratelimited"}')),),
)

GRAPHQL = Dialect(
    fine=_graphql,
    spent=corpus("hasura-200-jwt-expired"),
    invalid=corpus("github-401-bad-credentials"),
    busy=(soon(BUSY),),
)

DISCORD = Dialect(
    fine=_discord,
    spent=corpus("discord-401-revoked-token"),
    invalid=corpus("discord-401-revoked-token"),
    # As in Discord's documentation of its rate limits; discord.py obeys it if it names a proxy.
    busy=(
        Reply(
            429,
            json.dumps(
                {"message": "You are being rate limited.", "retry_after": 0.04, "global": False}
            ).encode(),
            {"Content-Type": "application/json", "Via": "1.1 google"},
        ),
    ),
)

S3 = Dialect(
    fine=_objects,
    spent=corpus("s3-400-expired-token"),
    invalid=corpus("s3-403-invalid-access-key-id"),
    busy=(
        soon(
            Reply(
                503,
                b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message>"
                b"</Error>",
                _XML,
            )
        ),
    ),
)

HUGGINGFACE = Dialect(
    fine=OPENAI.fine,
    spent=corpus("huggingface-402-monthly-credits"),
    invalid=corpus("huggingface-401-invalid-credentials"),
    busy=(soon(BUSY),),
)

LITELLM_PROXY = Dialect(
    fine=OPENAI.fine,
    spent=corpus("litellm-422-budget-exceeded"),
    invalid=corpus("litellm-401-valid-token-none"),
    busy=OPENAI.busy,
)
