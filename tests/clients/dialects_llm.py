"""The dialects of OpenAI, Anthropic and Gemini, with errors as they really send them."""

from __future__ import annotations

import json

from fake_api import Dialect, as_json, corpus, soon
from loopback import Reply


def _chat_chunks(text: str) -> Reply:
    pieces = [{"role": "assistant", "content": ""}, *({"content": letter} for letter in text), {}]
    events = [
        {
            "id": "chatcmpl-loopback",
            "object": "chat.completion.chunk",
            "created": 1700000000,
            "model": "gpt-4o-mini",
            "choices": [{"index": 0, "delta": one, "finish_reason": None if one else "stop"}],
        }
        for one in pieces
    ]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    body = "".join([*lines, "data: [DONE]\n\n"]).encode()
    return Reply(200, body, {"Content-Type": "text/event-stream"})


def _chat_completion(path: str, body: bytes, text: str) -> Reply:
    if json.loads(body).get("stream"):
        return _chat_chunks(text)
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return as_json(
        {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "created": 1700000000,
            "model": json.loads(body).get("model", "gpt-4o-mini"),
            "choices": [choice],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
    )


def _message(path: str, body: bytes, text: str) -> Reply:
    return as_json(
        {
            "id": "msg_loopback",
            "type": "message",
            "role": "assistant",
            "model": json.loads(body).get("model", "claude-3-5-haiku-latest"),
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )


def _generated_content(path: str, body: bytes, text: str) -> Reply:
    content = {"role": "model", "parts": [{"text": text}]}
    return as_json(
        {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2},
            "modelVersion": "gemini-2.0-flash",
        }
    )


OPENAI = Dialect(
    fine=_chat_completion,
    spent=corpus("openai-insufficient-quota-docslink-1"),
    invalid=corpus("openai-401-bearer-in-key"),
    busy=(soon(corpus("openai-tpm-6ms-1")), soon(corpus("openai-overloaded-503-1"))),
)

ANTHROPIC = Dialect(
    fine=_message,
    spent=corpus("anthropic-credit-low-1"),
    invalid=corpus("anthropic-invalid-x-api-key-401-1"),
    busy=(soon(corpus("anthropic-rate-limited-429-1")), soon(corpus("anthropic-tpm-429-1"))),
)

GEMINI = Dialect(
    fine=_generated_content,
    spent=corpus("gemini-429-prepay-depleted-1"),
    invalid=corpus("gemini-key-expired-400-1"),
    busy=(soon(corpus("gemini-503-overloaded-1")),),
)
