"""Shim for tools that still look for it: all metadata is in setup.cfg."""

from setuptools import setup

setup()
