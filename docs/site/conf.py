"""Sphinx settings of the documentation site; built by ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

project = "iterative-retrieval"
author = "iterative-retrieval contributors"
html_title = project

# The source folder is the whole repository, so that links between README, docs and benchmarks hold. Its pages:
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/decisions/*.md",
    "benchmarks/README.md",
    "benchmarks/results/README.md",
    "README.md",
    "CHANGELOG.md",
]
_ENTERED = {"docs", "benchmarks"}
exclude_patterns = [path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in _ENTERED]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docs.site.extension"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
myst_fence_as_directive = {"mermaid"}
suppress_warnings = ["misc.highlighting_failure"]  # prompts and outputs in one block are no language

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
templates_path: list[str] = []
