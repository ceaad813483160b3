//! Whole lines, one for one, within a part of the text.

use super::*;

const WHOLE: (usize, usize) = (0, 1000);

fn lines(
    text: &str,
    wanted: &[&str],
    within: (usize, usize),
) -> Result<(usize, usize, Rung), FindError> {
    let found = find_lines(&rope(text), wanted, LineRange::new(within.0, within.1))?;
    Ok((found.lines.start.0, found.lines.end.0, found.rung))
}

#[test]
fn lines_are_found_on_each_rung() {
    let text = "a\nb  \n\n    c {\n        d\n    }\n“e”\na b\n";
    for (wanted, expected) in [
        (&["a", "b  "][..], (0, 2, Rung::Exact)),
        (&["a"], (0, 1, Rung::Exact)),
        (&["a", "b"], (0, 2, Rung::TrailingSpace)),
        (&["b", ""], (1, 3, Rung::TrailingSpace)),
        (&["", "c {", "    d", "}"], (2, 6, Rung::Indentation)),
        (&["\"e\""], (6, 7, Rung::Typography)),
        (&["“e”", "a b"], (6, 8, Rung::Exact)),
        (&[""], (2, 3, Rung::Exact)),
    ] {
        assert_eq!(lines(text, wanted, WHOLE), Ok(expected), "{wanted:?}");
    }
}

#[test]
fn parts_of_lines_and_blank_lines_too_many_are_not() {
    for wanted in [&["b"][..], &["", "ab"], &["ab", ""], &["x"], &[]] {
        let error = lines("ab\ncd\n", wanted, WHOLE).unwrap_err();
        assert!(
            matches!(error, FindError::NoMatch { .. }),
            "{wanted:?}: {error:?}"
        );
    }
}

#[test]
fn only_the_part_counts() {
    let text = "a\nb\na\n  c\na\n";
    assert_eq!(lines(text, &["a"], (1, 4)), Ok((2, 3, Rung::Exact)));
    assert_eq!(lines(text, &["c"], (1, 4)), Ok((3, 4, Rung::Indentation)));
    assert_eq!(lines(text, &["a", "b"], (0, 2)), Ok((0, 2, Rung::Exact)));
    assert!(lines(text, &["a", "b"], (0, 1)).is_err());
    assert!(lines(text, &["a"], (9, 9)).is_err());
    assert_eq!(
        lines(text, &["a"], WHOLE),
        Err(FindError::Ambiguous {
            lines: [0, 2, 4].map(LineIndex).into()
        })
    );
    let Err(FindError::NoMatch {
        nearest: Some(near),
    }) = lines(text, &["  c", "d"], (2, 5))
    else {
        panic!("something is near")
    };
    assert_eq!(near.lines, LineRange::new(3, 5));
    assert_eq!(near.differs, "line 5 is `a`, the text to be found has `d`");
}

#[test]
fn new_lines_are_shifted_alike() {
    let found = find_lines(
        &rope("\tif x {\n\t}\n"),
        &["if x {", "}"],
        LineRange::new(0, 2),
    )
    .unwrap();
    assert_eq!(
        found.fitted("if x {\n\ty\n}\n").unwrap(),
        "\tif x {\n\t\ty\n\t}\n"
    );
    assert_eq!(found.shift.unwrap().line("\ty").unwrap(), "\t\ty");
}
