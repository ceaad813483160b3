//! The programs that are known to only read, and their options that are known to be harmless. What writes, runs
//! something, follows links out of the workspace, or waits for ever is not among them.

/// What the operands of a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// None.
    None,
    /// Files whose text is read.
    Files,
    /// Files of which only names and numbers are told.
    Names,
    /// As many that are no files, unless one of these options is given, then files.
    After(usize, &'static [&'static str]),
    /// So many files at most: one more would be written.
    AtMost(usize),
    /// No files.
    Words,
    /// Text, even if it looks like an option.
    Text,
}

/// A program.
#[derive(Debug)]
pub(super) struct Spec {
    pub names: &'static [&'static str],
    /// Short options without a value.
    pub flags: &'static str,
    /// Short options with one.
    pub valued: &'static str,
    pub long: &'static [&'static str],
    pub long_valued: &'static [&'static str],
    pub operands: Operands,
    /// A number may be an option: `-5`.
    pub numbers: bool,
}

const fn spec(
    names: &'static [&'static str],
    flags: &'static str,
    valued: &'static str,
    operands: Operands,
) -> Spec {
    Spec {
        names,
        flags,
        valued,
        long: &[],
        long_valued: &[],
        operands,
        numbers: false,
    }
}

pub(super) const SPECS: &[Spec] = &[
    spec(
        &["echo", "printf", ":", "true", "false"],
        "",
        "",
        Operands::Text,
    ),
    spec(
        &["test", "["],
        "abcdefghklnopqrstuwxzGLNOS",
        "",
        Operands::Names,
    ),
    spec(&["pwd"], "LP", "", Operands::None),
    spec(
        &[
            "whoami", "arch", "nproc", "tty", "groups", "uptime", "logname",
        ],
        "",
        "",
        Operands::None,
    ),
    spec(&["uname"], "amnoprsv", "", Operands::None),
    spec(&["hostname"], "sfd", "", Operands::None),
    spec(&["id"], "Ggnru", "", Operands::Words),
    spec(&["which", "type"], "asptP", "", Operands::Words),
    spec(&["whereis"], "bms", "", Operands::Words),
    spec(&["basename", "dirname"], "az", "s", Operands::Words),
    spec(&["seq"], "w", "sf", Operands::Words),
    spec(&["sleep"], "", "", Operands::Words),
    spec(&["free"], "bkmght", "", Operands::None),
    spec(&["cal"], "13jmy", "", Operands::Words),
    Spec {
        long: &["--utc", "--iso-8601", "--rfc-email"],
        long_valued: &["--date", "--iso-8601"],
        ..spec(&["date"], "uRI", "d", Operands::After(1, &[]))
    },
    Spec {
        long: &[
            "--all",
            "--almost-all",
            "--directory",
            "--human-readable",
            "--recursive",
            "--reverse",
            "--size",
            "--inode",
            "--group-directories-first",
            "--full-time",
            "--color",
            "--no-group",
            "--classify",
        ],
        long_valued: &[
            "--sort",
            "--time",
            "--color",
            "--ignore",
            "--hide",
            "--time-style",
            "--format",
            "--indicator-style",
        ],
        ..spec(
            &["ls"],
            "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1",
            "ITw",
            Operands::Names,
        )
    },
    Spec {
        long: &["--number", "--show-all", "--show-ends", "--squeeze-blank"],
        ..spec(&["cat"], "AbeEnstTuv", "", Operands::Files)
    },
    spec(&["tac", "rev", "nl"], "b", "", Operands::Files),
    Spec {
        long: &["--quiet", "--verbose"],
        long_valued: &["--lines", "--bytes"],
        numbers: true,
        ..spec(&["head", "tail"], "qvz", "nc", Operands::Files)
    },
    Spec {
        long: &[
            "--lines",
            "--words",
            "--bytes",
            "--chars",
            "--max-line-length",
        ],
        ..spec(&["wc"], "clLmw", "", Operands::Names)
    },
    Spec {
        long: &[
            "--color",
            "--colour",
            "--count",
            "--extended-regexp",
            "--fixed-strings",
            "--ignore-case",
            "--invert-match",
            "--line-number",
            "--files-with-matches",
            "--files-without-match",
            "--only-matching",
            "--quiet",
            "--silent",
            "--no-messages",
            "--recursive",
            "--word-regexp",
            "--line-regexp",
            "--with-filename",
            "--no-filename",
            "--perl-regexp",
            "--text",
            "--null",
            "--basic-regexp",
            "--byte-offset",
        ],
        long_valued: &[
            "--after-context",
            "--before-context",
            "--context",
            "--max-count",
            "--include",
            "--exclude",
            "--exclude-dir",
            "--regexp",
            "--color",
            "--colour",
        ],
        numbers: true,
        ..spec(
            &["grep", "egrep", "fgrep"],
            "abcEFGhHiIlLnoPqrsTUvwxyzZ",
            "ABCem",
            Operands::After(1, &["e", "--regexp"]),
        )
    },
    Spec {
        long: &[
            "--fixed-strings",
            "--with-filename",
            "--no-filename",
            "--ignore-case",
            "--files-with-matches",
            "--files-without-match",
            "--no-line-number",
            "--line-number",
            "--only-matching",
            "--pretty",
            "--quiet",
            "--smart-case",
            "--case-sensitive",
            "--multiline",
            "--multiline-dotall",
            "--invert-match",
            "--word-regexp",
            "--line-regexp",
            "--count",
            "--count-matches",
            "--heading",
            "--no-heading",
            "--json",
            "--stats",
            "--column",
            "--vimgrep",
            "--trim",
            "--pcre2",
            "--no-messages",
            "--type-list",
            "--null",
        ],
        long_valued: &[
            "--after-context",
            "--before-context",
            "--context",
            "--regexp",
            "--glob",
            "--iglob",
            "--type",
            "--type-not",
            "--max-count",
            "--max-columns",
            "--max-depth",
            "--threads",
            "--replace",
            "--sort",
            "--sortr",
            "--color",
            "--colors",
            "--context-separator",
        ],
        ..spec(
            &["rg"],
            "FHIilNnopqSsUvwxcP0",
            "ABCegtTmMjdr",
            Operands::After(1, &["e", "--regexp", "--type-list"]),
        )
    },
    Spec {
        long: &[
            "--reverse",
            "--numeric-sort",
            "--unique",
            "--ignore-case",
            "--human-numeric-sort",
            "--version-sort",
            "--general-numeric-sort",
            "--stable",
            "--check",
        ],
        long_valued: &["--key", "--field-separator"],
        ..spec(&["sort"], "bdfghiMnrVscCmuz", "kt", Operands::Files)
    },
    Spec {
        long: &["--count", "--repeated", "--unique", "--ignore-case"],
        ..spec(&["uniq"], "cdDiuz", "fsw", Operands::AtMost(1))
    },
    Spec {
        long: &["--only-delimited", "--complement"],
        long_valued: &[
            "--delimiter",
            "--fields",
            "--bytes",
            "--characters",
            "--output-delimiter",
        ],
        ..spec(&["cut"], "sz", "dfbc", Operands::Files)
    },
    spec(&["tr"], "cCdst", "", Operands::Words),
    spec(&["paste"], "sz", "d", Operands::Files),
    spec(&["column"], "txe", "sNoc", Operands::Files),
    spec(&["fold"], "sb", "w", Operands::Files),
    spec(&["comm"], "123z", "", Operands::Files),
    spec(&["cmp"], "bls", "ni", Operands::Files),
    Spec {
        long: &[
            "--brief",
            "--unified",
            "--recursive",
            "--ignore-all-space",
            "--ignore-space-change",
            "--ignore-blank-lines",
            "--side-by-side",
            "--color",
            "--new-file",
            "--text",
            "--minimal",
            "--context",
            "--no-dereference",
        ],
        long_valued: &["--unified", "--context", "--width", "--color", "--exclude"],
        ..spec(&["diff"], "abBcdeEilnNpqrstTuwyZ", "UCWx", Operands::Files)
    },
    Spec {
        long: &["--dereference", "--terse"],
        long_valued: &["--format", "--printf"],
        ..spec(&["stat"], "Lt", "c", Operands::Names)
    },
    Spec {
        long: &["--brief", "--mime", "--mime-type", "--mime-encoding"],
        ..spec(&["file"], "bihn", "", Operands::Names)
    },
    Spec {
        long: &[
            "--all",
            "--human-readable",
            "--summarize",
            "--total",
            "--bytes",
            "--apparent-size",
            "--one-file-system",
        ],
        long_valued: &["--max-depth", "--exclude", "--threshold"],
        ..spec(&["du"], "abchkmsxSHl0", "dt", Operands::Names)
    },
    spec(&["df"], "ahHiklPT", "", Operands::Names),
    Spec {
        long: &["--dirsfirst", "--noreport", "--gitignore", "--prune"],
        long_valued: &["--filelimit", "--sort"],
        ..spec(&["tree"], "adfgipsuhDFrtCnSNqQv", "LPI", Operands::Names)
    },
    spec(&["readlink", "realpath"], "efmnqsz", "", Operands::Names),
    spec(
        &[
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
            "cksum",
            "sum",
        ],
        "bt",
        "",
        Operands::Names,
    ),
    spec(&["xxd"], "", "ls", Operands::AtMost(1)),
    spec(&["hexdump", "hd"], "Cbcdovx", "ns", Operands::Files),
    spec(&["od"], "abcdfhiloxv", "AjNt", Operands::Files),
    spec(&["strings"], "af", "nte", Operands::Files),
    Spec {
        long: &["--decode"],
        long_valued: &["--wrap"],
        ..spec(&["base64", "base32"], "d", "w", Operands::AtMost(1))
    },
    Spec {
        long: &[
            "--raw-output",
            "--compact-output",
            "--null-input",
            "--slurp",
            "--sort-keys",
            "--exit-status",
            "--tab",
            "--join-output",
            "--raw-input",
            "--monochrome-output",
            "--color-output",
        ],
        long_valued: &["--indent"],
        ..spec(&["jq"], "rcnsSMCjeaR", "", Operands::After(1, &[]))
    },
    Spec {
        long: &["--quiet", "--silent", "--regexp-extended", "--separate"],
        ..spec(&["sed"], "nErsu", "e", Operands::After(1, &["e"]))
    },
    Spec {
        long: &["--forest"],
        long_valued: &["--pid", "--sort", "--format"],
        ..spec(&["ps"], "aefxwjlHTA", "opuC", Operands::Words)
    },
    spec(&["pgrep"], "aflnovxc", "uP", Operands::Words),
];
