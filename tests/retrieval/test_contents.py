"""Bytes as text: any encoding is read, and what no person wrote is recognised."""

from __future__ import annotations

import codecs
import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.contents import Contents, sniff
from iterative_retrieval.state.source import LeftOutReason

CODE = "int main(void) {\n  return 0;\n}\n" * 20
WORDS = {
    "French": "/* Générer la méthode déjà créée, à côté */\n",
    "German": "# Größe prüfen, übergeben\n",
    "Polish": "# Sprawdź wartość, przekaż żądanie błędu do gałęzi\n",
    "Russian": "# Проверка значения, передача данных в функцию\n",
    "Chinese": "# 检查数值并将数据传递给函数处理\n",
    "Taiwanese": "# 檢查數值並將資料傳遞給函式處理\n",
    "Japanese": "# 値を確認して関数にデータを渡す\n",
    "Korean": "# 값을 확인하고 함수에 데이터를 전달합니다\n",
}


def text_of(data: bytes) -> str:
    text = sniff(data).text
    assert text is not None
    return text


def test_plain_text_is_utf8() -> None:
    assert sniff(b"x = 1\n") == Contents("x = 1\n", "utf-8")
    assert sniff("naïve = '日本'".encode()) == Contents("naïve = '日本'", "utf-8")
    assert sniff(b"") == Contents("", "utf-8")


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_line_ends_become_newlines(ends: str) -> None:
    assert text_of(f"a{ends}b{ends}{ends}c".encode()) == "a\nb\n\nc"
    assert text_of(f"a{ends}b".encode("utf-16")) == "a\nb"


def test_other_line_separators_stay_inside_their_line() -> None:
    assert text_of("a\x0cb\x85c\u2028d\x1ce".encode()).count("\n") == 0


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides(mark: bytes, encoding: str) -> None:
    assert text_of(mark + "größe = 'проверка'\n".encode(encoding)) == "größe = 'проверка'\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_read_by_its_nul_bytes(encoding: str) -> None:
    contents = sniff((WORDS["German"] + CODE).encode(encoding))
    assert (contents.text, contents.encoding) == (WORDS["German"] + CODE, encoding)


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("French", "latin-1"),
        ("German", "latin-1"),
        ("German", "cp1252"),
        ("Polish", "cp1250"),
        ("Russian", "cp1251"),
        ("Russian", "koi8-r"),
        ("Russian", "cp866"),
        ("Chinese", "gb18030"),
        ("Taiwanese", "big5"),
        ("Japanese", "euc-jp"),
        ("Japanese", "shift-jis"),
        ("Korean", "euc-kr"),
    ],
)
def test_old_encodings_are_guessed(language: str, encoding: str) -> None:
    text = CODE + WORDS[language] * 3
    assert text_of(text.encode(encoding)) == text


def test_a_declared_encoding_is_believed() -> None:
    source = "#!/usr/bin/python\n# -*- coding: iso8859-5 -*-\nx = 'Год'\n"
    assert sniff(source.encode("iso8859-5")) == Contents(source, "iso8859-5")
    page = '<?xml version="1.0" encoding="koi8-r"?>\n<a>Год</a>\n'
    assert text_of(page.encode("koi8-r")) == page


@pytest.mark.parametrize("name", ["no-such-thing", "rot13", "punycode", "undefined", "utf-8", "hex"])
def test_a_false_declaration_does_no_harm(name: str) -> None:
    assert text_of(f"# coding: {name}\n# Größe\n".encode("latin-1")).endswith("# Größe\n")


def test_utf8_with_a_few_damaged_bytes_stays_utf8() -> None:
    contents = sniff((WORDS["Russian"] * 5).encode() + b"\xff\n")
    assert contents.encoding == "utf-8"
    assert contents.text == WORDS["Russian"] * 5 + "\ufffd\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\x00\x00\x00",
        b"text with a \0 in it",
        b"\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        codecs.BOM_UTF16_LE + b"\xd8\xd8\xd8",
        random.Random(1).randbytes(5_000),
        random.Random(2).randbytes(5_000).replace(b"\0", b""),
    ],
)
def test_binary_data_is_no_text(data: bytes) -> None:
    assert sniff(data) == Contents(None, "", LeftOutReason.BINARY)


@given(st.binary(max_size=300))
def test_no_bytes_break_it(data: bytes) -> None:
    contents = sniff(data)
    assert (contents.text is None) == (contents.reason is not None)
    assert "\r" not in (contents.text or "")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=300))
def test_valid_utf8_comes_back(text: str) -> None:
    assert sniff(text.encode()).text in (text, text.removeprefix("\ufeff"))


def test_a_single_line_of_megabytes_is_minified() -> None:
    assert sniff(b"var a=1;" * 600_000) == Contents(None, "utf-8", LeftOutReason.MINIFIED)
    licensed = b"/* a short licence */\n" * 20 + b"function(){}" * 10_000
    assert sniff(licensed).reason is LeftOutReason.MINIFIED


def test_one_long_line_among_many_is_not_minified() -> None:
    assert sniff(b"x = 1\n" * 2_000 + b"y" * 20_000 + b"\n").reason is None
    assert sniff(b"short prose without line ends " * 100).reason is None


@pytest.mark.parametrize(
    "head",
    [
        "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage api\n",
        "package api\n\n// Code generated by mockery v2. DO NOT EDIT.\n",
        "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n",
        "# Generated by Django 4.2 on 2024-01-01 10:00\n\nfrom django.db import migrations\n",
        "/**\n * @generated SignedSource<<abc>>\n */\nmodule.exports = 1;\n",
        "/* eslint-disable */\n'use strict';\n// This file was automatically generated from schema.graphql\n",
        "//------\n// <auto-generated>\n//     This code was generated by a tool.\n",
        '<?xml version="1.0"?>\n<!-- This file is auto-generated. Do not edit by hand. -->\n',
        "#!/bin/sh\n# DO NOT EDIT: written by configure\n",
        '"""\nThis module was generated from grammar.txt\n"""\nTABLE = {}\n',
        "-- autogenerated\nSELECT 1;\n",
        "# This is a generated file, changes will be lost\n",
        "; Automatically generated code - do not touch\n",
        "# THIS FILE IS GENERATED FROM NUMPY SETUP.PY\nversion = '1'\n",
        "// The content of this file was machine-generated\nlet a;\n",
        "<?php\n\n// WARNING: do not modify this file\n",
        "# Licence line\n" * 30 + "# Automatically generated by tool\n",
    ],
)
def test_a_banner_marks_a_generated_file(head: str) -> None:
    assert sniff(head.encode()).generated


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return 1\n",
        'import sys\n\nBANNER = "# Generated by gen.py. DO NOT EDIT."\n',
        'from x import y\n\nTEMPLATE = """\n# Generated by gen.py. DO NOT EDIT.\n"""\n',
        "# Writes the parser tables. The files it writes say that they must not be edited.\nprint(1)\n",
        '"""Serve pages generated by the templates."""\n',
        "# Copyright holders may not modify the licence\nx = 1\n",
        "# The key is generated by the server and stored\nx = 1\n",
        "# Generated code\n\nHow the tool writes code.\n",
        "# Automatically generated documentation for everyone\n",
        "x = 1\n" * 60 + "# Generated by hand\n",
        "# Licence line\n" * 45 + "# Automatically generated by tool\n",
        "package gen\n\nfunc write() {\n\t// Code generated by us. DO NOT EDIT.\n}\n",
    ],
)
def test_talk_of_generating_is_no_banner(text: str) -> None:
    assert not sniff(text.encode()).generated


def test_a_file_of_this_project_is_its_own_text() -> None:
    with open(__file__, "rb") as file:
        data = file.read()
    assert sniff(data) == Contents(data.decode().replace(os.linesep, "\n"), "utf-8")
