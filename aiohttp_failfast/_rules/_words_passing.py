# ruff: noqa: E501 - a pattern is easier to read on one line
"""Prose that speaks of a limit that passes."""

from __future__ import annotations

from .._verdict import VerdictKind
from .row import Rule

WORDS_PASSING: tuple[Rule, ...] = (
    Rule(
        id="github-primary",
        kind=VerdictKind.WINDOWED,
        about="GitHub: the hourly limit, told with 403",
        words=(r"^api rate limit exceeded for",),
        statuses=(200, 403, 429),
        source="https://github.com/ghuser-io/db/issues/2",
        read="2026-11-30",
        samples=("github-403-primary-user-id",),
    ),
    Rule(
        id="github-secondary",
        kind=VerdictKind.TRANSIENT,
        about="GitHub: bursts",
        words=(r"secondary rate limit", r"abuse detection"),
        statuses=(403, 429),
        source="https://github.com/app-sre/github-mirror/pull/62",
        read="2026-11-30",
        samples=("github-403-secondary",),
    ),
    Rule(
        id="docker-pulls",
        kind=VerdictKind.WINDOWED,
        about="Docker Hub: pulls in six hours",
        words=(r"docker-hub/download-rate-limit", r"pull rate limit"),
        statuses=(429,),
        source="https://github.com/docker/hub-feedback/issues/1907",
        read="2026-11-30",
        samples=("dockerhub-429-see-docs",),
    ),
    Rule(
        id="session-window",
        kind=VerdictKind.WINDOWED,
        about="Ollama, Claude, Codex: session of some hours",
        words=(r"session (?:usage )?limit", r"usage limit has been reached"),
        statuses=(402, 403, 429),
        source="public source code",
        read="2026-11-30",
        samples=("ollama-cloud-429-session-upgrade",),
    ),
    Rule(
        id="temporary-block",
        kind=VerdictKind.WINDOWED,
        about="OpenWeather, Discord: blocked for a while after too many requests",
        words=(
            r"temporar(?:y|ily) (?:blocked|banned|suspended).{0,60}(?:request|rate|exceed)",
            r"blocked .{0,40}temporarily due to",
        ),
        statuses=(403, 429),
        source="https://github.com/dglent/meteo-qt/issues/162",
        read="2026-11-30",
        samples=("openweather-429-blocked", "discord-429-blocked-temporarily"),
    ),
    Rule(
        id="rate-words",
        kind=VerdictKind.TRANSIENT,
        about="any: plain words of a rate limit or of overload",
        words=(
            r"(?:rate limit|rate limits|rate-limit|rate-limited|rate limited|ratelimit|ratelimited|rate_limit|rate_limited)",
            r"too many (?:requests|tokens|concurrent)",
            r"overloaded",
            r"eservice: ?(?:unavailable|busy)",
            r"high demand",
            r"(?:concurrency|concurrent)",
            r"no capacity",
            r"try again (?:later|shortly)",
            r"slow down",
            r"请求过于频繁|稍后再试|稍后重试|速率|并发|频率|请求数限制|请求次数",
        ),
        statuses=(429, 503, 529, 500, 502, 504, 200),
        source="https://github.com/anthropics/claude-code/issues/71670",
        read="2026-11-30",
        samples=(
            "anthropic-rate-limited-429-1",
            "gemini-503-overloaded-1",
            "kimi-code-429-too-many",
        ),
    ),
    Rule(
        id="google-day-reason",
        kind=VerdictKind.WINDOWED,
        about="YouTube and other Google APIs: quota of the day, told with 403",
        codes=("quotaExceeded",),
        statuses=(403,),
        words=(r"exceeded your quota",),
        source="https://github.com/googleapis/google-api-php-client/issues/2055",
        read="2026-11-30",
        samples=("youtube-403-quota-exceeded-fresh-project",),
    ),
    Rule(
        id="rate-words-refused",
        kind=VerdictKind.TRANSIENT,
        about="any: plain words of a rate limit under 400, 402 or 403",
        words=(
            r"rate limit (?:exceeded|reached)",
            r"too many requests",
            r"(?:application|user) request limit reached",
        ),
        statuses=(400, 402, 403),
        source="https://github.com/zhukunpenglinyutong/jetbrains-cc-gui/issues/561",
        read="2026-11-30",
        samples=("dashscope-403-sse-rate",),
    ),
)
