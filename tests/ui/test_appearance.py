from PySide6.QtWidgets import QApplication

from inspector.ui.appearance import Appearance, TextSize, ThemeChoice


def test_that_switching_the_theme_changes_the_application_at_once(
    appearance: Appearance, qapp: QApplication
) -> None:
    said: list[str] = []
    appearance.changed.connect(lambda: said.append(appearance.theme.name))
    appearance.set_choice(ThemeChoice.LIGHT)
    appearance.set_choice(ThemeChoice.DARK)
    assert said == ["light", "dark"]
    assert qapp.palette().window().color() == appearance.theme.surface


def test_that_the_text_scale_moves_fonts_and_distances_together(appearance: Appearance) -> None:
    before = appearance.font().pointSizeF()
    appearance.set_scale(2.0)
    assert appearance.font().pointSizeF() == 2 * before
    assert appearance.space(3) == 24


def test_that_the_text_scale_stays_within_its_bounds(appearance: Appearance) -> None:
    appearance.set_scale(9)
    assert appearance.scale == 2.0
    appearance.set_scale(0)
    assert appearance.scale == 0.75


def test_that_there_are_three_sizes_of_text(appearance: Appearance) -> None:
    sizes = {appearance.font(size).pointSizeF() for size in TextSize}
    assert len(sizes) == 3


def test_that_figures_are_as_wide_as_each_other(appearance: Appearance) -> None:
    assert "tnum" in {bytes(tag.toString().data()).decode() for tag in appearance.font().featureTags()}


def test_that_the_prompt_font_is_of_fixed_width(appearance: Appearance) -> None:
    assert appearance.font(fixed=True).family() != appearance.font().family()
