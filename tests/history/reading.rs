//! Reading history over the API (manual 6.1, 6.4), and reading the repository with `git` itself (manual 6.3).

use super::support::canvases::{Drawing, ProviderFormat};
use super::support::{Server, id};
use crate::editor::{KINDS, answer_of_canvas, assert_sound_repository, canvas_answering, git};
use serde_json::{Value, json};
use std::io::ErrorKind;

/// A path of a flow in the repository.
fn place(flow: &str, file: &str) -> String {
    format!("flows/{}/{flow}/{file}", &flow[..2])
}

/// A canvas with a card that needs a credential, which is stored.
fn with_credential(server: &Server, prompt: &str) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, "http://127.0.0.1:9", json!({}));
    let chain = drawing.card("conversationChain", json!({ "systemMessagePrompt": prompt }));
    drawing.wire(&model, &chain, "model");
    drawing.text()
}

#[track_caller]
fn published_canvas(server: &Server, canvas: &str) -> String {
    let flow =
        id(&server.post("/chatflows", &json!({"name": "Flow", "type": "CHATFLOW", "flowData": canvas})));
    server.publish(&flow).is(200);
    flow
}

#[test]
fn a_version_says_who_what_and_when() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let version = server.versions(&flow)[0].clone();
    let sha = version["sha"].as_str().unwrap();
    assert!(sha.len() == 40 && sha.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    assert_eq!(version["shortSha"], sha[..7]);
    assert!(version["date"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{version}");
    assert_eq!((&version["author"], &version["authorKind"]), (&json!("Ada"), &json!("user")));
    server.save_draft(&flow, "two").is(200);
    assert_eq!(version["authorId"], server.draft(&flow)["draft"]["updatedBy"]);
    assert_eq!((&version["kind"], &version["name"]), (&json!("publish"), &json!("Flow")));
    assert_eq!((&version["hiddenSecrets"], &version["promotedFrom"]), (&json!(0), &Value::Null));
    assert_eq!(version["published"], true);
    assert!(version["details"].is_array());
    let history = server.history(&flow);
    assert_eq!((&history["enabled"], &history["lastError"]), (&json!(true), &Value::Null));
    assert_eq!(history["lastPublished"]["sha"], sha);
    assert_eq!(history["lastPublished"]["date"], version["date"]);
}

#[test]
fn every_version_reads_as_it_was_saved() {
    let server = Server::start();
    for kind in KINDS {
        let flow = server.new_published(kind, "one");
        for text in ["two", "three"] {
            server.save_draft(&flow, text).is(200);
            server.publish(&flow).is(200);
        }
        let texts = server.versions(&flow).into_iter().map(|version| {
            let sha = version["sha"].as_str().unwrap();
            let read = server.read(&format!("/flow-versions/{flow}/{}", &sha[..9]));
            assert_eq!(
                (&read["sha"], &read["name"], &read["type"]),
                (&json!(sha), &json!("Flow"), &json!(kind))
            );
            for empty in ["missingCredentials", "ambiguousCredentials", "hiddenSecrets"] {
                assert_eq!(read[empty], json!([]));
            }
            answer_of_canvas(&read["flowData"])
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["three", "two", "one", ""]);
    }
}

#[test]
fn the_newest_200_versions_are_listed() {
    let server = Server::start();
    server.app.history.faults().without_flushing(true);
    let flow = server.new_published("CHATFLOW", "one");
    for n in 0..205 {
        server.change(&flow, &json!({"name": format!("Flow {n}")})).is(200);
    }
    let versions = server.versions(&flow);
    let names: Vec<&str> = versions.iter().map(|version| version["name"].as_str().unwrap()).collect();
    let wanted: Vec<String> = (5..205).rev().map(|n| format!("Flow {n}")).collect();
    assert_eq!(names, wanted);
    assert_eq!(server.git(&["rev-list", "--count", "main"]).trim(), "208");
}

#[test]
fn missing_credentials_are_named() {
    let server = Server::start();
    let flow = published_canvas(&server, &with_credential(&server, "Be kind."));
    let sha = server.newest(&flow);
    let credential = id(&server.read("/credentials")[0]);
    server.owner("DELETE", &format!("/credentials/{credential}?force=true")).send().is(200);
    let read = server.read(&format!("/flow-versions/{flow}/{sha}"));
    let wanted = json!([{"name": "stand-in", "credentialName": "openAIApi"}]);
    assert_eq!((&read["missingCredentials"], &read["ambiguousCredentials"]), (&wanted, &json!([])));
    assert!(!read["flowData"].as_str().unwrap().contains(&credential), "no credential is selected");
    server.write_live(&flow, "two").is(200);
    let answer = server.roll_back(&flow, &sha).is(200).json();
    assert_eq!(answer["missingCredentials"], wanted);
}

#[test]
fn a_renamed_credential_is_the_same_to_the_versions_that_name_it() {
    let server = Server::start();
    let flow = published_canvas(&server, &with_credential(&server, "Be kind."));
    let sha = server.newest(&flow);
    let credential = id(&server.read("/credentials")[0]);
    let live = || server.read(&format!("/flow-versions/{flow}"))["liveSha"].clone();
    assert_eq!(live(), json!(sha));
    let rename = |name: &str| server.put(&format!("/credentials/{credential}"), &json!({ "name": name }));
    for name in ["production", "main"] {
        rename(name);
        assert_eq!(live(), json!(sha), "nothing of the flow changed");
    }
    let read = server.read(&format!("/flow-versions/{flow}/{sha}"));
    assert_eq!(read["missingCredentials"], json!([]), "it is found under its new name");
    assert!(read["flowData"].as_str().unwrap().contains(&credential), "{read}");
    let diff = server.read(&format!("/flow-versions/{flow}/{sha}/diff?against=current"));
    assert_eq!(diff["changed"], json!([]), "{diff}");
    // A name that another credential bears now means that one.
    let other =
        json!({"name": "stand-in", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k2"}});
    let other = id(&server.post("/credentials", &other));
    let read = server.read(&format!("/flow-versions/{flow}/{sha}"));
    assert!(read["flowData"].as_str().unwrap().contains(&other), "{read}");
    server.owner("DELETE", &format!("/credentials/{other}?force=true")).send().is(200);
    rename("stand-in");
    assert_eq!(live(), json!(sha));
}

#[test]
fn credentials_of_one_name_are_told_apart_by_use_and_age() {
    let server = Server::start();
    let flow = published_canvas(&server, &with_credential(&server, "one"));
    let sha = server.newest(&flow);
    let used = id(&server.read("/credentials")[0]);
    let twin =
        json!({"name": "stand-in", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k2"}});
    let twin = id(&server.post("/credentials", &twin));
    let read = || server.read(&format!("/flow-versions/{flow}/{sha}"));
    let wanted = |using: &str| json!([{"name": "stand-in", "credentialName": "openAIApi", "count": 2, "using": using}]);
    assert_eq!(read()["ambiguousCredentials"], wanted("current"));
    assert!(read()["flowData"].as_str().unwrap().contains(&used));
    server.write_live(&flow, "no credential").is(200);
    let oldest = read();
    assert_eq!(oldest["ambiguousCredentials"], wanted("oldest"));
    assert!(oldest["flowData"].as_str().unwrap().contains(&used));
    assert!(!oldest["flowData"].as_str().unwrap().contains(&twin));
}

#[test]
fn hidden_secrets_are_counted_and_said_where() {
    let server = Server::start();
    let key = format!("sk-ant-api03-{}", "aB3_".repeat(22));
    let prompt = format!("Use {key} or ghp_{}.", "aB3d".repeat(9));
    let flow = published_canvas(&server, &with_credential(&server, &prompt));
    let version = server.versions(&flow)[0].clone();
    assert_eq!(version["hiddenSecrets"], 2);
    let sha = version["sha"].as_str().unwrap();
    let read = server.read(&format!("/flow-versions/{flow}/{sha}"));
    let hidden = &read["hiddenSecrets"];
    assert_eq!(hidden.as_array().unwrap().len(), 1, "{hidden}");
    assert_eq!((&hidden[0]["input"], &hidden[0]["count"]), (&json!("systemMessagePrompt"), &json!(2)));
    assert_eq!(
        (&hidden[0]["node"], &hidden[0]["label"]),
        (&json!("conversationChain_0"), &json!("Conversation Chain"))
    );
    assert!(hidden[0]["inputLabel"].as_str().is_some_and(|label| !label.is_empty()));
    let shown = read["flowData"].as_str().unwrap();
    assert!(shown.contains("Use [secret hidden] or [secret hidden].") && !shown.contains(&key));
    let live = server.record(&flow);
    assert!(live["flowData"].as_str().unwrap().contains(&key), "Live stays as it was saved");
    assert_eq!(server.history(&flow)["liveSha"], sha);
    let unchanged = server.roll_back(&flow, sha).is(200).json();
    assert_eq!((&unchanged["unchanged"], &unchanged["hiddenSecrets"]), (&json!(true), hidden));
    server.write_live(&flow, "two").is(200);
    let rolled = server.roll_back(&flow, sha).is(200).json();
    assert_eq!(&rolled["hiddenSecrets"], hidden);
    assert!(server.record(&flow)["flowData"].as_str().unwrap().contains("[secret hidden]"));
}

#[test]
fn versions_are_compared() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let first = server.newest(&flow);
    server.change(&flow, &json!({"name": "Other"})).is(200);
    let renamed = server.newest(&flow);
    server.write_live(&flow, "two").is(200);
    let second = server.newest(&flow);
    let mut moved: Value = serde_json::from_str(&canvas_answering("two")).unwrap();
    moved["nodes"][0]["position"]["x"] = json!(7_000);
    moved["edges"] = json!([]);
    server.change(&flow, &json!({"flowData": moved.to_string()})).is(200);
    let third = server.newest(&flow);
    let diff = |sha: &str, query: &str| server.read(&format!("/flow-versions/{flow}/{sha}/diff{query}"));

    let told = diff(&second, "");
    assert_eq!((&told["sha"], &told["against"]), (&json!(second), &json!(renamed)));
    assert_eq!(told, diff(&second, "?against=previous"));
    let changed = &told["changed"];
    assert_eq!((changed.as_array().unwrap().len(), &changed[0]["fields"]), (1, &json!(["fallback"])));
    assert_eq!(changed[0]["id"], "chatScripted_0");
    assert_eq!((&told["added"], &told["removed"], &told["moved"]), (&json!([]), &json!([]), &json!([])));
    assert_eq!((&told["edgesChanged"], &told["renamed"]), (&json!(false), &Value::Null));

    let told = diff(&renamed, "");
    assert_eq!(told["renamed"], json!({"from": "Flow", "to": "Other"}));
    assert_eq!(told["changed"], json!([]));
    let told = diff(&third, "");
    assert_eq!((&told["moved"], &told["edgesChanged"]), (&json!(["chatScripted_0"]), &json!(true)));
    assert_eq!(diff(&third, "?against=current")["changed"], json!([]));
    let told = diff(&second, "?against=current");
    assert_eq!((&told["against"], &told["edgesChanged"]), (&json!("current"), &json!(true)));
    let told = diff(&second, &format!("?against={}", &first[..8]));
    assert_eq!((&told["against"], &told["renamed"]["to"]), (&json!(first), &json!("Other")));
    let created = server.versions(&flow).last().unwrap()["sha"].as_str().unwrap().to_owned();
    assert_eq!(diff(&created, "")["against"], Value::Null);
    assert_eq!(diff(&first, "")["added"].as_array().unwrap().len(), 3);
}

#[test]
fn the_diff_of_a_version_of_settings_names_their_keys() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let told = |body: Value| {
        server.change(&flow, &body).is(200);
        server.read(&format!("/flow-versions/{flow}/{}/diff", server.newest(&flow)))
    };
    let named = |keys: Value| json!([{"id": "settings", "label": "Settings", "fields": keys}]);
    let chat = told(json!({"chatbotConfig": {"title": "x"}}));
    assert_eq!(chat["changed"], named(json!(["chatbotConfig"])));
    assert_eq!((&chat["added"], &chat["renamed"]), (&json!([]), &Value::Null));
    let both = told(json!({"isPublic": true, "category": "a", "chatbotConfig": {"title": "y"}}));
    let mut fields: Vec<String> = serde_json::from_value(both["changed"][0]["fields"].clone()).unwrap();
    fields.sort();
    assert_eq!(fields, ["category", "chatbotConfig", "isPublic"]);
    let newest = server.newest(&flow);
    let with = |against: &str| {
        server.read(&format!("/flow-versions/{flow}/{newest}/diff?against={against}"))["changed"].clone()
    };
    assert_eq!(with("current"), json!([]), "nothing changed since");
    server.change(&flow, &json!({"isPublic": false})).is(200);
    assert_eq!(with("current"), named(json!(["isPublic"])));
    let canvas = told(json!({"flowData": canvas_answering("two")}));
    assert_eq!(canvas["changed"].as_array().unwrap().len(), 1, "{canvas}");
    assert_eq!(canvas["changed"][0]["id"], "chatScripted_0");
}

#[test]
fn live_sha_is_null_when_live_is_not_the_newest_version() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let live = || server.history(&flow)["liveSha"].clone();
    assert_eq!(live(), server.newest(&flow));
    server.change(&flow, &json!({"chatbotConfig": {"title": "x"}})).is(200);
    assert_eq!(live(), server.newest(&flow), "a save of settings is a version");
    server.save_draft(&flow, "draft").is(200);
    assert_eq!(live(), server.newest(&flow), "a draft is not Live");
    server.app.history.faults().fail_at(0, ErrorKind::Other);
    server.write_live(&flow, "unrecorded").is(200);
    assert_eq!(live(), Value::Null, "the latest change was not recorded");
    server.change(&flow, &json!({"category": "x"})).is(200);
    assert_eq!(live(), server.newest(&flow));
    server.app.history.faults().fail_at(0, ErrorKind::Other);
    server.change(&flow, &json!({"category": "y"})).is(200);
    assert_eq!(live(), Value::Null, "another category");
}

#[test]
fn last_error_is_the_newest_failure_of_this_flow() {
    let server = Server::start();
    let (one, two) = (server.new_published("CHATFLOW", "one"), server.new_published("CHATFLOW", "two"));
    let error = |flow: &str| server.history(flow)["lastError"].clone();
    server.app.history.faults().fail_at(0, ErrorKind::StorageFull);
    server.write_live(&one, "1").is(200);
    let first = error(&one);
    assert!(first.as_str().is_some_and(|text| !text.is_empty()) && error(&two).is_null());
    assert!(!first.as_str().unwrap().contains('/'), "no path is told: {first}");
    server.write_live(&one, "2").is(200);
    server.write_live(&two, "2").is(200);
    assert_eq!(error(&one), first, "a later success does not clear it");
    server.app.history.faults().fail_at(0, ErrorKind::Other);
    server.write_live(&two, "3").is(200);
    assert!(error(&one).is_null() && error(&two).is_string());
    server.app.history.faults().clear();
    let server = server.restart();
    assert!(server.history(&two)["lastError"].is_null());
}

#[test]
fn git_reads_what_the_service_wrote() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    server.save_draft(&flow, "a very special answer").is(200);
    let sha = server.publish(&flow).is(200).json()["version"]["sha"].as_str().unwrap().to_owned();
    assert_eq!(server.git(&["rev-parse", "HEAD"]).trim(), sha);
    let log = server.git(&["log", "--format=%an|%cn|%s", "main"]);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 4, "{log}");
    assert!(lines[0].starts_with("Ada|Flowkeep|Published: "), "{log}");
    assert!(lines[3].ends_with("|Start version history"), "{log}");
    let trailers = server.git(&[
        "log",
        "-1",
        "--format=%(trailers:key=Flow-Id,valueonly)%(trailers:key=Version-Kind,valueonly)",
    ]);
    assert_eq!(trailers.split_whitespace().collect::<Vec<_>>(), [flow.as_str(), "publish"]);
    let canvas = server.git(&["show", &format!("{sha}:{}", place(&flow, "canvas.json"))]);
    assert!(canvas.contains("a very special answer") && canvas.lines().count() > 20, "{canvas}");
    let record = server.git(&["show", &format!("{sha}:{}", place(&flow, "flow.json"))]);
    assert_eq!(serde_json::from_str::<Value>(&record).unwrap()["name"], "Flow");
    assert!(server.git(&["show", "main~3:README.md"]).len() > 20);
    assert_eq!(server.git(&["for-each-ref", "--format=%(refname)"]).trim(), "refs/heads/main");
    assert_eq!(server.git(&["rev-parse", "--is-bare-repository"]).trim(), "true");
    let changed = server.git(&["diff", "--numstat", "main~1", "main"]);
    assert_eq!(changed.lines().count(), 1, "only what changed differs: {changed}");
    assert!(changed.starts_with("1\t1\t"), "one line for one answer: {changed}");

    let away = tempfile::tempdir().unwrap();
    git(away.path(), &["clone", "-q", server.repository().to_str().unwrap(), "copy"]);
    let copy = away.path().join("copy");
    assert_eq!(std::fs::read_to_string(copy.join(place(&flow, "canvas.json"))).unwrap(), canvas);
    assert_sound_repository(&copy);

    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(server.git(&["ls-tree", "-r", "--name-only", "main"]).trim(), "README.md");
    assert_eq!(
        server.git(&["log", "-1", "--format=%(trailers:key=Version-Kind,valueonly)"]).trim(),
        "delete"
    );
    server.owner("GET", &format!("/flow-versions/{flow}")).send().is_error(404);
    server.assert_settled();
}

#[test]
fn commits_of_others_are_versions_of_unknown_kind() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let bystander = server.new_published("CHATFLOW", "other");
    let away = tempfile::tempdir().unwrap();
    git(away.path(), &["clone", "-q", server.repository().to_str().unwrap(), "copy"]);
    let copy = away.path().join("copy");
    let file = copy.join(place(&flow, "canvas.json"));
    let text = std::fs::read_to_string(&file).unwrap().replace("\"one\"", "\"by hand\"");
    std::fs::write(&file, text).unwrap();
    git(&copy, &["commit", "-qam", "Edit by hand"]);
    std::fs::write(copy.join("notes.txt"), "not a flow").unwrap();
    std::fs::write(copy.join(place(&bystander, "canvas.json")), "not JSON").unwrap();
    git(&copy, &["add", "."]);
    git(&copy, &["commit", "-qm", "Break another"]);
    git(&copy, &["push", "-q", "origin", "HEAD:main"]);

    let version = server.versions(&flow)[0].clone();
    assert_eq!((&version["kind"], &version["title"]), (&json!("unknown"), &json!("Edit by hand")));
    assert_eq!((&version["published"], &version["author"]), (&json!(false), &json!("Visitor")));
    assert_eq!(server.kinds(&flow), ["unknown", "publish", "create"]);
    assert_eq!(server.history(&flow)["liveSha"], Value::Null);
    let sha = version["sha"].as_str().unwrap();
    assert_eq!(
        answer_of_canvas(&server.read(&format!("/flow-versions/{flow}/{sha}"))["flowData"]),
        "by hand"
    );
    let told = server.read(&format!("/flow-versions/{flow}/{sha}/diff"));
    assert_eq!(told["changed"][0]["fields"], json!(["fallback"]));
    server.roll_back(&flow, sha).is(200);
    assert_eq!(server.live_answer(&flow), "by hand");
    assert_eq!(server.kinds(&bystander)[0], "unknown");
    let broken = server.newest(&bystander);
    let read = server.owner("GET", &format!("/flow-versions/{bystander}/{broken}")).send();
    assert!(matches!(read.status, 200 | 404), "{read:?}");
    server.write_live(&bystander, "again").is(200);
    assert_eq!(server.history(&bystander)["liveSha"], server.newest(&bystander));
    server.assert_settled();
}

#[test]
fn a_repository_that_git_packed_keeps_working() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    let first = server.newest(&flow);
    for command in
        [&["gc", "-q", "--prune=now"][..], &["pack-refs", "--all"], &["repack", "-adq"], &["prune-packed"]]
    {
        server.git(command);
        assert_eq!(
            answer_of_canvas(&server.read(&format!("/flow-versions/{flow}/{first}"))["flowData"]),
            "one"
        );
        let text = command[0];
        server.write_live(&flow, text).is(200);
        assert_eq!(server.history(&flow)["liveSha"], server.newest(&flow), "after git {command:?}");
    }
    let kinds = server.kinds(&flow);
    server.git(&["gc", "-q", "--aggressive", "--prune=now"]);
    let server = server.restart();
    assert_eq!(server.kinds(&flow), kinds);
    server.roll_back(&flow, &first).is(200);
    assert_eq!(server.live_answer(&flow), "one");
    server.assert_settled();
}

#[test]
fn a_restart_changes_nothing() {
    let server = Server::start();
    let flow = server.new_published("CHATFLOW", "one");
    server.save_draft(&flow, "two").is(200);
    let before = (server.history(&flow), server.draft(&flow), server.record(&flow));
    let server = server.restart();
    assert_eq!((server.history(&flow), server.draft(&flow), server.record(&flow)), before);
    server.app.history.clear_index().unwrap();
    let server = server.restart();
    assert_eq!(server.history(&flow), before.0, "the index is made anew from git");
    server.assert_settled();
}
