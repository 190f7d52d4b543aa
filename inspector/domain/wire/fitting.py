"""Which parts of a message a provider accepts, and what replaces the others."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import (
    ImagePart,
    Part,
    ProviderPart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
)
from inspector.domain.wire.images import ImageData, picture, stand_in
from inspector.domain.wire.objects import as_sent
from inspector.domain.wire.values import Adaptations, WireForm, WireMessage

Thought = ThinkingPart | RedactedThinkingPart


@dataclass(frozen=True)
class PartRules:
    """A provider's rules for parts.

    Attributes:
        form: The form that parts are written in.
        takes_thought: Whether this thought of an assistant's message can go back.
        takes_picture: Whether an image of this kind can be sent.
        takes_blank: Whether a text of nothing but white space can be sent.
        sees: Whether the model is not known to be blind.
        notes: Takes what is changed or left out.
        nests: Whether a tool's result can hold other parts than text.
    """

    form: WireForm
    takes_thought: Callable[[WireMessage, Thought], bool]
    takes_picture: Callable[[ImageData], bool]
    takes_blank: bool
    sees: bool
    notes: Adaptations
    nests: bool = False

    def is_recorded(self, said: WireMessage) -> bool:
        """Whether a message came in this very form: its parts are legal there as they are."""
        return said.form == self.form

    def fit(self, said: WireMessage, part: Part) -> Part | None:
        if self.is_recorded(said) and not isinstance(part, ProviderPart):
            return part
        if isinstance(part, TextPart):
            return self._text(said, part)
        if isinstance(part, ImagePart):
            return self._image(said, part)
        if isinstance(part, ThinkingPart | RedactedThinkingPart):
            return self._thought(said, part)
        if isinstance(part, ProviderPart) and (part.form != self.form or not as_sent(part)):
            self.notes.lost("provider_part_not_sent", said.piece_id, kind=part.kind)
            return None
        return part

    def _text(self, said: WireMessage, part: TextPart) -> Part | None:
        if not part.text:
            return None
        if not self.takes_blank and not part.text.strip():
            self.notes.lost("blank_text", said.piece_id)
            return None
        return part

    def _image(self, said: WireMessage, part: ImagePart) -> Part:
        found = picture(part)
        if said.role in (Role.ASSISTANT, Role.SYSTEM):
            why = "role"
        elif not self.sees:
            why = "model"
        elif found is None:
            why = "data"
        elif not self.takes_picture(found):
            why = "kind"
        else:
            return part
        self.notes.lost("image_left_out", said.piece_id, kind=part.media_type, why=why)
        return stand_in(part)

    def _thought(self, said: WireMessage, part: Thought) -> Part | None:
        if said.role is Role.ASSISTANT and self.takes_thought(said, part):
            return part
        self.notes.lost("thinking_not_sent", said.piece_id)
        return None
