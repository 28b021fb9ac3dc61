"""Real answers that say that a key is spent or dead, each with its source."""

from __future__ import annotations

from .._verdict import VerdictKind
from ._answer import NamedAnswer

DEAD = (
    NamedAnswer(
        "openai-spent",
        429,
        VerdictKind.QUOTA,
        '{"error": {"message": "You exceeded your current quota, please check your plan and '
        "billing details. For more information on this error, read the docs: "
        'https://platform.openai.com/docs/guides/error-codes/api-errors.", "type": '
        '"insufficient_quota", "param": null, "code": "insufficient_quota"}}',
        "https://github.com/simonw/llm/issues/494",
    ),
    NamedAnswer(
        "openai-project-limit",
        429,
        VerdictKind.QUOTA,
        '{\n  "error": {\n    "message": "You exceeded your current quota, please check your '
        'plan and billing details.",\n    "type": "insufficient_quota",\n    "code": '
        '"project_spend_limit_exceeded"\n  }\n}',
        "https://dev.to/sublynow/your-openai-api-429-is-not-always-a-rate-limit-reading-insuffi"
        "cientquota-by-errorcode-1mbl",
    ),
    NamedAnswer(
        "openai-invalid",
        401,
        VerdictKind.AUTH,
        '{"error": {"code": "invalid_api_key", "message": "Incorrect API key provided: '
        "'Bearer ************************************************'. You can find your API key "
        'at https://platform.openai.com/account/api-keys.", "param": null, "type": '
        '"invalid_request_error"}}',
        "https://github.com/linweiyuan/go-chatgpt-api/issues/229",
    ),
    NamedAnswer(
        "openai-deactivated",
        401,
        VerdictKind.AUTH,
        '{\n  "error": {\n    "message": "The OpenAI account associated with this API key has '
        "been deactivated. If you are the developer for this OpenAI app, please check your "
        "email for more information. If you are seeing this error while using another app or "
        'site, please reach out to them for more help.",\n    "type": '
        '"invalid_request_error",\n    "param": null,\n    "code": "account_deactivated"\n  }\n'
        "}",
        "https://github.com/ChatGPTNextWeb/NextChat/issues/2782",
    ),
    NamedAnswer(
        "anthropic-low-credit",
        400,
        VerdictKind.QUOTA,
        '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit '
        "balance is too low to access the Anthropic API. Please go to Plans & Billing to "
        'upgrade or purchase credits."},"request_id":"req_011CAAAAAAAAAAAAAAAAAAAA"}',
        "https://github.com/anthropics/claude-code/issues/66314",
    ),
    NamedAnswer(
        "anthropic-invalid",
        401,
        VerdictKind.AUTH,
        '{"type":"error","error":{"type":"authentication_error","message":"invalid '
        'x-api-key"},"request_id":"req_011CAAAAAAAAAAAAAAAAAAAA"}',
        "https://github.com/ITSpecialist111/ai_automation_suggester/issues/153",
    ),
    NamedAnswer(
        "gemini-spent",
        429,
        VerdictKind.QUOTA,
        '{\n  "error": {\n    "code": 429,\n    "message": "Your prepayment credits are '
        "depleted. Please go to AI Studio at https://ai.studio/projects to manage your project "
        'and billing.",\n    "status": "RESOURCE_EXHAUSTED"\n  }\n}',
        "https://discuss.ai.google.dev/t/billing-sync-bug-prepay-balance-shows-r-0-429-resource"
        "-exhausted-despite-funded-prepaid-balance/170539",
    ),
    NamedAnswer(
        "gemini-invalid-key",
        400,
        VerdictKind.AUTH,
        '{"error":{"message":"{\\n  \\"error\\": {\\n    \\"code\\": 400,\\n    \\"message\\": '
        '\\"API key not valid. Please pass a valid API key.\\",\\n    \\"status\\": '
        '\\"INVALID_ARGUMENT\\",\\n    \\"details\\": [\\n      {\\n        \\"@type\\": '
        '\\"type.googleapis.com/google.rpc.ErrorInfo\\",\\n        \\"reason\\": '
        '\\"API_KEY_INVALID\\",\\n        \\"domain\\": \\"googleapis.com\\",\\n        '
        '\\"metadata\\": {\\n          \\"service\\": \\"generativelanguage.googleapis.com\\"\\'
        'n        }\\n      },\\n      {\\n        \\"@type\\": '
        '\\"type.googleapis.com/google.rpc.LocalizedMessage\\",\\n        \\"locale\\": '
        '\\"en-US\\",\\n        \\"message\\": \\"API key not valid. Please pass a valid API '
        'key.\\"\\n      }\\n    ]\\n  }\\n}\\n","code":400,"status":"Bad Request"}}',
        "https://github.com/continuedev/continue/issues/10290",
    ),
    NamedAnswer(
        "gemini-expired-key",
        400,
        VerdictKind.AUTH,
        '{"error": {"code": 400, "message": "API key expired. Please renew the API key.", '
        '"status": "INVALID_ARGUMENT", "details": [{"@type": '
        '"type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": '
        '"googleapis.com", "metadata": {"service": "generativelanguage.googleapis.com"}}, '
        '{"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "en-US", '
        '"message": "API key expired. Please renew the API key."}]}}',
        "https://github.com/plainbook-ai/plainbook/issues/25",
    ),
    NamedAnswer(
        "openrouter-spent",
        402,
        VerdictKind.QUOTA,
        '{"error":{"message":"Insufficient credits. Add more using '
        'https://openrouter.ai/settings/credits","code":402,"metadata":{"limit_source":"openrou'
        'ter_credits","remedy_hint":"Add credits at https://openrouter.ai/settings/credits, or '
        'lower max_tokens / prompt size to fit your remaining balance."}}}',
        "https://github.com/open-assistant-org/open-assistant/issues/80",
    ),
    NamedAnswer(
        "litellm-budget",
        429,
        VerdictKind.QUOTA,
        '{"error":{"message":"Budget has been exceeded! Key=bB-13071 (sk-...XXXX) Current '
        'cost: 0.0001182, Max budget: 0.0001","type":"budget_exceeded","code":"429"}}',
        "https://github.com/BerriAI/litellm/pull/31300",
    ),
    NamedAnswer(
        "deepseek-spent",
        402,
        VerdictKind.QUOTA,
        '{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":'
        '"invalid_request_error"}}',
        "https://github.com/Aider-AI/aider/issues/4851",
    ),
    NamedAnswer(
        "together-invalid",
        401,
        VerdictKind.AUTH,
        '{ "error": { "message": "Invalid API key provided. You can find your API key at '
        'https://api.together.xyz/settings/api-keys.", "type": "invalid_request_error", '
        '"param": null, "code": "invalid_api_key" } }',
        "https://github.com/harshitv804/LawGPT/issues/4",
    ),
    NamedAnswer(
        "github-invalid",
        401,
        VerdictKind.AUTH,
        '{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", '
        '"status": "401"}',
        "https://github.com/anmol098/waka-readme-stats/issues/506",
    ),
    NamedAnswer(
        "slack-invalid",
        200,
        VerdictKind.AUTH,
        '{"ok":false,"error":"invalid_auth"}',
        "https://github.com/BlakeWilliams/Elixir-Slack/issues/261",
    ),
)
