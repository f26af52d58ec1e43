"""Collects the sources of the documentation site in one folder, next to mkdocs.yml: the Markdown of this folder, the help of every
command, and the Python package with its docstrings.

    KINFOLK=target/debug/kinfolk python docs/site.py FOLDER
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^  ([a-z]+)  ", re.MULTILINE)
ROLE = re.compile(r":(?:class|func|meth|attr|data|mod):(?=`)")
LINK = re.compile(r"\]\(((?:\.\./)+[^)#]+)(#[^)]*)?\)")


def help_of(*arguments):
    """The output of `--help`."""
    call = [os.environ["KINFOLK"], *arguments, "--help"]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.rstrip()


def commands_page():
    """The help of every command, in the order of the overview."""
    overview = help_of()
    listed = overview.split("Commands:\n")[1].split("\nOptions:")[0]
    names = [name for name in COMMAND.findall(listed) if name != "help"]
    assert len(names) > 10, f"the binary's help lists too few commands: {names}"
    parts = ["# Commands", "The output of `kinfolk COMMAND --help`.", f"```text\n{overview}\n```"]
    parts += [f"## {name}\n\n```text\n{help_of(name)}\n```" for name in names]
    return "\n\n".join(parts) + "\n"


def with_outward_links(page, repository):
    """The text of a page, with links to files outside this folder pointing to the repository."""

    def outward(link):
        target = (page.parent / link.group(1)).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link.group(0)
        if not target.exists():
            sys.exit(f"{page.relative_to(ROOT)} links to {link.group(1)}, which does not exist")
        return f"]({repository}/blob/main/{target.relative_to(ROOT).as_posix()}{link.group(2) or ''})"

    return LINK.sub(outward, page.read_text(encoding="utf-8"))


def gather(folder):
    """Recreates the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("site.py", "requirements.txt", "__pycache__"))
    shutil.copytree(ROOT / "crates/kinfolk-py/python", folder / "python")
    for source in (folder / "python").rglob("*.py"):
        # Roles of reStructuredText, which Markdown would show.
        source.write_text(ROLE.sub("", source.read_text(encoding="utf-8")), encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    repository = re.search(r"^repo_url: (.*)$", settings, re.MULTILINE).group(1)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = with_outward_links(page, repository)
        (folder / page.relative_to(ROOT)).write_text(text, encoding="utf-8")
    (folder / "docs/reference/commands.md").write_text(commands_page(), encoding="utf-8")


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
