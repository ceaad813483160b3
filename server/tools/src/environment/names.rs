//! Names of environment variables: those that every command may have, and what secrets are called. The one list of them.

/// Variables that are passed.
pub(super) const NAMES: &[&str] = &[
    // Who and where.
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "HOSTNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    // Certificates.
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    // C and C++.
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PKG_CONFIG_PATH",
    "MAKEFLAGS",
    "CMAKE_GENERATOR",
    "CMAKE_PREFIX_PATH",
    "CCACHE_DIR",
    "SDKROOT",
    "DEVELOPER_DIR",
    "MACOSX_DEPLOYMENT_TARGET",
    // Rust.
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_JOBS",
    "CARGO_BUILD_TARGET",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUST_BACKTRACE",
    "RUST_LOG",
    // Go.
    "GOPATH",
    "GOROOT",
    "GOBIN",
    "GOCACHE",
    "GOMODCACHE",
    "GOPROXY",
    "GOPRIVATE",
    "GOSUMDB",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "GOOS",
    "GOARCH",
    "CGO_ENABLED",
    // Java and its kin.
    "JAVA_HOME",
    "JDK_HOME",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "CLASSPATH",
    "M2_HOME",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "GRADLE_HOME",
    "GRADLE_OPTS",
    "GRADLE_USER_HOME",
    "KOTLIN_HOME",
    "SCALA_HOME",
    "SDKMAN_DIR",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    // JavaScript.
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NVM_BIN",
    "NVM_DIR",
    "NVM_INC",
    "FNM_DIR",
    "FNM_MULTISHELL_PATH",
    "VOLTA_HOME",
    "N_PREFIX",
    "NPM_CONFIG_CACHE",
    "NPM_CONFIG_PREFIX",
    "NPM_CONFIG_REGISTRY",
    "npm_config_cache",
    "npm_config_prefix",
    "npm_config_registry",
    "PNPM_HOME",
    "COREPACK_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "DENO_INSTALL",
    "PLAYWRIGHT_BROWSERS_PATH",
    // Python.
    "VIRTUAL_ENV",
    "CONDA_DEFAULT_ENV",
    "CONDA_EXE",
    "CONDA_PREFIX",
    "PIPENV_ACTIVE",
    "PIP_CACHE_DIR",
    "PIP_INDEX_URL",
    "POETRY_HOME",
    "UV_CACHE_DIR",
    "UV_PYTHON",
    "PYTHONHOME",
    "PYTHONPATH",
    // Others.
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "BUNDLE_GEMFILE",
    "RBENV_ROOT",
    "RBENV_VERSION",
    "PERL5LIB",
    "COMPOSER_HOME",
    "PHP_INI_SCAN_DIR",
    "MIX_ENV",
    "MIX_HOME",
    "HEX_HOME",
    "DOTNET_ROOT",
    "NUGET_PACKAGES",
    "OPAM_SWITCH_PREFIX",
    "CAML_LD_LIBRARY_PATH",
    "OCAML_TOPLEVEL_PATH",
    "STACK_ROOT",
    "GHCUP_INSTALL_BASE_PREFIX",
    "JULIA_DEPOT_PATH",
    "R_LIBS_USER",
    "LUA_PATH",
    "LUA_CPATH",
    "ZIG_GLOBAL_CACHE_DIR",
    "FLUTTER_ROOT",
    "PUB_CACHE",
    "TF_PLUGIN_CACHE_DIR",
    "HOMEBREW_PREFIX",
    "HOMEBREW_CELLAR",
    "HOMEBREW_REPOSITORY",
    "IN_NIX_SHELL",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
];

/// Beginnings of names that are passed.
pub(super) const PREFIXES: &[&str] = &["LC_", "RUSTUP_", "PYENV_", "ASDF_", "MISE_"];

/// Names that are passed in either case.
pub(super) const KINDS: &[&str] = &[
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
];

/// Whether a variable's name says that its value is a secret.
pub fn names_a_secret(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "KEY",
        "KEYS",
        "APIKEY",
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASS",
        "PASSWD",
        "PASSWORD",
        "PASSWORDS",
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "COOKIE",
        "JWT",
        "PAT",
    ];
    const ENDS: &[&str] = &[
        "APIKEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
    ];
    name.split(['_', '-', '.']).any(|word| {
        let word = word.to_ascii_uppercase();
        WORDS.contains(&word.as_str()) || ENDS.iter().any(|end| word.ends_with(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_name() {
        for name in [
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "npm_config__authToken",
            "DB_PASSWORD",
            "PGPASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "OPENAI_APIKEY",
            "GH_PAT",
            "google.credentials",
        ] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "PWD",
            "OLDPWD",
            "KEYBOARD",
            "XDG_SEAT",
            "MONKEY",
            "PASSENGER_ROOT",
            "TOKENIZERS_PARALLELISM",
            "PYTHONPATH",
        ] {
            assert!(!names_a_secret(name), "{name}");
        }
    }
}
