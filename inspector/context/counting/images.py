"""Counts an image's tokens by the provider's published rule, from its width and height in pixels."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, sqrt

from inspector.domain.models import ImageKind, ImageRule

_FIT, _SHORTER, _TILE = 2048, 768, 512
_SMALL, _LEAST_CROP, _MOST_CROP = 384, 256, 768
_CROPS_A_SIDE = 1.5


def image_tokens(rule: ImageRule, width: int, height: int, *, is_low: bool = False) -> int:
    """The tokens of an image of a known size, `is_low` with little detail; at least one."""
    if is_low and rule.low:
        return _with_little_detail(rule, width, height)
    match rule.kind:
        case ImageKind.FIXED:
            return max(1, rule.base)
        case ImageKind.CROPS:
            return _crops(rule, width, height)
        case ImageKind.TILES:
            return _tiles(rule, width, height)
        case ImageKind.PATCHES:
            return max(1, ceil(_patches(rule, width, height) * rule.factor))


def most_image_tokens(rule: ImageRule, *, is_low: bool = False) -> int:
    """What an image of an unknown size is taken for: what a large photograph costs."""
    return image_tokens(rule, 3000, 2000, is_low=is_low)


def _with_little_detail(rule: ImageRule, width: int, height: int) -> int:
    if rule.kind is ImageKind.TILES:
        return rule.base
    return max(1, ceil(_patches(replace(rule, longest=rule.low), width, height) * rule.factor))


def _patches(rule: ImageRule, width: float, height: float) -> int:
    shrink = min(1.0, rule.longest / max(width, height))
    width, height = width * shrink, height * shrink
    side = rule.patch
    if _covering(width, height, side) <= rule.most:
        return _covering(width, height, side)
    shrink = sqrt(side * side * rule.most / (width * height))
    across, down = width * shrink / side, height * shrink / side
    # To whole patches on the side where that shrinks the most less; a strip of less than one patch stays.
    shrink *= min(floor(across) / across or 1.0, floor(down) / down or 1.0)
    return min(rule.most, _covering(width * shrink, height * shrink, side))


def _covering(width: float, height: float, side: int) -> int:
    # What shrinking leaves of a whole number may be a hair above it.
    return ceil(round(width / side, 6)) * ceil(round(height / side, 6))


def _tiles(rule: ImageRule, width: float, height: float) -> int:
    shrink = min(1.0, _FIT / max(width, height))
    width, height = width * shrink, height * shrink
    shrink = min(1.0, _SHORTER / min(width, height))
    return rule.base + rule.tile * _covering(width * shrink, height * shrink, _TILE)


def _crops(rule: ImageRule, width: int, height: int) -> int:
    if max(width, height) <= _SMALL:
        return rule.base
    side = min(_MOST_CROP, max(_LEAST_CROP, floor(min(width, height) / _CROPS_A_SIDE)))
    return rule.tile * _covering(width, height, side)
