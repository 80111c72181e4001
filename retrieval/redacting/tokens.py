"""Credentials that show what they are: keys and tokens with a prefix or a form of their own.

The forms are those that the issuers document. Each ends where its own alphabet ends, so what stands around it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FORMS: tuple[tuple[str, str], ...] = (
    # literals, one of which every such token holds; its form. Clouds:
    ("AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),  # Amazon
    ("ABSK", r"ABSK[A-Za-z0-9+/]{40,}={0,2}"),
    ("AIza ya29. GOCSPX- 1//0", r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{40,}"),  # Google
    ("7Q~ 8Q~", r"[\w~.]{3}[78]Q~[\w~.-]{31,34}"),  # Microsoft Entra
    ("LTAI AKID", r"LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{32}"),  # Alibaba, Tencent
    ("AQVN t1. y0_", r"(?:AQVN|t1\.|y0_)[\w.-]{30,}"),  # Yandex
    ("do", r"do[opr]_v1_[a-f0-9]{64}"),  # DigitalOcean
    ("HRKU- fo1_", r"HRKU-[\w-]{36,}|fo1_[\w-]{40,}"),  # Heroku, Fly
    ("nfp_ vcp_ vck_ vca_ rnd_", r"nfp_[A-Za-z0-9]{36,}|vc[pka]_[A-Za-z0-9]{24,}|rnd_[A-Za-z0-9]{28,}"),
    ("dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),  # Databricks
    ("pscale_ sbp_", r"pscale_(?:tkn|pw|oauth)_[\w.-]{32,}|sbp_[a-f0-9]{40}"),  # PlanetScale, Supabase
    ("hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,}"),  # Vault
    (".atlasv1. pul-", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}|pul-[a-f0-9]{40}"),  # Terraform, Pulumi
    (
        "tskey- dp. ops_eyJ",
        r"tskey-[a-z]{3,12}-[\w-]{16,}|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}|ops_eyJ[\w-]{60,}",
    ),
    ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    # Forges and registries:
    ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255}"),
    ("gl", r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[\w.-]{20,}"),  # GitLab
    ("ATATT3 ATBB ATCTT3", r"AT(?:A|C)TT3[\w=-]{50,}|ATBB[A-Za-z0-9]{24,}"),  # Atlassian
    ("npm_ pypi-AgE rubygems_", r"npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50,}|rubygems_[a-f0-9]{48}"),
    ("oy2 cio", r"oy2[a-z0-9]{43}|cio[A-Za-z0-9]{32}"),  # NuGet, crates.io
    ("dckr_ hf_ CCIPAT_", r"dckr_(?:pat|oat)_[\w-]{20,}|hf_[A-Za-z]{30,}|CCIPAT_\w{30,}"),
    ("sntry glsa_ glc_", r"sntry[su]_[\w=+/-]{40,}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}"),
    ("NRAK- PMAK- figd_", r"NRAK-[A-Z0-9]{27}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|figd_[\w-]{40,}"),
    ("lin_ ntn_ secret_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}"),
    ("pat sl.", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|sl\.[\w-]{60,}"),  # Airtable, Dropbox
    # Talk, money, mail:
    ("xox xapp- xwfp-", r"xox[abeoprs]-[\w-]{10,}|xapp-\d-[\w-]{20,}|xwfp-[\w-]{10,}"),  # Slack
    ("mfa.", r"mfa\.[\w-]{60,}"),
    (".", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),  # Discord
    (":AA", r"\d{8,10}:AA[\w-]{32,36}"),  # Telegram
    ("_live_ _test_ whsec_", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}"),  # Stripe
    ("sq0 EAA", r"sq0(?:atp|csp|idp)-[\w-]{22,}|EAAA[\w-]{56,}|EAA[A-Za-z0-9]{80,}"),  # Square, Facebook
    ("shp access_token$", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|access_token\$production\$\w{16}\$[a-f0-9]{32}"),
    ("SG. xkeysib-", r"SG\.[\w-]{16,32}\.[\w-]{30,64}|xkeysib-[a-f0-9]{64}-\w{16}"),
    ("key- -us", r"(?<!-)key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}"),  # Mailgun, Mailchimp
    ("SK", r"SK[a-f0-9]{32}"),  # Twilio
    # Models:
    ("sk-", r"sk-(?:ant|proj|or|svcacct|admin|lf)-[\w-]{16,}|sk-[A-Za-z0-9]{20,}"),  # OpenAI, Anthropic, OpenRouter
    ("gsk_ xai- pplx- r8_", r"gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{32,}|r8_[A-Za-z0-9]{30,}"),
    ("nvapi- lsv2_ tvly- csk- fw_", r"nvapi-[\w-]{40,}|lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|tvly-[\w-]{24,}"),
    ("csk- fw_", r"csk-[a-z0-9]{40,}|fw_[A-Za-z0-9]{22,}"),
    # Signed and hashed:
    ("eyJ", r"eyJ[\w-]{8,}\.(?:eyJ[\w-]{4,}|[\w-]{16,})\.[\w-]{8,}(?:\.[\w-]{8,}\.[\w-]{8,})?"),  # JWT, JWE
    (".local. .public.", r"v[1-4]\.(?:local|public)\.[\w-]{40,}"),  # PASETO
)

_HASH = re.compile(
    r"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|apr1\$[./\w]{1,8}\$[./A-Za-z0-9]{22}"
    r"|[156]\$(?:rounds=\d{1,9}\$)?[./\w]{1,16}\$[./A-Za-z0-9]{22,86}|y\$[./\w]{1,8}\$[./\w]{1,40}\$[./A-Za-z0-9]{43}"
    r"|argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{5,40}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,180})"
)
_HOOK = re.compile(
    r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/-]{20,}"
    r"|(?<=/api/webhooks/)\d{15,21}/[\w-]{40,}"
    r"|(?<=\.webhook\.office\.com/)webhookb2/[\w@/-]{40,}"
    r"|(?<=chat\.googleapis\.com/v1/spaces/)[\w-]{6,}/messages\?key=[\w&=%-]{40,}"
)  # web hooks: whoever knows the address may post

_SHAPES = (
    *((tuple(held.split()), re.compile(rf"(?<![A-Za-z0-9_])(?:{form})(?![A-Za-z0-9])")) for held, form in _FORMS),
    (("$",), _HASH),
    (("hook", "chat.googleapis.com/"), _HOOK),
)


def tokens(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text such credentials begin and end; those of manuals, which say EXAMPLE, are none."""
    for held, shape in _SHAPES:
        if any(literal in text for literal in held):
            yield from (m.span() for m in shape.finditer(text) if "EXAMPLE" not in m[0])


__all__ = ["tokens"]
