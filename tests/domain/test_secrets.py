import itertools
import random
import string

import pytest

from inspector.domain.secrets import find_secrets, masked, without_secrets

_LETTERS = string.ascii_letters + string.digits


def drawn(length: int, alphabet: str = _LETTERS, seed: int = 7) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=length))


# Put together here, so that no file of ours holds what looks like a key.
SECRETS = {
    "private_key": "-----BEGIN RSA PRIVATE " + "KEY-----",
    "anthropic_key": "sk-" + "ant-api03-" + drawn(40),
    "openai_key": "sk-" + "proj-" + drawn(48),
    "aws_key": "AKIA" + drawn(16, string.ascii_uppercase + string.digits),
    "google_key": "AIza" + drawn(35),
    "google_oauth": "ya29" + "." + drawn(40),
    "github_token": "ghp_" + drawn(36),
    "gitlab_token": "glpat-" + drawn(20),
    "slack_token": "xoxb-" + drawn(24),
    "slack_hook": "https://hooks.slack" + ".com/services/T0/B0/" + drawn(24),
    "stripe_key": "sk_" + "live_" + drawn(24),
    "twilio_key": "SK" + drawn(32, "0123456789abcdef"),
    "sendgrid_key": "SG" + "." + drawn(22) + "." + drawn(43),
    "npm_token": "npm_" + drawn(36),
    "pypi_token": "pypi-" + drawn(60),
    "huggingface_token": "hf_" + drawn(34),
    "digitalocean_token": "dop_" + "v1_" + drawn(64, "0123456789abcdef"),
    "telegram_token": "123456789" + ":AA" + drawn(33),
    "discord_hook": "https://discord" + ".com/api/webhooks/123456789012/" + drawn(60),
    "jwt": "eyJ" + drawn(20) + ".eyJ" + drawn(40) + "." + drawn(43),
    "azure_key": "AccountKey" + "=" + drawn(86) + "==",
    "age_key": "AGE-SECRET-" + "KEY-1" + drawn(58, string.ascii_uppercase + string.digits),
    "groq_key": "gsk_" + drawn(52),
    "xai_key": "xai-" + drawn(80),
    "perplexity_key": "pplx-" + drawn(48),
    "nvidia_key": "nvapi-" + drawn(64),
    "replicate_token": "r8_" + drawn(37),
    "google_client_secret": "GOCSPX-" + drawn(28),
    "password_in_address": "hunter2Z9",
    "key_in_address": drawn(32, "0123456789abcdef"),
    "authorization": drawn(40),
    "assigned_secret": "aZ3kQ9xW2pLm",
}
AROUND = {
    "password_in_address": "postgres://user:{}@db.internal/main",
    "key_in_address": "https://host/v1?key={}",
    "authorization": "Authorization: Bearer {}",
    "assigned_secret": "the api_key = '{}' is in use",
}
KEY_HEAD, KEY_FOOT = SECRETS["private_key"], SECRETS["private_key"].replace("BEGIN", "END")
KEY_LINES = f"{drawn(64)}\n{drawn(64, seed=8)}\n{drawn(30, seed=9)}=="
BEFORE = (
    *("", *"我йéßー٣🔑_=:([\"'`“。…/@-.+|>\uff0c\n\r\t\u2028\u00a0\u200b", "key_", "我的密钥是"),
    *(r"\n", r"\t", r"\"", r"\u5bc6", r"\u00e9", r"\xe9", r"\U0001f511", "%E5%AF%86", "%3d"),
)
AFTER = (
    *("", *"请йéßの🔑_。…)]\"'`”.,;!<\uff0c\n\r\t\u2028\u00a0\u200b", "_old", "\uff0c请记住"),
    *(r"\n", r"\u5bc6", "\\"),
)


@pytest.mark.parametrize("kind", SECRETS)
def test_that_a_secret_is_found_and_masked_whatever_stands_around_it(kind: str) -> None:
    head, _, tail = AROUND.get(kind, "{}").partition("{}")
    secret = SECRETS[kind]
    assert not any(secret in without_secrets(f"{each}{head}{secret}{tail}") for each in BEFORE)
    assert not any(secret in without_secrets(f"{head}{secret}{tail}{each}") for each in AFTER)
    for before, after in itertools.product(BEFORE, AFTER):
        text = f"{before}{head}{secret}{tail}{after}"
        found = find_secrets(text)
        at = len(before) + len(head)
        assert [each.start for each in found] == [at], text
        assert found[0].end >= at + len(secret), text


@pytest.mark.parametrize(
    "kind",
    sorted(SECRETS.keys() - AROUND.keys() - {"private_key", "slack_hook", "discord_hook", "telegram_token"}),
)
def test_that_a_run_of_letters_and_figures_is_not_cut_for_a_secret(kind: str) -> None:
    secret = SECRETS[kind]
    assert all(find_secrets(f"{before}{secret}") == () for before in ("a", "Z", "7", "u5bc6", "xe9"))


@pytest.mark.parametrize(
    "kind", ["aws_key", "twilio_key", "npm_token", "digitalocean_token", "age_key", "replicate_token"]
)
def test_that_a_longer_run_is_no_secret_of_a_fixed_length(kind: str) -> None:
    assert find_secrets(SECRETS[kind] + "A0") == ()


def test_that_a_value_ends_where_a_chinese_sentence_does() -> None:
    secret = SECRETS["assigned_secret"]
    text = "密码 password={}\uff0c请记住。"
    assert without_secrets(text.format(secret)) == text.format(masked(secret))


@pytest.mark.parametrize(
    ("key", "behind"),
    [
        (f"{KEY_HEAD}\n{KEY_LINES}\n{KEY_FOOT}", " is it."),
        (f"{KEY_HEAD}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{KEY_LINES}", "\nand so on."),
        (f"{KEY_HEAD}\\n{KEY_LINES}\\n".replace("\n", "\\n"), '", "next": 1'),
        (f"{KEY_HEAD}\n{drawn(64)}\n{drawn(9)}", ""),
        (KEY_HEAD, " is how such a key begins, and then come letters that no word has."),
    ],
    ids=["whole", "cut off", "in JSON", "cut in a line", "only named"],
)
def test_that_a_private_key_is_found_with_its_lines(key: str, behind: str) -> None:
    (found,) = find_secrets(f"Here: {key}{behind}")
    assert found.kind == "private_key"
    assert f"Here: {key}{behind}"[found.start : found.end].rstrip("\\n") == key.rstrip("\\n")


@pytest.mark.parametrize("kind", SECRETS)
def test_that_a_secret_is_found_where_it_stands(kind: str) -> None:
    text = "Before, " + AROUND.get(kind, "it is {} here").format(SECRETS[kind]) + " and after."
    (found,) = find_secrets(text)
    assert (found.kind, text[found.start : found.end]) == (kind, SECRETS[kind])


@pytest.mark.parametrize(
    "text",
    [
        "The password is kept in the safe.",
        "password: ask Linus when you need it",
        "password: 12345678 is too short, password=<your-password-1> and password: ${DB_PASSWORD_2}",
        "password: rotated on 2026-12-06, password=xxxxxxxx1",
        "api_key: str = field(default='')",
        "api_key = os.environ['BUILD_KEY_2']",
        "Set API_KEY=your-key-here-12345678 first.",
        "token count 12345678, secret santa on 2026-12-06",
        "commit 9c04e6d1f2a3b4c5d6e7f8091a2b3c4d5e6f7081",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "https://example.com/path?page=2&size=100",
        "ssh://git@host/repo and http://host:8080/path",
        "sk-learn and sk-image are packages",
        "The risk-adjusted-return-of-the-portfolio-was-good-this-year",
        "AKIA is how such keys begin: AKIAXXXXXXXXXXXXXXXX",
        "-----BEGIN CERTIFICATE-----",
        "the bearer of this letter, Bearer authentication scheme",
        "postgres://user:${PASSWORD}@db/main",
        "eyJ is how a token begins",
        "token: call_a056b7, tokens: 12,345 and token_count = 12345678",
        "the secret is to look before you repeat; the password is case-sensitive",
        "secrets.token_urlsafe(32) gives a token of 43 characters",
        "time 12:30@noon, mailto:ada@harbor.example and git@github.com:harbor/harbor.git",
        "秘密はありません。パスワードは金庫にあります。",
        "",
    ],
)
def test_that_plain_text_is_none(text: str) -> None:
    assert find_secrets(text) == ()


KEY = drawn(32, "0123456789abcdef")
PASSWORD = "hunter2" + "Xk9pQ"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD=" + PASSWORD, PASSWORD),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUt" + KEY, "wJalrXUt" + KEY),
        ("OPENAI_API_KEY=" + KEY, KEY),
        ("MY_API_KEY_2 = " + KEY, KEY),
        ('{"password": "' + PASSWORD + '"}', PASSWORD),
        (r"{\"password\": \"" + PASSWORD + r"\"}", PASSWORD),
        (r'"export TOKEN=\"' + KEY + r'\""', KEY),
        (r"{\\\"client_secret\\\":\\\"" + KEY + r"\\\"}", KEY),
        ("token: " + KEY, KEY),
        ("x-api-key: " + KEY, KEY),
        ("Authorization: Bearer " + KEY, KEY),
        ("'Authorization': 'Basic dXNlcjpwYXNzd29yZDEyMw=='", "dXNlcjpwYXNzd29yZDEyMw=="),
        ("the password is " + PASSWORD, PASSWORD),
        ("Passwort: " + PASSWORD, PASSWORD),
        ("password=" + PASSWORD[:7], PASSWORD[:7]),
        # People repeat themselves in passwords.
        ("password: " + "hunter2" * 2, "hunter2" * 2),
        ("Log in with pwd=" + "winter2026", "winter2026"),
        ("https://host/v1?api_key=" + KEY, KEY),
        ("https://host/v1/messages?alt=sse&key=" + KEY + "&x=1", KEY),
        ("redis://:secretpw9@host:6379", "secretpw9"),
        ("postgres://u:p@ssw0rd99@h/db", "p@ssw0rd99"),
        (
            "sk-" + "ant-api03-" + drawn(12) + "TODO" + drawn(12),
            "sk-" + "ant-api03-" + drawn(12) + "TODO" + drawn(12),
        ),
        ("gsk_" + drawn(52), "gsk_" + drawn(52)),
        ("xai-" + drawn(80), "xai-" + drawn(80)),
    ],
)
def test_that_the_forms_of_settings_calls_and_addresses_are_known(text: str, secret: str) -> None:
    assert [text[each.start : each.end] for each in find_secrets(text)] == [secret]


def test_that_looking_through_a_large_text_takes_one_pass() -> None:
    # Beginnings of every form, none of which comes to an end: quadratic work would take hours.
    for piece in ("password\\", "a://b:", "secret_a", "token is ", "authorization: bearer ", "-----BEGIN "):
        assert find_secrets(piece * (100_000 // len(piece))) is not None


def test_that_a_secret_in_a_long_text_is_found_wherever_it_stands() -> None:
    # The text is gone through in stretches; here each secret stands across each place where one might end.
    long = "eyJ" + drawn(1900) + ".eyJ" + drawn(3900) + "." + drawn(900)
    plain = [AROUND.get(kind, "it is {} here").format(each) for kind, each in SECRETS.items()]
    folded = ("the ap\u0131_\u212aey = '" + KEY + "' here", "AUTHORIZAT\u0130ON: BEARER " + KEY)
    for text in (*plain, *folded, f"it is {long} here"):
        (alone,) = find_secrets(text)
        for begin in range(32_000 - len(text), 32_000, max(1, len(text) // 9)):
            (found,) = find_secrets(" " * begin + text)
            assert (found.start - begin, found.end - begin, found.kind) == (
                alone.start,
                alone.end,
                alone.kind,
            )


def test_that_what_is_shown_of_a_secret_is_not_the_secret() -> None:
    secret = SECRETS["github_token"]
    assert secret not in masked(secret)
    assert masked(secret).startswith("ghp_")


def test_that_no_two_findings_overlap() -> None:
    text = "api_key=" + SECRETS["github_token"] + " " + SECRETS["jwt"]
    found = find_secrets(text)
    assert len(found) == 2
    assert found[0].end <= found[1].start


def test_that_a_text_is_shown_with_its_secrets_masked_and_nothing_else() -> None:
    secret = SECRETS["github_token"]
    assert without_secrets(f"a {secret} b {secret}") == f"a {masked(secret)} b {masked(secret)}"
    assert without_secrets("nothing to hide") == "nothing to hide"
    assert without_secrets("") == ""
