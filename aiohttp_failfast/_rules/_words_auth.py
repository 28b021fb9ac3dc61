# ruff: noqa: E501 - a pattern is easier to read on one line
"""Prose that says: the key is dead."""

from __future__ import annotations

from .._verdict import VerdictKind
from .row import Rule

_WIDE = (200, 400, 401, 403, 412, 422, 429, 498)
_REFUSED = (401, 403)
_KEY = (
    r"(?:x-api-key|api key|api keys|api-key|api-keys|api_key|apikey|apikeys|api token|api tokens"
    r"|api-token|api_token)"
)
_BAD = r"(?:invalid|incorrect|wrong|bad|unknown|unrecognized|malformed|expired|revoked|disabled)"
_DEAD = (
    r"(?:invalid|incorrect|wrong|not valid|not active|inactive|expired|revoked|disabled|deactivated"
    r"|deleted|blocked|suspended|leaked|compromised|not found|not recognized|unauthorized)"
)
_NOT_THE_KEY = (r"\bscopes?\b", r"permission", r"\bip address", r"not allowed to")

WORDS_AUTH: tuple[Rule, ...] = (
    Rule(
        id="key-words",
        kind=VerdictKind.AUTH,
        about="any: an API key that is invalid, expired, revoked or missing",
        words=(
            rf"{_BAD} (?:or missing |or expired |\S{{1,30}} or )?{_KEY}",
            rf"{_KEY} (?:you )?(?:provided )?(?:is |was |has been |has |appears to be |or \S+ in the request is )?(?:\w+ (?:or|as) )?{_DEAD}",
            rf"{_KEY}: \S{{1,80}} is {_DEAD}",
            rf"(?:no|missing|without|without an) {_KEY}",
            rf"{_KEY} (?:is )?(?:required|missing|not provided|not set|not supplied)",
            rf"(?:didn't|did not) (?:provide|pass|send|include|supply) an? {_KEY}",
            rf"must (?:use|provide|include|supply) an? {_KEY}",
            rf"{_KEY} (?:header )?(?:is )?required",
            r"neither authorization header",
            r"(?:invalid|unknown) project id",
            r"project id is required",
            r"expired key",
            r"malformed api key",
            r"reported as leaked",
            r"(?:invalid|missing) subscription key",
            rf"{_BAD} (?:access|private|secret|license|application|app) key",
            r"access key id .{0,40}(?:does not exist|invalid)",
            r"key is blocked",
        ),
        statuses=_WIDE,
        unless=(r"requests? (?:limit|rate)",),
        source="https://github.com/landgraf-dev/openai-delphi/issues/3",
        read="2026-11-30",
        samples=(
            "openai-no-key-1",
            "xai-400-incorrect-key-string",
            "xai-incorrect-key-400-encoded-1",
            "siliconflow-401-string-body",
            "gemini-key-leaked-403-1",
            "azure-apim-missing-key-401-1",
            "azure-invalid-key-code-unauthorized-1",
            "kong-401-no-key-request-id",
            "neuralwatt-401-key-inactive",
            "notion-401-token-invalid",
            "litellm-401-key-blocked",
            "deepseek-auth-invalid-key-quoted",
        ),
    ),
    Rule(
        id="litellm-key-words",
        kind=VerdictKind.AUTH,
        about="LiteLLM: key unknown to the proxy, told in prose",
        words=(
            r"invalid proxy server token",
            r"unable to find token in cache",
            r"invalid user key",
        ),
        statuses=_REFUSED,
        sightings=2,
        source="https://github.com/BerriAI/litellm/issues/7287",
        read="2026-11-30",
        samples=("litellm-401-valid-token-none", "litellm-401-detail-invalid-user-key"),
    ),
    Rule(
        id="no-such-user",
        kind=VerdictKind.AUTH,
        about="OpenRouter, DeepSeek: no such user; also seen on live keys",
        words=(r"^user not found", r"no such user"),
        statuses=_REFUSED,
        sightings=2,
        source="https://github.com/deepseek-ai/DeepSeek-R1/issues/82",
        read="2026-11-30",
        samples=("deepseek-auth-no-such-user-1", "openrouter-401-user-not-found"),
    ),
    Rule(
        id="account-words",
        kind=VerdictKind.AUTH,
        about="any: account, organization or project switched off",
        words=(
            r"(?:account|organi[sz]ation|project|workspace|consumer|subscription)\b.{0,60}(?:has been|is|was|been) (?:permanently )?(?:deactivated|disabled|suspended|banned|restricted|locked|terminated|closed|denied access)",
            r"^user is locked",
            r"(?:team|user) is blocked",
            r"deactivated account",
            r"access was terminated",
            r"disabled in this account",
            r"key based authentication is disabled",
        ),
        statuses=(200, 400, 401, 403, 412, 422, 429),
        unless=(r"temporar\w*",),
        source="https://github.com/anthropics/claude-code/issues/72457",
        read="2026-11-30",
        samples=(
            "anthropic-org-disabled-400-1",
            "gemini-project-denied-403-1",
            "gemini-code-assist-tos-403-1",
            "gemini-code-assist-tos-403-array-1",
            "antigravity-proxy-tos-403-nested-1",
        ),
    ),
    Rule(
        id="token-words",
        kind=VerdictKind.AUTH,
        about="any: a token or credentials that are invalid, expired or missing, with 401 or 403",
        words=(
            rf"{_BAD} (?:bearer |access |auth(?:entication|orization)? |security |refresh )?(?:tokens?|credentials?)\b",
            rf"(?:token|credentials?|jwt)\b.{{0,40}}(?:is|has|are|was|been) (?:missing|{_DEAD})",
            rf"(?:token|jwt) (?:{_DEAD}|revoked|missing)",
            r"(?:invalid|no|malformed) (?:jwt|token)",
            r"(?:invalid|incorrect|wrong|bad) (?:username|user name|login|email|user)(?: or |/| and )(?:password|secret|key|token)",
            r"authorization grant is invalid",
            r"credentials were not (?:provided|found)",
            r"credentials not found",
            r"(?:could not|unable to|cannot) (?:validate|verify|authenticate) (?:the |your )?(?:credentials|token|key|request|user)",
            r"(?:did not|didn't) (?:pass|provide|send|include|supply) (?:an? )?(?:authentication|auth|access|api|bearer) ?(?:token|credentials|header)",
            r"requires authentication",
            r"must be authenticated",
            r"login required",
            r"authorization (?:field|header) (?:is )?(?:missing|required|badly formatted|invalid|not found)",
            r"missing required auth\w* credentials?",
            r"no .{0,20}auth(?:entication|orization)? (?:credentials|header|token)",
            r"no or an invalid authentication header",
            r"(?:missing|invalid) auth(?:entication|orization)? (?:header|credentials|token)",
            r"bad credentials",
            r"invalid auth(?:entication)?\b",
        ),
        statuses=_REFUSED,
        unless=_NOT_THE_KEY,
        source="https://github.com/anthropics/claude-code/issues/84903",
        read="2026-11-30",
        samples=(
            "anthropic-invalid-bearer-401-1",
            "openrouter-401-no-auth-credentials",
            "openrouter-401-no-cookie-auth",
            "github-401-bad-credentials",
            "huggingface-401-invalid-credentials",
            "bedrock-token-invalid-403-1",
            "cf-aig-401-no-auth-header",
        ),
    ),
    Rule(
        id="chinese-key",
        kind=VerdictKind.AUTH,
        about="one-api, new-api, Zhipu and others, in Chinese: key invalid, expired or missing",
        words=(
            r"无效的(?:令牌|密钥|api ?key|token)",
            r"未提供(?:令牌|密钥|api ?key|token)",
            r"令牌(?:已过期|状态不可用|已被禁用|无效|不存在)",
            r"(?:密钥|api ?key|token) ?(?:无效|已?过期|不存在|已失效|错误|已被禁用)",
            r"无法进行身份验证|身份验证失败|鉴权失败|认证失败",
            r"(?:账[户号]|用户).{0,6}(?:已被?(?:禁用|封禁|锁定|停用)|异常)",
        ),
        statuses=(200, 400, 401, 403, 429),
        source="https://github.com/songquanpeng/one-api/blob/main/model/token.go",
        read="2026-11-30",
        samples=(
            "oneapi-401-invalid-token",
            "oneapi-401-no-token",
            "oneapi-401-token-expired",
            "oneapi-401-token-status-unavailable",
        ),
    ),
    Rule(
        id="authentication-type",
        kind=VerdictKind.AUTH,
        about="Anthropic and compatible: type authentication_error with 401 or 403",
        codes=("authentication_error",),
        statuses=_REFUSED,
        unless=(*_NOT_THE_KEY, r"\bmodel\b", r"region"),
        sightings=2,
        source="https://github.com/anthropics/claude-code/issues/6752",
        read="2026-11-30",
        samples=("anthropic-oauth-not-allowed-org-401-1",),
    ),
    Rule(
        id="unauthorized-words",
        kind=VerdictKind.AUTH,
        about="any API: says no more than that the caller is not known; seen on live keys too",
        words=(
            r"(?:^|\| )(?:401:? )?(?:unauthorized|unauthenticated|not authenticated|authenticate) ?[.!]?(?: \||$)",
            r"(?:^|\| )(?:authentication|authorization) (?:failed|fails|required)\b",
        ),
        statuses=_REFUSED,
        sightings=2,
        source="https://github.com/modal-labs/modal-examples/issues/1105",
        read="2026-11-30",
        samples=(
            "vllm-401-unauthorized",
            "serper-403-unauthorized",
            "cerebras-403-no-header",
            "deepinfra-403-not-authenticated-native",
            "nvidia-403-authorization-failed",
            "discord-401-revoked-token",
        ),
    ),
)
