"""Real answers to a good key, each with its source: trouble that passes, or a wrong request."""

from __future__ import annotations

from .._verdict import VerdictKind
from ._answer import NamedAnswer

ALIVE = (
    NamedAnswer(
        "gemini-daily-window",
        429,
        VerdictKind.WINDOWED,
        '{\n    "error": {\n        "code": 429,\n        "message": "You exceeded your '
        "current quota, please check your plan and billing details. For more information on "
        'this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",\n        '
        '"status": "RESOURCE_EXHAUSTED",\n        "details": [\n            {\n                '
        '"@type": "type.googleapis.com/google.rpc.QuotaFailure",\n                '
        '"violations": [\n                    {\n                        "quotaMetric": '
        '"generativelanguage.googleapis.com/generate_content_free_tier_requests",\n            '
        '            "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",\n         '
        '               "quotaDimensions": {\n                            "location": '
        '"global",\n                            "model": "gemini-2.5-flash"\n                  '
        '      },\n                        "quotaValue": "250"\n                    }\n        '
        '        ]\n            },\n            {\n                "@type": '
        '"type.googleapis.com/google.rpc.Help",\n                "links": [\n                  '
        '  {\n                        "description": "Learn more about Gemini API quotas",\n   '
        '                     "url": "https://ai.google.dev/gemini-api/docs/rate-limits"\n     '
        "               }\n                ]\n            },\n            {\n                "
        '"@type": "type.googleapis.com/google.rpc.RetryInfo",\n                "retryDelay": '
        '"22s"\n            }\n        ]\n    }\n}',
        "https://oppl.ai/llms/gemini_complex_1/JE00B3XR4V72.json",
    ),
    NamedAnswer(
        "rate-limited",
        429,
        VerdictKind.TRANSIENT,
        '{\n    "error": {\n        "message": "Rate limit reached for 10KTPM-200RPM in '
        "organization org-AbCdEfGhIjK on tokens per min. Limit: 10000 / min. Please try again "
        "in 6ms. Contact us through our help center at help.openai.com if you continue to have "
        'issues.",\n        "type": "tokens",\n        "param": null,\n        "code": '
        '"rate_limit_exceeded"\n    }\n}',
        "https://github.com/Pythagora-io/gpt-pilot/issues/17",
    ),
    NamedAnswer(
        "overloaded",
        503,
        VerdictKind.TRANSIENT,
        '{\n  "error": {\n    "message": "That model is currently overloaded with other '
        "requests. You can retry your request, or contact us through our help center at "
        "help.openai.com if the error persists. (Please include the request ID 00000000  in "
        'your message.)",\n    "type": "server_error",\n    "param": null,\n    "code": null\n '
        " }\n}",
        "https://github.com/waylaidwanderer/node-chatgpt-api/issues/34",
    ),
    NamedAnswer(
        "anthropic-overloaded",
        529,
        VerdictKind.TRANSIENT,
        '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        "https://github.com/cline/cline/issues/52",
    ),
    NamedAnswer(
        "no-such-model",
        404,
        VerdictKind.OTHER,
        '{"error": {"message": "The model `gpt-4` does not exist or you do not have access to '
        'it. Learn more: https://help.openai.com/en/articles/7102672-how-can-i-access-gpt-4.", '
        '"type": "invalid_request_error", "param": null, "code": "model_not_found"}}',
        "https://github.com/Chainlit/cookbook/issues/82",
    ),
    NamedAnswer(
        "forbidden",
        403,
        VerdictKind.OTHER,
        '<!doctype html><meta charset="utf-8"><meta name=viewport content="width=device-width, '
        'initial-scale=1"><title>403</title>403 Forbidden',
        "https://github.com/langgenius/dify/issues/2506",
    ),
)
