"""Credentials by the place they stand in: addresses, headers, files of logins, commands and statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .values import computes, is_credential, stands_in


def sites(text: str) -> Iterator[tuple[int, int]]:
    """Where credentials begin and end that stand in a place for one."""
    lowered = text.lower()
    for held, shape, fits in _SITES:
        if any(literal in lowered for literal in held.split()):
            yield from (m.span("value") for m in shape.finditer(text) if fits(m["value"]))


def _said(value: str) -> bool:
    """Whatever stands in the place of a password is one, unless it is a stand-in."""
    return not stands_in(value)


def _generated(value: str) -> bool:
    return is_credential(value, password=False)


def _chosen(value: str) -> bool:
    return is_credential(value, password=True) and not computes(value)


_AUTHORIZATION = r"\b(?:proxy-)?authorization\s{0,7}[\"']?\s{0,4}[:=,]\s{0,7}[\"']?"
_SITES: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = tuple(
    (held, re.compile(shape, re.IGNORECASE | re.MULTILINE), fits)
    for held, shape, fits in (
        # a password in an address, whatever its scheme; a token instead of a user; a parameter
        ("://", r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@\"'`<>]{0,100}:(?P<value>[^\s/@\"'`<>]{3,200})@[\w.\[-]", _said),
        ("://", r"\b[a-z][a-z0-9+.-]{1,30}://(?P<value>[\w.~-]{16,200})@[\w.\[-]", _generated),
        (
            "sig key= token= secret= x-amz",
            r"[?&](?:sig|signature|token|key|api_?key|access_token|secret|X-Amz-(?:Signature|Security-Token|Credential))"
            r"=(?P<value>[^\s&\"'`<>#]{8,500})",
            _generated,
        ),
        # headers
        (
            "authorization",
            rf"{_AUTHORIZATION}basic\s{{1,4}}(?P<value>[A-Za-z0-9+/]{{8,400}}={{0,2}})(?![\w+/=])",
            _said,
        ),
        (
            "authorization",
            rf"{_AUTHORIZATION}(?:bearer|token|negotiate|apikey|ssws|bot)\s{{1,4}}(?P<value>[\w.~+/=:-]{{8,2000}})",
            _generated,
        ),
        ("bearer", r"\bbearer\s{1,4}(?P<value>[\w.~+/=-]{16,2000})", _generated),
        (
            "key token secret auth",
            r"\b(?:x-[\w-]{0,30}(?:key|token|secret|auth)|api-?key|private-token|job-token)[\"']?\s{0,4}:\s{0,4}[\"']?"
            r"(?P<value>[^\s\"'`,]{8,500})",
            _generated,
        ),
        (
            "cookie",
            r"\b(?:set-)?cookie[\"']?\s{0,4}:\s{0,4}[\"']?[\w.-]{1,60}=(?P<value>[^\s;\"'`]{12,2000})",
            _generated,
        ),
        # files of logins: .netrc, .pgpass, LDAP's, Docker's and npm's
        ("login", r"\blogin\s+\S{1,200}\s+password\s+(?P<value>[^\s\"'`]{1,200})", _said),
        (
            ":",
            r"(?:^[ \t]*|\")[\w.*-]{1,200}:(?:\d{1,5}|\*):[\w*-]{1,100}:[\w*.-]{1,100}:"
            r"(?P<value>[^\s:\"]{4,200})(?=$|\")",
            _said,
        ),
        ("{", r"\{(?:SSHA|SHA|MD5|CRYPT)\d{0,3}\}(?P<value>[\w+/=.$]{12,200})", _said),
        (
            "auth",
            r"\"auth\s{0,7}\"\s{0,4}:\s{0,7}\"(?P<value>[A-Za-z0-9+/]{8,800}={0,2})\s{0,7}\"",
            _said,
        ),
        ("_auth", r"\b_auth\s{0,2}=\s{0,2}(?P<value>[A-Za-z0-9+/]{8,800}={0,2})", _said),
        # commands and statements
        ("curl", r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,100}:(?P<value>[^\s\"']{3,200})", _said),
        (
            "mysql mariadb",
            r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\n]{0,300}?(?-i:\s-p)(?P<value>[^\s\"']{4,200})",
            _said,
        ),
        (
            "sshpass redis-cli docker",
            r"\b(?:sshpass|redis-cli|docker\s+login)\b[^\n]{0,200}?\s(?:-p|-a)\s?[\"']?(?P<value>[^\s\"']{4,200})",
            _said,
        ),
        ("identified", r"\bIDENTIFIED\s+(?:WITH\s+\w+\s+)?BY\s+[\"'](?P<value>[^\s\"']{4,200})[\"']", _said),
        ("password", r"\bPASSWORD\s+[\"'](?P<value>[^\s\"']{4,200})[\"']", _chosen),
        (
            "password pwd key",
            r"(?:^|;|[\"'])\s?(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\s?=\s?"
            r"(?P<value>[^\s;\"'`]{4,300})(?=;|[\"']|$)",
            _chosen,
        ),
        (
            "env arg",
            r"(?:^[ \t]*|\")(?:ENV|ARG)\s+\w*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY)\s+"
            r"(?P<value>[^\s\"'`=]{6,300})(?=$|[\s\"])",
            _chosen,
        ),
    )
)


__all__ = ["sites"]
