//! Rows of keys and values of a card whose credential has fields of these names: a request may send rows where their owner
//! listed them, and reaches nothing else by them.

use super::protected::{group_of_name, holds_protected};
use super::tests::{listing, standing};
use super::{OverrideRefusal, check_override};
use crate::cards::registry;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What is decided where every setting of the HTTP card is listed.
fn decide(input: &str, value: &Value) -> Result<(), OverrideRefusal> {
    let card = registry::find("httpAgentflow").unwrap();
    let names: Vec<&str> = card.inputs.iter().map(|input| input.name).collect();
    let settings = listing("HTTP", &names, &[]);
    check_override(&settings.api_config.overrides, &standing("HTTP", card), card.input(input).unwrap(), value)
}

#[test]
fn rows_of_query_and_body_may_be_sent() {
    for input in ["queryParams", "body"] {
        for rows in [
            json!([]),
            json!([{"key": "page", "value": "2"}]),
            json!([{"key": "page", "value": "2"}, {"key": "size", "value": 10}, {"key": "", "value": ""}]),
            json!([{"key": "filter", "value": "{\"color\": \"red\"}"}]),
        ] {
            assert_eq!(decide(input, &rows), Ok(()), "{input} {rows}");
        }
    }
}

#[test]
fn a_row_that_names_a_key_an_address_or_a_port_drops_all_of_them() {
    for named in [
        "token",
        "api_key",
        "apiKey",
        "client_secret",
        "redirect_uri",
        "callbackUrl",
        "port",
        "key",
        "value",
        "Key",
    ] {
        let rows = json!([{"key": "page", "value": "2"}, {"key": named, "value": "x"}]);
        assert_eq!(decide("queryParams", &rows), Err(OverrideRefusal::Inside), "{named}");
    }
}

#[test]
fn what_is_no_column_of_a_row_is_judged_as_ever() {
    for row in [
        json!({"key": "page", "value": "2", "token": "x"}),
        json!({"key": "page", "Value": "2"}),
        json!({"KEY": "page", "value": "2"}),
        json!({"key": "page", "value": {"password": "x"}}),
        json!({"key": "page", "value": {"key": "x"}}),
        json!({"key": "page", "value": "{\"url\": \"http://elsewhere\"}"}),
        json!({"key": "{\"token\": 1}", "value": "x"}),
        json!([{"key": "page", "value": "2"}]),
    ] {
        assert_eq!(decide("queryParams", &json!([row])), Err(OverrideRefusal::Inside), "{row}");
    }
}

#[test]
fn headers_address_and_credential_stay_the_owners() {
    let rows = json!([{"key": "page", "value": "2"}]);
    assert!(matches!(decide("headers", &rows), Err(OverrideRefusal::Never(_))));
    assert!(matches!(decide("url", &json!("http://elsewhere")), Err(OverrideRefusal::Never(_))));
    let card = registry::find("httpAgentflow").unwrap();
    for input in
        card.inputs.iter().filter(|input| ["headers", "url"].contains(&input.name) || input.is_secret())
    {
        for value in [json!("x"), rows.clone(), json!({"key": "x"})] {
            assert!(decide(input.name, &value).is_err(), "{} {value}", input.name);
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}",
        "[a-zA-Z_]{0,6}(secret|Password|_token|URL|-uri|Host|Port|_port)",
        prop::sample::select(vec!["key", "value", "token", "basicAuthUsername", "page"])
            .prop_map(str::to_owned),
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(1)),
        "[a-z ]{0,6}".prop_map(Value::from),
        name().prop_map(|name| json!({ name: "x" })),
        name().prop_map(|name| json!(json!({ name: "x" }).to_string())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Rows are judged as the object that they stand for.
    #[test]
    fn rows_are_taken_where_an_object_of_their_entries_would_be(entries in prop::collection::vec((name(), leaf()), 0..4)) {
        let card = registry::find("httpAgentflow").unwrap();
        let rows: Value = entries.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
        let object = entries.into_iter().map(|(key, value)| json!({ key: value })).collect::<Vec<_>>();
        let json_input = registry::find("promptTemplate").unwrap().input("promptValues").unwrap();
        let is_refused = object.iter().any(|entry| holds_protected(card, json_input, entry));
        prop_assert_eq!(decide("queryParams", &rows).is_err(), is_refused, "{}", rows);
    }

    /// No row that is taken names what never changes.
    #[test]
    fn no_row_that_is_taken_names_what_never_changes(named in name(), value in leaf()) {
        let rows = json!([{"key": named, "value": value}]);
        if decide("body", &rows).is_ok() {
            prop_assert!(group_of_name(&named).is_none(), "{}", rows);
        }
        prop_assert!(decide("headers", &rows).is_err());
    }
}
