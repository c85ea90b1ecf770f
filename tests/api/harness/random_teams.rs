//! Random teams, whose specialists answer, fail, hang, talk nonsense or break off, against what is promised of each.

use super::{Stage, Team, route, stage_of, statuses};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, Reply};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use std::time::{Duration, Instant};

/// What a specialist does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conduct {
    Answers,
    /// Says something that means nothing, or calls a tool that nobody has.
    Nonsense,
    SaysNothing,
    Fails(u16),
    Hangs,
    BreaksOff,
}

impl Conduct {
    fn behaviour(self) -> Behaviour {
        match self {
            Self::Answers => Behaviour::text("I found it."),
            Self::Nonsense => Behaviour::text("\u{0}{\"]]> </report> <tool> 🙃"),
            Self::SaysNothing => Behaviour::text(""),
            Self::Fails(status) => Behaviour::status(status, "{}"),
            Self::Hangs => Behaviour::Hang,
            Self::BreaksOff => Behaviour::Reply(Reply { cut_after: Some(1), ..Reply::text("I fou nd") }),
        }
    }

    const fn status(self) -> &'static str {
        match self {
            Self::Answers | Self::Nonsense | Self::SaysNothing => "completed",
            Self::Fails(_) | Self::BreaksOff => "failed",
            Self::Hangs => "timeout",
        }
    }
}

fn conducts() -> impl Strategy<Value = Vec<Conduct>> {
    let one = prop_oneof![
        3 => Just(Conduct::Answers),
        1 => Just(Conduct::Nonsense),
        1 => Just(Conduct::SaysNothing),
        2 => prop_oneof![Just(400u16), Just(401), Just(404)].prop_map(Conduct::Fails),
        1 => Just(Conduct::Hangs),
        1 => Just(Conduct::BreaksOff),
    ];
    proptest::collection::vec(one, 1..6)
}

/// A team, whether its model chooses, and whether the answer is streamed.
fn ask(server: &Server, conducts: &[Conduct], chooses: bool, streaming: bool) -> Result<(), TestCaseError> {
    let provider = Provider::start();
    let names: Vec<String> = (0..conducts.len()).map(|at| format!("s{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let routing = if chooses { "auto" } else { "all" };
    let inputs =
        json!({"harnessRouting": routing, "harnessMaxSpecialists": 8, "harnessSpecialistSeconds": 1});
    let others = server.read("/harnesses").as_array().unwrap().len();
    let flow = Team::of(&provider, &names).with(inputs).called(&format!("team-{others}")).flow(server);
    let (routed, acts) = (route(&names), conducts.to_vec());
    provider.set_decision(move |request| {
        match (request.body["model"].as_str().unwrap_or_default(), stage_of(request)) {
            ("lead", Stage::Route) => routed.clone(),
            ("lead", _) => Behaviour::text("Together: done."),
            (name, _) => acts[name[1..].parse::<usize>().unwrap()].behaviour(),
        }
    });
    let began = Instant::now();
    let answer = server.ask(&flow, &json!({"question": "What now?", "streaming": streaming}));
    prop_assert!(began.elapsed() < Duration::from_secs(25), "{conducts:?}: {:?}", began.elapsed());
    let expected: Vec<(String, String)> =
        names.iter().zip(conducts).map(|(name, one)| ((*name).to_owned(), one.status().to_owned())).collect();
    let comes = conducts.iter().any(|one| one.status() == "completed");
    if streaming {
        let names = answer.event_names();
        let ended: Vec<String> = answer
            .events()
            .iter()
            .filter(|(name, data)| name == "harness.specialist" && data["status"] != "started")
            .map(|(_, data)| data["name"].as_str().unwrap().to_owned())
            .collect();
        prop_assert_eq!(ended.len(), conducts.len(), "each ends once");
        prop_assert_eq!(names.contains(&"harness.final".to_owned()), comes, "{:?}", names);
        prop_assert_eq!(names.contains(&"error".to_owned()), !comes, "{:?}", names);
        prop_assert_eq!(names.last().map(String::as_str), Some("end"));
        if comes {
            prop_assert_eq!(statuses(&answer.event("harness.final")), expected);
            prop_assert_eq!(answer.streamed_text(), "Together: done.");
        }
    } else if comes {
        prop_assert_eq!(answer.status, 200);
        let answer = answer.json();
        prop_assert_eq!(statuses(&answer), expected);
        let reports = answer["report"]["reports"].as_array().unwrap().len();
        prop_assert_eq!(reports, conducts.iter().filter(|one| one.status() == "completed").count());
    } else {
        prop_assert_eq!(answer.status, 500, "{}", answer.text());
    }
    Ok(())
}

#[test]
fn whatever_specialists_do_each_has_the_promised_status_and_the_rest_go_on() {
    let server = Server::start();
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let teams = (conducts(), any::<bool>(), any::<bool>());
    runner.run(&teams, |(conducts, chooses, streaming)| ask(&server, &conducts, chooses, streaming)).unwrap();
}
