import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answers.blocks import BlockKind
from iterative_retrieval.retrieval.answers.plain import plain
from iterative_retrieval.retrieval.answers.sentences import split_sentences, units


def split(text: str, language: str) -> list[str]:
    return [text[a:b] for a, b in split_sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["Use it, e.g. for retries.", "It needs Python 3.11.", 'He said "no."', "See Fig. 3 for Dr. Smith."]),
        ("en", ["Call `a.b. C` first.", "Open https://example.org/a.b?c=1.", "Really?", "Yes!"]),
        ("en", ["Wait... then go on.", "Wait…", "Then go."]),
        ("en", ["It is slow, approx. five seconds.", "The answer is no.", "We ship wheels, etc.", "Done."]),
        ("en", ['Read the [guide](https://a.b/c.d "Part. Two") first.', "Then start."]),
        ("en", ["It was released on 3. May 2024.", "It left on 14. Sept. 2025.", "We have 3.", "Dogs bark."]),
        ("en", ["He said “It works.”", "Then ‘Stop.’", '"Why."', "Done."]),
        ("", ["Er kam am 3. Mai.", "Он вышел 3 мая.", "Потом ушёл."]),
        ("de", ["Die Frist ist der 1. Oktober.", "Sie liegt im 2. Schritt.", "„Nein.“", "Dann 3. März."]),
        ("en", ["Version v2.0.1 is out.", "(It is fast.)", "*Good.*", "Next."]),
        ("de", ["Das gilt z. B. für Python 3.11.", "Am 3. Mai erschien es.", "Siehe Abb. 4 bzw. S. 7.", "Ende usw."]),
        ("de", ["Es dauert ca. 5 Min. pro Lauf.", "„Geht das?“", "Ja, d. h. fast immer."]),
        (
            "ru",
            ["Это работает, т. е. сервер отвечает.", "В 2023 г. вышла версия 8.3.22.", "Формы и т. д.", "Затем пуск."],
        ),
        ("ru", ["См. рис. 2 и табл. 3 ниже.", "Готово!"]),
        ("zh", ["超时是30秒。", "如何设置？", "使用 `a.b。c` 选项！", "“可以。”", "版本3.11支持。"]),
    ],
)
def test_text_is_cut_at_sentences_and_nowhere_else(language: str, sentences: list[str]) -> None:
    joint = "" if language == "zh" else " "
    assert split(joint.join(sentences), language) == sentences


def test_hard_wrapped_lines_are_one_sentence_and_short_lines_are_their_own() -> None:
    wrapped = (
        "The client retries every failed request up to three times by default and\nwaits two seconds between the tries."
    )
    assert split(wrapped, "en") == [wrapped]
    lines = "Get started\nInstall the package with pip and then call the client from your own code.\nQuick tour"
    assert split(lines, "en") == lines.split("\n")


MARKDOWN = """# Title

Intro text here. Second one.

- **First** item. More of it.
- Second item
  goes on

1. Step:

   ```bash
   run it. Now.
   ```

| Flag | Meaning |
|------|---------|
| `-v` | Verbose. Loud |

Old heading
===========

As code::

    indented. Code

>>> session()
'out'

> Quoted. Text
> goes on.
"""


def test_a_page_gives_headings_sentences_items_rows_and_code() -> None:
    assert [(u.kind, u.plain) for u in units(MARKDOWN, "en")] == [
        (BlockKind.HEADING, "Title"),
        (BlockKind.PARAGRAPH, "Intro text here."),
        (BlockKind.PARAGRAPH, "Second one."),
        (BlockKind.ITEM, "First item."),
        (BlockKind.ITEM, "More of it."),
        (BlockKind.ITEM, "Second item goes on"),
        (BlockKind.ITEM, "Step:"),
        (BlockKind.CODE, "   ```bash\n   run it. Now.\n   ```"),
        (BlockKind.ROW, "Flag | Meaning"),
        (BlockKind.ROW, "Flag: `-v`; Meaning: Verbose. Loud"),
        (BlockKind.HEADING, "Old heading"),
        (BlockKind.PARAGRAPH, "As code::"),
        (BlockKind.CODE, "    indented. Code"),
        (BlockKind.CODE, ">>> session()\n'out'"),
        (BlockKind.PARAGRAPH, "Quoted."),
        (BlockKind.PARAGRAPH, "Text goes on."),
    ]


def test_items_of_one_list_share_a_group_and_sentences_of_one_item_a_block() -> None:
    first, more, second = [u for u in units(MARKDOWN, "en") if u.kind is BlockKind.ITEM][:3]
    assert first.group == more.group == second.group
    assert first.block == more.block != second.block
    assert (first.opens, more.opens, second.opens) == (True, False, True)


def test_a_fence_cut_off_by_the_chunk_is_code_to_the_end() -> None:
    assert [u.kind for u in units("Text here.\n\n```python\nx = 1. Y\n\nz", "en")] == [
        BlockKind.PARAGRAPH,
        BlockKind.CODE,
    ]


@given(
    st.text(alphabet=st.sampled_from("aBz .!?。-*`|#\n\t>:=1(«“яД[]"), max_size=200),
    st.sampled_from(["en", "de", "ru", "zh", ""]),
)
def test_units_are_exact_slices_in_order_that_do_not_overlap(text: str, language: str) -> None:
    end = 0
    for unit in units(text, language):
        assert unit.text == text[unit.start : unit.end] != ""
        assert unit.start >= end
        end = unit.end


@pytest.mark.parametrize(
    ("marked", "bare"),
    [
        ("**Bold** and *it* and __b__ and _i_", "Bold and it and b and i"),
        ("snake_case_name and __init__ stay", "snake_case_name and __init__ stay"),
        ("`__init__` and ``x*y*z``", "`__init__` and `x*y*z`"),
        ("[text](https://a.b/c) ![alt](x.png) <https://a.b>", "text alt https://a.b"),
        ("## Heading ##", "Heading"),
        ("> quoted\n> on", "quoted on"),
        ("Use :class:`Foo` here", "Use `Foo` here"),
        ("| a | b |", "a | b"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("1*2*3 and 2**3**4 and >0=__NOMAGIC__", "1*2*3 and 2**3**4 and >0=__NOMAGIC__"),
        ("*args and **kwargs stay, C # too", "*args and **kwargs stay, C # too"),
        ("\u8fd9\u662f**\u91cd\u70b9**\u5185\u5bb9", "\u8fd9\u662f\u91cd\u70b9\u5185\u5bb9"),
        ("line<br>break", "line break"),
    ],
)
def test_decorations_go_and_words_stay(marked: str, bare: str) -> None:
    assert plain(marked) == bare
