"""The Python examples of the README and the tutorial give the output shown, run from the root of the checkout."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "docs/tutorial.md"])
def test_examples_give_what_they_show(document, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = BLOCK.findall((ROOT / document).read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        example = doctest.DocTestParser().get_doctest(block, {}, document, document, 0)
        assert example.examples
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example).failed == 0
