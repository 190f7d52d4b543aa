"""Editors: one for each schema. They give out domain edits and know no engine."""
