from pathlib import Path

import pytest

from inspector.domain.errors import NotFoundError
from inspector.shipped.locate import find_root, resource_path


def test_that_resources_are_found_in_the_source_tree() -> None:
    assert resource_path("models", "models.json").is_file()


@pytest.mark.parametrize(
    "parts", [("..",), ("models", "../words"), ("/etc",), ("",), ("models", "none.json"), ("C:",)]
)
def test_that_a_path_out_of_resources_or_to_nothing_is_not_found(parts: tuple[str, ...]) -> None:
    with pytest.raises(NotFoundError):
        resource_path(*parts)


def test_that_a_wheel_a_source_tree_and_a_bundle_are_recognised(tmp_path: Path) -> None:
    package = tmp_path / "site" / "inspector"
    bundle = tmp_path / "bundle"
    package.mkdir(parents=True)
    with pytest.raises(NotFoundError):
        find_root(package, None)
    (tmp_path / "site" / "resources").mkdir()
    assert find_root(package, None) == tmp_path / "site" / "resources"
    (package / "_resources").mkdir()
    assert find_root(package, None) == package / "_resources"
    (bundle / "resources").mkdir(parents=True)
    assert find_root(package, str(bundle)) == bundle / "resources"
