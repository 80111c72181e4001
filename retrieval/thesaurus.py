"""Words that programmers use for the same thing: what the task says and what the code may say instead.

Written for this project from general knowledge; one group a line. Words are matched by their stems, phrases by all of
their words. Only terms that the code base really holds are ever added to a query.
"""

from __future__ import annotations

from functools import lru_cache

from .text import content_terms

_GROUPS = """
rate limit; rate limiting; throttle; throttling; quota; token bucket; leaky bucket; middleware
authentication; authenticate; auth; login; sign in; session; jwt; credential; identity
authorization; authorize; permission; access control; acl; policy; role; guard; scope
expiry; expire; expiration; ttl; timeout; lifetime; max age; stale; refresh; renew; valid until
token; jwt; bearer; session; refresh
logout; sign out; revoke; invalidate
delete; remove; destroy; drop; unlink; discard; purge; erase
cache; memoize; memo; lru; buffer
queue; job; task; worker; background; async; celery; scheduler; cron
retry; backoff; attempt; reconnect; resilience
log; logging; logger; trace; debug; audit
config; configuration; settings; options; preferences; conf; env; environment
url; uri; link; route; endpoint; path; href
route; router; routing; endpoint; api endpoint; url pattern; dispatcher; handler; controller
middleware; interceptor; filter; hook; pipeline; plugin
request; req; http; call
response; resp; reply; result
api; endpoint; rest; route; controller; resource; handler
server; daemon; service; listener; backend
client; consumer; sdk; agent; caller
database; db; sql; orm; query; storage; repository; model
migration; schema; alter table; ddl
transaction; commit; rollback; atomic; savepoint
foreign key; relation; relationship; reference; association; join
index; key; lookup; search
search; find; query; lookup; filter; match
sort; order; order by; ordering; rank; compare; comparator
serialize; serialization; marshal; encode; dump; to json; stringify; format; writer
deserialize; deserialization; unmarshal; decode; parse; load; from json; reader
parse; parser; lexer; tokenizer; scanner; grammar; syntax; ast
print; printer; pretty print; display; render; format; repr; to string; output; show
template; render; view; layout; partial; jinja
html; markup; dom; tag; element
style; css; theme; color; colour; appearance
image; picture; photo; thumbnail; bitmap; icon
upload; multipart; attachment; file storage; form data
download; export; save as; attachment
email; mail; smtp; message; notification
notification; alert; message; push; toast
user; account; member; profile; principal
password; passphrase; secret; hash; credential
encrypt; encryption; cipher; crypto; aes; tls; ssl
certificate; cert; x509; tls; ssl; pem
signature; sign; hmac; verify; digest
validation; validate; check; verify; constraint; sanitize; clean
escape; sanitize; quote; encode
date; time; datetime; timestamp; timezone; tz; calendar; clock
timezone; tz; utc; offset; locale time
locale; language; i18n; internationalization; l10n; translation; gettext
array; list; vector; sequence; collection
dictionary; dict; map; hash; hashmap; object; mapping
set; unique; distinct; dedupe
tree; node; hierarchy; nested; parent; child
graph; edge; vertex; node; network
loop; iterate; iteration; iterator; each; for
recursive; recursion; nested; deep; walk; traverse
concurrency; concurrent; parallel; thread; lock; mutex; race; async; sync
lock; mutex; semaphore; synchronize; latch; deadlock
memory leak; leak; garbage; gc; release; free; dispose; close
performance; slow; speed; optimize; fast; benchmark; profile
command line; cli; argv; argument; option; flag; argparse; console; terminal
flag; option; switch; parameter; argument
argument; parameter; param; arg; kwarg; option
test; spec; unittest; assert; fixture; mock
install; setup; deploy; package; bootstrap
dependency; requirement; package; module; import; vendor
version; release; tag; semver
deprecate; deprecated; deprecation; obsolete; legacy; removed
warning; warn; lint; diagnostic; notice
inheritance; inherit; subclass; superclass; base; derived; extend; parent; mixin
interface; protocol; trait; abstract; contract; api
decorator; annotation; wrapper; attribute; wraps
event; signal; listener; emitter; callback; hook; subscribe; observer
callback; hook; handler; listener; closure
plot; chart; figure; axes; graph; draw; canvas
axis; axes; tick; scale; label
legend; label; key; caption
3d; three dimensional; mplot3d; projection
matrix; array; tensor; linear algebra; ndarray
times; mul; multiply; product; multiplication
power; pow; exponent; exp
divide; division; quotient; ratio; div; mod
equal; equality; eq; compare; same; identical
simplify; reduce; canonicalize; normalize; evaluate
absolute; abs; magnitude; modulus
latex; tex; mathml; math
documentation; docs; docstring; autodoc; help; manual
link; reference; anchor; xref; hyperlink; crossref
indent; indentation; whitespace; tab; space; formatting
newline; line break; line ending; eol; crlf; linefeed
quote; quotes; quotation; apostrophe; escape
bracket; parenthesis; brace; paren
comment; remark; annotation; note
import; include; require; use; module
export; expose; public; visible
private; hidden; internal; protected
copy; clone; duplicate; deepcopy; replicate
merge; combine; join; concat; concatenate; union; append
split; separate; partition; divide; chunk; tokenize
wait; sleep; delay; pause; block; timeout
stop; cancel; abort; terminate; kill; shutdown; halt; interrupt
start; begin; launch; run; boot; init; initialize; spawn
default; fallback; initial; preset
empty; null; none; nil; blank; missing; undefined; void
random; rng; seed; shuffle; sample
proxy; gateway; reverse proxy; tunnel; forward
redirect; forward; location; 302; 301
header; headers; metadata; field
cookie; session; set cookie; samesite
cors; cross origin; origin; csrf
websocket; socket; ws; stream; connection
stream; pipe; flow; chunk; reader; writer
file; path; filesystem; fs; directory; folder
folder; directory; dir; path
permission; mode; chmod; umask; access
compress; compression; gzip; zip; deflate; brotli; archive
pagination; paginate; page; paginator; cursor; offset
form; input; field; widget; control
button; click; widget; control
menu; navigation; nav; sidebar; dropdown
payment; billing; invoice; charge; checkout; stripe
cart; basket; order; checkout
price; cost; amount; money; currency
highlight; syntax; lexer; color; pygments
autocomplete; completion; suggest; intellisense
rename; refactor; alias; move
annotation; decorator; attribute; metadata
generic; template; type parameter; typevar
nullable; optional; maybe; null; none
enum; enumeration; choice; constant; variant
constructor; init; initializer; new; factory
factory; builder; provider; creator
builder; fluent; construct; superbuilder
getter; accessor; property; setter; attribute
""".strip().split("\n")


def related_words(text: str, limit: int = 40) -> list[str]:
    """Other words for what ``text`` says, as written in the thesaurus, best supported first.

    A phrase votes for the other members of its group with as many words as it has, and only when the text holds all of
    them: "rate limit" speaks for "throttle" twice as loudly as "limit" does for "cap".
    """
    said = set(content_terms(text).parts)
    votes: dict[str, int] = {}
    for members in _groups():
        strength = max((len(stems) for stems in members.values() if stems <= said), default=0)
        for phrase, stems in members.items() if strength else ():
            for word in phrase.split():
                if not stems <= said and not set(content_terms(word).parts) <= said:
                    votes[word] = votes.get(word, 0) + strength
    return sorted(votes, key=lambda w: (-votes[w], w))[:limit]


@lru_cache(maxsize=1)
def _groups() -> list[dict[str, frozenset[str]]]:
    """For each line: phrase -> its stems."""
    lines = [[phrase.strip() for phrase in line.split(";")] for line in _GROUPS]
    return [{p: stems for p in line if (stems := frozenset(content_terms(p).parts))} for line in lines]
