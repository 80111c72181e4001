"""Texts with credentials, and texts that only look like it.

The credentials are made here, from an alphabet and a seed, and never stand in this file: no scanner has anything to
find, and none of them ever opened a door.
"""

from __future__ import annotations

import base64
import json
import string
from dataclasses import dataclass
from random import Random

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + "234567"


@dataclass(frozen=True)
class Leak:
    """name: of the shape. text: as it may stand in a file. secret: what must not leave; lines when there are many."""

    name: str
    text: str
    secret: str


def made(alphabet: str, length: int, seed: str) -> str:
    """A random text; digits, small and large letters are among the first places where the alphabet has them."""
    rng = Random(seed)
    must = [rng.choice(kind) for kind in (string.digits, string.ascii_letters) if set(kind) & set(alphabet)]
    must = [c if c in alphabet else rng.choice(alphabet) for c in must]
    rest = [rng.choice(alphabet) for _ in range(length - len(must))]
    letters = must + rest
    rng.shuffle(letters)
    return "".join(letters)[:length]


def _shown(
    name: str, before: str, alphabet: str, length: int, line: str = "client = connect({})", after: str = ""
) -> Leak:
    secret = before + made(alphabet, length, name) + after
    return Leak(name, line.replace("{}", f'"{secret}"'), secret)


def _in(name: str, template: str, alphabet: str = ALNUM, length: int = 20) -> Leak:
    secret = made(alphabet, length, name)
    return Leak(name, template.replace("@@", secret), secret)


def _jwt() -> Leak:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head, body = part({"alg": "HS256", "typ": "JWT"}), part({"sub": "1234567890", "name": "Ada", "iat": 1516239022})
    secret = f"{head}.{body}.{made(URL_SAFE, 43, 'jwt')}"
    return Leak("JSON Web Token", f"GET /me HTTP/1.1\nX-Session: {secret}\n", secret)


def _key_lines(seed: str, lines: int = 6) -> list[str]:
    return [made(BASE64, 64, f"{seed} {i}") for i in range(lines)]


def _block(kind: str, whole: bool = True) -> Leak:
    lines = _key_lines(kind)
    begin, end = (f"-----{word} {kind}PRIVATE KEY{' BLOCK' if 'PGP' in kind else ''}-----" for word in ("BEGIN", "END"))
    text = "\n".join(["before", begin, *lines, *([end, "after"] if whole else [])])
    return Leak(f"{kind or 'PKCS #8 '}private key{'' if whole else ', cut off'}", text, "\n".join(lines))


def _basic(name: str, template: str) -> Leak:
    secret = base64.b64encode(f"ada:{made(ALNUM, 12, name)}".encode()).decode()
    return Leak(name, template.replace("@@", secret), secret)


SHOWN = [
    _shown("Amazon access key", "AK" + "IA", UPPER, 16),
    _shown("Amazon session key", "AS" + "IA", UPPER, 16),
    _shown("Google API key", "AI" + "za", URL_SAFE, 35),
    _shown("Google OAuth token", "ya" + "29.", URL_SAFE, 60),
    _shown("Google client secret", "GOC" + "SPX-", URL_SAFE, 28),
    _shown("Microsoft Entra secret", "abC8" + "Q~", URL_SAFE, 34),
    _shown("DigitalOcean token", "dop" + "_v1_", HEX, 64),
    _shown("Databricks token", "da" + "pi", HEX, 32),
    _shown("Vault token", "hv" + "s.", URL_SAFE, 90),
    _shown("Supabase token", "sb" + "p_", HEX, 40),
    _shown("Tailscale key", "ts" + "key-auth-", URL_SAFE, 30),
    _shown("GitHub token", "gh" + "p_", ALNUM, 36),
    _shown("GitHub server token", "gh" + "s_", ALNUM, 36),
    _shown("GitHub fine-grained token", "github" + "_pat_", ALNUM, 82),
    _shown("GitLab token", "gl" + "pat-", URL_SAFE, 20),
    _shown("GitLab runner token", "gl" + "rt-", URL_SAFE, 20),
    _shown("Atlassian token", "ATA" + "TT3", URL_SAFE, 180),
    _shown("npm token", "np" + "m_", ALNUM, 36),
    _shown("PyPI token", "py" + "pi-AgE", URL_SAFE, 150),
    _shown("RubyGems key", "ruby" + "gems_", HEX, 48),
    _shown("Docker token", "dckr" + "_pat_", URL_SAFE, 27),
    _shown("Hugging Face token", "h" + "f_", string.ascii_letters, 34),
    _shown("Slack bot token", "xo" + "xb-", string.digits + ALNUM, 50),
    _shown("Slack app token", "xa" + "pp-1-", ALNUM, 60),
    _shown("Discord bot token", "M", ALNUM, 57, after="").__class__(
        "Discord bot token",
        f"bot.run('M{made(ALNUM, 23, 'd1')}.{made(ALNUM, 6, 'd2')}.{made(URL_SAFE, 38, 'd3')}')",
        f"M{made(ALNUM, 23, 'd1')}.{made(ALNUM, 6, 'd2')}.{made(URL_SAFE, 38, 'd3')}",
    ),
    _shown("Telegram bot token", "123456789" + ":AA", URL_SAFE, 33),
    _shown("Stripe key", "sk" + "_live_", ALNUM, 24),
    _shown("Stripe webhook secret", "wh" + "sec_", ALNUM, 32),
    _shown("Shopify token", "shp" + "at_", HEX, 32),
    _shown("SendGrid key", "S" + "G.", URL_SAFE, 22, after="." + made(URL_SAFE, 43, "sendgrid")),
    _shown("Mailgun key", "ke" + "y-", HEX, 32),
    _shown("Mailchimp key", "", HEX, 32, after="-us" + "12"),
    _shown("Twilio key", "S" + "K", HEX, 32),
    _shown("OpenAI key", "sk" + "-proj-", URL_SAFE, 60),
    _shown("Anthropic key", "sk" + "-ant-api03-", URL_SAFE, 90),
    _shown("age key", "AGE-SECRET" + "-KEY-1", string.ascii_uppercase + string.digits, 58),
    _shown("bcrypt hash", "$2" + "b$12$", "./" + ALNUM, 53),
    _shown("SHA-512 crypt hash", "$6$" + "rounds=5000$saltsalt$", "./" + ALNUM, 86),
    _jwt(),
]

PLACED = [
    _in("Slack web hook", "url: https://hooks.slack.com/" + "@@", ALNUM, 30).__class__(
        "Slack web hook",
        "post('https://hooks.slack.com/" + (hook := "services/T0AB12CD3/B0EF45GH6/" + made(ALNUM, 24, "hook")) + "')",
        hook,
    ),
    _in("password in a database URL", "DATABASE_URL=postgresql://shop:@@@db.internal:5432/shop"),
    _in("password in a Redis URL", 'redis.from_url("redis://:@@@cache:6379/0")'),
    _in("password in an AMQP URL of YAML", "broker: amqp://worker:@@@mq/jobs", length=14),
    _in("token in a git remote", "git clone https://@@@git.internal/team/shop.git", length=40),
    _in("signature in a query", "https://files.internal/a.csv?sv=2022&sig=@@&se=1", ALNUM, 44),
    _in("connection string", "Server=db;Database=shop;User Id=sa;Password=@@;Encrypt=true", ALNUM + "!#", 12),
    _in("storage connection string", "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=@@==", BASE64, 86),
    _basic("basic authorization header", "Authorization: Basic @@"),
    _basic("basic authorization in a request", 'headers = {"Authorization": "Basic @@", "Accept": "*/*"}'),
    _in("bearer token", "curl -H 'Authorization: Bearer @@' https://api.internal", URL_SAFE, 40),
    _in("API key header", "X-Api-Key: @@", ALNUM, 32),
    _in("session cookie", "Cookie: session=@@; theme=dark", ALNUM, 40),
    _in(".netrc", "machine git.internal login ada password @@"),
    _in(".netrc over lines", "machine git.internal\n  login ada\n  password @@\n"),
    _in(".pgpass", "db.internal:5432:shop:ada:@@"),
    _in("curl user", "curl -u ada:@@ https://api.internal/v1"),
    _in("mysql command", "mysql -h db -u root -p@@ shop"),
    _in("sshpass", "sshpass -p '@@' ssh ada@host"),
    _in("SQL user", "CREATE USER 'ada' IDENTIFIED BY '@@';"),
    _in("SQL role", "ALTER ROLE ada WITH PASSWORD '@@';"),
    _basic("Docker configuration", '{"auths": {"registry.internal": {"auth": "@@"}}}'),
    _in("npm configuration", "//registry.internal/:_authToken=@@", ALNUM, 36),
    _block("RSA "),
    _block("OPENSSH "),
    _block("EC "),
    _block(""),
    _block("PGP "),
    _block("ENCRYPTED "),
    _block("RSA ", whole=False),
]

GIVEN = [
    _in("Python", 'PASSWORD = "@@"', ALNUM, 10),
    _in("Python, annotated", "api_key: str = '@@'", ALNUM, 32),
    _in("Python, environment", 'os.environ["AUTH_TOKEN"] = "@@"', HEX, 40),
    _in("Python, argument", 'connect(host="db", password="@@", port=5432)', ALNUM + "!$", 14),
    _in("Python, comparison", 'if token == "@@":', HEX, 32),
    _in("Django", "SECRET_KEY = 'django-in" + "secure-@@'", ALNUM + "!@#%^&*(-_=+)", 50),
    _in("JavaScript", "const clientSecret = '@@';", ALNUM, 32),
    _in("TypeScript", 'export const config = { apiKey: "@@", region: "eu" };', ALNUM, 32),
    _in("Go", 'password := "@@"', ALNUM, 12),
    _in("Go struct", "\tAccessToken: `@@`,", ALNUM, 40),
    _in("Rust", 'let auth_token: &str = "@@";', ALNUM, 40),
    _in("Java", 'private static final String DB_PASSWORD = "@@";', ALNUM + "!", 12),
    _in("C#", 'var clientSecret = @"@@";', ALNUM, 40),
    _in("PHP", "define('DB_PASSWORD', '@@');", ALNUM + "!", 16),
    _in("PHP array", "'secret' => '@@',", HEX, 40),
    _in("Ruby", ":api_secret => '@@'", HEX, 40),
    _in("Terraform", 'secret_key = "@@"', BASE64, 40),
    _in("shell", "export GITHUB_TOKEN=@@", HEX, 40),
    _in("dotenv", "SMTP_PASSWORD=@@", ALNUM, 12),
    _in("dotenv, symbols", "DB_PASS=@@", ALNUM + "!%*-", 16),
    _in("AWS credentials", "aws_secret_access_key = @@", BASE64, 40),
    _in("YAML", "  password: @@\n  user: ada", ALNUM, 12),
    _in("YAML, quoted", "  api-key: '@@'", ALNUM, 24),
    _in("YAML, Kubernetes", "- name: API_TOKEN\n  value: @@\n", ALNUM, 32),
    _in("properties", "spring.datasource.password=@@", ALNUM, 12),
    _in("INI", "[smtp]\npassword = @@\n", ALNUM, 12),
    _in("TOML", 'client_secret = "@@"', ALNUM, 32),
    _in("JSON", '{"user": "ada", "password": "@@", "port": 1}', ALNUM, 12),
    _in("JSON in JSON", '{"body": "{\\"token\\": \\"@@\\"}"}', HEX, 32),
    _in("XML", "<password>@@</password>", ALNUM, 12),
    _in("XML, attributes", '<add key="ApiSecret" value="@@" />', ALNUM, 32),
    _in("Dockerfile", "ENV DB_PASSWORD=@@", ALNUM, 12),
    _in("Dockerfile, blank", "ENV API_TOKEN @@", HEX, 32),
    _in("command line", "deploy --host h --password @@ --force", ALNUM, 12),
    _in("command line, joined", "deploy --auth-token=@@", HEX, 32),
    _in("UUID as a secret", 'client_secret: "@@"', HEX, 32).__class__(
        "UUID as a secret",
        'client_secret: "'
        + (uuid := "-".join(made(HEX, n, f"uuid{n}{i}") for i, n in enumerate((8, 4, 4, 4, 12))))
        + '"',
        uuid,
    ),
    _in("German", "Passwort: @@", ALNUM, 12),
    _in("Russian", "Пароль: @@", ALNUM, 12),
    _in("Chinese", "密码：@@\n密码: @@", ALNUM, 12).__class__("Chinese", f"密码: {(zh := made(ALNUM, 12, 'zh'))}", zh),
    _in("chosen by a person", "password = 'hunter" + "2@@'", string.digits, 1).__class__(
        "chosen by a person", "password = 'Sommer" + "2024!'", "Sommer" + "2024!"
    ),
]

LEAKS = [*SHOWN, *PLACED, *GIVEN]

HARMLESS = [
    "commit 3f785c1a9b2d4e6f8a0c1e3d5b7f9a2c4e6d8b0a",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    "request_id = '123e4567-e89b-12d3-a456-426614174000'",
    "![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E==)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@host",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCARwCCQDQ0n5lQz9vNzANBgkqhkiG9w0BAQsFADAeMQswCQ\n-----END CERTIFICATE-----",
    'BEGIN = "-----BEGIN RSA " + KIND\nif "-----BEGIN " "PRIVATE KEY-----" in text:\n    return\n',
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaF5xWx5yZ3c9GkS4w2y9v0\n-----END PUBLIC KEY-----",
    "start = '-----BEGIN " + "PRIVATE KEY-----'\nif start in text:\n    return\nend = '-----END " + "PRIVATE KEY-----'",
    'credentials = f"{self.username}:{self.password}"',
    '__all__ = ["V1Secret", "V1SecretEnvSource", "V1Token2List"]',
    "token = next(tokens)",
    "token = tokens[position]",
    "token = self.tokens.pop()",
    "token: Token = parser.peek2()",
    "self.token2 = token2",
    "def login(user: str, password: str, token: str | None = None) -> Session:",
    "password: typing.Optional[str] = None",
    "    password: String,",
    "secret: SecretStr | None = Field(default=None)",
    'password = os.environ["SHOP_PASSWORD"]',
    "api_key = os.getenv('API_KEY_V2')",
    "const token = process.env.SLACK_TOKEN_1;",
    "password = getpass.getpass('Password: ')",
    "password: ${DB_PASSWORD}",
    "password: {{ vault_db_password }}",
    "API_TOKEN: ${{ secrets.API_TOKEN }}",
    "PASSWORD=$DB_PASSWORD",
    "password = '%(password)s'",
    "password: <your password here>",
    "password = 'changeme'",
    'api_key = "your-api-key-here"',
    'token = "test-token-1"',
    'token = "xxxxxxxxxxxxxxxxxxxxxxxx"',
    "password: '********'",
    "AWS_ACCESS_KEY_ID = 'AKIA" + "IOSFODNN7EXAMPLE'",
    "https://user:password@example.org/path",
    "postgresql://localhost:5432/shop",
    "git@github.com:team/shop.git",
    "mailto:ada@example.org?subject=token",
    "max_tokens: 2048",
    'tokenizer = "cl100k_base"',
    'token_type = "bearer"',
    'TOKEN_URL = "https://login.example.org/oauth2/v2.0/token"',
    'api_key_header = "X-API-Key-V2"',
    'secret_name = "shop-db-credentials"',
    'password_field = "new_password2"',
    '"password": "Passwort vergessen?"',
    'label_password = "Password"',
    'SECRET = "secret"',
    'token = "if"',
    "if token == TokenKind.STRING2:",
    "<input type='password' name='password' autocomplete='current-password'>",
    "password_hash = bcrypt.hashpw(password, bcrypt.gensalt(12))",
    "Authorization: Basic <credentials>",
    "headers['Authorization'] = f'Bearer {token}'",
    "Authorization: Bearer $TOKEN",
    "curl -u user:password https://example.org",
    "the token limit is 4096 and the password needs 12 characters",
    'cursor.execute("SELECT password, token FROM users WHERE id = %s")',
    "keys = sorted(mapping, key=lambda k: k.id)",
    "PRIMARY KEY (tenant, token)",
    "1.2.3-beta.4+build.20240102",
    "pass  # password: nothing to do here2",
    "secret_store.get('prod/shop/db')",
    "token = 'eyJ'",
    "credentials = service_account.Credentials.from_service_account_file(path)",
    "var(--token-color-2)",
    "key = 'a1b2c3d4e5f6'",
    "AKIA is the prefix of an access key; sk- and ghp_ are others",
]
