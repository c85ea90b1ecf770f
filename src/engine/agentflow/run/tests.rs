//! What a run comes to when a step breaks off.

use super::*;
use crate::canvas::Canvas;
use crate::cards::kit::capabilities::test_host::TestHost;
use crate::cards::kit::{
    Capabilities, Code, CodeRunner, Host, HostContext, NullSink, StreamClosed, TokenSink,
};
use crate::domain::error::Error;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::domain::predictions::run_event::RunEvent;
use crate::script::ScriptError;
use serde_json::json;

/// Its code panics where it says so.
#[derive(Default)]
struct FragileHost(TestHost);

impl Host for FragileHost {
    fn context(&self) -> HostContext<'_> {
        self.0.context()
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default().with_code(self)
    }
}

impl CodeRunner for FragileHost {
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
        assert!(code.source != "panic", "as it was asked to");
        Ok(Value::from("fine"))
    }
}

impl Credentials for FragileHost {
    fn credential(&self, _: &str, _: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>> {
        Ok(None)
    }
}

/// Runs an agentflow whose Start leads to a step for each of these sources at once.
fn run_codes(codes: &[&str]) -> Result<AgentOutcome> {
    run_codes_into(codes, &mut NullSink)
}

fn run_codes_into(codes: &[&str], sink: &mut dyn RunSink) -> Result<AgentOutcome> {
    let mut nodes =
        vec![json!({"id": "start", "data": {"name": "startAgentflow", "label": "Start", "inputs": {}}})];
    let mut edges = Vec::new();
    for (at, code) in codes.iter().enumerate() {
        let (id, inputs) = (format!("code_{at}"), json!({"customFunctionJavascriptFunction": code}));
        edges.push(json!({"source": "start", "sourceHandle": "start-output-startAgentflow", "target": id}));
        nodes.push(
            json!({"id": id, "data": {"name": "customFunctionAgentflow", "label": id, "inputs": inputs}}),
        );
    }
    let canvas = Canvas::parse(&json!({"nodes": nodes, "edges": edges}).to_string()).unwrap();
    let plan = AgentPlan::compile(&canvas).unwrap();
    let host = FragileHost::default();
    let turn = RunContext { host: &host, ..host.0.turn("Hi?") };
    let agent = AgentRun {
        depth: 0,
        pictures: Vec::new(),
        plan: &plan,
        overrides: &Overrides::default(),
        turn: &turn,
        start: &StartValues::default(),
        credentials: &host,
        conversation: &Vec::<HistoryMessage>::new(),
        state: Map::new(),
        began: host.context().clock.now(),
        branches_max: 8,
        journal: &NoJournal,
    };
    run(&agent, sink)
}

#[test]
fn a_step_that_panics_fails_its_run_whichever_thread_had_it() {
    for codes in [&["panic"][..], &["panic", "fine", "panic", "fine"], &["fine", "fine", "fine", "panic"]] {
        let failed = run_codes(codes);
        assert!(matches!(failed, Err(Error::Internal(_))), "{codes:?}: {failed:?}");
    }
    assert_eq!(run_codes(&["fine", "fine"]).unwrap().output.text, "fine\n\nfine");
}

/// Panics when it is told that a step ended, in whichever thread comes to tell it.
struct FragileSink;

impl TokenSink for FragileSink {
    fn token(&mut self, _: &str) -> std::result::Result<(), StreamClosed> {
        Ok(())
    }
}

impl RunSink for FragileSink {
    fn event(&mut self, event: &RunEvent<'_>) -> std::result::Result<(), StreamClosed> {
        let is_end = matches!(event, RunEvent::End { step, .. } if step.node != "start");
        assert!(!is_end, "as it was asked to");
        Ok(())
    }
}

#[test]
fn a_run_whose_reader_panics_comes_to_an_end() {
    for _ in 0..20 {
        let run = || run_codes_into(&["fine", "fine", "fine"], &mut FragileSink);
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
