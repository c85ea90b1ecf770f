//! Each move of the machine, from each state.

use super::*;

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn at(seconds: i64) -> Timestamp {
    START + SignedDuration::from_secs(seconds)
}

fn retrying() -> CopyState {
    CopyState::Retrying { failures: 2, next: at(30), message: "Away.".to_owned() }
}

const COPYING: CopyState = CopyState::Copying { again: false, failures: 0 };
const UP_TO_DATE: CopyState = CopyState::UpToDate { next_look: None };

fn waiting(seconds: i64) -> CopyState {
    CopyState::Waiting { due: at(seconds) }
}

fn stopped() -> CopyState {
    CopyState::Stopped(StopReason::ForeignCommits)
}

fn failure(wait_seconds: Option<u64>) -> Failure {
    Failure { message: "The host is away.".to_owned(), wait_seconds }
}

fn moved(mut state: CopyState, change: impl FnOnce(&mut CopyState)) -> CopyState {
    change(&mut state);
    state
}

#[test]
fn a_connection_begins_with_a_copy_at_once() {
    assert_eq!(CopyState::connected(at(5)), waiting(5));
    assert!(moved(CopyState::connected(at(5)), |state| assert!(state.begin_due(at(5)))) == COPYING);
}

#[test]
fn a_recorded_version_waits_a_few_seconds() {
    let noted = |state| moved(state, |state| state.note_version(at(10)));
    assert_eq!(noted(UP_TO_DATE), waiting(13));
    // More versions do not put off what waits: a server that is always edited would never copy.
    assert_eq!(noted(waiting(11)), waiting(11));
    assert_eq!(noted(COPYING), CopyState::Copying { again: true, failures: 0 });
    for unmoved in [CopyState::Off, CopyState::NotConnected, retrying(), stopped()] {
        assert_eq!(noted(unmoved.clone()), unmoved);
    }
}

#[test]
fn a_copy_begins_when_it_is_due() {
    for (state, begins) in [
        (CopyState::Off, false),
        (CopyState::NotConnected, false),
        (UP_TO_DATE, false),
        (CopyState::UpToDate { next_look: Some(at(20)) }, true),
        (CopyState::UpToDate { next_look: Some(at(21)) }, false),
        (waiting(20), true),
        (waiting(21), false),
        (COPYING, false),
        (CopyState::Retrying { failures: 2, next: at(20), message: String::new() }, true),
        (retrying(), false),
        (stopped(), false),
    ] {
        let before = state.clone();
        let after = moved(state, |state| assert_eq!(state.begin_due(at(20)), begins, "{before:?}"));
        assert_eq!(matches!(after, CopyState::Copying { .. }), begins || before == COPYING);
    }
}

#[test]
fn the_owner_begins_a_copy_from_every_state_with_a_connection() {
    for (state, begins) in [
        (CopyState::Off, false),
        (CopyState::NotConnected, false),
        (UP_TO_DATE, true),
        (waiting(900), true),
        (COPYING, false),
        (retrying(), true),
        (stopped(), true),
    ] {
        moved(state, |state| assert_eq!(state.begin(), begins, "{state:?}"));
    }
}

#[test]
fn a_copy_that_went_well_is_up_to_date() {
    assert_eq!(moved(COPYING, |state| state.succeed(at(9), Role::Copy)), UP_TO_DATE);
    // Recorded while the copy ran, so it may not be in it.
    let again = CopyState::Copying { again: true, failures: 3 };
    assert_eq!(moved(again, |state| state.succeed(at(9), Role::Copy)), waiting(12));
    let looks = CopyState::UpToDate { next_look: Some(at(129)) };
    assert_eq!(moved(COPYING, |state| state.succeed(at(9), Role::Read)), looks);
    // Disconnected or stopped meanwhile.
    for unmoved in [CopyState::NotConnected, stopped()] {
        assert_eq!(moved(unmoved.clone(), |state| state.succeed(at(9), Role::Copy)), unmoved);
    }
}

#[test]
fn a_copy_that_failed_is_tried_again_after_a_wait_that_grows_to_a_quarter_of_an_hour() {
    let mut state = COPYING;
    let mut waits = Vec::new();
    for _ in 0..9 {
        state.fail(START, failure(None), 0.0);
        waits.push(state.next_try().unwrap().duration_since(START).as_secs());
        assert!(state.begin());
    }
    assert_eq!(waits, [15, 30, 60, 120, 240, 480, 900, 900, 900]);
    let told = moved(COPYING, |state| state.fail(START, failure(None), 0.0));
    assert_eq!(told.message("GitHub").as_deref(), Some("The host is away."));
    // What went well in between begins the waits anew.
    state.succeed(START, Role::Copy);
    assert!(state.begin());
    state.fail(START, failure(None), 0.0);
    assert_eq!(state.next_try(), Some(at(15)));
}

#[test]
fn chance_shortens_a_wait_by_at_most_a_quarter() {
    let next = |chance| moved(COPYING, |state| state.fail(START, failure(None), chance)).next_try().unwrap();
    assert_eq!(next(1.0).duration_since(START).as_millis(), 11_250);
    assert!((11_250..=15_000).contains(&next(0.4).duration_since(START).as_millis()));
    assert!(next(0.4) != next(0.5));
}

#[test]
fn a_host_that_asks_to_wait_is_waited_for_within_the_longest_wait() {
    let next = |asked| {
        let state = moved(COPYING, |state| state.fail(START, failure(Some(asked)), 0.0));
        state.next_try().unwrap().duration_since(START).as_secs()
    };
    assert_eq!([next(5), next(60), next(86_400)], [15, 60, 900]);
}

#[test]
fn only_a_copy_that_runs_fails() {
    for unmoved in [CopyState::Off, CopyState::NotConnected, UP_TO_DATE, waiting(1), stopped()] {
        assert_eq!(moved(unmoved.clone(), |state| state.fail(START, failure(None), 0.0)), unmoved);
    }
}

#[test]
fn what_needs_the_owner_stops_the_copy_and_stays_until_then() {
    for state in [UP_TO_DATE, waiting(1), COPYING, retrying(), stopped()] {
        let mut state = moved(state, |state| state.stop(StopReason::CredentialGone));
        assert_eq!(state, CopyState::Stopped(StopReason::CredentialGone));
        state.note_version(at(1));
        assert!(!state.begin_due(at(99_999)) && state.due().is_none());
        assert!(state.begin());
    }
    for unmoved in [CopyState::Off, CopyState::NotConnected] {
        assert_eq!(moved(unmoved.clone(), |state| state.stop(StopReason::ForeignCommits)), unmoved);
    }
}

#[test]
fn another_token_is_tried_at_once() {
    let changed = |state| moved(state, |state| state.change_credential(at(7)));
    assert_eq!(changed(stopped()), waiting(7));
    assert_eq!(changed(retrying()), waiting(7));
    assert_eq!(changed(COPYING), CopyState::Copying { again: true, failures: 0 });
    for unmoved in [CopyState::Off, CopyState::NotConnected, UP_TO_DATE, waiting(1)] {
        assert_eq!(changed(unmoved.clone()), unmoved);
    }
}

#[test]
fn a_copy_that_the_end_of_the_service_cut_off_waits() {
    assert_eq!(moved(COPYING, |state| state.give_up(at(4))), waiting(4));
    assert_eq!(moved(stopped(), |state| state.give_up(at(4))), stopped());
}

#[test]
fn another_label_ends_what_the_label_stopped_and_nothing_else() {
    let lost = CopyState::Stopped(StopReason::LabelLost);
    assert_eq!(moved(lost, |state| state.change_label(at(5))), waiting(5));
    for unmoved in [stopped(), COPYING, CopyState::NotConnected] {
        assert_eq!(moved(unmoved.clone(), |state| state.change_label(at(5))), unmoved);
    }
}

#[test]
fn every_reason_is_one_sentence_that_says_what_to_do_and_no_text_of_a_secret() {
    let version = Sha::from_bytes([7; 20]);
    for reason in [
        StopReason::ForeignCommits,
        StopReason::Declined { answer: "main is protected.".to_owned() },
        StopReason::SecretFound { version, pattern: "OpenAI key".to_owned() },
        StopReason::CredentialGone,
        StopReason::CredentialEmpty,
        StopReason::HostChanged { web: "https://git.example.org".to_owned() },
        StopReason::StandInRemoved,
        StopReason::LabelLost,
    ] {
        let told = reason.message("GitHub");
        assert!(told.ends_with('.') && !told.contains('\n'), "{told}");
        let stored = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::from_str::<StopReason>(&stored).unwrap(), reason, "{stored}");
    }
    let secret = StopReason::SecretFound { version, pattern: "OpenAI key".to_owned() }.message("GitHub");
    assert!(secret.contains("0707070") && secret.contains("OpenAI key"), "{secret}");
}
