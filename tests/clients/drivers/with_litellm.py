"""litellm: openai/ on a shared session (also by its Router), anthropic/ by its own sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import litellm
from driver import Ask, Job, main
from litellm.llms.custom_httpx import http_handler

litellm.suppress_debug_info = True
litellm.telemetry = False


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open it as the variant says: "openai", "router", or "anthropic"."""
    litellm.in_memory_llm_clients_cache.flush_cache()
    async with job.session() as session:
        if job.variant == "router":
            yield _asking(_router(job).acompletion, model="loopback", shared_session=session)
        elif job.variant == "openai":
            yield _asking(
                litellm.acompletion,
                model="openai/gpt-4o-mini",
                api_base=f"{job.url}/v1",
                api_key=job.key,
                shared_session=session,
            )
        else:
            http_handler.ClientSession = job.session_class()
            yield _asking(
                litellm.acompletion,
                model="anthropic/claude-3-5-haiku-latest",
                api_base=job.url,
                api_key=job.key,
            )
            await litellm.close_litellm_async_clients()


def _router(job: Job) -> litellm.Router:
    parameters = {
        "model": "openai/gpt-4o-mini",
        "api_base": f"{job.url}/v1",
        "api_key": job.key,
    }
    return litellm.Router(model_list=[{"model_name": "loopback", "litellm_params": parameters}])


def _asking(complete: Any, **arguments: Any) -> Ask:
    async def ask(prompt: str) -> object:
        messages = [{"role": "user", "content": prompt}]
        answer = await complete(messages=messages, **arguments)
        return answer.choices[0].message.content

    return ask


if __name__ == "__main__":
    main(opened)
