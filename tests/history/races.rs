//! Two callers at once, many times over. After each meeting the same invariants hold:
//! 1. Live is what the newest version holds, and `liveSha` says so;
//! 2. there is one version for each acknowledged change that was recorded, and no other;
//! 3. an acknowledged draft is either Live or still the draft;
//! 4. nothing waits to be recorded, and `git fsck --strict` is silent at the end.

use super::support::{Answer, Server};
use crate::editor::{answer_of_canvas, canvas_answering, flow_id};
use flowkeep::store::tables::{DRAFT_CANVASES, DRAFTS, FLOW_WORKSPACE};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Barrier;

const TYPE_CHANGE: &str =
    "This flow has unpublished changes. Publish or discard them before changing the flow's type.";
const WHILE_PUBLISHING: &str = "Live changed while publishing, so nothing was published. Try again.";
const WHILE_SAVING: &str = "Live changed while this was being saved, so nothing was changed. Try again.";

/// How often each pair meets: `FLOWKEEP_RACE_ROUNDS`, else enough to see each order several times.
fn rounds() -> usize {
    std::env::var("FLOWKEEP_RACE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(25)
}

/// A server whose history flushes nothing: these tests are about order, and order takes many rounds.
fn server() -> Server {
    let server = Server::start();
    server.app.history.faults().without_flushing(true);
    server
}

/// Lets both start at the same moment; what they answered.
fn run_together(one: impl Fn() -> Answer + Sync, two: impl Fn() -> Answer + Sync) -> (Answer, Answer) {
    let barrier = Barrier::new(2);
    let wait = |act: &(dyn Fn() -> Answer + Sync)| {
        barrier.wait();
        act()
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(|| wait(&one));
        let second = wait(&two);
        (first.join().unwrap(), second)
    })
}

/// The version an answer acknowledged.
fn recorded_version(answer: &Answer) -> Option<String> {
    if answer.status != 200 {
        return None;
    }
    let body = answer.json();
    assert_eq!(body["recorded"], json!(!body["version"].is_null()), "{body}");
    assert_eq!(body["historyError"], Value::Null);
    body["version"]["sha"].as_str().map(str::to_owned)
}

/// Invariants 1, 2 and 4; `before` are the versions there were.
#[track_caller]
fn holds(server: &Server, flow: &str, before: &[String], added: &[Option<String>], unnamed: usize) {
    let history = server.history(flow);
    let list: Vec<String> = history["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["sha"].as_str().unwrap().to_owned())
        .collect();
    let added: BTreeSet<&String> = added.iter().flatten().collect();
    assert_eq!(list.len(), before.len() + added.len() + unnamed, "{history}");
    assert!(list.ends_with(before), "what was there stays");
    assert!(added.iter().all(|sha| list.contains(sha)), "each acknowledged version is there");
    assert_eq!(history["liveSha"], list[0], "Live is the newest version");
    let newest = server.read(&format!("/flow-versions/{flow}/{}", list[0]));
    let live = server.record(flow);
    assert_eq!(answer_of_canvas(&newest["flowData"]), answer_of_canvas(&live["flowData"]));
    assert_eq!((&newest["name"], &newest["type"]), (&live["name"], &live["type"]));
    assert_eq!(server.unrecorded_count(), 0);
}

fn shas(server: &Server, flow: &str) -> Vec<String> {
    server.versions(flow).iter().map(|version| version["sha"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn of_two_publishes_one_publishes() {
    let server = server();
    let flow = server.new_published("CHATFLOW", "start");
    for round in 0..rounds() {
        let text = format!("draft {round}");
        server.save_draft(&flow, &text).is(200);
        let before = shas(&server, &flow);
        let (one, two) = run_together(|| server.publish(&flow), || server.publish(&flow));
        let shas = [recorded_version(&one), recorded_version(&two)];
        assert_eq!(shas.iter().flatten().count(), 1, "{one:?} {two:?}");
        let refused = if one.status == 200 { &two } else { &one };
        refused.is_error(409);
        holds(&server, &flow, &before, &shas, 0);
        assert_eq!((server.live_answer(&flow), server.draft_answer(&flow)), (text, None));
    }
    server.assert_settled();
}

#[test]
fn a_draft_saved_during_a_publish_is_kept() {
    let server = server();
    let flow = server.new_published("CHATFLOW", "start");
    for round in 0..rounds() {
        let (old, new) = (format!("old {round}"), format!("new {round}"));
        server.save_draft(&flow, &old).is(200);
        let before = shas(&server, &flow);
        let (published, saved) = run_together(|| server.publish(&flow), || server.save_draft(&flow, &new));
        let published = published.is(200);
        saved.is(200);
        holds(&server, &flow, &before, &[recorded_version(&published)], 0);
        match server.draft_answer(&flow) {
            None => assert_eq!(server.live_answer(&flow), new),
            Some(draft) => assert_eq!((draft, server.live_answer(&flow)), (new, old)),
        }
        assert_ne!(server.draft(&flow)["draft"]["stale"], true, "it goes on from the new Live");
    }
    server.assert_settled();
}

#[test]
fn a_roll_back_and_a_publish_come_one_after_the_other() {
    let server = server();
    let flow = server.new_published("CHATFLOW", "start");
    let first = server.newest(&flow);
    for round in 0..rounds() {
        server.write_live(&flow, &format!("between {round}")).is(200);
        let text = format!("draft {round}");
        server.save_draft(&flow, &text).is(200);
        let before = shas(&server, &flow);
        let (rolled, published) = run_together(|| server.roll_back(&flow, &first), || server.publish(&flow));
        if rolled.status != 200 {
            assert_eq!(rolled.is_error(409), WHILE_SAVING);
        }
        if published.status != 200 {
            assert_eq!(published.is_error(409), WHILE_PUBLISHING);
            assert_eq!(server.draft_answer(&flow).as_deref(), Some(text.as_str()));
            assert_eq!(server.draft(&flow)["draft"]["stale"], false);
            server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
        } else {
            assert_eq!(server.draft_answer(&flow), None);
        }
        assert!(rolled.status == 200 || published.status == 200);
        holds(&server, &flow, &before, &[recorded_version(&rolled), recorded_version(&published)], 0);
        let newest = if server.kinds(&flow)[0] == "publish" { text.as_str() } else { "start" };
        assert_eq!(server.live_answer(&flow), newest);
    }
    server.assert_settled();
}

#[test]
fn a_save_through_the_api_and_a_publish_come_one_after_the_other() {
    let server = server();
    let flow = server.new_published("CHATFLOW", "start");
    for round in 0..rounds() {
        let (draft, live) = (format!("draft {round}"), format!("live {round}"));
        server.save_draft(&flow, &draft).is(200);
        let before = shas(&server, &flow);
        let (published, saved) = run_together(|| server.publish(&flow), || server.write_live(&flow, &live));
        saved.is(200);
        holds(&server, &flow, &before, &[recorded_version(&published)], 1);
        assert_eq!(
            server.live_answer(&flow),
            if server.kinds(&flow)[0] == "publish" { &*draft } else { &*live }
        );
        if published.status == 200 {
            assert_eq!(server.kinds(&flow)[..2], ["save", "publish"], "a stale draft is never published");
        } else {
            published.is_error(409);
            assert_eq!(server.draft(&flow)["draft"]["stale"], true);
            server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
        }
    }
    server.assert_settled();
}

#[test]
fn a_restore_and_a_save_leave_one_of_the_two_as_the_draft() {
    let server = server();
    let flow = server.new_published("CHATFLOW", "start");
    let first = server.newest(&flow);
    server.write_live(&flow, "live").is(200);
    let before = shas(&server, &flow);
    for round in 0..rounds() {
        let text = format!("draft {round}");
        let (restored, saved) =
            run_together(|| server.restore(&flow, &first), || server.save_draft(&flow, &text));
        assert_eq!((restored.is(200).json()["recorded"].as_bool(), saved.is(200).status), (Some(false), 200));
        let draft = server.draft_answer(&flow).unwrap();
        assert!(draft == text || draft == "start", "{draft}");
        assert_eq!(server.live_answer(&flow), "live");
        holds(&server, &flow, &before, &[], 0);
    }
    server.assert_settled();
}

#[test]
fn nothing_of_a_deleted_flow_is_left_by_a_publish() {
    let server = server();
    let home = server.workspace();
    for round in 0..rounds() {
        let flow = server.new_published("CHATFLOW", "start");
        server.save_draft(&flow, &format!("draft {round}")).is(200);
        let delete = || server.owner("DELETE", &format!("/chatflows/{flow}")).send();
        let (published, deleted) = run_together(|| server.publish(&flow), delete);
        deleted.is(200);
        assert!(matches!(published.status, 200 | 404), "{published:?}");
        server.owner("GET", &format!("/chatflows/{flow}")).send().is_error(404);
        server.owner("GET", &format!("/flow-drafts/{flow}")).send().is_error(404);
        let id = flow_id(&flow);
        let left = server.app.store.read(|tx| {
            assert!(FLOW_WORKSPACE.get(tx, &id)?.is_none());
            let drafts = DRAFTS.list(tx, &home)?;
            let canvas = DRAFT_CANVASES.get(tx, &home, &id)?;
            Ok(drafts.len() + usize::from(canvas.is_some()))
        });
        assert_eq!(left.unwrap(), 0);
        let place = format!("flows/{}/{flow}", &flow[..2]);
        assert_eq!(server.git(&["ls-tree", "-r", "--name-only", "main", &place]), "");
        let kinds = server.git(&[
            "log",
            "--format=%(trailers:key=Version-Kind,valueonly,separator=%x2C)",
            "main",
            "--",
            &place,
        ]);
        let kinds: Vec<&str> = kinds.split_whitespace().collect();
        let wanted: &[&str] = if published.status == 200 {
            &["delete", "publish", "publish", "create"]
        } else {
            &["delete", "publish", "create"]
        };
        assert_eq!(kinds, wanted);
        assert_eq!(server.unrecorded_count(), 0);
    }
    server.assert_settled();
}

#[test]
fn a_type_never_changes_under_a_draft() {
    let server = server();
    for round in 0..rounds() {
        let flow = server.new_published("CHATFLOW", "start");
        let text = format!("draft {round}");
        server.save_draft(&flow, &text).is(200);
        let before = shas(&server, &flow);
        let change = || server.change(&flow, &json!({"type": "AGENTFLOW"}));
        let (published, changed) = run_together(|| server.publish(&flow), change);
        let sha = recorded_version(&published.is(200));
        if changed.status == 200 {
            assert_eq!(server.kinds(&flow)[..2], ["save", "publish"]);
        } else {
            assert_eq!(changed.is_error(409), TYPE_CHANGE);
        }
        holds(&server, &flow, &before, &[sha], usize::from(changed.status == 200));
        let wanted = if changed.status == 200 { "AGENTFLOW" } else { "CHATFLOW" };
        assert_eq!((server.live_answer(&flow), server.draft_answer(&flow)), (text, None));
        assert_eq!(server.record(&flow)["type"], wanted);
    }
    server.assert_settled();
}

#[test]
fn of_two_pages_that_save_what_they_saw_one_saves() {
    let server = server();
    let flow = server.new_published("CHATFLOW", "start");
    for round in 0..rounds() {
        let draft = server.draft(&flow)["draft"].take();
        let seen = draft["updatedDate"].as_str().unwrap_or("none");
        let save = |text: &str| {
            let body = json!({ "flowData": canvas_answering(text) });
            let call = server.owner("PUT", &format!("/flow-drafts/{flow}")).json(&body);
            call.header("If-Match", &format!("\"{seen}\"")).send()
        };
        let texts = [format!("left {round}"), format!("right {round}")];
        let (left, right) = run_together(|| save(&texts[0]), || save(&texts[1]));
        let winner = usize::from(left.status != 200);
        let (won, lost) = if winner == 0 { (left, right) } else { (right, left) };
        won.is(200);
        lost.is_error(409);
        assert_eq!(server.draft_answer(&flow).as_ref(), Some(&texts[winner]));
    }
    server.assert_settled();
}

#[test]
fn many_flows_at_once_are_all_recorded() {
    let server = server();
    let flows: Vec<String> = (0..4).map(|_| server.new_published("CHATFLOW", "start")).collect();
    std::thread::scope(|scope| {
        for flow in &flows {
            let server = &server;
            scope.spawn(move || {
                for round in 0..rounds() {
                    server.save_draft(flow, &format!("{round}")).is(200);
                    server.publish(flow).is(200);
                }
            });
        }
    });
    for flow in &flows {
        assert_eq!(server.kinds(flow).len(), 2 + rounds());
        holds(&server, flow, &shas(&server, flow), &[], 0);
    }
    server.assert_settled();
}

impl Server {
    /// The one workspace there is.
    pub(super) fn workspace(&self) -> flowkeep::domain::ids::WorkspaceId {
        let flow = self.new_draft("CHATFLOW", "probe");
        let home = self.app.store.read(|tx| FLOW_WORKSPACE.get(tx, &flow_id(&flow))).unwrap().unwrap();
        self.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
        home
    }
}

#[test]
fn publish_instantly_and_a_draft_never_come_together() {
    let server = server();
    for round in 0..rounds() {
        let flow = server.new_published("CHATFLOW", "start");
        let text = format!("draft {round}");
        let (saved, switched) =
            run_together(|| server.save_draft(&flow, &text), || server.set_publish_instantly(&flow, true));
        let status = server.draft(&flow);
        assert_ne!(saved.status == 200, switched.status == 200, "{status}");
        assert_eq!(status["draft"].is_null(), status["publishInstantly"] == true, "{status}");
    }
    server.assert_settled();
}
