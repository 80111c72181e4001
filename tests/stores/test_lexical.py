from __future__ import annotations

import json
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from iterative_retrieval.retrieval.analysis import analyse_file
from iterative_retrieval.state.errors import StoreUnavailable
from iterative_retrieval.state.ports import Clause
from iterative_retrieval.stores.lexical import LexicalIndex
from iterative_retrieval.stores.segments import Document, IndexDamaged, Segment, write_segment
from iterative_retrieval.stores.slots import LexicalStore
from tests.stores.snapshots import FIELDS, WORDS, module


def segment_of(work: Path, first: int, texts: dict[str, str]) -> Segment:
    """A segment of these files, its files moved into ``work``."""
    folder = work / f"piece-{first}"
    folder.mkdir()
    analysed = {path: analyse_file(path, text.encode()) for path, text in texts.items()}
    documents = [
        Document(path, f"blob of {text}", f"blob of {text}", len(analysed[path][0].parts), "python", "", False)
        for path, text in texts.items()
    ]
    segment = write_segment(folder, first, documents, [text for _, text in analysed.values()])
    for name in segment.files:
        os.rename(folder / name, work / name)
    shutil.rmtree(folder)
    return segment


def build(store: LexicalStore, snapshot: str, *groups: dict[str, str]) -> LexicalIndex:
    """An index with one segment for each group of files."""
    with store.building() as work:
        segments, first = [], 0
        for group in groups:
            segments.append(segment_of(work, first, group))
            first += len(group)
        return store.publish(work, snapshot, segments)


def everything(index: LexicalIndex) -> list[object]:
    """The hits of many queries with their scores, and all document frequencies."""
    chance = random.Random(3)
    found: list[object] = []
    for number in range(60):
        fields = [f for f in FIELDS if chance.random() < 0.7]
        clauses = [Clause(f, w, FIELDS[f]) for w in chance.sample(WORDS, 1 + number % 12) for f in fields]
        found.append([(h.path, h.score) for h in index.search(clauses, chance.choice((1, 5, 20, 500)))])
    found.append([index.document_frequency(w, f) for w in WORDS for f in FIELDS])
    return [*found, [index.words_with_prefix(w[:1], 4) for w in WORDS]]


@pytest.fixture
def store(tmp_path: Path) -> LexicalStore:
    return LexicalStore(tmp_path / "lexical")


@pytest.fixture
def texts() -> dict[str, str]:
    return {f"{WORDS[n % 5]}/{WORDS[n % len(WORDS)]}{n}.py": module(n % 70) for n in range(120)}  # some are equal


@pytest.mark.parametrize("count", [2, 3, 17, 40])
def test_the_answer_does_not_depend_on_how_files_fall_into_segments(
    store: LexicalStore, texts: dict[str, str], count: int
) -> None:
    whole = everything(build(store, "disk-whole", texts))
    paths = list(texts)
    random.Random(count).shuffle(paths)
    parts = build(store, "disk-parts", *({p: texts[p] for p in paths[n::count]} for n in range(count)))
    assert everything(parts) == whole


def test_equal_scores_are_ordered_by_path_and_cut_there(store: LexicalStore) -> None:
    same = {f"{letter}.txt": "router" for letter in "hgfedcba"}
    index = build(store, "disk-1", dict(list(same.items())[:3]), dict(list(same.items())[3:]))
    for limit in range(1, 10):
        assert [h.path for h in index.search([Clause("body", "router", 1.0)], limit)] == sorted(same)[:limit]


def test_weights_multiply_scores(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-1", texts)
    single = index.search([Clause("body", "token", 1.0)], 5)
    double = index.search([Clause("body", "token", 2.0)], 5)
    assert [h.path for h in single] == [h.path for h in double]
    assert [2 * h.score for h in single] == pytest.approx([h.score for h in double])


def test_a_rare_word_counts_more_than_a_common_one(store: LexicalStore) -> None:
    texts = {f"{n}.txt": "router" for n in range(20)} | {"rare.txt": "voucher", "both.txt": "voucher router"}
    index = build(store, "disk-1", texts)
    hits = index.search([Clause("body", "router", 1.0), Clause("body", "voucher", 1.0)], 3)
    assert {h.path for h in hits[:2]} == {"both.txt", "rare.txt"}
    assert index.document_frequency("router") == 21 and index.document_frequency("voucher") == 2
    assert index.document_frequency("nowhere") == 0


def test_words_with_a_prefix_come_as_words_the_commonest_first(store: LexicalStore) -> None:
    index = build(store, "disk-1", {"a.txt": "tokens tokenizer", "b.txt": "token tok"}, {"c.txt": "token other"})
    assert index.words_with_prefix("tok") == ["token", "tok"]
    assert index.words_with_prefix("tok", 1) == ["token"]
    assert index.words_with_prefix("none") == []


def test_no_clause_no_limit_and_unknown_words_find_nothing(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-1", texts)
    assert index.search([], 5) == index.search([Clause("body", "token", 1.0)], 0) == []
    assert index.search([Clause("body", "nowhere", 1.0), Clause("body", "lone\udce9surrogate", 1.0)], 5) == []
    assert index.document_frequency("lone\udce9surrogate") == 0
    assert index.words_with_prefix("lone\udce9") == []
    assert len(index.search([Clause("path", "py", 1.0)], 10**9)) == len(texts)


def test_a_mistaken_field_is_no_damage(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-1", texts)
    with pytest.raises(TypeError, match="no field 'title'"):
        index.search([Clause("title", "x", 1.0)], 5)
    with pytest.raises(TypeError, match="no field 'title'"):
        index.document_frequency("x", "title")


def test_an_empty_index_answers(store: LexicalStore) -> None:
    index = build(store, "disk-empty")
    assert index.size == 0
    assert index.search([Clause("body", "token", 1.0)], 5) == []
    assert index.document_frequency("token") == 0 and index.words_with_prefix("t") == []
    reopened = store.open("disk-empty")
    assert reopened is not None and reopened.size == 0


def test_fifty_threads_hear_the_same(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-1", texts)
    expected = everything(index)
    heard: list[bool] = []
    threads = [threading.Thread(target=lambda: heard.append(everything(index) == expected)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [True] * 50


def test_a_published_slot_is_opened_by_another_store(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-1", texts)
    other = LexicalStore(store.folder).open("disk-1")
    assert other is not None
    assert everything(other) == everything(index) and other.documents == index.documents
    assert store.open("disk-2") is None and not store.damaged


def test_the_second_to_publish_a_snapshot_keeps_its_own_and_leaves_the_first(
    store: LexicalStore, texts: dict[str, str]
) -> None:
    first = build(store, "disk-1", texts)
    second = build(store, "disk-1", texts)
    assert everything(first) == everything(second)
    assert len(list(store.folder.iterdir())) == 1


# What a new slot takes over.


def wanted(texts: dict[str, str]) -> dict[str, str]:
    return {path: f"blob of {text}" for path, text in texts.items()}


def big(texts: dict[str, str]) -> list[dict[str, str]]:
    """Groups that are large enough to be worth taking over."""
    items = list(texts.items())
    return [dict(items[:60]), dict(items[60:])]


def test_only_segments_whose_documents_are_all_wanted_are_taken_over(
    store: LexicalStore, texts: dict[str, str]
) -> None:
    build(store, "disk-1", *big(texts))
    changed = texts | {next(iter(texts)): "edited = 1\n"}
    with store.building() as work:
        reuse = store.reuse(work, "disk", wanted(changed))
        assert [[d.path for d in s.documents] for s in reuse.segments] == [list(texts)[60:]]
        assert [d.path for d in reuse.loose] == list(texts)[1:60]


def test_taken_over_files_are_hard_links(store: LexicalStore, texts: dict[str, str]) -> None:
    build(store, "disk-1", *big(texts))
    (slot,) = store.folder.iterdir()
    with store.building() as work:
        (segment, _) = store.reuse(work, "disk", wanted(texts)).segments
        for name in segment.files:
            assert (work / name).stat().st_ino == (slot / name).stat().st_ino


def test_the_nearest_slot_is_taken(store: LexicalStore, texts: dict[str, str]) -> None:
    groups = big(texts)
    build(store, "disk-far", {p: f"{t}\n# old" for p, t in groups[0].items()}, groups[1])
    build(store, "disk-near", *groups)
    build(store, "disk-other", {f"x{p}": t for p, t in texts.items()})
    with store.building() as work:
        assert len(store.reuse(work, "disk", wanted(texts)).segments) == 2


def test_slots_of_another_kind_are_left_alone(store: LexicalStore, texts: dict[str, str]) -> None:
    build(store, "commit-1", *big(texts))
    with store.building() as work:
        reuse = store.reuse(work, "disk", wanted(texts))
        assert not reuse.segments and not reuse.loose


def test_a_damaged_slot_is_not_taken_over(store: LexicalStore, texts: dict[str, str]) -> None:
    build(store, "disk-1", *big(texts))
    (slot,) = store.folder.iterdir()
    flip(next(slot.glob("*.idx")))
    with store.building() as work:
        reuse = store.reuse(work, "disk", wanted(texts))
        assert not reuse.segments and not reuse.loose and store.damaged
        assert list(work.iterdir()) == [] and not slot.exists()


def test_without_hard_links_files_are_copied(
    store: LexicalStore, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build(store, "disk-1", *big(texts))

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with store.building() as work:
        reuse = store.reuse(work, "disk", wanted(texts))
        index = store.publish(work, "disk-2", reuse.segments)
    assert everything(index) == everything(build(LexicalStore(store.folder / "other"), "disk-1", texts))


# Damage.


def flip(file: Path) -> None:
    """Change one byte in the middle of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x55
    file.write_bytes(data)


def empty(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


def drop_a_segment(slot: Path) -> None:
    meta = json.loads((slot / "meta.json").read_text())
    meta["segments"].pop()
    (slot / "meta.json").write_text(json.dumps(meta))


def replace_by_a_file(slot: Path) -> None:
    shutil.rmtree(slot)
    slot.write_text("no folder")


def one(ending: str, damage: Callable[[Path], None]) -> Callable[[Path], None]:
    """Damage one of a slot's files with this ending."""
    return lambda slot: damage(next(slot.glob(f"*.{ending}")))


def cut(file: Path) -> None:
    os.truncate(file, 10)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "manifest garbage": lambda slot: (slot / "manifest.json").write_bytes(b"\xff\xfe{]"),
    "manifest empty": lambda slot: (slot / "manifest.json").write_bytes(b""),
    "manifest missing": lambda slot: (slot / "manifest.json").unlink(),
    "manifest flipped": lambda slot: flip(slot / "manifest.json"),
    "meta garbage": lambda slot: (slot / "meta.json").write_text("{}"),
    "meta missing": lambda slot: (slot / "meta.json").unlink(),
    "meta without a segment": drop_a_segment,
    "slot empty": empty,
    "slot a file": replace_by_a_file,
    **{f"{ending} flipped": one(ending, flip) for ending in ("idx", "term", "fast")},
    **{f"{ending} missing": one(ending, Path.unlink) for ending in ("fieldnorm", "store")},
    **{f"{ending} cut": one(ending, cut) for ending in ("idx", "pos", "term")},
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_slot_is_removed_and_can_be_built_again(
    store: LexicalStore, texts: dict[str, str], damage: Callable[[Path], object]
) -> None:
    expected = everything(build(store, "disk-1", *big(texts)))
    (slot,) = store.folder.iterdir()
    damage(slot)
    assert store.open("disk-1") is None
    assert store.damaged and not slot.exists()
    assert everything(build(store, "disk-1", *big(texts))) == expected
    again = LexicalStore(store.folder)
    reopened = again.open("disk-1")
    assert reopened is not None and everything(reopened) == expected and not again.damaged


def test_a_manifest_of_another_slot_is_damage(store: LexicalStore, texts: dict[str, str]) -> None:
    build(store, "disk-1", texts)
    build(store, "disk-2", dict(list(texts.items())[:50]))
    one, two = sorted(store.folder.iterdir())
    shutil.rmtree(two)
    shutil.copytree(one, two)
    assert store.open("disk-2") is None and store.damaged


def test_files_that_change_under_an_open_index_are_noticed(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-1", texts)
    (slot,) = store.folder.iterdir()
    assert index.untouched()
    with open(next(slot.glob("*.idx")), "r+b") as file:
        file.write(b"\0" * 64)
    assert not index.untouched()


def test_an_engine_that_cannot_read_says_damaged(store: LexicalStore, texts: dict[str, str]) -> None:
    build(store, "disk-1", texts)
    (slot,) = store.folder.iterdir()
    index = store.open("disk-1")
    assert index is not None
    for file in slot.glob("*.*"):
        if file.suffix in (".idx", ".term", ".fast"):
            size = file.stat().st_size
            with open(file, "r+b") as opened:
                opened.write(b"\xff" * (size - 8))
    with pytest.raises(IndexDamaged):
        for word in WORDS:
            index.search([Clause("body", word, 1.0)], 5)
            index.words_with_prefix(word[:2])


def test_a_folder_that_cannot_be_written_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "lexical").write_text("in the way")
    store = LexicalStore(tmp_path / "lexical")
    assert store.open("disk-1") is None
    with pytest.raises(StoreUnavailable, match="IR_CACHE_DIR"), store.building():
        pytest.fail("there is no folder to build in")


# Eviction.


def slots(store: LexicalStore) -> set[str]:
    return {folder.name.rsplit("-", 3)[0] for folder in store.folder.iterdir()}


def age(store: LexicalStore, snapshot: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(store._slot(snapshot), (then, then))


def test_the_least_recently_used_slots_go_first(store: LexicalStore) -> None:
    for number in range(6):
        build(store, f"disk-{number}", {"a.txt": f"text {number}"})
        age(store, f"disk-{number}", 100 - number)
    assert store.open("disk-0") is not None
    build(store, "disk-6", {"a.txt": "text 6"})
    assert slots(store) == {f"disk-{n}" for n in (0, 2, 3, 4, 5, 6)}


def test_an_evicted_slot_stays_readable_for_whoever_has_it_open(store: LexicalStore, texts: dict[str, str]) -> None:
    index = build(store, "disk-old", texts)
    expected = everything(index)
    age(store, "disk-old", 1000)
    for number in range(6):
        build(store, f"disk-{number}", {"a.txt": f"text {number}"})
    assert "disk-old" not in slots(store)
    assert everything(index) == expected and index.untouched()
    assert store.open("disk-old") is None and not store.damaged


def test_a_store_that_may_keep_more_slots_does(store: LexicalStore) -> None:
    roomy = LexicalStore(store.folder, keep=9)
    for number in range(10):
        build(roomy, f"disk-{number}", {"a.txt": f"text {number}"})
        age(roomy, f"disk-{number}", 100 - number)
    assert slots(roomy) == {f"disk-{number}" for number in range(1, 10)}


def test_slots_come_and_go_while_others_open_them(store: LexicalStore) -> None:
    texts = [{"a.txt": f"text{n}"} for n in range(12)]
    errors: list[object] = []

    def work(seed: int) -> None:
        chance, own = random.Random(seed), LexicalStore(store.folder)
        try:
            for _ in range(15):
                n = chance.randrange(12)
                index = own.open(f"disk-{n}") or build(own, f"disk-{n}", texts[n])
                assert [h.path for h in index.search([Clause("body", f"text{n}", 1.0)], 2)] == ["a.txt"]
            assert not own.damaged
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(slots(store)) <= 6 + 4


def names(folders: Iterable[Path]) -> set[str]:
    return {folder.name for folder in folders}


def test_what_killed_builds_left_is_swept_when_it_is_old(store: LexicalStore) -> None:
    build(store, "disk-1", {"a.txt": "text"})
    for name, old in (("building-old", True), ("building-young", False), ("evicted-x", False)):
        (store.folder / name).mkdir()
        (store.folder / name / "file").touch()
        if old:
            os.utime(store.folder / name, (0, 0))
    assert store.open("disk-1") is not None
    assert {n for n in names(store.folder.iterdir()) if not n.startswith("disk")} == {"building-young"}
