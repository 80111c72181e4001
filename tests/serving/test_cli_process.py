from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import GitRepo
from tests.serving.conftest import TASK, Run


def test_a_task_in_a_pipe_gives_cycles_and_report_in_plain_text(run: Run) -> None:
    done = run(TASK)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert done.stderr == b""
    assert "Cycle 1:\n  DISPATCH: " in text
    assert "  STOP:     " in text
    assert "src/tokens.py" in text
    assert "\x1b" not in text


def test_json_prints_one_object_and_nothing_else(run: Run, repository: GitRepo) -> None:
    done = run(TASK, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert told["task"] == TASK
    assert {"src/auth.py", "src/tokens.py"} <= {file["path"] for file in told["files"]}
    for file in told["files"]:
        lines = len((repository.path / file["path"]).read_text().splitlines())
        assert all(1 <= first <= last <= lines for first, last in file["spans"])
    assert told["tokens"] <= told["budget"] == 8000


def test_quiet_prints_the_report_alone(run: Run) -> None:
    text = run(TASK, "--quiet").stdout.decode()
    assert "Cycle" not in text
    assert "Result:" in text


def test_markdown_is_for_a_prompt(run: Run) -> None:
    text = run(TASK, "--markdown").stdout.decode()
    assert "src/tokens.py" in text
    assert "def expiry_of" in text
    assert "DISPATCH" not in text


@pytest.mark.parametrize("args", [[], ["-"], ["--task-file", "-"]])
def test_a_piped_task_is_read(run: Run, args: list[str]) -> None:
    told = json.loads(run(*args, "--json", stdin=TASK.encode()).stdout)
    assert told["task"].strip() == TASK


def test_a_task_file_is_read(run: Run, repository: GitRepo) -> None:
    repository.write({"issue.txt": TASK})
    assert json.loads(run("--task-file", "issue.txt", "--json").stdout)["task"] == TASK


def test_a_task_that_reads_like_a_command_can_be_asked(run: Run) -> None:
    assert json.loads(run("retrieve", "retrieve", "--json").stdout)["task"] == "retrieve"


def test_nothing_found_is_an_empty_package_with_the_gap_named(run: Run) -> None:
    done = run("zzyzx quux frobnicate", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["files"] == []
    assert told["gaps"]
    assert not told["sufficient"]


def test_scope_options_leave_tests_and_docs_out(run: Run) -> None:
    told = json.loads(run(TASK, "--json", "--no-tests", "--no-docs").stdout)
    assert not {"tests/test_auth.py", "README.md"} & set(told["ranked"])


def test_patterns_and_excludes_narrow_the_search(run: Run) -> None:
    told = json.loads(run(TASK, "--json", "--pattern", "src/**", "--exclude", "src/auth.py").stdout)
    paths = {file["path"] for file in told["files"]}
    assert "src/tokens.py" in paths
    assert "src/auth.py" not in paths
    assert all(path.startswith("src/") for path in paths)


def test_a_ref_is_searched_without_checkout(run: Run, repository: GitRepo) -> None:
    repository.commit({"src/tokens.py": None}, "Remove tokens")
    now = json.loads(run(TASK, "--json").stdout)
    before = json.loads(run(TASK, "--json", "--ref", "HEAD~1").stdout)
    assert "src/tokens.py" not in now["ranked"]
    assert "src/tokens.py" in before["ranked"]


def test_cycles_are_bounded_on_request(run: Run) -> None:
    assert len(json.loads(run(TASK, "--json", "--max-cycles", "1").stdout)["cycles"]) == 1


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        ([TASK, "--root", "nowhere"], "UnknownRoot"),
        ([TASK, "--root", "README.md"], "UnknownRoot"),
        ([TASK, "--ref", "nowhere"], "UnknownRef"),
        ([TASK, "--budget", "3"], "BudgetTooSmall"),
        (["   "], "EmptyTask"),
        ([], "EmptyTask"),
        (["--task-file", "nowhere.txt"], "TaskUnreadable"),
        ([TASK, "--budget", "many"], "UsageError"),
        ([TASK, "--max-cycles", "0"], "UsageError"),
        ([TASK, "--bogus"], "UsageError"),
        ([TASK, "and", "more"], "UsageError"),
        ([TASK, "--markdown"], "UsageError"),
    ],
)
def test_bad_input_ends_with_2_and_a_message(run: Run, args: list[str], kind: str) -> None:
    done = run(*args, "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"]) == (2, kind)
    assert done.stderr.decode().startswith("error: ")
    assert b"Traceback" not in done.stderr


def test_without_json_an_error_leaves_standard_output_empty(run: Run) -> None:
    done = run(TASK, "--root", "nowhere", "--quiet")
    assert done.stdout == b""
    assert b"nowhere" in done.stderr


def test_a_failing_world_ends_with_3(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run(TASK, "--json", XDG_CACHE_HOME=str(tmp_path / "file" / "cache"))
    assert (done.returncode, json.loads(done.stdout)["error"]["kind"]) == (3, "StoreUnavailable")
    assert b"Traceback" not in done.stderr


def test_a_full_disk_ends_with_3(repository: GitRepo, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "iterative_retrieval", TASK]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, cwd=repository.path, env=environment, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 3
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_who_leaves_is_no_failure(repository: GitRepo, environment: dict[str, str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "iterative_retrieval", TASK]
    with os.fdopen(write_end, "wb") as pipe:
        done = subprocess.run(
            command, cwd=repository.path, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (0, b"")


def _heed_interrupts() -> None:
    """A suite that was started in the background ignores SIGINT, and its children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupting_ends_with_130_and_no_traceback(
    repository: GitRepo, environment: dict[str, str], tmp_path: Path
) -> None:
    pipe = tmp_path / "task"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "iterative_retrieval", "--json", "--task-file", str(pipe)],
        cwd=repository.path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heed_interrupts,
    )
    with pipe.open("wb"):  # opens once the process reads
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["error"]["kind"] == "Interrupted"
    assert b"Traceback" not in err


def test_a_name_that_is_not_utf8_is_counted_and_harms_no_output(run: Run, repository: GitRepo) -> None:
    name = os.fsdecode(b"src/caf\xe9_token_expiry.py")
    repository.commit({name: "def token_expiry() -> None: ...\n"}, "A name from another time")
    told = json.loads(run(TASK, "--json").stdout)
    assert told["left_out"]["undecodable_name"] == 1
    assert run(TASK).returncode == 0
    assert run(TASK, "--markdown").returncode == 0


def test_an_ascii_pipe_gets_escapes_not_a_crash(run: Run) -> None:
    done = run("Prüfe the authentication token expiry", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.stdout.isascii()
    assert b"Cycle 1:" in done.stdout
    assert done.stderr == b""


def test_explain_tells_why_a_file_is_packed(run: Run, repository: GitRepo) -> None:
    for path in ("src/tokens.py", "./src/tokens.py", str(repository.path / "src/tokens.py")):
        done = run(TASK, "--explain", path, "--json")
        told = json.loads(done.stdout)
        assert (done.returncode, told["path"], told["status"]) == (0, "src/tokens.py", "packed")
        assert told["rank"] >= 1
        assert told["signals"]


def test_explain_tells_an_ignored_file_from_an_absent_one(run: Run) -> None:
    ignored = run(TASK, "--explain", "build/auth.py")
    absent = run(TASK, "--explain", "src/nowhere.py")
    assert ignored.returncode == 0
    assert b"ignore" in ignored.stdout
    assert absent.returncode == 1
    assert b"absent" in absent.stdout


def test_version_and_help_end_with_0(run: Run) -> None:
    assert run("--version").stdout.decode().startswith("iterative-retrieval 0.")
    assert run("--help").returncode == 0
