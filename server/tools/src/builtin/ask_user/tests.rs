//! What may be asked.

use serde_json::json;

use super::*;
use crate::contract::Plan;
use crate::testing::Scene;

fn plan(arguments: Value) -> Result<Plan, ToolError> {
    AskUser::new().plan(arguments, &Scene::new().scope())
}

#[test]
fn a_question_is_planned_as_it_is_and_touches_nothing() {
    let planned = plan(json!({"question": " Which one?\n", "options": ["a", "b "]})).unwrap();
    assert_eq!(planned.effects, []);
    let Work::Ask(choice) = planned.work else {
        panic!("it is a question")
    };
    assert_eq!(
        (choice.question.as_str(), choice.options),
        ("Which one?", vec!["a".to_owned(), "b ".to_owned()])
    );
    let Work::Ask(open) = plan(json!({"question": "Why?"})).unwrap().work else {
        panic!("it is a question")
    };
    assert_eq!(open.options, Vec::<String>::new());
}

#[test]
fn what_a_person_could_not_answer_is_refused() {
    let options: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    for (arguments, part) in [
        (json!({"question": " \n"}), "`question` says nothing."),
        (
            json!({"question": "x".repeat(4001)}),
            "`question` has 4001 bytes; the limit is 4000.",
        ),
        (
            json!({"question": "?", "options": options}),
            "There are 11 options; the limit is 10.",
        ),
        (
            json!({"question": "?", "options": ["a", ""]}),
            "Option 2 says nothing.",
        ),
        (
            json!({"question": "?", "options": ["x".repeat(301)]}),
            "Option 1 has more than 300 bytes.",
        ),
        (
            json!({"question": "?", "options": ["a", "b", "a"]}),
            "Option 3 is there twice.",
        ),
    ] {
        let Err(error) = plan(arguments) else {
            panic!("refused: {part}")
        };
        assert_eq!(
            (error.kind, error.message.as_str()),
            (crate::ErrorKind::InvalidArguments, part)
        );
    }
}
