"""Hypothesis strategies: layouts of all kinds that can be used."""

from hypothesis import strategies as st

from inspector.domain.layout_rules import BUILT_IN, INSTRUCTIONS, MESSAGES, PERSONA
from inspector.domain.layouts import Layout, SectionLayout, Share, Wrapper

NAME = "own"
_HEADINGS = ["", "", "# Heading", "X", "漢字", "**bold**\nand more"]
_TEXTS = ["Slow is smooth.", "a</own>b```c", " leading", "word " * 40]


@st.composite
def sections(draw: st.DrawFn, name: str) -> SectionLayout:
    minimum = draw(st.sampled_from([0, 0, 0, 30, 150]))
    maximum = draw(st.sampled_from([None, None, None, 0, 40, 400]))
    return SectionLayout(
        name,
        heading=draw(st.sampled_from(_HEADINGS)),
        group=draw(st.sampled_from(["", "", "# Group"])),
        element=draw(st.sampled_from(["", "", name])),
        fence=draw(st.integers(0, 9)) == 0,
        minimum=minimum,
        maximum=None if maximum is None else max(minimum, maximum),
        priority=draw(st.sampled_from([0, 0, 10, 50])),
        share=draw(st.sampled_from([1.0, 1.0, 0.25, 3.0])),
        grow=draw(st.integers(0, 4)) > 0,
        together=draw(st.integers(0, 4)) == 0,
    )


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    names = [name for name in (*BUILT_IN, MESSAGES) if name != PERSONA]
    chosen = draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=len(names)))
    entries = [draw(sections(name)) for name in chosen]
    if INSTRUCTIONS in chosen and draw(st.booleans()):
        entries.insert(chosen.index(INSTRUCTIONS), draw(sections(PERSONA)))
    for number in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(entries)))
        between = place > 0 and entries[place - 1].name == PERSONA
        own = f"mine_{number}"
        if draw(st.booleans()):
            entry = SectionLayout(own, "# Mine", text=draw(st.sampled_from(_TEXTS)))
        else:
            element, together = draw(st.sampled_from(["", own])), draw(st.booleans())
            labels = [("persona", "a b"), ("human", "a", "scratchpad")][number]
            entry = SectionLayout(own, blocks=labels, element=element, together=together)
        entries.insert(place + between, entry)
    return Layout(
        NAME,
        "",
        draw(st.sampled_from(["\n\n", "\n\n---\n\n", "\n***\n", "\n"])),
        draw(st.sampled_from(list(Wrapper))),
        tuple(entries),
        memory=draw(st.sampled_from(list(Share))),
        history=draw(st.sampled_from(list(Share))),
        strategy=draw(st.sampled_from(["", "hysteresis", "window"])),
    )
