//! Assistants of Dev become assistants of Prod.

use super::Pair;
use crate::assistants::{body, make, saying};
use serde_json::{Value, json};

#[test]
fn an_assistant_of_dev_becomes_one_here_row_and_flow() {
    let pair = Pair::start();
    let assistant = make(&pair.dev, &saying("Desk", "one"));
    pair.read_dev();
    pair.promote(&assistant).is(200);
    let row = |expected: &str| {
        let row = pair.prod.read(&format!("/assistants/{assistant}"));
        let details: Value = serde_json::from_str(row["details"].as_str().unwrap()).unwrap();
        assert_eq!(details["chatModel"]["inputs"]["fallback"], expected);
        assert_eq!(pair.prod.ask(&assistant, &json!({"question": "Hi"})).json()["text"], expected);
        details["name"].clone()
    };
    assert_eq!(row("one"), "Desk");
    pair.dev.put(&format!("/assistants/{assistant}"), &body(&saying("Office", "two")));
    pair.read_dev();
    pair.promote(&assistant).is(200);
    assert_eq!(row("two"), "Office");
}
