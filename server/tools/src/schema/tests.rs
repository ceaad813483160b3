//! The schema that a model gets, and the faults that it is told.

use serde::Deserialize;
use serde_json::json;

use super::*;

/// Text that a model sees.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is of interest")]
struct Arguments {
    /// Where.
    path: String,
    /// How many.
    limit: Option<usize>,
    /// Several at once.
    edits: Option<Vec<Inner>>,
    /// How.
    order: Option<Order>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is of interest")]
struct Inner {
    /// Before.
    old: String,
    /// Everywhere.
    #[serde(default)]
    all: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    Up,
    Down,
}

fn parameters() -> Parameters {
    Parameters::of::<Arguments>().alias("file_path", "path")
}

#[test]
fn the_schema_is_strict_and_plain() {
    insta::assert_snapshot!(serde_json::to_string_pretty(parameters().schema()).unwrap(), @r#"
    {
      "additionalProperties": false,
      "description": "Text that a model sees.",
      "properties": {
        "edits": {
          "description": "Several at once.",
          "items": {
            "additionalProperties": false,
            "properties": {
              "all": {
                "default": false,
                "description": "Everywhere.",
                "type": "boolean"
              },
              "old": {
                "description": "Before.",
                "type": "string"
              }
            },
            "required": [
              "old"
            ],
            "type": "object"
          },
          "type": "array"
        },
        "limit": {
          "description": "How many.",
          "type": "integer"
        },
        "order": {
          "description": "How.",
          "enum": [
            "up",
            "down"
          ],
          "type": "string"
        },
        "path": {
          "description": "Where.",
          "type": "string"
        }
      },
      "required": [
        "path"
      ],
      "type": "object"
    }
    "#);
    assert_eq!(parameters().uncommon_keywords(), Vec::<String>::new());
}

#[test]
fn absent_arguments_are_an_empty_object_and_aliases_are_renamed() {
    let parameters = parameters();
    assert_eq!(parameters.normalise(Value::Null).unwrap(), json!({}));
    assert_eq!(
        parameters.normalise(json!({"file_path": "a"})).unwrap(),
        json!({"path": "a"})
    );
    assert_eq!(
        parameters
            .normalise(json!({"file_path": "a", "path": "a"}))
            .unwrap(),
        json!({"path": "a"})
    );
    let differing = parameters
        .normalise(json!({"file_path": "a", "path": "b"}))
        .unwrap_err();
    insta::assert_snapshot!(differing, @"invalid_arguments: `file_path` is another name of `path`, and the two differ. Give `path` alone.");
    insta::assert_snapshot!(parameters.normalise(json!(["a"])).unwrap_err(), @"invalid_arguments: The arguments must be a JSON object, not an array. Correct the arguments and call again.");
}

#[test]
fn every_fault_is_named_with_its_path() {
    let arguments =
        json!({"edits": [{"old": 1}, {"all": true, "x": 1}], "limit": "ten", "order": "left"});
    insta::assert_snapshot!(parameters().validate(&arguments).unwrap_err(), @r#"invalid_arguments: `edits[0].old`: 1 is not of type "string"; `edits[1]`: Additional properties are not allowed ('x' was unexpected); `edits[1]`: "old" is a required property; `limit`: "ten" is not of type "integer"; `order`: "left" is not one of "up" or "down"; "path" is a required property. The arguments are `edits`, `limit`, `order`, `path` (required). Correct them and call again."#);
    assert!(
        parameters()
            .validate(&json!({"path": "a", "edits": [{"old": "x"}]}))
            .is_ok()
    );
}

#[test]
fn a_fault_does_not_repeat_a_whole_file() {
    let error = parameters()
        .validate(&json!({"path": "a", "limit": "x".repeat(1_000_000)}))
        .unwrap_err();
    assert!(error.to_string().len() < 500, "{}", error.to_string().len());
}

#[test]
fn a_schema_that_is_none_is_a_fault_of_the_tool() {
    let parameters = Parameters::from_schema(json!({"type": 7}));
    assert_eq!(
        parameters.validate(&json!({})).unwrap_err().kind,
        crate::ErrorKind::Internal
    );
}

#[test]
fn keywords_that_a_provider_may_drop_are_found_at_any_depth() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string", "pattern": "x"}},
            "b": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "pattern": {"type": "string"},
        },
        "oneOf": [],
        "anyOf": [],
    });
    insta::assert_debug_snapshot!(Parameters::from_schema(schema).uncommon_keywords(), @r#"
    [
        "/anyOf",
        "/oneOf",
        "/properties/a/items/pattern",
    ]
    "#);
}

#[test]
fn a_tool_without_arguments_says_so() {
    #[derive(JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct None {}
    let parameters = Parameters::of::<None>();
    assert_eq!(parameters.validate(&json!({})), Ok(()));
    insta::assert_snapshot!(parameters.validate(&json!({"path": "a"})).unwrap_err(), @"invalid_arguments: The tool takes no arguments, and was given `path`. Call again without arguments.");
}
