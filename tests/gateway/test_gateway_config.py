import subprocess
import sys

import pytest

from croupier_gateway.config import Settings, SettingsInvalid


def test_without_variables_the_defaults_apply() -> None:
    assert Settings.from_environment({}) == Settings(
        grpc_target="127.0.0.1:50051", host="127.0.0.1", port=8080, threads=200, cors_origins=("*",)
    )
    assert Settings().waiting_limit == 168


def test_every_variable_is_read() -> None:
    assert Settings.from_environment(
        {
            "CROUPIER_GRPC_TARGET": "dns:///croupier.games.svc:50051",
            "CROUPIER_GATEWAY_HOST": "::1",
            "CROUPIER_GATEWAY_PORT": "0",
            "CROUPIER_GATEWAY_THREADS": "64",
            "CROUPIER_STALL": "1500",
            "CROUPIER_CORS_ORIGINS": "https://play.example, http://localhost:5173/",
            "CROUPIER_REVISION": "0123abcd",
        }
    ) == Settings(
        grpc_target="dns:///croupier.games.svc:50051",
        host="::1",
        port=0,
        threads=64,
        stall=1500,
        cors_origins=("https://play.example", "http://localhost:5173"),
        revision="0123abcd",
    )


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(SettingsInvalid) as caught:
        Settings.from_environment(
            {
                "CROUPIER_GRPC_TARGET": "nowhere",
                "CROUPIER_GATEWAY_HOST": "a b",
                "CROUPIER_GATEWAY_PORT": "65536",
                "CROUPIER_GATEWAY_THREADS": "32",
                "CROUPIER_STALL": "999",
                "CROUPIER_CORS_ORIGINS": "https://ok.example,play.example",
                "CROUPIER_REVISION": "the one with the fix",
            }
        )
    problems = caught.value.problems
    assert [problem.split()[0] for problem in problems] == [
        "CROUPIER_GRPC_TARGET",
        "CROUPIER_GATEWAY_HOST",
        "CROUPIER_CORS_ORIGINS",
        "CROUPIER_REVISION",
        "CROUPIER_GATEWAY_PORT",
        "CROUPIER_GATEWAY_THREADS",
        "CROUPIER_STALL",
    ]
    assert "'play.example'" in problems[2]


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("127.0.0.1:50051,localhost:50052", "localhost:50052 has a name"),
        ("127.0.0.1:50051,", "an empty address is not host:port"),
        ("127.0.0.1:50051,[::1]:50051", "mixes IPv4 and IPv6"),
        ("http://127.0.0.1:8080", "an address of http"),
        ("127.0.0.1:99999", "no port from 1 to 65535"),
    ],
)
def test_what_is_no_target(target: str, problem: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        Settings.from_environment({"CROUPIER_GRPC_TARGET": target})
    assert problem in str(caught.value)


def test_several_replicas_may_be_named() -> None:
    listed = "127.0.0.1:50051, 127.0.0.1:50052"
    assert Settings.from_environment({"CROUPIER_GRPC_TARGET": listed}).grpc_target == listed


@pytest.mark.parametrize("number", ["-1", "8080.5", "eighty", "١", "8_0", "99999999999"])
def test_a_port_is_a_plain_number(number: str) -> None:
    with pytest.raises(SettingsInvalid):
        Settings.from_environment({"CROUPIER_GATEWAY_PORT": number})


def test_a_process_with_bad_settings_says_all_of_them_and_exits_with_2() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "croupier_gateway.main"],
        env={"CROUPIER_GATEWAY_PORT": "x", "CROUPIER_GATEWAY_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert process.stdout == ""
    assert len(process.stderr.splitlines()) == 2
