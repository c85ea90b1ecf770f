//! What must hold for every canvas, every text and every proof, tried with generated ones.

use flowkeep::canvas::Canvas;
use flowkeep::canvas::template::{Segment, TextTemplate};
use flowkeep::domain::conversations::conversation::OwnershipTokens;
use flowkeep::domain::ids::{ChatId, FlowId};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON value, a few levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has finite numbers only", |number| number.is_finite())
            .prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        "(\\{\\{)?[a-z_$.0-9]{0,20}(\\}\\})?".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A node with the fields the canvas reads, each with any content, and others.
fn any_node() -> impl Strategy<Value = Value> {
    let field = || prop::option::of(any_json());
    let data = (field(), field(), field(), field(), field()).prop_map(|(name, inputs, params, outputs, credential)| {
        json!({"name": name, "inputs": inputs, "inputParams": params, "outputs": outputs, "credential": credential})
    });
    prop_oneof![
        any_json(),
        (any_json(), data, any_json()).prop_map(|(x, data, y)| json!({"x": x, "data": data, "y": y}))
    ]
}

fn secret() -> impl Strategy<Value = [u8; 32]> {
    any::<[u8; 32]>()
}

fn flow_id() -> impl Strategy<Value = FlowId> {
    any::<[u8; 16]>().prop_map(FlowId::from_bytes)
}

fn chat_id() -> impl Strategy<Value = ChatId> {
    any::<[u8; 16]>().prop_map(ChatId::from_bytes)
}

/// Texts full of what references are made of.
fn braces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{{".to_owned()),
        Just("}}".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("question".to_owned()),
        Just("chat_history".to_owned()),
        Just("$vars.".to_owned()),
        Just("$flow.chatId".to_owned()),
        Just("llmChain_0.data.instance".to_owned()),
        Just(".".to_owned()),
        ".{0,4}".prop_map(|text| text),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_canvas_is_written_as_it_was_read(
        nodes in prop::collection::vec(any_node(), 0..5),
        edges in prop::collection::vec(any_json(), 0..5),
        more in any_json(),
    ) {
        let text = json!({"before": more, "nodes": nodes, "edges": edges, "after": 1}).to_string();
        let canvas = Canvas::parse(&text);
        prop_assume!(canvas.is_ok());
        let canvas = canvas.unwrap();
        prop_assert_eq!(serde_json::to_string(canvas.raw()).unwrap(), text);
        prop_assert_eq!((canvas.nodes().len(), canvas.edges().len()), (nodes.len(), edges.len()));
    }

    #[test]
    fn no_text_breaks_the_reading_of_a_canvas(text in ".{0,200}") {
        let _ = Canvas::parse(&text);
    }

    #[test]
    fn a_template_keeps_every_character_of_its_text(text in braces()) {
        let Some(template) = TextTemplate::parse(&text) else { return Ok(()) };
        let written: String = template
            .segments()
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.as_str(),
                Segment::Reference { written, .. } => written.as_str(),
            })
            .collect();
        prop_assert_eq!(written, text);
    }

    #[test]
    fn a_text_without_two_pairs_of_braces_holds_no_reference(text in "[^{]{0,100}|[^}]{0,100}") {
        prop_assert_eq!(TextTemplate::parse(&text), None);
    }

    #[test]
    fn a_proof_fits_its_own_conversation_only(
        one in secret(), other in secret(),
        flow in flow_id(), other_flow in flow_id(), chat in chat_id(), other_chat in chat_id(),
    ) {
        prop_assume!(one != other && flow != other_flow && chat != other_chat);
        let tokens = OwnershipTokens::new(one);
        let token = tokens.mint(&flow, &chat);
        prop_assert!(tokens.verify(&flow, &chat, &token));
        prop_assert!(!tokens.verify(&other_flow, &chat, &token));
        prop_assert!(!tokens.verify(&flow, &other_chat, &token));
        prop_assert!(!OwnershipTokens::new(other).verify(&flow, &chat, &token));
        let cookie = tokens.cookie(&flow, &chat);
        prop_assert_eq!(tokens.verify_cookie(&flow, &cookie), Some(chat));
        prop_assert_eq!(tokens.verify_cookie(&other_flow, &cookie), None);
        prop_assert_eq!(tokens.verify_cookie(&flow, &format!("{other_chat}.{token}")), None);
    }

    #[test]
    fn a_changed_proof_is_no_proof(
        secret in secret(), flow in flow_id(), chat in chat_id(), at in 0..43_usize, with in "[A-Za-z0-9_=.-]",
    ) {
        let tokens = OwnershipTokens::new(secret);
        let token = tokens.mint(&flow, &chat);
        let changed = format!("{}{with}{}", &token[..at], &token[at + 1..]);
        prop_assume!(changed != token);
        prop_assert!(!tokens.verify(&flow, &chat, &changed));
    }

    #[test]
    fn no_text_is_a_proof_by_accident(secret in secret(), flow in flow_id(), chat in chat_id(), text in ".{0,80}") {
        let tokens = OwnershipTokens::new(secret);
        prop_assert!(!tokens.verify(&flow, &chat, &text));
        prop_assert_eq!(tokens.verify_cookie(&flow, &text), None);
    }
}
