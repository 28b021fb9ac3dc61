# ruff: noqa: E501 - a list of names is easier to read on one line
"""Which member of an error body means what, in every spelling providers use."""

from __future__ import annotations

from enum import IntEnum


class Member(IntEnum):
    """What is done with the value of a member of the body."""

    TEXT = 1
    """Prose; a lone word counts as a code too."""
    CODE = 2
    """A machine code."""
    EITHER = 3
    """A code where it is one word, prose where it is a sentence."""
    NEST = 4
    """Holds more of the error."""
    WAIT = 5
    """Seconds, or a duration."""
    WAIT_MS = 6
    """Milliseconds."""
    MOMENT = 7
    """When the limit ends."""
    LIMIT_VALUE = 8
    """How much is allowed at all."""
    QUOTA_ID = 9
    """Names a limit and, in it, its window."""
    LOCATION = 10
    """Where in the request the fault lies."""
    HEADERS = 11
    """Rate limit headers that a gateway copied into the body."""
    RAW = 12
    """The untouched answer of a gateway's upstream."""
    PRICE = 13
    """What this one request costs, as in x402."""


def _spellings(names: str) -> set[str]:
    found: set[str] = set()
    for name in names.split():
        parts = name.split("_")
        pascal = "".join(part.title() for part in parts)
        camel = parts[0] + "".join(part.title() for part in parts[1:])
        found |= {name, pascal, camel, "".join(parts), name.upper(), name.replace("_", "-")}
    return found


_MEANINGS = {
    Member.TEXT: (
        "message msg error_message error_msg err_msg errmsg error_description description details"
        " status_msg reason_phrase note information fault_string faultstring fault_message result"
        " human_message user_message long_message message_text error_text reason_text explanation"
        " return_msg retmsg resp_msg result_msg header_msg failure_reason error_detail status_message"
        " error_messages error_summary exception_message developer_message response_message result_desc"
        " desc status_text"
    ),
    Member.CODE: (
        "code type error_code err_code errcode error_type error_name tag __type kind limit_source"
        " sub_code subcode error_subcode status_code statuscode error_status error_id return_code"
        " retcode ret_code result_code cod slug symbol failure_code status_detail error_key policy_name"
        " quota_limit category infocode reason_code error_reason subtype error_subtype fault_code"
    ),
    Member.EITHER: (
        "error detail title reason status name errors data body response info err exception cause"
        " problem failure fault error_info status_info"
    ),
    Member.NEST: (
        "meta metadata innererror inner_error base_resp choices error_chain extensions violations"
        " header output error_details payload_error original_error upstream_error last_error"
    ),
    Member.WAIT: (
        "retry_after retry_after_seconds retry_delay resets_in_seconds reset_in_seconds quota_reset_delay"
        " reset_after retry_in wait_seconds resets_in seconds_until_reset retry_after_sec cooldown_seconds"
        " retry_after_secs reset_seconds"
    ),
    Member.WAIT_MS: "retry_after_ms retry_after_millis retry_in_ms",
    Member.MOMENT: (
        "resets_at reset_at quota_reset_time_stamp quota_reset_timestamp reset_time next_reset_at"
        " reset_date retry_at next_reset resets_on limit_resets_at reset"
    ),
    Member.LIMIT_VALUE: "quota_value quota_limit_value",
    Member.QUOTA_ID: "quota_id",
    Member.LOCATION: "loc",
    Member.HEADERS: "headers",
    Member.RAW: "raw",
    Member.PRICE: "x402_version accepts price pay_to max_amount_required",
}

MEMBERS: dict[str, Member] = {
    spelling: meaning for meaning, names in _MEANINGS.items() for spelling in _spellings(names)
}
MEMBERS["Error Message"] = Member.TEXT  # Alpha Vantage
"""Member name to meaning. A name that is not here is never looked into: it may hold an echo."""
