"""Words that programmers use for the same thing: what the task says and what the code may say instead.

Written for this project from general knowledge; one group a line. Words are matched by their stems, phrases by all of
their words. Only terms that the code base really holds are ever added to a query.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .text import content_terms, unique

_GROUPS = """
rate limit; rate limiting; throttle; throttling; quota; token bucket; leaky bucket; backoff
authentication; authenticate; auth; login; sign in; session; jwt; credential; identity
authorization; authorize; permission; access control; acl; policy; role; guard; scope
expiry; expire; expiration; ttl; timeout; lifetime; max age; stale; refresh; renew; valid until
token; jwt; bearer; session; refresh
logout; sign out; revoke; invalidate
delete; remove; destroy; drop; unlink; discard; purge; erase
create; add; new; insert; make; build; register
update; modify; edit; patch; change; upsert
fetch; get; load; read; retrieve; download; pull
store; save; persist; write; dump; put
cache; memoize; memo; lru; buffer
queue; job; task; worker; background; async; celery; scheduler; cron
retry; backoff; attempt; reconnect; resilience
error; exception; failure; fault; panic; throw; raise
log; logging; logger; trace; debug; audit
config; configuration; settings; options; preferences; conf; env; environment
url; uri; link; route; endpoint; path; href
route; router; routing; endpoint; url pattern; dispatcher; handler; controller; view
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
number; numeric; integer; float; decimal; digit
string; text; str; characters; unicode
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
build; compile; bundle; make; package
install; setup; deploy; package; bootstrap
dependency; requirement; package; module; import; vendor
version; release; tag; semver
deprecate; deprecated; deprecation; obsolete; legacy; removed
warning; warn; lint; diagnostic; notice
type; typing; annotation; hint; class; kind
class; type; struct; model; entity
inheritance; inherit; subclass; superclass; base; derived; extend; parent; mixin
interface; protocol; trait; abstract; contract; api
function; method; callable; procedure; routine; lambda; func
decorator; annotation; wrapper; attribute; wraps
event; signal; listener; emitter; callback; hook; subscribe; observer
callback; hook; handler; listener; closure
plot; chart; figure; axes; graph; draw; canvas
axis; axes; tick; scale; label
legend; label; key; caption
3d; three dimensional; mplot3d; projection
matrix; array; tensor; linear algebra; ndarray
plus; add; addition; sum
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
size; length; len; count; width; height; dimension; capacity
limit; max; maximum; cap; bound; threshold; ceiling; quota
minimum; min; lower bound; floor; least
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


def related_words(text: str, held: Iterable[str] | None = None, limit: int = 40) -> list[str]:
    """Other words for what ``text`` says, best supported first.

    Args:
        text: a task's title or a few of its words.
        held: stems that may be added (the code base's own), None for all.
        limit: most words given.
    """
    stems = content_terms(text).parts
    said = set(stems)
    allowed = None if held is None else set(held)
    votes: dict[str, int] = {}
    for members in _groups():
        matched = sum(1 for phrase in members if phrase <= said)
        if not matched:
            continue
        for phrase in members:
            for word in phrase - said:
                votes[word] = votes.get(word, 0) + matched * max(len(p) for p in members if p <= said)
    words = [w for w in votes if allowed is None or w in allowed]
    return sorted(unique(words), key=lambda w: (-votes[w], w))[:limit]


@lru_cache(maxsize=1)
def _groups() -> list[list[frozenset[str]]]:
    return [[frozenset(content_terms(phrase).parts) for phrase in line.split(";") if content_terms(phrase).parts] for line in _GROUPS]
