"""Domains as folders: what each file of one means, checked on reading. What a domain does not bring is ``general``'s.

| file | holds |
|---|---|
| ``domain.json`` | title, description (required) |
| ``routing.json``, ``postprocess.json``, ``cache_policy.json``, ``retrieval.json`` | the first genome of a layer |
| ``cues.json`` | cues of query types; they replace those of the same type, the other types keep theirs |
| ``examples.jsonl`` | labelled questions; they join the inherited ones |
| ``documents/`` | documents that come with the domain; never inherited |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ..state.caching import CachePolicyGenome
from ..state.complaints import genome_part
from ..state.cue_patterns import compiled_cue
from ..state.documents import LANGUAGES
from ..state.domains import Domain, RouteCues, RouteExample
from ..state.errors import InvalidGenome, UnknownDomain
from ..state.genome import RetrievalGenome
from ..state.postprocess import PostprocessGenome
from ..state.routing import RoutingGenome
from .defaults import CODE, default_docs_retrieval, parse_genome

GENERAL = "general"
_SHIPPED = Path(__file__).parent / "domains"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_JSON_FILES = ("domain", "routing", "postprocess", "cache_policy", "retrieval", "cues")
_MOST_BYTES = 4_000_000
_MOST_EXAMPLES = 5_000
_MOST_CUES = 400
_Model = TypeVar("_Model", bound=BaseModel)


def known_domains(extra_folders: Sequence[Path] = ()) -> list[str]:
    """Names of the domains that ship with the package or lie in ``extra_folders``, sorted."""
    folders = [*extra_folders, _SHIPPED]
    return sorted({path.name for folder in folders for path in _domain_folders(folder)})


def load_domain(name_or_path: str | Path, extra_folders: Sequence[Path] = ()) -> Domain:
    """A domain, read and checked.

    Args:
        name_or_path: a known name, or the path of a domain folder; a path is told by a slash or by being a ``Path``.
        extra_folders: folders that hold domain folders; they come before those of the package.

    Raises:
        UnknownDomain: no such domain, or its folder cannot be read as one.
        InvalidGenome: a file of it holds something out of bounds; the message names file and field.
    """
    folder = _folder_of(name_or_path, extra_folders)
    _check_names(folder)
    about = _read_model(folder / "domain.json", _About)
    base = None if folder.resolve() == (_SHIPPED / GENERAL).resolve() else load_domain(GENERAL)
    routing = _genome(folder, "routing", RoutingGenome, base.routing if base else RoutingGenome())
    return Domain(
        name=folder.name,
        title=about.title,
        retrieval=_genome(folder, "retrieval", RetrievalGenome, default_docs_retrieval()),
        routing=routing,
        postprocess=_genome(
            folder, "postprocess", PostprocessGenome, base.postprocess if base else PostprocessGenome()
        ),
        cache_policy=_genome(
            folder, "cache_policy", CachePolicyGenome, base.cache_policy if base else CachePolicyGenome()
        ),
        cues=_joined_cues(_cues(folder, routing), base.cues if base else [], routing),
        examples=[
            *(e for e in (base.examples if base else []) if e.query_type in routing.profiles),
            *_examples(folder, routing),
        ],
        documents=folder / "documents" if (folder / "documents").is_dir() else None,
    )


class _About(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=2000)


def _domain_folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if (path / "domain.json").is_file())


def _folder_of(name_or_path: str | Path, extra_folders: Sequence[Path]) -> Path:
    if isinstance(name_or_path, Path) or "/" in name_or_path or "\\" in name_or_path:
        return _given(Path(name_or_path))
    for folder in (*extra_folders, _SHIPPED):
        for path in _domain_folders(folder):
            if path.name == name_or_path:
                return path
    near = f"; the folder is './{name_or_path}'?" if (Path(name_or_path) / "domain.json").is_file() else ""
    raise UnknownDomain(
        f"no domain '{name_or_path}'{near or ';'} domains are {', '.join(known_domains(extra_folders))}; "
        "or give the path of a folder with a domain.json"
    )


def _given(path: Path) -> Path:
    folder = path.expanduser().resolve()
    if not (folder / "domain.json").is_file():
        raise UnknownDomain(f'{path} is no domain folder: it needs a domain.json such as {{"title": "Finance"}}')
    return folder


def _check_names(folder: Path) -> None:
    if not _NAME.fullmatch(folder.name) or folder.name == CODE:
        raise UnknownDomain(
            f"{folder}: a domain is named after its folder, so that has lower-case letters, digits, '_' and '-', "
            f"40 at most, and is not '{CODE}'; rename it"
        )
    for path in sorted(folder.glob("*.json")):
        if path.stem not in _JSON_FILES:
            raise UnknownDomain(f"{path}: unknown file; a domain holds {', '.join(f'{n}.json' for n in _JSON_FILES)}")


def _genome(folder: Path, layer: str, kind: type[_Model], inherited: _Model) -> _Model:
    path = folder / f"{layer}.json"
    if not path.is_file():
        return inherited
    try:
        genome = parse_genome(layer, _json(path, _text(path)))
    except InvalidGenome as error:
        raise InvalidGenome(f"{path}: {error}") from error
    assert isinstance(genome, kind)
    return genome


def _cues(folder: Path, routing: RoutingGenome) -> list[RouteCues]:
    path = folder / "cues.json"
    if not path.is_file():
        return []
    data = _json(path, _text(path))
    if not isinstance(data, list):
        raise InvalidGenome(f'{path}: expected a list of {{"query_type": ..., "cues": {{...}}}}')
    cues = [genome_part(f"{path}, entry {i}", RouteCues, item) for i, item in enumerate(data, 1)]
    for i, each in enumerate(cues, 1):
        _check_type(f"{path}, entry {i}", each.query_type, routing)
        _check_cues(f"{path}, entry {i}", each)
    return cues


def _check_cues(where: str, cues: RouteCues) -> None:
    for language, pairs in cues.cues.items():
        if language not in ("", *LANGUAGES):
            raise InvalidGenome(f"{where}, field 'cues.{language}': languages are {', '.join(LANGUAGES)} and ''")
        if len(pairs) > _MOST_CUES:
            raise InvalidGenome(f"{where}, field 'cues.{language}': more than {_MOST_CUES} cues; join some")
        for i, (weight, pattern) in enumerate(pairs):
            if not 0 < weight <= 10:
                raise InvalidGenome(f"{where}, field 'cues.{language}.{i}': a weight is above 0 and at most 10")
            try:
                compiled_cue(pattern)
            except InvalidGenome as error:
                raise InvalidGenome(f"{where}, field 'cues.{language}.{i}': {error}") from error


def _joined_cues(own: Sequence[RouteCues], base: Iterable[RouteCues], routing: RoutingGenome) -> list[RouteCues]:
    replaced = {each.query_type for each in own}
    kept = [each for each in base if each.query_type not in replaced and each.query_type in routing.profiles]
    return [*kept, *own]


def _examples(folder: Path, routing: RoutingGenome) -> list[RouteExample]:
    path = folder / "examples.jsonl"
    if not path.is_file():
        return []
    examples = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip():
            where = f"{path}, line {number}"
            example = genome_part(where, RouteExample, _json(where, line))
            _check_type(where, example.query_type, routing)
            if example.language not in LANGUAGES:
                raise InvalidGenome(f"{where}, field 'language': languages are {', '.join(LANGUAGES)}")
            examples.append(example)
    if len(examples) > _MOST_EXAMPLES:
        raise InvalidGenome(f"{path}: {len(examples):,} examples; keep the {_MOST_EXAMPLES:,} most telling")
    return examples


def _check_type(where: str, query_type: str, routing: RoutingGenome) -> None:
    if query_type not in routing.profiles:
        known = ", ".join(sorted(routing.profiles))
        raise InvalidGenome(f"{where}, field 'query_type': '{query_type}' has no profile in routing.json ({known})")


def _read_model(path: Path, kind: type[_Model]) -> _Model:
    return genome_part(str(path), kind, _json(path, _text(path)))


def _json(where: object, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnknownDomain(f"{where}: not JSON ({error})") from error


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnknownDomain(f"{path}: larger than {_MOST_BYTES:,} bytes; documents belong into documents/")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnknownDomain(f"{path} cannot be read as UTF-8 text: {error}") from error
