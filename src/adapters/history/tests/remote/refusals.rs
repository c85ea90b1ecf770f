//! Every way in which a host refuses, at each request.

use super::*;
use std::time::Duration;

type HostWords = fn(&RemoteError) -> bool;

fn refusals() -> Vec<(Behavior, HostWords)> {
    let status = |status, headers: &[(&'static str, &str)]| {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Behavior::Status(status, headers)
    };
    vec![
        (status(401, &[]), |fault| matches!(fault, RemoteError::TokenRefused)),
        (status(403, &[]), |fault| matches!(fault, RemoteError::TokenRefused)),
        (status(403, &[("retry-after", "7")]), |fault| {
            matches!(fault, RemoteError::Throttled { seconds: Some(7) })
        }),
        (status(403, &[("x-ratelimit-remaining", "0")]), |fault| {
            matches!(fault, RemoteError::Throttled { seconds: None })
        }),
        (status(404, &[]), |fault| matches!(fault, RemoteError::NoRepository)),
        (status(410, &[]), |fault| matches!(fault, RemoteError::NoRepository)),
        (status(429, &[("retry-after", "30")]), |fault| {
            matches!(fault, RemoteError::Throttled { seconds: Some(30) })
        }),
        (status(429, &[]), |fault| matches!(fault, RemoteError::Throttled { seconds: None })),
        (status(301, &[("location", "http://127.0.0.1:9/elsewhere")]), |fault| {
            matches!(fault, RemoteError::Redirected)
        }),
        (status(307, &[]), |fault| matches!(fault, RemoteError::Redirected)),
        (status(413, &[]), |fault| matches!(fault, RemoteError::Status(413))),
        (status(500, &[]), |fault| matches!(fault, RemoteError::Status(500))),
        (status(503, &[]), |fault| matches!(fault, RemoteError::Status(503))),
        (Behavior::SignInPage, |fault| matches!(fault, RemoteError::NotGit)),
        (Behavior::Answer("text/plain", b"0000".to_vec()), |fault| matches!(fault, RemoteError::NotGit)),
        (Behavior::CutRequest(0), |fault| matches!(fault, RemoteError::Net(_))),
    ]
}

#[test]
fn each_refusal_of_each_request_is_told_apart_and_moves_nothing() {
    let pair = Pair::copied();
    let copied = pair.ground.history.copied().unwrap();
    pair.record("new");
    let before = pair.there();
    for (behavior, told) in refusals() {
        for requests in [Requests::Discovery, Requests::Post] {
            pair.host.behave_well();
            pair.host.behave(requests, behavior.clone());
            let push = pair.push().unwrap_err();
            let fetch = pair.fetch().unwrap_err();
            assert!(told(&push) && told(&fetch), "{behavior:?} {requests:?}: {push:?}, {fetch:?}");
            let inspect = pair.inspect().unwrap_err();
            assert!(told(&inspect), "{behavior:?} {requests:?}: {inspect:?}");
            for fault in [push, fetch, inspect] {
                let text = fault.to_string();
                assert!(!text.contains(TOKEN) && !text.contains('/') && !text.contains('\n'), "{text}");
            }
        }
    }
    assert_eq!(pair.there(), before);
    let history = &pair.ground.history;
    assert_eq!((history.copied().unwrap(), history.incoming().unwrap()), (copied, None));
    pair.host.behave_well();
    pair.push().unwrap();
    assert_eq!(pair.there(), Some(pair.here()));
}

#[test]
fn the_token_goes_to_this_host_alone_and_a_wrong_one_is_refused() {
    let pair = Pair::copied();
    assert!(pair.host.requests().iter().all(|request| request.header("authorization").is_some()));
    let elsewhere = GitHost::start(TOKEN);
    elsewhere.create(NAME);
    let to = format!("{}/owner/flows.git/info/refs", elsewhere.url());
    pair.host.behave(Requests::All, Behavior::Status(302, vec![("location", to)]));
    assert!(matches!(pair.inspect(), Err(RemoteError::Redirected)));
    assert!(matches!(pair.push(), Err(RemoteError::Redirected)));
    assert!(elsewhere.requests().is_empty());
    pair.host.behave_well();
    pair.host.set_token("another");
    assert!(matches!(pair.inspect(), Err(RemoteError::TokenRefused)));
    assert!(matches!(pair.push(), Err(RemoteError::TokenRefused)));
    assert!(matches!(pair.fetch(), Err(RemoteError::TokenRefused)));
    assert!(!format!("{:?}", pair.remote()).contains(TOKEN));
}

#[test]
fn a_repository_that_only_takes_no_pushes_says_so() {
    let pair = Pair::copied();
    pair.record("new");
    let archived = b"Repository was archived so it is read-only.".to_vec();
    // The words of a 403 decide.
    pair.host.behave(Requests::Push, Behavior::Refusal(403, archived));
    assert!(matches!(pair.push(), Err(RemoteError::ReadOnly)));
    assert!(pair.inspect().is_ok());
    pair.host.behave_well();
    let told = b"001f# service=git-receive-pack\n0000002cERR You may not push to this repository.".to_vec();
    pair.host.behave(Requests::Push, Behavior::Answer("application/x-git-receive-pack-advertisement", told));
    let refused = pair.push().unwrap_err();
    assert!(matches!(&refused, RemoteError::Said(words) if words.starts_with("You may not")), "{refused:?}");
}

#[test]
fn an_answer_cut_at_any_byte_is_no_success_and_the_next_try_is_whole() {
    let pair = Pair::copied();
    let prod = Ground::new();
    let (mut push_cuts, mut fetch_cuts) = (0, 0);
    for cut in (1..2000).step_by(37) {
        pair.record(&format!("version {cut}"));
        pair.host.behave_well();
        pair.host.behave(Requests::All, Behavior::CutAnswer(cut));
        if let Err(fault) = pair.push() {
            assert!(matches!(fault, RemoteError::Net(_) | RemoteError::Broken), "{cut}: {fault:?}");
            push_cuts += 1;
        }
        if let Err(fault) = prod.history.fetch(&pair.remote(), &never()) {
            assert!(matches!(fault, RemoteError::Net(_) | RemoteError::Broken), "{cut}: {fault:?}");
            fetch_cuts += 1;
        }
        pair.host.behave_well();
        pair.push().unwrap();
        assert_eq!(pair.there(), Some(pair.here()));
    }
    assert!(push_cuts > 5 && fetch_cuts > 10, "{push_cuts} {fetch_cuts}");
    let read = prod.history.fetch(&pair.remote(), &never()).unwrap().unwrap();
    assert_eq!(read.to_string(), pair.here());
    prod.assert_sound();
    pair.assert_sound();
}

#[test]
fn an_upload_cut_at_any_byte_copies_nothing_or_all() {
    let pair = Pair::copied();
    pair.record("new");
    for cut in [1, 10, 200, 400] {
        pair.host.behave_well();
        pair.host.behave(Requests::PackUpload, Behavior::CutRequest(cut));
        let fault = pair.push().unwrap_err();
        assert!(matches!(fault, RemoteError::Net(_) | RemoteError::Broken), "{fault:?}");
        assert_ne!(pair.there(), Some(pair.here()));
    }
    pair.host.behave_well();
    pair.push().unwrap();
    pair.assert_sound();
}

#[test]
fn a_success_that_was_not_heard_is_found_by_the_next_push() {
    let pair = Pair::copied();
    pair.record("new");
    // The report comes behind the head of its band.
    pair.host.behave(Requests::PackUpload, Behavior::CutAnswer(12));
    let fault = pair.push().unwrap_err();
    assert!(matches!(fault, RemoteError::Net(_) | RemoteError::Broken), "{fault:?}");
    pair.host.behave_well();
    std::thread::sleep(Duration::from_millis(200));
    let done = pair.push().unwrap();
    assert_eq!((pair.there(), done.tip.to_string()), (Some(pair.here()), pair.here()));
    assert_eq!(pair.ground.history.copied().unwrap(), Some(done.tip));
}

#[test]
fn a_host_that_is_not_there_is_no_connection() {
    let pair = Pair::copied();
    let remote = Remote::Host {
        outgoing: Box::new(Outgoing::new(Vec::new(), true)),
        url: "http://127.0.0.1:1/owner/flows".into(),
        token: TOKEN.into(),
    };
    let fault = push(&pair.ground, &remote).unwrap_err();
    assert!(matches!(fault, RemoteError::Net(crate::net::NetError::Unreachable(_))), "{fault:?}");
}
