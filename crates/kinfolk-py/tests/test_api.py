"""The package's face: names, signatures, types and documentation that hold together."""

import ast
import doctest
import inspect
import pydoc
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import kinfolk
import kinfolk.sklearn
from kinfolk import _kinfolk
from kinfolk._arguments import settings

PACKAGE = Path(kinfolk.__file__).parent
FUNCTIONS = [name for name in kinfolk.__all__ if inspect.isfunction(getattr(kinfolk, name))]
CLASSES = [getattr(kinfolk, name) for name in kinfolk.__all__ if inspect.isclass(getattr(kinfolk, name))]
ESTIMATORS = [getattr(kinfolk.sklearn, name) for name in kinfolk.sklearn.__all__]


def test_the_stub_of_the_compiled_module_has_its_names():
    stub = ast.parse((PACKAGE / "_kinfolk.pyi").read_text())
    declared = {}
    for node in stub.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            declared[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            declared[node.target.id] = node
    there = {name for name in vars(_kinfolk) if not name.startswith("__") or name == "__version__"}
    assert set(declared) == there
    for name, node in declared.items():
        if isinstance(node, ast.FunctionDef):
            assert [argument.arg for argument in node.args.args] == list(inspect.signature(getattr(_kinfolk, name)).parameters), name
        elif isinstance(node, ast.ClassDef) and name in ("Data", "Network"):
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            assert methods == {part for part in vars(getattr(_kinfolk, name)) if not part.startswith("__")}, name


READING = set(inspect.signature(kinfolk.read).parameters) - {"data", "groups"}
SHARED = {name: one for name, one in inspect.signature(kinfolk.learn).parameters.items() if name not in ("data", "groups")}


def keywords(function):
    return {name: one for name, one in inspect.signature(function).parameters.items() if one.kind is one.KEYWORD_ONLY}


@pytest.mark.parametrize("name", ["read", "describe", "score", "fit", "explain", "bootstrap", "validate", "report"])
def test_a_keyword_has_one_default_and_one_type_everywhere(name):
    own = {"validate": {"method"}, "fit": {"method"}}.get(name, set())
    shared = {keyword: one for keyword, one in keywords(getattr(kinfolk, name)).items() if keyword in SHARED and keyword not in own}
    assert READING <= set(shared)
    for keyword, one in shared.items():
        assert (one.default, one.annotation) == (SHARED[keyword].default, SHARED[keyword].annotation), keyword


def test_every_shared_keyword_is_checked_and_belongs_to_one_group():
    groups = [settings.READING, settings.SCORE, settings.SEARCH, settings.MACHINE, ("progress",)]
    assert sorted(name for group in groups for name in group) == sorted(SHARED) == sorted(settings.CHECKS)
    assert set(settings.READING) == READING
    for name in ("explain", "bootstrap", "validate", "report"):
        assert set(SHARED) <= set(keywords(getattr(kinfolk, name))), name
    changed = {*settings.SCORE, *settings.SEARCH}
    again = keywords(kinfolk.Learned.bootstrap)
    assert changed <= set(again) and all(again[name].default is None for name in changed)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_those_of_the_source(name):
    function = inspect.unwrap(getattr(kinfolk, name))
    assert "__signature__" not in vars(function)
    assert not any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
    shown = pydoc.render_doc(getattr(kinfolk, name), renderer=pydoc.plaintext)
    assert all(f"{parameter}:" in shown for parameter in inspect.signature(function).parameters)


USES = """
import kinfolk
import numpy as np

rows = {"north": {"rain": ["yes", "no"]}, "south": {"rain": ["no", "no"]}}
network: kinfolk.Network = kinfolk.learn(rows, score="bhd", max_parents=2).fit()
predicted: np.ndarray = network.predict(rows["north"], "rain")
kinfolk.fit(kinfolk.read("rows.csv"), network)
kinfolk.learn(np.zeros((3, 2)), groups=[1, 2, 3], blacklist=[("X1", "X2")], start="[X1][X2]")
kinfolk.learn(3)  # no data
kinfolk.learn(rows, score="bde")  # no score
kinfolk.learn(rows, max_parents="two")  # no number
kinfolk.fit(rows, 7)  # no structure
"""


def test_types_are_right_and_catch_what_is_wrong(tmp_path):
    from mypy import api

    settings = Path(__file__).resolve().parents[1] / "pyproject.toml"
    said, _, failed = api.run(["--config-file", str(settings), "--cache-dir", str(tmp_path / "cache"), "-p", "kinfolk"])
    assert failed == 0, said
    (tmp_path / "uses.py").write_text(USES)
    said, _, _ = api.run(["--config-file", str(settings), "--cache-dir", str(tmp_path / "cache"), str(tmp_path / "uses.py")])
    wrong = {int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line}
    assert wrong == {number for number, line in enumerate(USES.splitlines(), 1) if "# no " in line}, said


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()
    for function in FUNCTIONS:
        assert "return" in getattr(kinfolk, function).__annotations__, function
    for owner in [*CLASSES, *ESTIMATORS]:
        if owner.__module__.startswith("kinfolk.") and not issubclass(owner, Exception):
            for name, method in vars(owner).items():
                if inspect.isfunction(method) and not name.startswith("_"):
                    assert "return" in method.__annotations__, (owner, name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented_with_parameters_and_examples(name):
    function = getattr(kinfolk, name)
    text = inspect.getdoc(function)
    assert doctest.DocTestParser().get_examples(text), name
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"^(\w+, )*{parameter}(, \w+)*( :|$)", text, re.MULTILINE), (name, parameter)


def public_callables():
    """Every function of the package and method of its classes that users may call."""
    for name in FUNCTIONS:
        yield name, getattr(kinfolk, name)
    for owner in [*CLASSES, *ESTIMATORS]:
        if not issubclass(owner, (Exception, Warning)):
            yield owner.__name__, owner
            for name, method in inspect.getmembers(owner, callable):
                if not name.startswith("_") and getattr(method, "__module__", "").startswith("kinfolk."):
                    yield f"{owner.__name__}.{name}", method


@pytest.mark.parametrize(("name", "what"), list(public_callables()), ids=lambda part: part if isinstance(part, str) else "")
def test_every_public_callable_has_examples(name, what):
    text = inspect.getdoc(what)
    assert "Examples\n--------\n" in text, name
    assert doctest.DocTestParser().get_examples(text), name


def test_the_examples_of_compiled_classes_run():
    tests = [test for test in doctest.DocTestFinder().find(kinfolk.Data, "Data") if test.examples]
    assert len(tests) == 1
    assert doctest.DocTestRunner().run(tests[0]).failed == 0


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_package_is_written_in_the_oldest_python_it_promises(path):
    text = path.read_text()
    parsed = ast.parse(text, feature_version=(3, 9))
    imports = {alias.name for node in parsed.body if isinstance(node, ast.ImportFrom) and node.module == "__future__" for alias in node.names}
    assert "annotations" in imports or path.name == "__init__.py"
    for node in ast.walk(parsed):
        # `X | Y` between types, `match`, `zip(strict=)` and the like came with 3.10.
        assert not isinstance(node, getattr(ast, "Match", ())), path
        assert not (isinstance(node, ast.Call) and any(keyword.arg == "strict" for keyword in node.keywords)), path
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            assert not any(isinstance(side, ast.Name) and side.id in ("str", "int", "float", "None") for side in (node.left, node.right)), path
        later = {"pairwise", "TypeAlias", "ParamSpec", "StrEnum", "Self", "batched", "removeprefixes"}
        names = {node.attr} if isinstance(node, ast.Attribute) else {a.name for a in node.names} if isinstance(node, ast.ImportFrom) else set()
        assert not names & later or getattr(node, "module", "") == "typing_extensions", path


@pytest.mark.parametrize("owner", [*CLASSES, *ESTIMATORS], ids=lambda owner: owner.__name__)
def test_classes_and_all_their_public_parts_are_documented(owner):
    assert inspect.getdoc(owner)
    if not issubclass(owner, Exception):
        for name, part in vars(owner).items():
            if not name.startswith("_"):
                assert inspect.getdoc(part), (owner, name)


@pytest.mark.parametrize("name", ["learn", "score", "fit", "validate", "explain", "bootstrap", "report", "read", "describe"])
def test_names_that_are_no_setting_are_refused(name, frames):
    structure = {"structure": "[V01]"} if name in ("score", "fit") else {}
    path = {"path": "page.html"} if name == "report" else {}
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'colour'"):
        getattr(kinfolk, name)(frames, colour="red", **structure, **path)


def test_settings_that_come_too_late_are_refused(frames, tmp_path):
    data = kinfolk.read(frames)
    with pytest.raises(TypeError, match="missing has no effect"):
        kinfolk.learn(data, missing="level")
    with pytest.raises(TypeError, match="groups has no effect"):
        kinfolk.fit(data, "[V01][V02][V03][V04][V05][V06]", groups="V01")
    with pytest.raises(TypeError, match="score has no effect"):
        kinfolk.report(kinfolk.learn(data), tmp_path / "page.html", score="bic")
    assert not list(tmp_path.iterdir())


def test_numpy_is_enough(tmp_path):
    program = textwrap.dedent(
        """
        import sys
        import importlib.abc

        class Nothing(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] not in allowed:
                    raise ImportError(f"{name} is not here")

        allowed = {*sys.stdlib_module_names, "numpy", "kinfolk"}
        sys.meta_path.insert(0, Nothing())
        import kinfolk
        made = kinfolk.simulate(nodes=3, arcs=2, rows=[300, 200], seed=1)
        learned = kinfolk.learn(made.frames)
        network = learned.fit()
        assert list(learned.arcs) == ["from", "to", "gain", "mark"]
        assert set(learned.evidence) == {"from", "to", "data_001", "data_002"}
        assert len(network.predict(made.frames["data_001"], "V1")) == 300
        assert "variable" in network.query("V1")
        assert kinfolk.learn({"a": [1, None, 2] * 10, "b": ["x", "y", "z"] * 10}, missing="level").document["data_sets"] == ["data"]
        for shown in (learned, network, learned.explain(), learned.bootstrap(3), kinfolk.validate(made.frames, folds=2)):
            assert "<table>" in shown._repr_html_()
        learned.report(sys.argv[1])
        kinfolk.learn(made.frames, progress=True)
        print("enough")
        """
    )
    done = subprocess.run([sys.executable, "-I", "-c", program, str(tmp_path / "page.html")], capture_output=True, text=True)
    assert done.stdout == "enough\n", done.stderr
