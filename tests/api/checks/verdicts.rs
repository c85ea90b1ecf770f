//! What a check says of its answers, and how often it asks to know.

use super::{check, end, flow_saying, start};
use crate::support::Server;
use serde_json::{Value, json};

#[test]
fn live_is_asked_once_more_to_know_its_noise() {
    let server = Server::start();
    let flow = flow_saying(&server, "You said {question}.", "You said {question}.");
    let begun =
        start(&server, &flow, &json!({"questions": ["one", "two", "three"], "control": true, "repeat": 2}));
    let done = end(&server, &flow, &begun);
    let runs = &done["cases"][0]["runs"];
    let counts = ["live", "draft"].map(|side| runs[side].as_array().unwrap().len());
    assert_eq!((counts, &done["control"], &done["repeat"]), ([3, 2], &json!(true), &json!(2)));
    assert_eq!(
        (&done["cases"][0]["verdict"], &done["cases"][0]["similarity"]),
        (&json!("same"), &json!(1.0))
    );
    let summary = &done["summary"];
    assert_eq!((&summary["reportsChange"], &summary["verdicts"]["same"]), (&json!(false), &json!(3)));
    assert!(summary["pValue"].as_f64().is_some_and(|p| p > 0.04), "{summary}");
}

#[test]
fn a_number_that_changed_is_asked_again_and_confirmed() {
    let server = Server::start();
    let flow = flow_saying(&server, "It costs 12 euros.", "It costs 15 euros.");
    let confirmed =
        end(&server, &flow, &start(&server, &flow, &json!({"questions": ["How much?"], "control": true})));
    let case = &confirmed["cases"][0];
    assert_eq!(
        (&case["verdict"], &case["confirmed"], &case["why"][0]["code"]),
        (&json!("changed"), &json!(true), &json!("number")),
        "{case}"
    );
    let again = |side: &str| {
        let runs = case["runs"][side].as_array().unwrap().clone();
        runs.iter().filter(|run| run["again"] == true).count()
    };
    assert_eq!((again("live"), again("draft"), &confirmed["summary"]["changed"]), (1, 1, &json!(1)));

    let plain = check(&server, &flow, &["How much?"]);
    let case = &plain["cases"][0];
    assert_eq!((&case["verdict"], &case["confirmed"]), (&json!("changed"), &json!(false)));
    assert_eq!(
        (case["runs"]["draft"].as_array().unwrap().len(), &plain["summary"]["pValue"]),
        (1, &Value::Null)
    );
}

#[test]
fn without_control_another_wording_is_noise_that_nobody_measured() {
    let server = Server::start();
    let flow = flow_saying(&server, "Of course, with pleasure.", "Certainly, gladly.");
    let done = check(&server, &flow, &["Would you help?"]);
    let case = &done["cases"][0];
    assert_eq!((&case["verdict"], &case["same"]), (&json!("noise"), &json!(false)), "{case}");
    assert!(case["why"][0]["message"].as_str().unwrap().starts_with("Not measured"), "{case}");
    assert_eq!(done["summary"]["reportsChange"], false);
}
