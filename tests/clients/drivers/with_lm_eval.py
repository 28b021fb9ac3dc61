"""lm-eval, a whole ``simple_evaluate`` against an API; it makes a session for each batch.

The variant "on_trip" ends the job where the latch trips, by cancelling what runs in its loop.
"""

from __future__ import annotations

import asyncio

import lm_eval.models.api_models
from datasets import Dataset
from driver import Job, main_program
from jobs import cancel_all, told
from lm_eval.tasks import TaskManager

TASKS = TaskManager(include_defaults=False)


def program(job: Job) -> list[str]:
    """Evaluate a task of as many questions as there are prompts."""
    if job.variant == "on_trip":
        cancel_all(job)
    lm_eval.models.api_models.ClientSession = job.session_class()
    try:
        found = lm_eval.simple_evaluate(
            model="local-chat-completions",
            model_args={
                "base_url": f"{job.url}/v1/chat/completions",
                "model": "loopback",
                "auth_token": job.key,
                "num_concurrent": job.concurrency,
                "max_retries": 2,  # attempts; the default of three sleeps a second more
            },
            tasks=[_task(job.prompts)],
            task_manager=TASKS,
            apply_chat_template=True,
            log_samples=True,
            bootstrap_iters=0,
        )
    except asyncio.CancelledError:
        raise told(job) from None
    return [sample["resps"][0][0] for sample in found["samples"]["loopback"]]


def _task(prompts: list[str]) -> dict[str, object]:
    rows = [{"text": prompt} for prompt in prompts]
    return {
        "task": "loopback",
        "dataset_path": "loopback",
        "custom_dataset": lambda **_: {"test": Dataset.from_list(rows)},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{text}}",
        "doc_to_target": "{{text}}",
        "generation_kwargs": {"until": ["\n"]},
        "metric_list": [{"metric": "bypass"}],
    }


if __name__ == "__main__":
    main_program(program)
