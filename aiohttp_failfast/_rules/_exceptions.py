# ruff: noqa: E501 - a pattern is easier to read on one line
"""Answers that look like a spent or dead key by their code and are none."""

from __future__ import annotations

from .._verdict import VerdictKind
from .row import Rule

WRAPPED = Rule(
    id="upstream-account",
    kind=VerdictKind.OTHER,
    about="any gateway: the spent or dead account is that of its upstream, not the caller's",
    marks=("upstream",),
    source="https://github.com/vercel/ai/issues/9290",
    read="2026-11-30",
    samples=("vercel-gateway-429-zai-recharge", "openrouter-anthropic-invalid-key-1"),
)
"""Stands in where a permanent row holds in an answer that a gateway wraps."""

EXCEPTIONS: tuple[Rule, ...] = (
    Rule(
        id="litellm-deployment-budget",
        kind=VerdictKind.WINDOWED,
        about="LiteLLM: budget of a provider or deployment of the gateway, per duration",
        words=(
            r"crossed budget for provider",
            r"exceeded budget for (?:provider|deployment)",
        ),
        source="https://github.com/BerriAI/litellm-docs/blob/main/docs/proxy/provider_budget_routing.md",
        read="2026-11-30",
        samples=(
            "litellm-429-provider-budget-no-deployments",
            "litellm-429-deployment-budget-no-deployments",
        ),
    ),
    Rule(
        id="part-budget",
        kind=VerdictKind.OTHER,
        about="LiteLLM: budget of one model, tag, session, end user or customer",
        words=(
            r"exceeded budget for (?:model|tag|end.user|end user|enduser|customer)",
            r"session budget",
            r"budget for (?:this |the )?(?:model|tag|session|end.user|end user|enduser|customer)\b",
            r"(?:end.user|end user|enduser|customer)\b.{0,80} over budget",
            r"(?:model|tag|session|end.user|end user|enduser|customer) .{0,40}budget (?:has been |was |is )?(?:exceeded|reached|exhausted)",
            r"over budget for model",
        ),
        source="https://github.com/BerriAI/litellm-docs/blob/main/docs/proxy/users.md",
        read="2026-11-30",
        samples=(
            "litellm-400-key-model-budget",
            "litellm-session-budget-429",
            "litellm-429-tag-budget-no-deployments",
        ),
    ),
    Rule(
        id="litellm-throttled",
        kind=VerdictKind.TRANSIENT,
        about="LiteLLM: a key over its budget that is slowed down, not blocked",
        codes=("throttling_error",),
        source="https://github.com/BerriAI/litellm/pull/31300",
        read="2026-11-30",
        samples=("litellm-429-over-budget-throttled",),
    ),
    Rule(
        id="oneapi-upstream-saturated",
        kind=VerdictKind.TRANSIENT,
        about="one-api: the code is that of the upstream, the words say try again later",
        words=(r"负载已?饱和", r"上游负载"),
        source="https://github.com/songquanpeng/one-api/blob/main/controller/relay.go",
        read="2026-11-30",
        samples=("oneapi-429-upstream-saturated",),
    ),
    Rule(
        id="alibaba-throttle",
        kind=VerdictKind.TRANSIENT,
        about="DashScope: tokens per minute in the words and under the code of an empty account",
        words=(r"error-code#(?:token|rate)-limit", r"^allocated quota exceeded"),
        statuses=(429,),
        source="https://github.com/can1357/oh-my-pi/pull/8476",
        read="2026-11-30",
        samples=(
            "dashscope-429-tpm-in-quota-words",
            "dashscope-429-allocation-quota-openai-words",
            "aliyun-429-throttling-allocation-tpm",
        ),
    ),
    Rule(
        id="azure-capacity",
        kind=VerdictKind.OTHER,
        about="Azure management: a deployment asks for more capacity than the region has",
        codes=("InsufficientQuota",),
        words=(r"new capacity in quota", r"available capacity"),
        source="https://github.com/microsoft/PubSec-Info-Assistant/issues/880",
        read="2026-11-30",
        samples=("azure-arm-400-insufficient-quota",),
    ),
    Rule(
        id="payment-of-a-customer",
        kind=VerdictKind.OTHER,
        about="payment APIs, chains: the purse of a customer or of a transaction, not the key's",
        words=(
            r"your card",
            r"card (?:was |has been )?declined",
            r"insufficient funds for (?:gas|transfer|transaction|intrinsic|this)\b.*",
        ),
        source="https://docs.stripe.com/declines/codes",
        read="2026-11-30",
        samples=("stripe-402-card-insufficient-funds", "ethereum-200-insufficient-funds-gas"),
    ),
    Rule(
        id="pay-per-call",
        kind=VerdictKind.OTHER,
        about="x402: the price of this one request, to be paid with it",
        marks=("pay-per-call",),
        source="https://github.com/coinbase/x402",
        read="2026-11-30",
        samples=("x402-402-payment-required",),
    ),
    Rule(
        id="credit-reserved",
        kind=VerdictKind.TRANSIENT,
        about="OpenRouter, FluxRouter: credit is held by requests in flight",
        codes=(
            "in_flight_budget_exhausted",
            "openrouter_in_flight_budget",
            "credit_unresolved",
            "concurrent_budget_exceeded",
        ),
        source="https://github.com/NousResearch/hermes-agent/issues/102517",
        read="2026-11-30",
        samples=("openrouter-402-in-flight-budget", "fluxrouter-402-credit-unresolved"),
    ),
    Rule(
        id="can-afford-less",
        kind=VerdictKind.OTHER,
        about="OpenRouter: a cheaper request would pass",
        words=(
            r"can only afford [1-9]",
            r"prompt tokens limit exceeded",
            r"your (?:current )?balance is [1-9]\d*, but",
        ),
        statuses=(402, 403),
        source="https://github.com/Gitlawb/openclaude/issues/1125",
        read="2026-11-30",
        samples=(
            "openrouter-402-fewer-max-tokens-27342",
            "openrouter-402-prompt-tokens-limit",
            "rfc9457-403-out-of-credit",
        ),
    ),
    Rule(
        id="model-free-tier-spent",
        kind=VerdictKind.OTHER,
        about="DashScope: the free allotment of this one model",
        codes=("AllocationQuota.FreeTierOnly",),
        source="https://github.com/APIParkLab/APIPark/issues/394",
        read="2026-11-30",
        samples=("dashscope-403-free-tier-exhausted",),
    ),
    Rule(
        id="kimi-plan-window",
        kind=VerdictKind.WINDOWED,
        about="Kimi Code: window of the plan under a code that sounds final",
        codes=("access_terminated_error",),
        words=(r"usage limit", r"quota will (?:reset|be refreshed)"),
        source="https://github.com/openclaw/openclaw/pull/142656",
        read="2026-11-30",
        samples=("kimi-code-403-weekly-window", "kimi-code-403-billing-cycle-but-5h-window"),
    ),
)
