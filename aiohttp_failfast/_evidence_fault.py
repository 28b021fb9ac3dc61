"""Tell whether a body under a healthy status reports a fault, in the many ways in use."""

from __future__ import annotations

from typing import Any


def reports_fault(value: Any) -> bool:
    """Whether the body of a healthy status says that something went wrong."""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and bool(value[0].get("error"))
    if not isinstance(value, dict):
        return False
    if any(value.get(name) in _NO for name in _FINE_MEMBERS if name in value):
        return True
    if any(value.get(name) for name in _FAULT_MEMBERS):
        return True
    for name, members in _FAULT_NUMBERS.items():
        holder = value.get(name) if name else value
        if isinstance(holder, dict) and any(_is_fault(holder.get(code)) for code in members):
            return True
    choices = value.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return bool(choices[0].get("error"))
    return _is_flat_fault(value)


_FINE_MEMBERS = ("ok", "success", "Success")
_NO = (False, "false", "False")
_FAULT_MEMBERS = (
    "error",
    "errors",
    "Error",
    "Errors",
    "error_message",
    "error_msg",
    "errorMessage",
    "Error Message",
    "errmsg",
    "fault",
    "Fault",
)
_FAULT_NUMBERS = {
    "base_resp": ("status_code",),
    "header": ("code",),
    "": ("error_code", "errcode", "errorCode", "err_code", "statusCode"),
    "status": ("error_code",),
}
_FLAT_FAULTS = ("Information", "Note")
_STATES = ("status", "Status", "result", "Result", "state")
_BAD_STATES = frozenset({"error", "fail", "failed", "failure"})
_NUMBERS = ("retcode", "ret", "errno", "infocode", "resultcode", "ret_code")
_PROSE = ("message", "msg", "errmsg", "info", "reason", "data", "description", "error-type")


def _is_fault(code: object) -> bool:
    if isinstance(code, str):
        return code.lower() not in ("", "0", "ok", "success", "200", "null", "none")
    return isinstance(code, int) and not isinstance(code, bool) and code not in (0, 200)


def _is_flat_fault(value: dict[str, Any]) -> bool:
    if len(value) <= 2 and any(isinstance(value.get(name), str) for name in _FLAT_FAULTS):
        return True
    if value.get("status") == "0" and value.get("message") == "NOTOK":
        return True
    if value.get("type") == "error" or value.get("object") == "error":
        return True
    response = value.get("Response") or value.get("response")
    if isinstance(response, str) and response.lower() == "error":
        return True
    if isinstance(response, dict) and (response.get("Error") or response.get("error")):
        return True
    if any(isinstance(value.get(name), str) for name in _PROSE) and _tells_no_success(value):
        return True
    # {code, msg}: a code that is no success next to prose and no data.
    prose = value.get("msg") or value.get("message")
    return isinstance(prose, str) and _is_fault(value.get("code")) and not value.get("data")


def _tells_no_success(value: dict[str, Any]) -> bool:
    for name in _STATES:
        state = value.get(name)
        if isinstance(state, str) and state.lower() in _BAD_STATES:
            return True
    if value.get("status") == "0" and isinstance(value.get("info"), str):
        return True
    return any(_is_fault(value.get(name)) for name in _NUMBERS if name in value)


def event_fails(value: dict[str, Any]) -> bool:
    return reports_fault(value) or value.get("type") in ("error", "response.failed")
