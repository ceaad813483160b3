//! Which paths a glob pattern means: `**`, `*`, `?`, `[a-z]`, `{a,b}`; without a slash it is about names at any depth,
//! with `!` before it about all others. Knows paths alone, no files.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::ToolError;

/// A pattern that was understood.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    set: GlobSet,
    is_negated: bool,
    names_hidden: bool,
}

impl PathPattern {
    /// Understands a pattern.
    pub(crate) fn new(pattern: &str) -> Result<PathPattern, ToolError> {
        let invalid = |reason: &str| {
            ToolError::invalid_pattern(format!("The pattern `{pattern}` is not valid: {reason}."))
        };
        let (is_negated, wanted) = match pattern.strip_prefix('!') {
            Some(wanted) => (true, wanted),
            None => (false, pattern),
        };
        let wanted = wanted.trim_start_matches("./");
        if wanted.is_empty() || wanted == "." {
            return Err(invalid("it is empty").suggest("Use `**` for all files."));
        }
        if wanted.starts_with('/') {
            return Err(invalid("it starts with `/`, and patterns start at `path`")
                .suggest("Give the folder as `path` and a relative pattern."));
        }
        if wanted.split('/').any(|part| part == "..") {
            return Err(invalid("`..` leads nowhere in a pattern")
                .suggest("Give the folder as `path` and a pattern that starts there."));
        }
        let mut glob = match wanted.contains('/') {
            true => wanted.to_owned(),
            false => format!("**/{wanted}"),
        };
        if glob.ends_with('/') {
            glob.push_str("**");
        }
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .empty_alternates(true)
            .build()
            .map_err(|error| invalid(&error.kind().to_string()))?;
        let set = GlobSetBuilder::new().add(glob).build();
        Ok(PathPattern {
            set: set.map_err(|error| invalid(&error.kind().to_string()))?,
            is_negated,
            names_hidden: !is_negated && wanted.split('/').any(names_hidden),
        })
    }

    /// Understands several patterns of names of which one must fit.
    pub(crate) fn of_names(patterns: &[String]) -> Result<PathPattern, ToolError> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(&format!("**/{pattern}"))
                .literal_separator(true)
                .build();
            set.add(glob.map_err(|error| ToolError::internal(error.to_string()))?);
        }
        let set = set
            .build()
            .map_err(|error| ToolError::internal(error.to_string()))?;
        Ok(PathPattern {
            set,
            is_negated: false,
            names_hidden: false,
        })
    }

    /// Whether it means a path, given relative with `/`.
    pub(crate) fn matches(&self, relative: &[u8]) -> bool {
        self.set
            .is_match_candidate(&Candidate::from_bytes(relative))
            != self.is_negated
    }

    /// Whether it asks for hidden files itself, by a name with a dot in front.
    pub(crate) fn names_hidden(&self) -> bool {
        self.names_hidden
    }
}

fn names_hidden(part: &str) -> bool {
    let name = part.trim_start_matches('{');
    name.starts_with('.') && name.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching<'a>(pattern: &str, paths: &[&'a str]) -> Vec<&'a str> {
        let pattern = PathPattern::new(pattern).unwrap();
        paths
            .iter()
            .copied()
            .filter(|path| pattern.matches(path.as_bytes()))
            .collect()
    }

    #[test]
    fn what_patterns_mean() {
        let paths = [
            "a.rs",
            "b.ts",
            "src/a.rs",
            "src/deep/a.rs",
            "src/deep/c.tsx",
            "src/A.rs",
            "docs/[x].md",
        ];
        for (pattern, expected) in [
            (
                "*.rs",
                &["a.rs", "src/a.rs", "src/deep/a.rs", "src/A.rs"][..],
            ),
            ("a.rs", &["a.rs", "src/a.rs", "src/deep/a.rs"]),
            ("./a.rs", &["a.rs", "src/a.rs", "src/deep/a.rs"]),
            ("src/*.rs", &["src/a.rs", "src/A.rs"]),
            ("src/**/*.rs", &["src/a.rs", "src/deep/a.rs", "src/A.rs"]),
            ("**/deep/*", &["src/deep/a.rs", "src/deep/c.tsx"]),
            (
                "src/",
                &["src/a.rs", "src/deep/a.rs", "src/deep/c.tsx", "src/A.rs"],
            ),
            ("*.{ts,tsx}", &["b.ts", "src/deep/c.tsx"]),
            ("*.ts{,x}", &["b.ts", "src/deep/c.tsx"]),
            ("[a-b].*", &["a.rs", "b.ts", "src/a.rs", "src/deep/a.rs"]),
            ("?.ts", &["b.ts"]),
            ("docs/[[]x].md", &["docs/[x].md"]),
            ("docs/\\[x].md", &["docs/[x].md"]),
            ("!*.rs", &["b.ts", "src/deep/c.tsx", "docs/[x].md"]),
            ("**", &paths),
            ("*", &paths),
        ] {
            assert_eq!(matching(pattern, &paths), expected, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_names_hidden_files_asks_for_them() {
        for (pattern, asks) in [
            (".github/**", true),
            ("**/.env*", true),
            ("{.a,.b}/x", true),
            ("*.d.ts", false),
            ("./a", false),
            ("!.env", false),
            ("a/./b", false),
        ] {
            assert_eq!(
                PathPattern::new(pattern).unwrap().names_hidden(),
                asks,
                "{pattern}"
            );
        }
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        let error = |pattern| PathPattern::new(pattern).unwrap_err().to_string();
        insta::assert_snapshot!(error("src/[a"), @"invalid_pattern: The pattern `src/[a` is not valid: unclosed character class; missing ']'. Correct the pattern and call again.");
        insta::assert_snapshot!(error("{a,b"), @"invalid_pattern: The pattern `{a,b` is not valid: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?). Correct the pattern and call again.");
        insta::assert_snapshot!(error("[z-a]"), @"invalid_pattern: The pattern `[z-a]` is not valid: invalid range; 'z' > 'a'. Correct the pattern and call again.");
        insta::assert_snapshot!(error(""), @"invalid_pattern: The pattern `` is not valid: it is empty. Use `**` for all files.");
        insta::assert_snapshot!(error("/etc/*"), @"invalid_pattern: The pattern `/etc/*` is not valid: it starts with `/`, and patterns start at `path`. Give the folder as `path` and a relative pattern.");
        insta::assert_snapshot!(error("../*"), @"invalid_pattern: The pattern `../*` is not valid: `..` leads nowhere in a pattern. Give the folder as `path` and a pattern that starts there.");
    }
}
