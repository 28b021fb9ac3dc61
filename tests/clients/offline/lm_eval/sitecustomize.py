"""Keeps lm-eval from looking for datasets and models on the internet."""

import os

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
