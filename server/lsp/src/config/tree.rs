//! YAML, and with it JSON, as a tree of values that know where they stand. Knows no setting.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use serde_saphyr::{Location, Spanned};

/// How deep a text may nest: reading goes down by calls, and a deeper text would take the whole stack.
const MAX_DEPTH: usize = 24;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands; none: it does not come from a text.
    pub place: Option<Place>,
    /// What it is.
    pub content: Content,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing, a truth value, a number or a text.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the text.
    Mapping(Vec<Member>),
}

/// A key of a mapping with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub place: Option<Place>,
    /// Its value.
    pub node: Node,
}

/// Where something stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The first byte.
    pub start: usize,
    /// How many bytes it takes there: all of a scalar, its quotes included; the bracket of a list or mapping in brackets;
    /// none of one in lines.
    pub bytes: usize,
}

impl Place {
    fn of(location: Location) -> Option<Place> {
        let span = location.span();
        Some(Place {
            line: location.line(),
            column: location.column(),
            start: usize::try_from(span.byte_offset()?).ok()?,
            bytes: usize::try_from(span.byte_len()?).ok()?,
        })
    }

    /// The column of the first character of a scalar's text, if the text stands there as it is: not folded, and without
    /// escapes.
    pub fn text_column(&self, source: &str, text: &str) -> Option<u64> {
        let written = source.get(self.start..self.start.checked_add(self.bytes)?)?;
        if written == text {
            return Some(self.column);
        }
        let quoted = ['\'', '"'].iter().any(|quote| {
            written
                .strip_prefix(*quote)
                .and_then(|rest| rest.strip_suffix(*quote))
                == Some(text)
        });
        quoted.then_some(self.column + 1)
    }
}

impl Node {
    /// The first document of a text; none: it is empty. Keys that stand twice are an error.
    pub fn parse(text: &str) -> Result<Option<Node>, Box<serde_saphyr::Error>> {
        let options = serde_saphyr::options! {
            strict_booleans: true,
            with_snippet: false,
            budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
        };
        let parsed: Option<Spanned<Raw>> = serde_saphyr::from_str_with_options(text, options)?;
        Ok(parsed.map(Node::from))
    }

    /// The member of a mapping with this key.
    pub fn member(&self, key: &str) -> Option<&Member> {
        match &self.content {
            Content::Mapping(members) => members.iter().find(|member| member.key == key),
            Content::Scalar(_) | Content::List(_) => None,
        }
    }

    /// Whether it is nothing.
    pub fn is_null(&self) -> bool {
        self.content == Content::Scalar(Value::Null)
    }

    /// The value without its places.
    pub fn value(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::List(items) => items.iter().map(Node::value).collect(),
            Content::Mapping(members) => members
                .iter()
                .map(|member| (member.key.clone(), member.node.value()))
                .collect(),
        }
    }
}

/// A value that comes from no text.
impl From<&Value> for Node {
    fn from(value: &Value) -> Node {
        let content = match value {
            Value::Array(items) => Content::List(items.iter().map(Node::from).collect()),
            Value::Object(object) => Content::Mapping(
                object
                    .iter()
                    .map(|(key, value)| Member {
                        key: key.clone(),
                        place: None,
                        node: Node::from(value),
                    })
                    .collect(),
            ),
            scalar => Content::Scalar(scalar.clone()),
        };
        Node {
            place: None,
            content,
        }
    }
}

impl From<Spanned<Raw>> for Node {
    fn from(spanned: Spanned<Raw>) -> Node {
        let content = match spanned.value {
            Raw::Scalar(value) => Content::Scalar(value),
            Raw::List(items) => Content::List(items.into_iter().map(Node::from).collect()),
            Raw::Mapping(members) => Content::Mapping(
                members
                    .into_iter()
                    .map(|(key, value)| Member {
                        place: Place::of(key.referenced),
                        key: key.value,
                        node: Node::from(value),
                    })
                    .collect(),
            ),
        };
        Node {
            place: Place::of(spanned.referenced),
            content,
        }
    }
}

/// A value as the parser gives it.
enum Raw {
    Scalar(Value),
    List(Vec<Spanned<Raw>>),
    Mapping(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        // What JSON has no number for (`.inf`) is no number that a setting takes either.
        let number = Number::from_f64(value);
        Ok(Raw::Scalar(number.map_or_else(
            || Value::String(value.to_string()),
            Value::Number,
        )))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::from(value)))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Raw::Mapping(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(text: &str) -> Node {
        Node::parse(text).unwrap().unwrap()
    }

    fn first_rule(text: &str) -> (Node, Option<u64>) {
        let tree = parse(text);
        let Content::List(items) = &tree.member("rules").unwrap().node.content else {
            panic!("no list in {text:?}");
        };
        let value = items[0].value();
        let column = items[0]
            .place
            .unwrap()
            .text_column(text, value.as_str().unwrap());
        (items[0].clone(), column)
    }

    #[test]
    fn yaml_and_json_give_the_same_tree() {
        let value = json!({ "a": [1, 2.5, true, null, "é🐈"], "b": { "c": "x y" }, "d": [] });
        let yaml = "a:\n- 1\n- 2.5\n- true\n-\n- é🐈\nb: {c: x y}\nd: []\n";
        assert_eq!(parse(yaml).value(), value);
        assert_eq!(
            parse(&serde_json::to_string_pretty(&value).unwrap()).value(),
            value
        );
        assert_eq!(
            parse("{\n\t\"a\": [\"b\\/c\\ud83d\\ude00\"]\n}").value(),
            json!({ "a": ["b/c😀"] })
        );
        assert_eq!(Node::from(&value).value(), value);
        assert_eq!(Node::parse("# nothing\n").unwrap(), None);
    }

    #[test]
    fn the_column_of_a_text_is_known_where_it_stands_as_it_is() {
        for (text, line, column, text_column) in [
            ("rules:\n  - bash(a:*)\n", 2, 5, Some(5)),
            ("rules:\n  - 'bash(a:*)' # x\n", 2, 5, Some(6)),
            ("rules: [ \"bash(a:*)\" ]\n", 1, 10, Some(11)),
            ("é: 1\nrules: [é🐈(a)]\n", 2, 9, Some(9)),
            ("rules: ['it''s']\n", 1, 9, None),
            ("rules: [\"a\\tb\"]\n", 1, 9, None),
        ] {
            let (node, found) = first_rule(text);
            let place = node.place.unwrap();
            assert_eq!(
                (place.line, place.column, found),
                (line, column, text_column),
                "{text}"
            );
        }
        let folded = "rules:\n- >\n  bash(a)\n  b\n";
        assert_eq!(first_rule(folded).1, None);
    }

    #[test]
    fn a_text_that_would_take_all_memory_or_stack_is_an_error() {
        for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
            for depth in [MAX_DEPTH + 1, 100, 100_000] {
                let deep = open.repeat(depth) + &close.repeat(depth);
                assert!(Node::parse(&deep).is_err(), "{open}");
            }
        }
        let mut bomb = "a0: &a0 [x]\n".to_owned();
        for level in 1..40 {
            let below = level - 1;
            bomb += &format!("a{level}: &a{level} [*a{below}, *a{below}, *a{below}, *a{below}]\n");
        }
        assert!(Node::parse(&bomb).is_err());
    }
}
