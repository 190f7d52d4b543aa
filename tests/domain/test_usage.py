import json

import pytest

from inspector.domain.usage import ReportedUsage, reported_usage


def kept(**response: object) -> str:
    return json.dumps({"recorded": {"format": "x", **response}})


@pytest.mark.parametrize(
    ("reply", "usage"),
    [
        (
            {"usage": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}}},
            ReportedUsage(36, 64),
        ),
        (
            {"usage": {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5}},
            ReportedUsage(90),
        ),
        (
            {"usage": {"input_tokens": 3, "cache_read_input_tokens": 1111, "cache_creation_input_tokens": 5}},
            ReportedUsage(3, 1111, 5),
        ),
        (
            {
                "usageMetadata": {
                    "promptTokenCount": 50,
                    "cachedContentTokenCount": 20,
                    "toolUsePromptTokenCount": 7,
                }
            },
            ReportedUsage(30, 20, 0, 7),
        ),
        ({"prompt_eval_count": 26}, ReportedUsage(26)),
    ],
)
def test_that_every_form_of_a_bill_is_read_into_its_groups(reply: object, usage: ReportedUsage) -> None:
    assert reported_usage(kept(response=reply)) == usage
    assert reported_usage(kept(response={"status": 200, "body": reply})) == usage


@pytest.mark.parametrize(
    "metadata",
    [
        "{}",
        "no JSON",
        "[]",
        '{"recorded": 1}',
        kept(response={"usage": {"prompt_tokens": -4}}),
        kept(response={"usage": "much"}),
        kept(response={"usage": {"prompt_tokens": True}}),
    ],
)
def test_that_what_is_no_bill_is_none(metadata: str) -> None:
    assert reported_usage(metadata) is None
