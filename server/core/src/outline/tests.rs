//! Nesting, ranking and rendering, over definitions that are written down.

use super::*;
use alloc::string::ToString;
use alloc::vec;
use ropey::Rope;

/// A definition of whole lines, as a language would find it; its bytes are ten a line.
fn found(kind: Kind, name: &str, lines: Lines) -> Found {
    Found {
        kind,
        name: name.to_string(),
        scope: None,
        name_start: lines.start * 10 + 1,
        bytes: lines.start * 10..lines.end * 10,
        line: lines.start,
        lines,
    }
}

fn told(outline: &Outline) -> String {
    let rope = Rope::new();
    render(outline, &rope)
}

#[test]
fn definitions_nest_by_their_bytes() {
    let outline = Outline::build(
        vec![
            found(Kind::Function, "free", 9..10),
            found(Kind::Function, "area", 2..5),
            found(Kind::Class, "Point", 1..8),
            found(Kind::Function, "inner", 3..4),
            found(Kind::Variable, "local", 4..5),
            found(Kind::Field, "x", 6..7),
        ],
        &[],
        false,
    );
    assert_eq!(
        told(&outline),
        "2-8       class Point\n3-5         method area\n4             function inner\n7           field x\n10        function free\n"
    );
    let inner = outline.get(2).unwrap();
    assert_eq!(inner.qualified_name(), "Point::area::inner");
    assert_eq!(inner.container().unwrap().name(), "area");
    assert_eq!(inner.depth(), 2);
    assert_eq!(outline.get(4).unwrap().container_name(), "");
    assert!(outline.get(5).is_none());
}

#[test]
fn what_is_found_twice_is_one_definition_of_the_first_kind_and_the_widest_lines() {
    let mut wide = found(Kind::Variable, "f", 0..4);
    wide.name_start = 11;
    let outline = Outline::build(vec![found(Kind::Function, "f", 1..3), wide], &[], false);
    assert_eq!(told(&outline), "1-4       function f\n");
}

#[test]
fn names_that_share_their_bytes_stand_side_by_side() {
    let mut second = found(Kind::Field, "y", 1..2);
    second.name_start += 1;
    let all = vec![
        found(Kind::Struct, "P", 0..3),
        found(Kind::Field, "x", 1..2),
        second,
    ];
    assert_eq!(
        told(&Outline::build(all, &[], false)),
        "1-3       struct P\n2           field x\n2           field y\n"
    );
}

#[test]
fn a_type_of_the_same_name_as_what_it_holds_is_that() {
    let mut alias = found(Kind::Type, "node", 0..4);
    alias.name_start = 39;
    let all = vec![
        alias,
        found(Kind::Struct, "node", 0..3),
        found(Kind::Field, "next", 1..2),
    ];
    assert_eq!(
        told(&Outline::build(all, &[], false)),
        "1-4       struct node\n2           field next\n"
    );
}

#[test]
fn what_stands_directly_above_belongs_to_it() {
    let all = || vec![found(Kind::Table, "a", 0..5), found(Kind::Table, "b", 5..7)];
    let lines = |above: &[Lines]| {
        let outline = Outline::build(all(), above, false);
        outline
            .definitions()
            .map(|it| it.lines())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]), [LineRange::new(0, 5), LineRange::new(5, 7)]);
    // Two comments in a row, which the grammar counts to what stands before.
    assert_eq!(
        lines(&[4..5, 3..4]),
        [LineRange::new(0, 3), LineRange::new(3, 7)]
    );
    // A blank line between.
    assert_eq!(
        lines(core::slice::from_ref(&(3..4))),
        [LineRange::new(0, 5), LineRange::new(5, 7)]
    );
}

#[test]
fn a_place_is_named_after_what_is_around_it() {
    let outline = Outline::build(
        vec![
            found(Kind::Class, "A", 0..9),
            found(Kind::Function, "f", 1..4),
            found(Kind::Field, "x", 5..6),
        ],
        &[],
        false,
    );
    let name = |line| outline.enclosing(LineIndex(line)).map(|it| it.name());
    assert_eq!(name(2), Some("f"));
    assert_eq!(name(5), Some("A"), "not the field");
    assert_eq!(name(9), None);
}

#[test]
fn what_is_nested_too_deep_is_left_out() {
    let all = (0..1000).map(|at| found(Kind::Key, "a", at..2000 - at));
    let outline = Outline::build(all.collect(), &[], false);
    assert_eq!(outline.len(), 64);
    assert_eq!(outline.definitions().map(|it| it.depth()).max(), Some(63));
}

#[test]
fn names_are_kept_short_and_in_one_line() {
    let long = "é".repeat(500);
    let all = vec![
        found(Kind::Heading, " two\n  words ", 0..1),
        found(Kind::Key, &long, 1..2),
    ];
    let outline = Outline::build(all, &[], false);
    assert_eq!(outline.get(0).unwrap().name(), "two words");
    assert_eq!(outline.get(1).unwrap().name().len(), 200);
    assert!(outline.memory() >= 209);
}

#[test]
fn a_better_fit_ranks_before_a_worse_one() {
    let rank = |pattern: &str, name: &str| Pattern::plain(pattern).rank(name);
    assert_eq!(rank("parse", "parse"), Some(Rank::Exact));
    assert_eq!(rank("parse", "Parse"), Some(Rank::IgnoringCase));
    assert_eq!(rank("parse", "ParseError"), Some(Rank::Prefix));
    assert_eq!(rank("parse", "try_parse"), Some(Rank::Part));
    assert_eq!(rank("prs", "parse"), Some(Rank::Subsequence(1)));
    assert_eq!(rank("tp", "try_parse"), Some(Rank::Subsequence(3)));
    assert_eq!(rank("parse", "pars"), None);
    assert_eq!(rank("parse", "esrap"), None);
    assert_eq!(rank("größe", "GRÖSSE"), None);
    assert_eq!(rank("größe", "GRÖßEN"), Some(Rank::Prefix));
    assert_eq!(rank("é", "café"), Some(Rank::Part));
    let mut ranks = [
        Rank::Subsequence(9),
        Rank::Part,
        Rank::Exact,
        Rank::Subsequence(1),
        Rank::Prefix,
        Rank::IgnoringCase,
    ];
    ranks.sort();
    assert_eq!(
        ranks,
        [
            Rank::Exact,
            Rank::IgnoringCase,
            Rank::Prefix,
            Rank::Part,
            Rank::Subsequence(1),
            Rank::Subsequence(9)
        ]
    );
}

#[test]
fn qualifiers_name_the_type_the_module_or_the_file() {
    let mut method = found(Kind::Function, "area", 2..3);
    method.scope = Some("Circle".to_string());
    let outline = Outline::build(
        vec![
            found(Kind::Module, "geometry", 0..9),
            found(Kind::Class, "Point", 1..2),
            method,
            found(Kind::Class, "Shape<T>", 4..8),
            found(Kind::Function, "area", 5..6),
            found(Kind::Table, "a.b", 10..12),
            found(Kind::Key, "c", 11..12),
        ],
        &[],
        false,
    );
    let fits = |pattern: &str, index: usize| {
        let definition = outline.get(index).unwrap();
        let pattern = Pattern::qualified(pattern);
        pattern.rank(definition.name()) == Some(Rank::Exact)
            && pattern.fits_place(&definition, "my-crate/src/shapes.rs")
    };
    for pattern in [
        "area",
        "Circle::area",
        "Circle.area",
        "circle#area",
        "geometry::Circle::area",
        "shapes::Circle::area",
        "my_crate::shapes::geometry::Circle::area",
        "crate::shapes::Circle::area",
        "self.area",
    ] {
        assert!(fits(pattern, 2), "{pattern}");
    }
    for pattern in [
        "Point::area",
        "geometry::area",
        "Circle::geometry::area",
        "other::Circle::area",
    ] {
        assert!(!fits(pattern, 2), "{pattern}");
    }
    assert!(fits("Shape::area", 4) && fits("Shape<T>::area", 4));
    assert!(fits("geometry.Point", 1) && !fits("other.Point", 1));
    assert!(fits("a.b.c", 6) && fits("b.c", 6) && !fits("x.c", 6));
}

#[test]
fn a_signature_is_the_line_without_what_opens_the_body() {
    let rope = Rope::from_str(&alloc::format!(
        "    fn area(&self) -> f64 {{\nclass A:\nx\nfn {}() {{\n",
        "n".repeat(300)
    ));
    let signature = |kind, name: &str, line: usize| {
        let outline = Outline::build(vec![found(kind, name, line..line + 1)], &[], false);
        signature(&outline.get(0).unwrap(), &rope)
    };
    assert_eq!(
        signature(Kind::Function, "area", 0),
        "fn area(&self) -> f64"
    );
    assert_eq!(signature(Kind::Class, "A", 1), "class A");
    assert_eq!(
        signature(Kind::Key, "x", 2),
        "",
        "it says no more than the name"
    );
    let long = signature(Kind::Function, "nnn", 3);
    assert_eq!(
        signature(Kind::Function, "far", 3),
        "",
        "the name stands behind the cut"
    );
    assert_eq!((long.chars().count(), long.ends_with('…')), (121, true));
    assert_eq!(signature(Kind::Key, "gone", 9), "");
}

#[test]
fn every_kind_is_written_as_it_is_read() {
    for kind in Kind::ALL {
        assert_eq!(Kind::parse(kind.as_str()), Some(kind));
    }
    assert_eq!(Kind::parse("fn"), None);
}
