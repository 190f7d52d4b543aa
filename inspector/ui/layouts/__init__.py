"""The layout editor: sections as rows, settings of the whole layout, and the Request that they would give."""
