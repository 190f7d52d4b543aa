"""The History tab of a block's panel: its versions, and how one differs from another."""
