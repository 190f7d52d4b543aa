"""The shipped prompts: what a model is told when the engine itself asks it for something."""

from __future__ import annotations

from functools import cache

from inspector.shipped.locate import resource_path


@cache
def load_prompt(name: str) -> str:
    """A prompt's text.

    Raises:
        NotFoundError: there is none of that name.
    """
    return resource_path("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
