//! What a check does with its runs, whoever answers.

use super::drive::{CHECK_RUN, CheckDrive, Respondent, timed_out};
use super::respondent::CanvasRespondent;
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::clock::Clock;
use crate::domain::checks::answer::Answer;
use crate::domain::checks::check::{
    AskedQuestion, Check, CheckLimits, CheckOptions, CheckStatus, NewCheck, StopReason,
};
use crate::domain::checks::sides::SideNames;
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::ids::FlowId;
use crate::ops::flows;
use crate::ops::predictions::ReplayMemory;
use crate::state::checks::CheckEntry;
use serde_json::json;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Answers as it is told, and remembers what it was asked.
struct Script<F>(F, Mutex<Vec<String>>);

impl<F: Fn(&str, &CancelToken) -> Answer + Sync> Script<F> {
    fn new(answer: F) -> Self {
        Self(answer, Mutex::default())
    }

    fn asked(&self) -> Vec<String> {
        self.1.lock().unwrap().clone()
    }
}

impl<F: Fn(&str, &CancelToken) -> Answer + Sync> Respondent for Script<F> {
    fn ask(&self, question: &str, cancel: &CancelToken) -> Answer {
        self.1.lock().unwrap().push(question.to_owned());
        (self.0)(question, cancel)
    }
}

fn saying(text: &str) -> Answer {
    Answer { tokens: Some(10), ..Answer::from_text(text) }
}

/// Waits until its run is over, and says why it is.
fn wait(_: &str, cancel: &CancelToken) -> Answer {
    while cancel.sleep(Duration::from_millis(5)) {}
    Answer::from_error(format!("{:?}", cancel.reason()))
}

fn entry(questions: &[&str], options: CheckOptions, tokens_max: u64) -> CheckEntry {
    let asked = |text: &&str| AskedQuestion { text: (*text).to_owned(), expect: Vec::new() };
    CheckEntry::new(Check::new(NewCheck {
        flow: FlowId::random(),
        sides: SideNames::LIVE_AND_DRAFT,
        started: Clock::default().now(),
        questions: questions.iter().map(asked).collect(),
        options,
        limits: CheckLimits::new(tokens_max, 60),
        include_risky_steps: false,
        live_empty: false,
        draft_saved: None,
    }))
}

const ONCE: CheckOptions = CheckOptions { control: false, repeat: 1, confirms: false };

fn drive(entry: &CheckEntry, live: &dyn Respondent, draft: &dyn Respondent, run_limit: Duration) -> Check {
    let clock = Clock::default();
    CheckDrive { entry, live: Some(live), draft, run_limit, make_way: &|_| {}, clock: &clock }.run();
    entry.check().clone()
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_run_that_takes_too_long_is_an_error_of_that_answer_and_the_check_goes_on() {
    let entry = entry(&["slow", "fast"], ONCE, 1_000);
    let live = Script::new(|_: &str, _: &CancelToken| saying("Yes."));
    let draft = Script::new(|question: &str, cancel: &CancelToken| match question {
        "slow" => wait(question, cancel),
        _ => saying("Yes."),
    });
    let check = drive(&entry, &live, &draft, Duration::from_millis(50));
    assert_eq!((&check.status, check.completed()), (&CheckStatus::Done, 2));
    assert_eq!(check.cases[0].answers.draft[0].error.as_deref(), Some("Some(TimedOut)"));
    assert_eq!(check.cases[1].answers.is_same(), Some(true));
}

#[test]
fn sides_take_turns_and_are_asked_as_often_as_they_are_to_be() {
    let entry = entry(&["a", "b"], CheckOptions { control: true, repeat: 2, confirms: true }, 1_000);
    let live = Script::new(|_: &str, _: &CancelToken| saying("Yes."));
    let draft = Script::new(|_: &str, _: &CancelToken| saying("Yes."));
    let check = drive(&entry, &live, &draft, LONG);
    assert_eq!(
        (live.asked(), draft.asked()),
        (
            vec!["a".to_owned(); 3].into_iter().chain(vec!["b".to_owned(); 3]).collect(),
            ["a", "a", "b", "b"].map(str::to_owned).to_vec()
        )
    );
    assert!(check.judgement.p_value.is_some());
}

#[test]
fn an_answer_that_panics_is_an_error_and_the_check_goes_on() {
    let entry = entry(&["a", "b"], ONCE, 1_000);
    let live = Script::new(|_: &str, _: &CancelToken| saying("Yes."));
    let draft = Script::new(|question: &str, _: &CancelToken| match question {
        "a" => panic!("on purpose"),
        _ => saying("Yes."),
    });
    let check = drive(&entry, &live, &draft, LONG);
    let told = check.cases[0].answers.draft[0].error.clone().unwrap();
    assert!(!told.contains("on purpose") && check.completed() == 2, "{told}");
}

#[test]
fn a_stop_ends_both_runs_and_leaves_their_answers_out() {
    let entry = entry(&["a", "b"], ONCE, 1_000);
    let (live, draft) = (Script::new(wait), Script::new(wait));
    let check = std::thread::scope(|scope| {
        scope.spawn(|| {
            while draft.asked().is_empty() || live.asked().is_empty() {
                std::thread::sleep(Duration::from_millis(5));
            }
            entry.cancel.cancel(CancelReason::Aborted);
            entry.cancel.cancel(CancelReason::Aborted);
        });
        drive(&entry, &live, &draft, LONG)
    });
    assert_eq!((&check.status, check.completed()), (&CheckStatus::Stopped(StopReason::Stopped), 0));
    assert!(check.cases.iter().all(|case| case.answers.live.is_empty() && case.answers.draft.is_empty()));
}

#[test]
fn without_room_for_a_second_ask_what_differs_is_reported_unconfirmed() {
    let options = CheckOptions { confirms: true, ..ONCE };
    let entry = entry(&["How much?"], options, 20);
    let live = Script::new(|_: &str, _: &CancelToken| saying("It costs 12 euros."));
    let draft = Script::new(|_: &str, _: &CancelToken| saying("It costs 15 euros."));
    let check = drive(&entry, &live, &draft, LONG);
    assert_eq!((&check.status, draft.asked().len()), (&CheckStatus::Done, 1));
    let case = &check.judgement.cases[0];
    assert!(case.reports && case.confirmed == Some(false), "{case:?}");
}

#[test]
fn what_a_check_waits_for_others_is_not_its_own_time() {
    let entry = entry(&["a", "b", "c", "d", "e"], ONCE, 1_000);
    entry.check().limits.seconds_max = 1;
    let yes = Script::new(|_: &str, _: &CancelToken| saying("Yes."));
    let clock = Clock::default();
    let make_way: &(dyn Fn(&CancelToken) + Sync) = &|cancel| {
        let _ = cancel.sleep(Duration::from_millis(400));
    };
    CheckDrive { entry: &entry, live: Some(&yes), draft: &yes, run_limit: LONG, make_way, clock: &clock }
        .run();
    assert_eq!(entry.check().status, CheckStatus::Done);
}

#[test]
fn a_run_of_a_check_has_a_minute() {
    assert_eq!(CHECK_RUN, Duration::from_secs(60));
    assert!(timed_out().contains("longer than 60 seconds"));
}

#[test]
fn a_flow_that_is_slow_is_cut_off_in_the_middle_of_its_answer() {
    let (_folder, app, caller) = App::with_owner();
    let model = json!({"id": "m", "data": {"id": "m", "name": "chatScripted", "inputs": {"fallback": "a b c d e f", "delayMs": 10_000}}});
    let chain = json!({"id": "c", "data": {"id": "c", "name": "llmChain", "inputs": {"model": "{{m.data.instance}}", "prompt": "{{p.data.instance}}"}}});
    let prompt = json!({"id": "p", "data": {"id": "p", "name": "promptTemplate", "inputs": {"template": "{question}"}}});
    let edge = |from: &str, input: &str| json!({"source": from, "sourceHandle": format!("{from}-output"), "target": "c", "targetHandle": format!("c-input-{input}")});
    let canvas = json!({"nodes": [model, prompt, chain], "edges": [edge("m", "model"), edge("p", "prompt")]})
        .to_string();
    let flow = flows::create(&app, &caller, &FlowChange::chatflow("Slow")).unwrap().flow;
    let memory = ReplayMemory::default();
    let slow = CanvasRespondent::new(&app, &flow, &canvas, &memory, false).unwrap();
    let quick = Script::new(|_, _| saying("At once."));
    let entry = entry(&["one"], ONCE, 1_000);
    let from = Instant::now();
    let check = drive(&entry, &quick, &slow, Duration::from_millis(200));
    assert!(from.elapsed() < Duration::from_secs(9), "{:?}", from.elapsed());
    assert_eq!(check.status, CheckStatus::Done);
    let said = &check.cases[0].answers;
    assert_eq!((said.live[0].text.as_str(), said.draft[0].error.clone()), ("At once.", Some(timed_out())));
}
