"""What tests state: this was refused, that much was sent."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from .._errors import PermanentEndpointError
from .._verdict import VerdictKind
from ._server import DeadKeyServer

if TYPE_CHECKING:
    from typing_extensions import Self


class assert_refused:  # noqa: N801 - it is used like a function, as pytest.raises is
    """State that a block ends in an error, and that nothing of it touches the wire.

    Args:
        server: nothing may reach it within the block. Without it, the error itself must say that
            its call was not sent.
        error: class of the error; that of an SDK where it makes its own of the remembered answer.
        kind: what the answer that tripped said, such as ``"quota"``; None for any.

    Attributes:
        error: the error, after the block.

    Raises:
        AssertionError: it was not so; the message says how it was.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        server: DeadKeyServer | None = None,
        *,
        error: type[BaseException] = PermanentEndpointError,
        kind: VerdictKind | str | None = None,
    ) -> None:
        self._server = server
        self._class = error
        self._kind = kind
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        self._sent_before = 0 if self._server is None else self._server.sent
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        __tracebackhide__ = True
        if error is not None and not isinstance(error, self._class):
            return False
        sent = 0 if self._server is None else self._server.sent - self._sent_before
        if sent:
            raise AssertionError(f"not refused: {sent} calls reached the server")
        if error is None:
            raise AssertionError(f"not refused: the block raised no {self._class.__name__}")
        if isinstance(error, PermanentEndpointError):
            self._look_at(error)
        self.error = error
        return True

    def _look_at(self, error: PermanentEndpointError) -> None:
        __tracebackhide__ = True
        if self._server is None and error.sent:
            raise AssertionError(f"not refused, but sent and answered so: {error}")
        if self._kind is not None and error.verdict.kind != self._kind:
            raise AssertionError(f"refused, but as {error.verdict.kind}, not {self._kind}: {error}")


def assert_sent(
    server: DeadKeyServer,
    count: int | None = None,
    *,
    at_most: int | None = None,
    key: str | None = None,
) -> None:
    """State how many calls have reached the server since it started, or since `forget`.

    Args:
        server: the server.
        count: exactly so many.
        at_most: no more than so many; calls that were on the wire already cannot be stopped.
        key: count only calls with this key.

    Raises:
        AssertionError: it was another number; the message lists what came.
        TypeError: neither ``count`` nor ``at_most`` is given.

    .. versionadded:: 0.1.0
    """
    __tracebackhide__ = True
    if count is None and at_most is None:
        raise TypeError("assert_sent needs count or at_most")
    came = [one for one in server.requests if key is None or key in one.keys]
    if (count is None or len(came) == count) and (at_most is None or len(came) <= at_most):
        return
    wanted = f"at most {at_most}" if count is None else str(count)
    listed = "".join(f"\n  {one.method} {one.path}" for one in came[:10])
    more = f"\n  and {len(came) - 10} more" if len(came) > 10 else ""
    raise AssertionError(f"{len(came)} calls reached the server, not {wanted}{listed}{more}")
