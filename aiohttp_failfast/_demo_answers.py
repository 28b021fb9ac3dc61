"""The answers that the demo's server can give for a dead key: real ones, each with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One answer as it was seen on the wire.

    Attributes:
        title: what it is, for a person.
        status: its HTTP status.
        body: its body.
        source: where it was seen.
    """

    title: str
    status: int
    body: str
    source: str


DEAD = {
    "spent": Sample(
        "OpenAI: quota spent",
        429,
        '{"error": {"message": "You exceeded your current quota, please check your plan and '
        "billing details. For more information on this error, read the docs: "
        'https://platform.openai.com/docs/guides/error-codes/api-errors.", '
        '"type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}',
        "https://github.com/simonw/llm/issues/494",
    ),
    "invalid": Sample(
        "Together: invalid key",
        401,
        '{ "error": { "message": "Invalid API key provided. You can find your API key at '
        'https://api.together.xyz/settings/api-keys.", "type": "invalid_request_error", '
        '"param": null, "code": "invalid_api_key" } }',
        "https://github.com/harshitv804/LawGPT/issues/4",
    ),
    "low-credit": Sample(
        "Anthropic: credit balance too low",
        400,
        '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance '
        "is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or "
        'purchase credits."},"request_id":"req_011CAAAAAAAAAAAAAAAAAAAA"}',
        "https://github.com/anthropics/claude-code/issues/66314",
    ),
    "expired": Sample(
        "Gemini: key expired",
        400,
        '{"error": {"code": 400, "message": "API key expired. Please renew the API key.", '
        '"status": "INVALID_ARGUMENT", "details": [{"@type": '
        '"type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": '
        '"googleapis.com", "metadata": {"service": "generativelanguage.googleapis.com"}}, '
        '{"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "en-US", '
        '"message": "API key expired. Please renew the API key."}]}}',
        "https://github.com/plainbook-ai/plainbook/issues/25",
    ),
    "no-credits": Sample(
        "OpenRouter: no credits",
        402,
        '{"error":{"message":"Insufficient credits. Add more using '
        'https://openrouter.ai/settings/credits","code":402,"metadata":{"limit_source":'
        '"openrouter_credits","remedy_hint":"Add credits at '
        "https://openrouter.ai/settings/credits, or lower max_tokens / prompt size to fit your "
        'remaining balance."}}}',
        "https://github.com/open-assistant-org/open-assistant/issues/80",
    ),
    "budget": Sample(
        "LiteLLM proxy: budget exceeded",
        429,
        '{"error":{"message":"Budget has been exceeded! Key=bB-13071 (sk-...XXXX) Current cost: '
        '0.0001182, Max budget: 0.0001","type":"budget_exceeded","code":"429"}}',
        "https://github.com/BerriAI/litellm/pull/31300",
    ),
}
"""By the name that ``demo --answer`` takes."""

OVERLOADED = Sample(
    "OpenAI: overloaded",
    503,
    '{"error": {"message": "That model is currently overloaded with other requests. You can '
    "retry your request, or contact us through our help center at help.openai.com if the error "
    'persists. (Please include the request ID 00000000  in your message.)", '
    '"type": "server_error", "param": null, "code": null}}',
    "https://github.com/waylaidwanderer/node-chatgpt-api/issues/34",
)
"""Passing trouble, which is to be retried."""
