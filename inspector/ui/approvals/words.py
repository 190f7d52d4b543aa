"""What allowing a consent request does, and what stands in its way, as sentences."""

from __future__ import annotations

from inspector.domain.consent import ConsentRequest
from inspector.ui.approvals.reader import ProposedEdit
from inspector.ui.editors.record_browser import BrowserWords
from inspector.ui.presentation.approvals import ALL, ANSWERED, STANDING, WAITING, ApprovalList, wish_text
from inspector.ui.wording import signed, tr, tr_code, tr_count, with_unit


def effect_text(proposal: ProposedEdit, together: tuple[ConsentRequest, ...], listed: ApprovalList) -> str:
    """What allowing does to the block's tokens, and which other requests are allowed with it as one."""
    tokens = with_unit(signed(proposal.growth) or "0")
    others = [wish_text(each, listed) for each in together if each.id != proposal.preview.request.id]
    if not others:
        return tr("Allowing it changes the block by {tokens}.", tokens=tokens)
    return " ".join(
        (
            tr_count(
                "Allowing all of them changes the block by {tokens}.",
                "Allowing all of them changes {count} blocks by {tokens}.",
                proposal.blocks,
                tokens=tokens,
            ),
            tr("Also allowed, as one change: {wishes}.", wishes="; ".join(others)),
        )
    )


def warnings_of(proposal: ProposedEdit) -> str:
    """What to know before the answer: who may give it, a block changed since, an edit that is refused or idle."""
    notes = []
    if proposal.is_stale:
        notes.append(
            tr("The block was changed since the agent asked. The difference is to the block as it is now.")
        )
    preview = proposal.preview
    if proposal.barred is not None:
        notes.append(tr_code(proposal.barred.code, proposal.barred.parameters))
    if preview.refusal is not None:
        why = tr_code(preview.refusal.code, preview.refusal.parameters)
        notes.append(tr("It can't be allowed as it is: {why}", why=why))
    elif preview.before == preview.after:
        notes.append(tr("The edit would change nothing by now."))
    return "\n".join(notes)


def browser_words() -> BrowserWords:
    """What the list of approvals, its filters and its page are called."""
    return BrowserWords(
        tr("Approvals"),
        tr("Filter approvals"),
        (
            (WAITING, tr("Pending")),
            (ANSWERED, tr("Answered")),
            (ALL, tr("All requests")),
            (STANDING, tr("Standing approvals")),
        ),
        tr("Approval"),
        tr("Select a request to see what it would change"),
    )
