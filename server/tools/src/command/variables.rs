//! Environment variables by what they change: nothing of importance, what is run, or nobody knows.

/// What a variable does to commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Influence {
    /// How much is said, in which language and colour.
    Harmless,
    /// What is run or loaded, and from where.
    Changes,
    /// A variable of the script's own, most likely; or one that some program reads.
    Unknown,
}

const HARMLESS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "INSTA_FORCE_PASS",
    "INSTA_UPDATE",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOG_LEVEL",
    "NEXTEST_PROFILE",
    "NODE_ENV",
    "NO_COLOR",
    "NPM_CONFIG_LOGLEVEL",
    "PROPTEST_CASES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "PYTHONWARNINGS",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_MIN_STACK",
    "RUST_TEST_THREADS",
    "SOURCE_DATE_EPOCH",
    "TERM",
    "TZ",
    "VERBOSE",
];

const CHANGES: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "BROWSER",
    "CC",
    "CDPATH",
    "CLASSPATH",
    "COMSPEC",
    "CXX",
    "EDITOR",
    "ENV",
    "FCEDIT",
    "FPATH",
    "GLOBIGNORE",
    "HOME",
    "IFS",
    "LESSOPEN",
    "LESSCLOSE",
    "LD",
    "MAILCAPS",
    "MAKEFLAGS",
    "MANPAGER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "OLDPWD",
    "PAGER",
    "PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "PWD",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SYSTEMD_PAGER",
    "SYSTEMD_EDITOR",
    "TMPDIR",
    "TAR_OPTIONS",
    "VISUAL",
    "XDG_CONFIG_HOME",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "GREP_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "CMAKE_TOOLCHAIN_FILE",
];

const CHANGES_FROM: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "BASH_FUNC_",
    "PYTHON",
    "CARGO_",
    "RUSTC_",
    "NPM_CONFIG_",
    "npm_config_",
    "PIP_",
    "UV_",
    "DOCKER_",
    "GO",
    "SSH_",
    "RUBY",
    "PERL",
    "LUA_",
    "CMAKE_",
    "MAVEN_",
    "GRADLE_",
    "MYPY",
    "GCC_",
    "COMPILER_",
    "KUBE",
    "AWS_",
    "LESS",
    "GNUPG",
    "XDG_",
];

pub(super) fn influence(name: &str) -> Influence {
    if HARMLESS.contains(&name) || name.starts_with("LC_") {
        return Influence::Harmless;
    }
    let changes =
        CHANGES.contains(&name) || CHANGES_FROM.iter().any(|start| name.starts_with(start));
    match changes {
        true => Influence::Changes,
        false => Influence::Unknown,
    }
}

/// Whether the value of a variable is a command, by its name.
pub(super) fn is_command(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "_COMMAND",
        "PAGER",
        "EDITOR",
        "BROWSER",
        "VISUAL",
        "_ASKPASS",
        "_SSH",
        "_EXTERNAL_DIFF",
        "LESSOPEN",
        "LESSCLOSE",
        "PS4",
        "PROMPT_COMMAND",
        "_PROXY_COMMAND",
        "BASH_ENV",
    ];
    ENDS.iter().any(|end| name.ends_with(end))
}
