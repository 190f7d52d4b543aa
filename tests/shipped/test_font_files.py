"""The fonts are whole, small, and each has its licence beside it."""

from inspector.shipped.font_files import FIXED_FONT, INTERFACE_FONT, font_files
from inspector.shipped.licences import licence_texts


def test_that_fonts_are_true_type_and_small() -> None:
    files = [*font_files(INTERFACE_FONT), *font_files(FIXED_FONT)]
    assert all(file.read_bytes()[:4] == b"\x00\x01\x00\x00" for file in files)
    assert sum(file.stat().st_size for file in files) < 3 << 20


def test_that_the_program_and_each_font_have_their_licence() -> None:
    texts = licence_texts()
    assert list(texts) == ["Context Inspector", INTERFACE_FONT, FIXED_FONT]
    assert texts["Context Inspector"].startswith("MIT License")
    for name in (INTERFACE_FONT, FIXED_FONT):
        assert "SIL OPEN FONT LICENSE Version 1.1" in texts[name]
    for name in (INTERFACE_FONT, FIXED_FONT):
        assert {file.name.partition("-")[0] for file in font_files(name)} == {name.replace(" ", "")}
