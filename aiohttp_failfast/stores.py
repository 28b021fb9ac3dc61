"""What it takes to write a store for `Latch(store=...)`, and the stores that come with it.

A store is any object of the form of `Store`; `MemoryStore` is the shortest example of one.
`encode_news` and `decode_news` turn what it carries into text and back, and
`aiohttp_failfast.testing_store` holds the checks that it should pass.
"""

from ._news import News
from ._news_json import decode_news, encode_news
from ._shared_trip import SharedTrip
from ._stores import open_store
from ._stores.file import FileStore
from ._stores.memory import MemoryStore
from ._stores.protocol import Connection, Marks, Store
from ._stores.redis import RedisStore
from ._trip import Witness

__all__ = [
    "Connection",
    "FileStore",
    "Marks",
    "MemoryStore",
    "News",
    "RedisStore",
    "SharedTrip",
    "Store",
    "Witness",
    "decode_news",
    "encode_news",
    "open_store",
]
