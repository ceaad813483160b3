//! Which language a file is written in.

use super::*;

fn language(path: &str, head: &str) -> Option<&'static str> {
    Language::of(Path::new(path), head.as_bytes()).map(|language| language.name)
}

#[test]
fn a_file_is_known_by_its_name() {
    for (path, expected) in [
        ("a/b.rs", "rust"),
        ("b.PY", "python"),
        ("b.pyi", "python"),
        ("b.mjs", "javascript"),
        ("b.jsx", "javascript"),
        ("b.d.ts", "typescript"),
        ("b.tsx", "tsx"),
        ("b.go", "go"),
        ("b.c", "c"),
        ("b.h", "c"),
        ("b.hpp", "cpp"),
        ("b.C", "c"),
        ("b.java", "java"),
        ("Rakefile", "ruby"),
        ("b.php", "php"),
        ("b.cs", "csharp"),
        ("b.lua", "lua"),
        ("b.zsh", "bash"),
        (".bashrc", "bash"),
        ("b.json", "json"),
        (".prettierrc", "json"),
        ("b.yml", "yaml"),
        ("Cargo.lock", "toml"),
        ("b.htm", "html"),
        ("b.css", "css"),
        ("README.md", "markdown"),
    ] {
        assert_eq!(language(path, ""), Some(expected), "{path}");
    }
    for path in ["a.txt", "rs", "a.rs.orig", "Makefile", "a", ""] {
        assert_eq!(language(path, ""), None, "{path}");
    }
}

#[test]
fn a_script_is_known_by_its_first_line() {
    for (head, expected) in [
        ("#!/bin/sh\n", Some("bash")),
        ("#!/usr/bin/env python3.12\nx = 1\n", Some("python")),
        (
            "#! /usr/bin/env -S LANG=C node --flag\n",
            Some("javascript"),
        ),
        ("#!/usr/local/bin/ruby -w", Some("ruby")),
        ("#!/usr/bin/perl\n", None),
        ("#!\n", None),
        ("python\n", None),
    ] {
        assert_eq!(language("bin/tool", head), expected, "{head:?}");
    }
    assert_eq!(
        language("tool.txt", "#!/bin/sh\n"),
        None,
        "its name says what it is"
    );
}

#[test]
fn a_header_is_cpp_if_it_says_so() {
    assert_eq!(language("a.h", "#pragma once\nint f(void);\n"), Some("c"));
    assert_eq!(
        language("a.h", "#pragma once\nnamespace a {\n}\n"),
        Some("cpp")
    );
    assert_eq!(language("a.h", "\nclass A {\n public:\n};\n"), Some("cpp"));
}

#[test]
fn every_grammar_loads_and_every_query_compiles() {
    for language in &LANGUAGES {
        tree_sitter::Parser::new()
            .set_language(&language.grammar())
            .unwrap_or_else(|error| panic!("{}: {error}", language.name));
        language.queries().unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn every_capture_means_something() {
    for language in &LANGUAGES {
        let queries = language.queries().unwrap();
        for name in queries.outline.capture_names() {
            let known = ["name", "scope", "above"].contains(name)
                || name.starts_with('_')
                || (name.strip_prefix("definition."))
                    .is_some_and(|kind| mewcode_core::outline::Kind::parse(kind).is_some());
            assert!(known, "{}: @{name}", language.name);
        }
        for name in queries
            .references
            .iter()
            .flat_map(|query| query.capture_names())
        {
            let known = *name == "name" || name.starts_with('_') || name.starts_with("reference.");
            assert!(known, "{}: @{name}", language.name);
        }
    }
}

#[test]
fn no_two_languages_claim_one_name() {
    let mut seen = std::collections::HashSet::new();
    for language in &LANGUAGES {
        for name in language.extensions.iter().chain(language.files) {
            assert!(seen.insert(*name), "{name}");
            assert!(
                language.files.contains(name) || *name == name.to_lowercase(),
                "{name}: extensions are compared in lower case"
            );
        }
    }
}
