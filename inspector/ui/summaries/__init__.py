"""The parts of the summaries panel: what it reads, its tree, its coverage strip, its checks and its dialogs."""
