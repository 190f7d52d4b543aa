"""The parts of the approvals panel: what agents ask for, the page on one request, and the answers."""
