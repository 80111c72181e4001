"""Passwords as scrypt hashes. ``python -m iterative_retrieval.serving.admin.passwords NAME ROLE`` prints a person."""

from __future__ import annotations

import getpass
import hashlib
import hmac
import os
import sys
from collections.abc import Sequence

from .people import Person, Role

SHORTEST = 10
"""Characters of a password."""

_LOG_N, _R, _P = 15, 8, 1  # 32 MiB and about 60 ms: RFC 7914's advice for interactive logins, doubled
_MOST_MEMORY = 256 * 1024 * 1024


def hashed(password: str, salt: bytes | None = None) -> str:
    """The hash of a password, with all that is needed to compare: ``scrypt$log2 N$r$p$salt$hash``."""
    salt = os.urandom(16) if salt is None else salt
    return f"scrypt${_LOG_N}${_R}${_P}${salt.hex()}${_scrypt(password, salt, _LOG_N, _R, _P).hex()}"


def matches(password: str, stored: str) -> bool:
    """Whether a password has that hash; takes the same time whichever letter differs."""
    _, log_n, r, p, salt, digest = stored.split("$")
    return hmac.compare_digest(
        _scrypt(password, bytes.fromhex(salt), int(log_n), int(r), int(p)), bytes.fromhex(digest)
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Ask for a password and print the line for the file of people; the exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    if len(args) != 2 or args[1] not in list(Role):
        return _refuse(f"usage: passwords NAME {'|'.join(Role)}")
    password = _asked()
    if len(password) < SHORTEST:
        return _refuse(f"a password has {SHORTEST} characters or more")
    print(Person(name=args[0].strip(), role=Role(args[1]), password=hashed(password)).model_dump_json())
    return 0


def _scrypt(password: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << log_n, r=r, p=p, maxmem=_MOST_MEMORY, dklen=32)


def _asked() -> str:
    if sys.stdin.isatty():
        first = getpass.getpass("Password: ")
        return first if getpass.getpass("Again: ") == first else ""
    return sys.stdin.readline().rstrip("\n")


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
