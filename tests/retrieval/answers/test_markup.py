"""What a document's name says about the marks in its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answers.blocks import BlockKind
from iterative_retrieval.retrieval.answers.markup import Markup, markup_of
from iterative_retrieval.retrieval.answers.plain import plain
from iterative_retrieval.retrieval.answers.sentences import units


@pytest.mark.parametrize(
    ("document", "markup"),
    [
        ("guide.md", Markup.MARKDOWN),
        ("a/b.ipynb", Markup.MARKDOWN),
        ("https://example.org/docs/welcome#start", Markup.MARKDOWN),
        ("https://example.org/docs/v2.1", Markup.MARKDOWN),
        ("page", Markup.MARKDOWN),
        ("README", Markup.TEXT),
        ("guide.rst", Markup.RST),
        ("page.html", Markup.PAGE),
        ("notes.txt", Markup.TEXT),
        ("paper.pdf", Markup.TEXT),
        ("pool.py", Markup.TEXT),
        ("man/useradd.8", Markup.TEXT),
        ("ssl.3ssl", Markup.TEXT),
    ],
)
def test_the_name_of_a_document_tells_its_markup(document: str, markup: Markup) -> None:
    assert markup_of(document) is markup


@given(st.text(alphabet="ab1_*`#>[]()|<: \n"), st.sampled_from([Markup.TEXT, Markup.PAGE]))
def test_of_texts_without_markup_only_white_space_changes(text: str, markup: Markup) -> None:
    assert plain(text, markup) == " ".join(text.split())


@pytest.mark.parametrize(
    ("marked", "bare"),
    [
        ("See :class:`Pool`, :py:meth:`get <Pool.get>` and ``x * y``.", "See `Pool`, `get` and `x * y`."),
        ("The `docs <https://a.b>`__ and `Other page`_ say *this*.", "The docs and Other page say this."),
        ("|project| has __init__ and > 0.5 [1]_.", "project has __init__ and > 0.5."),
    ],
)
def test_restructured_text_loses_its_own_marks_alone(marked: str, bare: str) -> None:
    assert plain(marked, Markup.RST) == bare


MANUAL = """       The options are:

       -M, --no-create-home
           Do not create the home directory, even if the
           setting says so.

       --dry-run  Only print it.
       -q     Print less,
              or nothing.

EXIT STATUS
       0      Success.
       4      The name is taken.

  Ordinary text that is indented goes on here and wraps in the
  next line of it.
"""


def test_an_option_and_its_indented_explanation_are_one_statement() -> None:
    assert [(u.kind, u.plain) for u in units(MANUAL, "en", Markup.TEXT)] == [
        (BlockKind.PARAGRAPH, "The options are:"),
        (
            BlockKind.ITEM,
            "-M, --no-create-home: Do not create the home directory, even if the setting says so.",
        ),
        (BlockKind.ITEM, "--dry-run: Only print it."),
        (BlockKind.ITEM, "-q: Print less, or nothing."),
        (BlockKind.HEADING, "EXIT STATUS"),
        (BlockKind.ITEM, "0: Success."),
        (BlockKind.ITEM, "4: The name is taken."),
        (
            BlockKind.PARAGRAPH,
            "Ordinary text that is indented goes on here and wraps in the next line of it.",
        ),
    ]


def test_the_term_of_a_long_explanation_goes_with_its_first_sentence() -> None:
    text = f"  --long\n      Says this first. {'More words follow here. ' * 20}\n"
    found = units(text, "en", Markup.TEXT)
    assert found[0].plain == "--long: Says this first."
    assert {u.block for u in found} == {0}
    assert len(found) == 21


def test_justified_text_holds_no_columns() -> None:
    text = "       grep   searches  for  PATTERNS  in  each  FILE  and\n       -d  is  not  an  option  of  it.\n"
    assert [u.kind for u in units(text, "en", Markup.TEXT)] == [BlockKind.PARAGRAPH]


DIRECTIVES = """.. _pool:

The pool holds connections.

.. note:: It is closed
   when the process ends.

.. toctree::
   :maxdepth: 2

   pool/index

.. versionadded:: 3.2
   It can be shared.

.. code-block:: python
   :linenos:

   pool = Pool(3)

.. option:: --size

   Sets how many there are.

max_idle
    Connections kept idle.
"""


def test_directives_are_no_sentences_and_their_content_is() -> None:
    assert [(u.kind, u.plain) for u in units(DIRECTIVES, "en", Markup.RST)] == [
        (BlockKind.PARAGRAPH, "The pool holds connections."),
        (BlockKind.PARAGRAPH, "It is closed when the process ends."),
        (BlockKind.PARAGRAPH, "versionadded 3.2: It can be shared."),
        (BlockKind.CODE, "   pool = Pool(3)"),
        (BlockKind.PARAGRAPH, "--size: Sets how many there are."),
        (BlockKind.ITEM, "max_idle: Connections kept idle."),
    ]


@given(
    st.text(alphabet=st.sampled_from("aBz .!?-*`|#\n\t>:=1(_"), max_size=200),
    st.sampled_from(list(Markup)),
)
def test_units_of_every_markup_are_exact_slices_in_order(text: str, markup: Markup) -> None:
    end = 0
    for unit in units(text, "en", markup):
        assert unit.text == text[unit.start : unit.end] != ""
        assert unit.start >= end
        end = unit.end


def test_a_title_directly_below_a_text_is_a_heading() -> None:
    found = units("Run it nightly.\nRestore\n-------\nLoad it again.", "en", Markup.TEXT)
    assert [(u.kind, u.plain) for u in found] == [
        (BlockKind.PARAGRAPH, "Run it nightly."),
        (BlockKind.HEADING, "Restore"),
        (BlockKind.PARAGRAPH, "Load it again."),
    ]


def test_items_behind_a_code_block_stay_in_their_list() -> None:
    found = units("1. One.\n\n   ```\n   x\n   ```\n\n2. Two.\n", "en")
    one, _, two = found
    assert one.group == two.group
