//! Adds an allow rule to the text of a configuration file, and leaves every other byte of it as it is. Pure.
//!
//! YAML can be written in more ways than it is worth to know all of. So a place is proposed, and the new text is read
//! again: it must say what the old one said, and the rule besides, or it is not taken.

use serde_json::Value;

use super::tree::{Content, Node, Place};

/// How a file begins that is made for rules.
const HEADER: &str = "# Your own settings for this workspace, not to be committed. MewCode adds the rules here that you always allow.\n";

/// The text with the rule among its `permissions.allow`. `None`: there is no place for it that is sure to harm nothing.
pub fn with_rule(text: &str, rule: &str) -> Option<String> {
    let tree = Node::parse(text).ok()?;
    let old = tree.as_ref().map_or(Value::Null, Node::value);
    if allowed(&old).any(|own| own.as_str() == Some(rule)) {
        return Some(text.to_owned());
    }
    proposals(text, tree.as_ref(), &quoted(rule))
        .into_iter()
        .find(|new| {
            let new = Node::parse(new).ok().flatten();
            new.is_some_and(|new| says_only_more(&old, &new.value(), rule))
        })
}

fn allowed(value: &Value) -> impl Iterator<Item = &Value> {
    let list = value
        .pointer("/permissions/allow")
        .and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Whether the new value is the old one with the rule in its list.
fn says_only_more(old: &Value, new: &Value, rule: &str) -> bool {
    let mut new = new.clone();
    let Some(Value::Array(list)) = new.pointer_mut("/permissions/allow") else {
        return false;
    };
    let Some(index) = list.iter().position(|own| own.as_str() == Some(rule)) else {
        return false;
    };
    list.remove(index);
    without_empty(new) == without_empty(old.clone())
}

/// The value without the lists and mappings that the rule needed, if nothing else is in them.
fn without_empty(mut value: Value) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    if let Value::Object(top) = &mut value {
        if let Some(Value::Object(permissions)) = top.get_mut("permissions")
            && permissions.get("allow").is_some_and(is_empty)
        {
            permissions.remove("allow");
        }
        if top.get("permissions").is_some_and(is_empty) {
            top.remove("permissions");
        }
    }
    if is_empty(&value) { Value::Null } else { value }
}

/// The rule as a YAML scalar.
fn quoted(rule: &str) -> String {
    if rule.chars().any(char::is_control) {
        // A JSON string is a YAML one.
        return Value::from(rule).to_string();
    }
    format!("'{}'", rule.replace('\'', "''"))
}

/// Texts that may be right, the best first.
fn proposals(text: &str, tree: Option<&Node>, rule: &str) -> Vec<String> {
    let edit = Edit::of(text);
    let Some(permissions) = tree.and_then(|tree| tree.member("permissions")) else {
        return vec![edit.at_end(&["permissions:", "  allow:", &format!("    - {rule}")])];
    };
    let Some(key) = permissions.place else {
        return Vec::new();
    };
    let Content::Mapping(members) = &permissions.node.content else {
        let indent = indent(key) + 2;
        return vec![edit.below(key, indent, &["allow:", &format!("  - {rule}")])];
    };
    let flow = |node: &Node| node.place.filter(|place| place.bytes == 1);
    let Some(allow) = permissions.node.member("allow") else {
        return match (flow(&permissions.node), members.first()) {
            (Some(bracket), first) => {
                vec![edit.after_bracket(bracket, &format!("allow: [{rule}]"), first.is_some())]
            }
            (None, Some(first)) => {
                let indent = first.place.map_or(2, indent);
                vec![edit.below(key, indent, &["allow:", &format!("  - {rule}")])]
            }
            (None, None) => Vec::new(),
        };
    };
    let Content::List(items) = &allow.node.content else {
        let Some(key) = allow.place else {
            return Vec::new();
        };
        return vec![edit.below(key, indent(key) + 2, &[&format!("- {rule}")])];
    };
    if let Some(bracket) = flow(&allow.node) {
        return vec![edit.after_bracket(bracket, rule, !items.is_empty())];
    }
    let dash = allow.node.place.and_then(|place| edit.dash(place.start));
    match (dash, items.last()) {
        (Some(dash), Some(last)) => {
            let line = format!("- {rule}");
            vec![
                edit.at_line_after(last_byte(last), dash.indent, &line),
                edit.put_lines(dash.line, &edit.lines(dash.indent, &[&line])),
            ]
        }
        _ => Vec::new(),
    }
}

/// The blanks before something that stands first in its line.
fn indent(place: Place) -> usize {
    usize::try_from(place.column.saturating_sub(1)).unwrap_or(0)
}

/// The end of the last scalar in it.
fn last_byte(node: &Node) -> usize {
    let own = node.place.map_or(0, |place| place.start + place.bytes);
    match &node.content {
        Content::Scalar(_) => own,
        Content::List(items) => items.iter().map(last_byte).fold(own, usize::max),
        Content::Mapping(members) => members
            .iter()
            .map(|member| last_byte(&member.node))
            .fold(own, usize::max),
    }
}

/// The first item of a list in lines.
struct Dash {
    /// Where its line begins.
    line: usize,
    /// The blanks before it.
    indent: usize,
}

/// A text to put something into, with its own line ending.
struct Edit<'a> {
    text: &'a str,
    ending: &'static str,
}

impl Edit<'_> {
    fn of(text: &str) -> Edit<'_> {
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Edit { text, ending }
    }

    fn put(&self, at: usize, new: &str) -> String {
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        format!("{before}{new}{after}")
    }

    /// Lines, each below the one before, at this depth.
    fn lines(&self, indent: usize, lines: &[&str]) -> String {
        lines
            .iter()
            .map(|line| format!("{}{line}{}", " ".repeat(indent), self.ending))
            .collect()
    }

    fn at_end(&self, lines: &[&str]) -> String {
        let header = if self.text.is_empty() { HEADER } else { "" };
        self.put_lines(
            self.text.len(),
            &format!("{header}{}", self.lines(0, lines)),
        )
    }

    /// In the line after that of a key.
    fn below(&self, key: Place, indent: usize, lines: &[&str]) -> String {
        self.put_lines(self.line_end(key.start), &self.lines(indent, lines))
    }

    /// In the line after the one that a byte is the end of.
    fn at_line_after(&self, byte: usize, indent: usize, line: &str) -> String {
        let is_line_start = self.text[..byte.min(self.text.len())].ends_with('\n');
        let at = if is_line_start {
            byte
        } else {
            self.line_end(byte)
        };
        self.put_lines(at, &self.lines(indent, &[line]))
    }

    /// The line with the dash of the item that a byte is in, if it is not the dash itself.
    fn dash(&self, byte: usize) -> Option<Dash> {
        let mut end = byte;
        loop {
            let line = self.text.get(..end)?.rfind('\n').map_or(0, |end| end + 1);
            let rest = self.text.get(line..)?;
            let indent = rest.len() - rest.trim_start_matches(' ').len();
            if rest[indent..].starts_with('-') {
                return Some(Dash { line, indent });
            }
            end = line.checked_sub(1)?;
        }
    }

    fn after_bracket(&self, bracket: Place, item: &str, is_followed: bool) -> String {
        let comma = if is_followed { ", " } else { "" };
        self.put(bracket.start + bracket.bytes, &format!("{item}{comma}"))
    }

    /// Where the line after this byte begins.
    fn line_end(&self, byte: usize) -> usize {
        let rest = self.text.get(byte..).unwrap_or_default();
        rest.find('\n')
            .map_or(self.text.len(), |end| byte + end + 1)
    }

    /// Puts lines where a line begins, or behind a last line without an ending.
    fn put_lines(&self, at: usize, lines: &str) -> String {
        let before = self.text.get(..at).unwrap_or(self.text);
        match before.is_empty() || before.ends_with('\n') {
            true => self.put(at, lines),
            false => self.put(at, &format!("{}{lines}", self.ending)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(text: &str) -> String {
        with_rule(text, "bash(x:*)").unwrap_or_else(|| panic!("no place in {text:?}"))
    }

    #[test]
    fn the_rule_stands_where_a_person_would_write_it() {
        insta::assert_snapshot!(add(""), @"
        # Your own settings for this workspace, not to be committed. MewCode adds the rules here that you always allow.
        permissions:
          allow:
            - 'bash(x:*)'
        ");
        insta::assert_snapshot!(add("model: a # mine\n"), @"
        model: a # mine
        permissions:
          allow:
            - 'bash(x:*)'
        ");
        insta::assert_snapshot!(add("permissions:\n  # below\n  deny: [a]\nmodel: a\n"), @"
        permissions:
          allow:
            - 'bash(x:*)'
          # below
          deny: [a]
        model: a
        ");
        insta::assert_snapshot!(add("permissions:\n    allow:\n    # tests\n    - bash(a) # one\n\n    # builds\n    - rule: b\n      match: [c, d]\n    # end\nmodel: a\n"), @"
        permissions:
            allow:
            # tests
            - bash(a) # one

            # builds
            - rule: b
              match: [c, d]
            - 'bash(x:*)'
            # end
        model: a
        ");
        insta::assert_snapshot!(add("permissions: {allow: [a, b], deny: []}"), @"permissions: {allow: ['bash(x:*)', a, b], deny: []}");
        insta::assert_snapshot!(add("permissions: {allow: []}"), @"permissions: {allow: ['bash(x:*)']}");
        insta::assert_snapshot!(add("permissions: {deny: [a]}"), @"permissions: {allow: ['bash(x:*)'], deny: [a]}");
        insta::assert_snapshot!(add("permissions: {}"), @"permissions: {allow: ['bash(x:*)']}");
        insta::assert_snapshot!(add("permissions: # mine\nmodel: a"), @"
        permissions: # mine
          allow:
            - 'bash(x:*)'
        model: a
        ");
        insta::assert_snapshot!(add("permissions:\n  allow: # none yet\n  ask: [b]"), @"
        permissions:
          allow: # none yet
            - 'bash(x:*)'
          ask: [b]
        ");
    }

    #[test]
    fn every_other_byte_stays() {
        let texts = [
            "",
            "# only a comment",
            "\u{feff}permissions:\r\n  allow:\r\n    - a # é\r\n",
            "permissions:\n  allow:\n  - >\n    folded\n    # no comment\n  - |-\n    kept\n\n\n# end\n",
            "permissions:\n  allow:\n    - {rule: a,\n       match: [b,\n        c]}\n  deny: [d]\n",
            "permissions:\n  allow: [\n    a, # one\n    b,\n  ]\n",
            "permissions:\n  allow:\n    -   a\n    -   'it''s'\nmodel:   x   \n\n",
            "---\nmodel: a\n",
            "permissions:\n    deny:\n        - a",
        ];
        for text in texts {
            let new = add(text);
            let rest = new
                .strip_prefix(HEADER)
                .filter(|_| text.is_empty())
                .unwrap_or(&new);
            // What was put in is one piece.
            let start = rest
                .bytes()
                .zip(text.bytes())
                .take_while(|(new, old)| new == old)
                .count();
            let end = text.len() - start;
            assert!(
                rest.as_bytes()
                    .ends_with(&text.as_bytes()[text.len() - end..]),
                "{text:?} became {new:?}"
            );
            assert_eq!(add(&new), new, "a rule that is there is not added again");
        }
    }

    #[test]
    fn a_rule_comes_back_as_it_is() {
        for rule in [
            "bash(it's #1: \"a\" \\ {b})",
            "edit_file(- a/**)",
            "bash(é🐈\t:*)",
            "bash(a\nb)",
            "~",
            "1",
        ] {
            let text = with_rule("permissions: {allow: [a]}\n", rule).unwrap();
            let value = Node::parse(&text).unwrap().unwrap().value();
            assert_eq!(allowed(&value).next().unwrap(), rule, "{text}");
        }
    }

    #[test]
    fn where_it_could_do_harm_nothing_is_written() {
        for text in [
            "{model: a}\n",
            "model: a\n...\n",
            "permissions: ~\n",
            "permissions: [a]\n",
            "permissions: {allow: }\n",
            "permissions:\n  allow: a\n",
            "base: &base [a]\npermissions:\n  allow: *base\n",
            "not: valid: yaml\n",
            "- a\n",
            "a: 1\n---\nb: 2\n",
        ] {
            assert_eq!(with_rule(text, "bash(x:*)"), None, "{text:?}");
        }
    }
}
