# ruff: noqa: E501 - a pattern is easier to read on one line
"""Prose that says: the account is switched off, or, in Chinese, that the key is dead."""

from __future__ import annotations

from .._verdict import VerdictKind
from .row import Rule

_ACCOUNT = r"(?:account|organization|organisation|workspace|tenant|consumer|team)"
_OFF = r"(?:deactivated|disabled|suspended|banned|terminated|closed|blocked|locked|frozen|restricted|deleted|archived)"

WORDS_ACCOUNT: tuple[Rule, ...] = (
    Rule(
        id="account-words",
        kind=VerdictKind.AUTH,
        about="any: account, organization or project switched off",
        words=(
            r"(?:account|organi[sz]ation|consumer|subscription)(?: \S{1,60}){0,2} (?:has been|is|was|been) (?:permanently )?(?:deactivated|disabled|suspended|banned|terminated|closed)",
            r"(?:account|organi[sz]ation|project|workspace)(?: \S{1,60}){0,2} (?:has been|was) (?:permanently )?(?:deactivated|suspended|banned|restricted|locked|terminated|denied access)",
            rf"{_ACCOUNT} (?:(?:is|are|was|were|has been|have been|appears to be) )(?:currently |now |also |permanently )?{_OFF}",
            rf"(?:^|\| )(?:your |this |the )?{_ACCOUNT} {_OFF}",
            r"(?:suspended|terminated) account",
            r"(?:^|\| )(?:your )?account (?:is )?(?:inactive|not active)",
            r"account is locked",
            r"(?:account|user) associated with .{0,60}(?:deactivated|suspended|disabled|banned)",
            r"^user is (?:locked|disabled)",
            r"(?:team|user) is blocked",
            r"your user (?:has been |was )(?:banned|suspended|disabled)",
            r"access was terminated",
            r"disabled in this account",
            r"key based authentication is disabled",
        ),
        statuses=(200, 400, 401, 402, 403, 412, 422, 429),
        unless=(
            r"temporar\w*",
            r"has not been used in project",
            r"(?:model|feature|endpoint|route|policy|plugin|tool) .{0,30}(?:is|has been|was) (?:disabled|restricted|blocked)",
            r"too many (?:failed|login|attempts)",
            r"(?:wait|try again in|for the next) .{0,20}(?:minute|hour|second)s?",
            r"recipient|destination account|connected account|customer account",
            r"restricted to|limited to",
            r"(?:for|from using|from accessing) (?:this|the) (?:model|feature|endpoint|tool|product)",
        ),
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
)

_KEYS = (
    r"(?:令牌|密钥|秘钥|凭证|凭据|api ?key|apikey|api[-_ ]key|access ?token|accesskey|token|授权码)"
)
_DEAD = r"(?:无效|已?过期|不存在|已?失效|错误|不正确|有误|非法|不合法|已?被?禁用|已?停用|已?被?删除|为空|缺失|未提供|未找到|验证不正确|校验失败|验证失败)"

WORDS_AUTH_CHINESE: tuple[Rule, ...] = (
    Rule(
        id="chinese-token-status",
        kind=VerdictKind.AUTH,
        about="one-api, new-api: key disabled; now and then told to live keys",
        words=(r"令牌状态不可用",),
        statuses=(401, 403),
        sightings=2,
        source="https://github.com/QuantumNous/new-api/issues/3302",
        read="2026-11-30",
        samples=("newapi-401-token-status-sporadic", "oneapi-401-token-status-unavailable"),
    ),
    Rule(
        id="chinese-key",
        kind=VerdictKind.AUTH,
        about="one-api, new-api, Zhipu and others, in Chinese: key invalid, expired or missing",
        words=(
            rf"(?:无效|非法|错误|不正确|过期)的? ?{_KEYS}",
            rf"(?:未|没有|缺少|请|不能)(?:提供|携带|传入|设置|收到|检测到|填写)?(?:有效|正确)?的? ?{_KEYS}",
            rf"{_KEYS}[^，。；,;|]{{0,8}}{_DEAD}",
            r"(?:无法进行|未通过)?身份(?:验证|认证)(?:失败|未通过)|无法进行身份验证|鉴权(?:失败|错误)|认证失败|验签失败|未登录|登录已?(?:过期|失效)",
            r"(?:账[户号]|用户).{0,6}(?:已?被?(?:禁用|封禁|锁定|停用|冻结|注销)|异常|不存在)",
        ),
        statuses=(200, 400, 401, 403, 429),
        unless=(r"模型|渠道|上游",),
        source="https://github.com/songquanpeng/one-api/blob/main/model/token.go",
        read="2026-11-30",
        samples=(
            "oneapi-401-invalid-token",
            "oneapi-401-no-token",
            "oneapi-401-token-expired",
        ),
    ),
)
