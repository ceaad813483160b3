//! The languages whose definitions are known: which files are written in them, their grammars and their queries.
//! Knows nothing of how a query's captures are read.

use std::path::Path;
use std::sync::OnceLock;

use ropey::Rope;
use tree_sitter::Query;

/// How much of a text is looked at to tell languages apart that share an extension.
const HEAD_BYTES: usize = 64 * 1024;

/// A language.
pub(crate) struct Language {
    /// As it is told: `rust`.
    pub(crate) name: &'static str,
    /// Extensions in lower case, without the dot.
    extensions: &'static [&'static str],
    /// Names of whole files.
    files: &'static [&'static str],
    /// Programs that a first line `#!…` names; of `python3.12` the letters count.
    interpreters: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
    outline: &'static str,
    references: Option<&'static str>,
    queries: OnceLock<Result<Queries, String>>,
}

/// The compiled queries of a language.
pub(crate) struct Queries {
    pub(crate) outline: Query,
    pub(crate) references: Option<Query>,
}

macro_rules! query {
    // A language is often another one and more.
    ("cpp", $kind:tt) => {
        concat!(query!("c", $kind), query!(file "cpp", $kind))
    };
    ("javascript", $kind:tt) => {
        concat!(query!("ecmascript", $kind), query!(file "javascript", $kind))
    };
    ("typescript", $kind:tt) => {
        concat!(query!("ecmascript", $kind), query!(file "typescript", $kind))
    };
    ($folder:tt, $kind:tt) => {
        query!(file $folder, $kind)
    };
    (file $folder:tt, $kind:tt) => {
        include_str!(concat!("../../../../queries/", $folder, "/", $kind, ".scm"))
    };
}

macro_rules! language {
    ($name:literal, $folder:tt, $grammar:expr, $extensions:expr, $files:expr, $interpreters:expr, $references:expr) => {
        Language {
            name: $name,
            extensions: &$extensions,
            files: &$files,
            interpreters: &$interpreters,
            grammar: || $grammar.into(),
            outline: query!($folder, "outline"),
            references: $references,
            queries: OnceLock::new(),
        }
    };
    ($name:literal, $folder:tt, $grammar:expr, $extensions:expr, $files:expr, $interpreters:expr) => {
        language!(
            $name,
            $folder,
            $grammar,
            $extensions,
            $files,
            $interpreters,
            Some(query!($folder, "references"))
        )
    };
}

/// All of them. Of several that fit a file, the first counts.
static LANGUAGES: [Language; 20] = [
    language!(
        "rust",
        "rust",
        tree_sitter_rust::LANGUAGE,
        ["rs"],
        [],
        ["rust-script"]
    ),
    language!(
        "python",
        "python",
        tree_sitter_python::LANGUAGE,
        ["py", "pyi", "pyw"],
        ["SConstruct", "SConscript"],
        ["python", "pypy"]
    ),
    language!(
        "javascript",
        "javascript",
        tree_sitter_javascript::LANGUAGE,
        ["js", "jsx", "mjs", "cjs"],
        ["Jakefile"],
        ["node", "nodejs", "bun"]
    ),
    language!(
        "typescript",
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["ts", "mts", "cts"],
        [],
        ["deno", "ts-node", "tsx"]
    ),
    language!(
        "tsx",
        "typescript",
        tree_sitter_typescript::LANGUAGE_TSX,
        ["tsx"],
        [],
        []
    ),
    language!("go", "go", tree_sitter_go::LANGUAGE, ["go"], [], []),
    language!("c", "c", tree_sitter_c::LANGUAGE, ["c", "h"], [], ["tcc"]),
    language!(
        "cpp",
        "cpp",
        tree_sitter_cpp::LANGUAGE,
        [
            "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "ino", "cu",
            "cuh"
        ],
        [],
        []
    ),
    language!("java", "java", tree_sitter_java::LANGUAGE, ["java"], [], []),
    language!(
        "ruby",
        "ruby",
        tree_sitter_ruby::LANGUAGE,
        ["rb", "rake", "gemspec", "ru", "podspec", "rbi"],
        [
            "Rakefile",
            "Gemfile",
            "Guardfile",
            "Podfile",
            "Vagrantfile",
            "Brewfile",
            "Capfile"
        ],
        ["ruby", "jruby"]
    ),
    language!(
        "php",
        "php",
        tree_sitter_php::LANGUAGE_PHP,
        ["php", "phtml", "php3", "php4", "php5", "phps"],
        [],
        ["php"]
    ),
    language!(
        "csharp",
        "csharp",
        tree_sitter_c_sharp::LANGUAGE,
        ["cs", "csx"],
        [],
        []
    ),
    language!(
        "lua",
        "lua",
        tree_sitter_lua::LANGUAGE,
        ["lua", "rockspec"],
        [".luacheckrc"],
        ["lua", "luajit"]
    ),
    language!(
        "bash",
        "bash",
        tree_sitter_bash::LANGUAGE,
        ["sh", "bash", "ksh", "zsh", "bats", "ebuild"],
        [
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            "PKGBUILD",
            "APKBUILD"
        ],
        ["sh", "bash", "dash", "ksh", "zsh", "ash"]
    ),
    language!(
        "json",
        "json",
        tree_sitter_json::LANGUAGE,
        [
            "json",
            "jsonc",
            "json5",
            "jsonl",
            "geojson",
            "webmanifest",
            "code-workspace",
            "ipynb"
        ],
        [
            ".prettierrc",
            ".eslintrc",
            ".babelrc",
            "composer.lock",
            "flake.lock",
            "Pipfile.lock"
        ],
        [],
        Some(query!("json", "references"))
    ),
    language!(
        "yaml",
        "yaml",
        tree_sitter_yaml::LANGUAGE,
        ["yaml", "yml"],
        [".clang-format", ".clang-tidy", ".clangd", ".gemrc"],
        []
    ),
    language!(
        "toml",
        "toml",
        tree_sitter_toml_ng::LANGUAGE,
        ["toml"],
        ["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"],
        [],
        None
    ),
    language!(
        "html",
        "html",
        tree_sitter_html::LANGUAGE,
        ["html", "htm", "xhtml"],
        [],
        []
    ),
    language!("css", "css", tree_sitter_css::LANGUAGE, ["css"], [], []),
    language!(
        "markdown",
        "markdown",
        tree_sitter_md::LANGUAGE,
        ["md", "markdown", "mdx", "mkd"],
        [],
        [],
        None
    ),
];

impl Language {
    /// The language of a file, by its name or else by its first line. `head` is the beginning of its text.
    pub(crate) fn of(path: &Path, head: &[u8]) -> Option<&'static Language> {
        let head = &head[..head.len().min(HEAD_BYTES)];
        match Language::of_name(path) {
            Some(language) if language.name == "c" && has_extension(path, "h") && is_cpp(head) => {
                Language::named("cpp")
            }
            Some(language) => Some(language),
            None if may_be_script(path) => Language::of_first_line(head),
            None => None,
        }
    }

    /// The language that a file's name tells.
    pub(crate) fn of_name(path: &Path) -> Option<&'static Language> {
        let name = path.file_name()?.to_str()?;
        if let Some(language) = LANGUAGES.iter().find(|it| it.files.contains(&name)) {
            return Some(language);
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        LANGUAGES
            .iter()
            .find(|it| it.extensions.contains(&extension.as_str()))
    }

    fn of_first_line(head: &[u8]) -> Option<&'static Language> {
        let line = head.strip_prefix(b"#!")?;
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        let line = std::str::from_utf8(&line[..end]).ok()?;
        let mut words = line
            .split_whitespace()
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = match words.next()? {
            "env" => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
            program => program,
        };
        let program = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
        LANGUAGES
            .iter()
            .find(|it| it.interpreters.contains(&program))
    }

    fn named(name: &str) -> Option<&'static Language> {
        LANGUAGES.iter().find(|it| it.name == name)
    }

    /// The names of all of them.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|it| it.name)
    }

    /// Its grammar.
    pub(crate) fn grammar(&self) -> tree_sitter::Language {
        (self.grammar)()
    }

    /// Whether its scanner can be given ASCII only. That of bash asks C's `isdigit` about any character, which reads past
    /// the end of its table for those beyond, and may end the process. To the shell they are letters like any other.
    pub(crate) fn scans_ascii_only(&self) -> bool {
        self.name == "bash"
    }

    /// Its queries, compiled when they are first needed.
    pub(crate) fn queries(&self) -> Result<&Queries, String> {
        self.queries
            .get_or_init(|| {
                let grammar = self.grammar();
                let compiled = |source: &str, kind: &str| {
                    Query::new(&grammar, source)
                        .map_err(|error| format!("the {kind} query of {}: {error}", self.name))
                };
                Ok(Queries {
                    outline: compiled(self.outline, "outline")?,
                    references: (self.references)
                        .map(|source| compiled(source, "references"))
                        .transpose()?,
                })
            })
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Whether every name that is defined in it is a single word of its text, so that what is no word of a text is
    /// not defined there.
    pub(crate) fn names_are_words(&self) -> bool {
        matches!(
            self.name,
            "c" | "python" | "go" | "java" | "php" | "lua" | "bash"
        )
    }
}

/// The beginning of some bytes with a letter for each that is not ASCII, so that all places stay what they are.
pub(super) fn ascii(piece: &[u8]) -> Vec<u8> {
    let piece = piece.iter().take(4096);
    piece
        .map(|byte| if byte.is_ascii() { *byte } else { b'x' })
        .collect()
}

/// The beginning of a text: enough to tell its language by.
pub(crate) fn head(rope: &Rope) -> String {
    let end = rope.byte_to_char(rope.len_bytes().min(HEAD_BYTES));
    rope.slice(..end).to_string()
}

/// Whether the first line may say what the file is: its name has no extension.
pub(crate) fn may_be_script(path: &Path) -> bool {
    path.extension().is_none()
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Whether a header is C++: by words that stand in no C.
fn is_cpp(head: &[u8]) -> bool {
    const SIGNS: [&str; 7] = [
        "\nnamespace ",
        "\ntemplate <",
        "\ntemplate<",
        "\nclass ",
        "public:",
        "private:",
        "\nusing ",
    ];
    SIGNS
        .iter()
        .any(|sign| memchr::memmem::find(head, sign.as_bytes()).is_some())
}

#[cfg(test)]
mod tests;
