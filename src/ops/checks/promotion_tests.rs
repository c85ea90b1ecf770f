//! The check before a promotion, for a version that an operation hands over.

use super::promotion::{self, IncomingCanvas};
use super::{CheckReport, read, setup};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::{CheckRequest, CheckStatus, QuestionRow};
use crate::domain::checks::setup::Unavailable;
use crate::domain::checks::sides::{SideName, SideNames};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::flows::restore::MissingCredential;
use crate::domain::flows::version::Sha;
use crate::domain::ids::FlowId;
use crate::ops::flows;
use crate::store::tables::FLOWS;
use serde_json::json;
use std::thread;
use std::time::Duration;

/// A chain in front of a model that says this.
fn saying(text: &str) -> String {
    let node = |id: &str, inputs: serde_json::Value| {
        let name = id.trim_end_matches("_0");
        json!({"id": id, "type": "customNode", "position": {"x": 0, "y": 0},
            "data": {"id": id, "name": name, "label": name, "inputs": inputs}})
    };
    let nodes = [
        node("chatScripted_0", json!({ "fallback": text })),
        node("bufferMemory_0", json!({})),
        node(
            "conversationChain_0",
            json!({"model": "{{chatScripted_0.data.instance}}", "memory": "{{bufferMemory_0.data.instance}}"}),
        ),
    ];
    let edge = |from: &str, input: &str| {
        json!({"id": from, "source": from, "target": "conversationChain_0", "sourceHandle": format!("{from}-output"),
            "targetHandle": format!("conversationChain_0-input-{input}")})
    };
    json!({"nodes": nodes, "edges": [edge("chatScripted_0", "model"), edge("bufferMemory_0", "memory")]})
        .to_string()
}

/// A flow whose Live says 30 days, and its version from Dev that says 14.
fn promotable(app: &App, caller: &Caller) -> (Flow, IncomingCanvas) {
    let change = FlowChange {
        canvas: Some(saying("It takes 30 days.")),
        publish_instantly: Some(true),
        ..FlowChange::chatflow("Refunds")
    };
    let flow = flows::create(app, caller, &change).unwrap().flow;
    let flow = app.store.read(|tx| FLOWS.get(tx, &caller.workspace, &flow.id)).unwrap().unwrap();
    assert!(flow.card_count > 0, "it is Live");
    let incoming = incoming(&flow, 1);
    (flow, incoming)
}

fn incoming(flow: &Flow, byte: u8) -> IncomingCanvas {
    IncomingCanvas {
        flow: flow.clone(),
        canvas: saying("It takes 14 days."),
        sha: Sha::from_bytes([byte; 20]),
        missing_credentials: Vec::new(),
    }
}

fn asking() -> CheckRequest {
    let question = QuestionRow { text: "How long does it take?".to_owned(), expect: Vec::new() };
    CheckRequest { questions: vec![question], ..CheckRequest::default() }
}

/// The check at its end, as whoever promotes reads it.
fn end(app: &App, caller: &Caller, begun: &CheckReport, offered: Sha) -> CheckReport {
    loop {
        let asked = (&begun.check.flow, Some(begun.check.id));
        let report = promotion::read(app, caller, asked, Some(offered)).unwrap();
        if report.check.status != CheckStatus::Running {
            return report;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn live_and_the_version_from_dev_are_asked_and_called_so() {
    let (_folder, app, caller) = App::with_owner();
    let (flow, offered) = promotable(&app, &caller);
    let sha = offered.sha;
    let begun = promotion::start(&app, &caller, offered, asking()).unwrap();
    assert!(!begun.draft_changed);
    let done = end(&app, &caller, &begun, sha);
    assert_eq!(done.check.status, CheckStatus::Done);
    assert_eq!(done.check.sides, SideNames { left: SideName::Live, right: SideName::Incoming(sha) });
    let why = &done.check.judgement.cases[0].why[0].message;
    assert_eq!(why, "Live says 30, the version from Dev says 14.");
    let (setup, newest) = promotion::setup(&app, &caller, incoming(&flow, 1)).unwrap();
    assert_eq!((setup.unavailable, setup.live_empty), (None, false));
    assert_eq!(newest.map(|one| (one.check.id, one.draft_changed)), Some((begun.check.id, false)));
    let (_, newest) = promotion::setup(&app, &caller, incoming(&flow, 2)).unwrap();
    assert!(newest.unwrap().draft_changed, "Dev published another version since");
}

#[test]
fn the_checks_of_a_promotion_and_of_a_draft_do_not_know_one_another() {
    let (_folder, app, caller) = App::with_owner();
    let (flow, offered) = promotable(&app, &caller);
    let begun = promotion::start(&app, &caller, offered, asking()).unwrap();
    let id = Some(begun.check.id);
    let (_, newest) = setup(&app, &caller, &flow.id).unwrap();
    assert!(newest.is_none(), "the draft was not checked");
    let told = read(&app, &caller, &flow.id, id).unwrap_err().to_string();
    assert_eq!(told, "That check was not found. Run it again.");
    let stopped = promotion::stop(&app, &caller, (&flow.id, id), None).unwrap();
    assert!(stopped.draft_changed, "nothing is offered any more");
}

#[test]
fn what_stands_against_a_check_of_a_version_from_dev_is_told_and_refuses() {
    let (_folder, app, caller) = App::with_owner();
    let (flow, _) = promotable(&app, &caller);
    let of_new =
        || IncomingCanvas { flow: Flow { id: FlowId::random(), ..flow.clone() }, ..incoming(&flow, 1) };
    let of_kind = |kind| IncomingCanvas { flow: Flow { kind, ..flow.clone() }, ..incoming(&flow, 1) };
    let missing = MissingCredential { name: "Shop".to_owned(), credential_name: "openAIApi".to_owned() };
    let without = || IncomingCanvas { missing_credentials: vec![missing.clone()], ..incoming(&flow, 1) };
    let cases: [(&dyn Fn() -> IncomingCanvas, Unavailable, &str); 4] = [
        (&of_new, Unavailable::NewFlow, "This flow is new on this server"),
        (&|| of_kind(FlowKind::Assistant), Unavailable::Type, "Only chatflows and agentflows are checked"),
        (
            &|| of_kind(FlowKind::Agentflow),
            Unavailable::Start(SideNames {
                left: SideName::Live,
                right: SideName::Incoming(Sha::from_bytes([1; 20])),
            }),
            "in Live and in the version from Dev.",
        ),
        (
            &without,
            Unavailable::Credentials(vec!["Shop (openAIApi)".to_owned()]),
            "that this server does not have: Shop (openAIApi).",
        ),
    ];
    for (incoming, unavailable, says) in cases {
        assert_eq!(promotion::setup(&app, &caller, incoming()).unwrap().0.unavailable, Some(unavailable));
        let refused = promotion::start(&app, &caller, incoming(), asking()).unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
    }
    assert_eq!(promotion::setup(&app, &caller, incoming(&flow, 1)).unwrap().0.unavailable, None);
}
