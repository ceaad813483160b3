//! The formats of tests and compilers, line by line. A table of patterns, each for one whole line.

/// How a program tells what failed.
pub(super) struct Format {
    pub(super) name: &'static str,
    /// Whether the sign is proof: other programs and texts do not have it.
    pub(super) is_sure: bool,
    /// A line that only this program prints.
    pub(super) sign: &'static str,
    /// The first line of a failure.
    pub(super) failure: &'static [&'static str],
    /// The first line of a warning.
    pub(super) warning: &'static [&'static str],
    /// A line that tells the outcome. The first pattern that fits any line tells most.
    pub(super) outcome: &'static [&'static str],
    /// The first line that no longer belongs to a failure or warning.
    pub(super) end: &'static [&'static str],
    /// Lines of a failure that say nothing: frames of a runtime.
    pub(super) noise: &'static [&'static str],
    /// The first line of what was printed before its failure was told, or the heading above several failures.
    pub(super) before: &'static [&'static str],
}

const NONE: Format = Format {
    name: "",
    is_sure: true,
    sign: "",
    failure: &[],
    warning: &[],
    outcome: &[],
    end: &[],
    noise: &[],
    before: &[],
};

/// Frames of a Rust backtrace that are not the program's own, and the advice below it.
const RUST_FRAMES: &[&str] = &[
    r"^\s+\d+: (?:__rustc|rust_begin_unwind|core::|std::|alloc::|test::|tokio::|<fn\(|<(?:alloc|core|std|tokio)::|<[^>]* as (?:core|std|alloc)::)",
    r"^\s+at (?:/rustc/|/.*/\.cargo/registry/|/.*/lib/rustlib/)",
    r"^\s*note: (?:Some details are omitted|run with `RUST_BACKTRACE)",
    r"^\s*stack backtrace:$",
];

pub(super) static FORMATS: &[Format] = &[
    Format {
        name: "rustc",
        sign: r"^(?:error|warning)(?:\[\w+\])?: .*\n\s*--> \S+:\d+:\d+",
        failure: &[r"^error(?:\[\w+\])?: "],
        warning: &[r"^warning(?:\[\w+\])?: "],
        outcome: &[
            r"^error: could not compile ",
            r"^error: aborting due to ",
            r"^warning: .* generated \d+ warnings?",
            r"^\s+Finished .* target\(s\) in ",
        ],
        end: &[r"^$", r"^\s+(?:Compiling|Checking|Finished|Running) "],
        ..NONE
    },
    Format {
        name: "cargo test",
        sign: r"^running \d+ tests?$",
        failure: &[
            r"^---- .* ----$",
            r"^test .* FAILED$",
            r"^error: .*(?:test|doctest) failed",
        ],
        outcome: &[
            r"^test result: FAILED",
            r"^test result: ",
            r"^error: \d+ targets? failed:",
        ],
        end: &[
            r"^failures:$",
            r"^test .* \.\.\. ok$",
            r"^running \d+ tests?$",
            r"^\s+Running ",
        ],
        noise: RUST_FRAMES,
        ..NONE
    },
    Format {
        name: "nextest",
        sign: r"^\s*Nextest run ID ",
        failure: &[
            r"^\s*(?:TRY \d+ )?(?:FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK-FAIL|EXECFAIL)(?: \+ \w+)? \[",
        ],
        outcome: &[r"^\s+Summary \[", r"^error: test run failed"],
        end: &[
            r"^\s*(?:TRY \d+ )?(?:PASS|SKIP|SLOW|LEAK|FLAKY)(?: \+ \w+)? \[",
            r"^────",
            r"^\s+Cancelling due to",
        ],
        noise: RUST_FRAMES,
        ..NONE
    },
    Format {
        name: "pytest",
        sign: r"^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$",
        failure: &[
            r"^=+ (?:FAILURES|ERRORS) =+$",
            r"^_{3,} .+ _{3,}$",
            r"^(?:FAILED|ERROR) \S+",
            r"^E\s{3}",
            r"^ERROR: ",
        ],
        outcome: &[
            r"^=+ .*\b(?:passed|failed|errors?|skipped|no tests ran)\b.* in [\d.]+s.*=+$",
            r"^\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s",
        ],
        end: &[
            r"^=+ (?:short test summary info|warnings summary|PASSES|slowest .*|test session starts) =+$",
        ],
        ..NONE
    },
    Format {
        name: "unittest",
        sign: r"^Ran \d+ tests? in [\d.]+s$",
        failure: &[r"^(?:FAIL|ERROR): \w+ \("],
        outcome: &[r"^FAILED \(", r"^OK(?: \(.*\))?$", r"^Ran \d+ tests? in "],
        end: &[r"^={20,}$"],
        ..NONE
    },
    Format {
        name: "jest",
        sign: r"^Test Suites: .*total$",
        failure: &[r"^\s+● ", r"^FAIL "],
        outcome: &[r"^Tests:\s+.*total$", r"^Test Suites:\s+.*total$"],
        end: &[r"^PASS ", r"^Test Suites:", r"^Snapshots:"],
        noise: &[r"^\s+at .*(?:node_modules|node:internal)"],
        ..NONE
    },
    Format {
        name: "vitest",
        sign: r"^\s*RUN\s+v\d+\.",
        failure: &[
            r"^\s*FAIL\s+\S",
            r"^\s*(?:×|✗)\s",
            r"^⎯+ (?:Failed|Unhandled) ",
        ],
        outcome: &[r"^\s*Tests\s+.*\(\d+\)$", r"^\s*Test Files\s+.*\(\d+\)$"],
        end: &[r"^\s*✓ ", r"^\s*(?:Start at|Duration)\s"],
        noise: &[r"^\s*❯ .*node_modules"],
        ..NONE
    },
    Format {
        name: "node test",
        sign: r"^(?:#|ℹ) tests \d+$",
        failure: &[r"^\s*not ok \d+", r"^\s*✖ "],
        outcome: &[r"^(?:#|ℹ) (?:fail|pass|tests) \d+$"],
        end: &[r"^\s*ok \d+", r"^\s*✔ ", r"^(?:#|ℹ) "],
        noise: &[
            r"^\s+at .*node:internal",
            r"^\s+(?:async )?(?:Test|Suite|startSubtest)\S* .*node:internal",
        ],
        ..NONE
    },
    Format {
        name: "go test",
        sign: r"^(?:ok|FAIL|---|\?)\s+\S+.*(?:\d(?:\.\d+)?s\)?|\(cached\)|\[no test files\]|\[build failed\])$",
        failure: &[
            r"^\s*--- FAIL: ",
            r"^panic: ",
            r"^\S+\.go:\d+(?::\d+)?: ",
            r"^WARNING: DATA RACE",
        ],
        outcome: &[r"^FAIL\b", r"^ok\s+\S+\s"],
        end: &[
            r"^=== (?:RUN|PAUSE|CONT)",
            r"^\s*--- (?:PASS|SKIP): ",
            r"^PASS$",
        ],
        before: &[r"^=== RUN "],
        ..NONE
    },
    Format {
        name: "tsc",
        sign: r"^\S.*(?:\(\d+,\d+\): |:\d+:\d+ - )error TS\d+: ",
        failure: &[
            r"(?:\(\d+,\d+\): |:\d+:\d+ - )error TS\d+: ",
            r"^error TS\d+: ",
        ],
        outcome: &[r"^Found \d+ errors?"],
        end: &[r"^Errors\s+Files$"],
        ..NONE
    },
    Format {
        name: "C compiler",
        is_sure: false,
        sign: r"^[^\s:]+:\d+(?::\d+)?: (?:fatal error|error|warning): ",
        failure: &[
            r"^[^\s:]+:\d+(?::\d+)?: (?:fatal )?error: ",
            r"undefined reference to ",
            r"^(?:/\S*/)?ld(?:\.\w+)?: ",
            r"^collect2: error",
        ],
        warning: &[r"^[^\s:]+:\d+(?::\d+)?: warning: "],
        outcome: &[r"^\d+ (?:errors?|warnings?)(?: and \d+ errors?)? generated\.$"],
        end: &[
            r"^(?:make|gmake|ninja|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|/usr/bin/\S+) ",
            r"^(?:make|gmake)(?:\[\d+\])?: ",
            r"^\[\s*\d+[%/]",
        ],
        ..NONE
    },
    Format {
        name: "make",
        is_sure: false,
        sign: r"^g?make(?:\[\d+\])?: \*\*\* ",
        outcome: &[r"^g?make(?:\[\d+\])?: \*\*\* "],
        ..NONE
    },
    Format {
        name: "eslint",
        sign: r"^✖ \d+ problems? \(",
        failure: &[r"^\s+\d+:\d+\s+error\s"],
        warning: &[r"^\s+\d+:\d+\s+warning\s"],
        outcome: &[r"^✖ \d+ problems? \("],
        end: &[r"^$"],
        before: &[r"^\S.*[/\\.]\w+$"],
        ..NONE
    },
    Format {
        name: "Maven",
        sign: r"^\[INFO\] Scanning for projects",
        failure: &[r"^\[ERROR\] "],
        outcome: &[
            r"^\[(?:INFO|ERROR|WARNING)\] Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$",
            r"^\[(?:INFO|ERROR)\] BUILD (?:SUCCESS|FAILURE)",
        ],
        end: &[r"^\[(?:INFO|WARNING)\]"],
        noise: &[
            r"^\s+at (?:java|jdk|sun|org\.junit|org\.apache\.maven)\.",
            r"^\[ERROR\]\s*$",
        ],
        ..NONE
    },
    Format {
        name: "Gradle",
        sign: r"^BUILD (?:SUCCESSFUL|FAILED) in ",
        failure: &[
            r"^\S.* > .* FAILED$",
            r"^> Task .* FAILED$",
            r"^\* What went wrong:",
            r"^e: ",
            r"^\S+\.(?:java|kt|groovy|scala):\d+: error: ",
        ],
        warning: &[r"^w: ", r"^\S+\.java:\d+: warning: "],
        outcome: &[
            r"^BUILD (?:SUCCESSFUL|FAILED) in ",
            r"^\d+ tests? completed",
        ],
        end: &[
            r"^> Task ",
            r"^\* (?:Try|Get more help)",
            r"^\S.* > .* PASSED$",
        ],
        noise: &[r"^\s+at (?:java|jdk|sun|org\.junit|org\.gradle)\."],
        ..NONE
    },
    Format {
        name: "Python",
        is_sure: false,
        sign: r"^Traceback \(most recent call last\):$",
        failure: &[r"^Traceback \(most recent call last\):$"],
        outcome: &[r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)(?:: .*)?$"],
        end: &[r"^$"],
        ..NONE
    },
];
