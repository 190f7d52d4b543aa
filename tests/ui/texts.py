"""Texts as hypothesis makes them up: all of Unicode, and what editors are known to spoil."""

from hypothesis import strategies as st

SPOILT = (
    "\r\n",
    "\r",
    "\n",
    "\n\n",
    "\u00a0",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\x00",
    "\x85",
    "\x0b",
    "\x0c",
    "\t",
    "\u200b",
    "\u202e",
    "\ufdd0",
    "\ufdd1",
    "\ufffc",
    "\uffff",
    "😀",
    "👩\u200d🚀",
    "e\u0301",
    "漢字",
    " ",
    "↵",
    "¤",
    "\u00ad",
)
"""The arrow and the sign after it are what hidden characters are shown as."""
ANY_CHARACTER = st.characters(exclude_categories=["Cs"])
TEXTS = st.lists(
    st.one_of(
        st.text(ANY_CHARACTER, max_size=12), st.sampled_from(SPOILT), st.sampled_from(("a", "be\n", "x y"))
    ),
    max_size=12,
).map("".join)
"""Every text that a block can hold, short ones."""
