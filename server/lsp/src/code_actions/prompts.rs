//! Code actions that ask the agent about a piece of code: the selection, or else the definition around the cursor.

use super::{Context, action, wanted};
use crate::commands;
use mewcode_core::position::LineRange;
use serde_json::json;
use tower_lsp::ls_types::{CodeAction, Position, Range};

/// Kind of the actions that ask the agent about a piece of code.
pub const KIND: &str = "refactor.rewrite.mewcode";

/// What can be asked: the verb of the title, and what the agent is told to do.
const WISHES: [(&str, &str); 5] = [
    (
        "Explain",
        "Explain {subject}: what it does, how, and what is not obvious about it. Change nothing.",
    ),
    (
        "Review",
        "Review {subject}: mistakes, missing cases, what is hard to read. Name the lines. Change nothing.",
    ),
    (
        "Write tests for",
        "Write tests for {subject}, where the project has its tests and in their style.",
    ),
    (
        "Document",
        "Document {subject} in the style of the comments around it. Change comments only.",
    ),
    (
        "Simplify",
        "Simplify {subject} without changing what it does.",
    ),
];

/// A definition as it is named in titles and prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What it is and its name: "function `parse`".
    pub name: String,
    /// Its lines.
    pub lines: LineRange,
}

/// The actions on the selection, or on the definition around the cursor; none where there is neither.
pub fn actions(context: &Context<'_>) -> Vec<CodeAction> {
    if !wanted(context.only, KIND) {
        return Vec::new();
    }
    let Some(subject) = subject(context) else {
        return Vec::new();
    };
    let (first, last) = (subject.lines.start.0 + 1, subject.lines.end.0);
    let lines = if last <= first {
        format!("line {first}")
    } else {
        format!("lines {first}-{last}")
    };
    let told = format!("{} in {}, {lines}", subject.name, context.display);
    WISHES
        .into_iter()
        .map(|(verb, prompt)| {
            let argument = json!({
                "text": prompt.replace("{subject}", &told),
                "uri": context.uri,
                "range": range_of(subject.lines),
            });
            action(
                KIND,
                format!("{verb} {}", subject.name),
                commands::PROMPT,
                argument,
            )
        })
        .collect()
}

fn subject(context: &Context<'_>) -> Option<Definition> {
    let Range { start, end } = context.range;
    if start == end {
        return context.definition.clone();
    }
    let (first, last) = (start.line as usize, end.line as usize);
    // A selection that ends at a line's start does not include that line.
    let end = if end.character == 0 && last > first {
        last
    } else {
        last + 1
    };
    Some(Definition {
        name: "the selection".to_owned(),
        lines: LineRange::new(first, end),
    })
}

fn range_of(lines: LineRange) -> Range {
    let line = |line: usize| Position::new(u32::try_from(line).unwrap_or(u32::MAX), 0);
    Range::new(line(lines.start.0), line(lines.end.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(range: ((u32, u32), (u32, u32)), definition: Option<Definition>) -> Vec<CodeAction> {
        let position = |(line, character)| Position::new(line, character);
        actions(&Context {
            uri: "file:///w/src/a.rs",
            display: "src/a.rs",
            file: None,
            range: Range::new(position(range.0), position(range.1)),
            definition,
            only: None,
            pending: 0,
            running: 0,
            waits_for_command: false,
            session: false,
            trust: false,
            approvals: &[],
        })
    }

    fn parse() -> Option<Definition> {
        Some(Definition {
            name: "function `parse`".into(),
            lines: LineRange::new(2, 17),
        })
    }

    fn text(action: &CodeAction) -> String {
        let data = action.data.as_ref().unwrap();
        data["argument"]["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn without_a_selection_the_definition_is_named() {
        let actions = titles(((5, 3), (5, 3)), parse());
        let titles: Vec<&str> = actions.iter().map(|it| it.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "Explain function `parse`",
                "Review function `parse`",
                "Write tests for function `parse`",
                "Document function `parse`",
                "Simplify function `parse`"
            ]
        );
        assert_eq!(
            text(&actions[4]),
            "Simplify function `parse` in src/a.rs, lines 3-17 without changing what it does."
        );
        let range = &actions[0].data.as_ref().unwrap()["argument"]["range"];
        assert_eq!(range["end"], json!({"line": 17, "character": 0}));
    }

    #[test]
    fn a_selection_comes_before_the_definition_around_it() {
        let one = titles(((5, 3), (5, 9)), parse());
        assert_eq!(one[0].title, "Explain the selection");
        assert!(text(&one[0]).contains("the selection in src/a.rs, line 6:"));
        let whole_lines = titles(((5, 0), (8, 0)), None);
        assert!(text(&whole_lines[0]).contains("lines 6-8:"));
    }

    #[test]
    fn where_there_is_nothing_nothing_is_offered() {
        assert!(titles(((0, 0), (0, 0)), None).is_empty());
    }
}
