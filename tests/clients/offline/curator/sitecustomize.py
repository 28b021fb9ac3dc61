"""What curator does beside the job, without aiohttp: no telemetry, no download, no probe.

It fetches a tokenizer from the internet, and sends one request with ``requests`` before the job,
to learn limits from the headers of the answer.
"""

import os
from types import SimpleNamespace

import requests
import tiktoken

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["TELEMETRY_ENABLED"] = "false"

tiktoken.get_encoding = lambda _: SimpleNamespace(encode=lambda text, **_: text.split())
requests.post = lambda *_, **__: SimpleNamespace(headers={})
