//! Where a run is told of beside its record: in messages, transcripts and files (manual 3.4, 5.11, 15.1).

use super::super::human_input::asking;
use super::super::steps::{START, Steps, Talk, ask, endings, llm, output, record, story};
use super::draft;
use crate::support::Server;
use serde_json::{Value, json};

fn writer() -> Steps {
    Steps::begin().card("llmAgentflow_0", "Writer", llm("Dear {question}")).edge(START, "llmAgentflow_0")
}

/// The newest version of a flow, in short.
fn newest_version(server: &Server, flow: &str) -> String {
    let listed = server.read(&format!("/flow-versions/{flow}"));
    listed["versions"][0]["sha"].as_str().unwrap()[..7].to_owned()
}

#[test]
fn a_record_names_the_version_of_live_that_ran() {
    let server = Server::start();
    let flow = writer().flow(&server);
    let first = newest_version(&server, &flow);
    assert_eq!(record(&server, &ask(&server, &flow, "Hi"))["flowVersion"], *first);
    server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": asking().text() }));
    let second = newest_version(&server, &flow);
    assert_ne!(first, second);
    assert_eq!(record(&server, &ask(&server, &flow, "Hi"))["flowVersion"], *second);
    let path = format!("/internal-prediction/{flow}");
    let live = server.post(&path, &json!({"question": "Hi"}));
    assert_eq!(record(&server, &live)["flowVersion"], *second, "there is no draft");
    draft(&server, &flow, &writer());
    let drafted = server.post(&path, &json!({"question": "Hi"}));
    assert_eq!(record(&server, &drafted).get("flowVersion"), None);
}

#[test]
fn a_record_names_no_version_without_a_history() {
    let server = Server::with(&[("SERVICE_VERSIONS", "false")]);
    let answer = ask(&server, &writer().flow(&server), "Hi");
    assert_eq!(record(&server, &answer).get("flowVersion"), None);
}

#[test]
fn messages_name_their_run_and_what_it_waits_for_until_somebody_decided() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let messages = server.messages(talk.flow());
    assert_eq!((&messages[0]["executionId"], &messages[0]["action"]), (&first["executionId"], &Value::Null));
    assert_eq!(
        (&messages[1]["executionId"], &messages[1]["action"]),
        (&first["executionId"], &first["action"])
    );
    let wanted = json!({"chatflowId": talk.flow()});
    let transcript = server.post("/export-import/chatflow-messages", &wanted);
    assert_eq!(transcript[0]["messages"][1]["action"], first["action"]);
    assert_eq!(transcript[0]["messages"][1]["executionId"], first["executionId"]);
    talk.proceed();
    let messages = server.messages(talk.flow());
    assert_eq!(messages[1]["action"], Value::Null, "nobody can decide it any more");
    assert_eq!(messages[3]["executionId"], first["executionId"]);
}

/// The messages of a flow, as this key reads them.
fn messages_with(server: &Server, flow: &str, permissions: &[&str]) -> Value {
    let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
    server.call("GET", &format!("/chatmessage/{flow}")).bearer(&key).send().is(200).json()
}

#[test]
fn messages_bring_the_record_of_their_run_as_a_list_of_records_has_it() {
    let server = Server::start();
    let flow = writer().flow(&server);
    let (first, second) = (ask(&server, &flow, "One"), ask(&server, &flow, "Two"));
    let listed = server.read("/executions");
    let rows = listed["data"].as_array().unwrap();
    let messages = server.messages(&flow);
    for (at, answer) in [(0, &first), (1, &first), (2, &second), (3, &second)] {
        let row = rows.iter().find(|row| row["id"] == answer["executionId"]).unwrap();
        assert_eq!(&messages[at]["execution"], row, "{at}");
    }
    assert!(rows[0].get("executionData").is_none(), "{}", rows[0]);
    let page = server.read(&format!("/chatmessage/{flow}?page=1&limit=1"));
    assert_eq!(page[1]["execution"], rows[0]);
}

#[test]
fn messages_bring_no_record_to_who_may_not_see_it() {
    let server = Server::start();
    let flow = writer().flow(&server);
    let answer = ask(&server, &flow, "Hi");
    for (permissions, is_told) in [
        (&["agentflows:view", "executions:view"][..], true),
        (&["agentflows:view"], false),
        (&["agentflows:update", "executions:view"], false),
    ] {
        let messages = messages_with(&server, &flow, permissions);
        assert_eq!(messages[1]["executionId"], answer["executionId"], "{permissions:?}");
        assert_eq!(messages[1]["execution"].is_object(), is_told, "{permissions:?}");
    }
}

#[test]
fn messages_bring_no_record_that_was_deleted() {
    let server = Server::start();
    let flow = writer().flow(&server);
    let answer = ask(&server, &flow, "Hi");
    let record = format!("/executions/{}", answer["executionId"].as_str().unwrap());
    server.owner("DELETE", &record).send().is(200);
    assert_eq!(server.messages(&flow)[1]["execution"], Value::Null);
}

#[test]
fn messages_of_a_flow_without_steps_name_no_run() {
    let server = Server::start();
    let flow = server.flow(&crate::support::canvases::scripted_flow());
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    let messages = server.messages(&flow);
    assert_eq!((&messages[1]["executionId"], &messages[1]["action"]), (&Value::Null, &Value::Null));
    assert_eq!(messages[1]["execution"], Value::Null);
}

#[test]
fn records_go_out_with_a_file_when_they_are_asked_for() {
    let server = Server::start();
    let answer = ask(&server, &writer().flow(&server), "Ada");
    let file = server.post("/export-import/export", &json!({"agentflowv2": true}));
    assert_eq!(file["Execution"], json!([]));
    let file = server.post("/export-import/export", &json!({"execution": true}));
    let row = &file["Execution"][0];
    assert_eq!((&row["id"], &row["state"]), (&answer["executionId"], &json!("FINISHED")));
    let steps: Value = serde_json::from_str(row["executionData"].as_str().unwrap()).unwrap();
    assert_eq!(steps[1]["data"]["output"]["content"], "Dear Ada");
    let key = server.key(&["agentflows:export", "agentflows:view"])["apiKey"].as_str().unwrap().to_owned();
    let refused = server.call("POST", "/export-import/export").bearer(&key).json(&json!({"execution": true}));
    refused.send().is_error(403);
}

#[test]
fn records_come_in_with_their_flow_and_are_read_as_they_were() {
    let (server, other) = (Server::start(), Server::start());
    let flow = writer().flow(&server);
    let answer = ask(&server, &flow, "Ada");
    let (_, waits) = Talk::begin(&server, &asking(), "Hi");
    let file = server.post("/export-import/export", &json!({"agentflowv2": true, "execution": true}));
    let mut preview = file.clone();
    preview["mode"] = "preview".into();
    let told = other.post("/export-import/import", &preview);
    let listed = |told: &Value| {
        let items = told["items"].as_array().unwrap().iter();
        items.filter(|item| item["kind"] == "Execution").cloned().collect::<Vec<Value>>()
    };
    assert_eq!(
        (listed(&told)[0]["count"].as_u64(), &listed(&told)[0]["action"]),
        (Some(2), &json!("create"))
    );
    assert_eq!(other.read("/executions")["total"], 0);
    other.post("/export-import/import", &file);
    let (here, there) = (record(&server, &answer), record(&other, &answer));
    assert_eq!((story(&there), &there["state"]), (story(&here), &here["state"]));
    assert_eq!((&there["createdDate"], &there["agentflow"]["id"]), (&here["createdDate"], &json!(flow)));
    assert_eq!(there["isPublic"], false);
    let waited = record(&other, &waits);
    assert_eq!((&waited["state"], &waited["pauses"]), (&json!("TERMINATED"), &json!([])));
    let again = other.post("/export-import/import", &file);
    assert_eq!(listed(&again)[0]["action"], "skip", "what is here stays");
    assert_eq!(other.read("/executions")["total"], 2);
}

#[test]
fn records_of_flowise_come_in_without_credentials_and_those_of_unknown_flows_stay_outside() {
    let server = Server::start();
    let flow = writer().flow(&server);
    let credential = "0d4a4f7e-5f8b-4b3c-9a54-0c4d5a7a1f11";
    let steps = json!([{
        "nodeId": "llmAgentflow_0", "nodeLabel": "Writer", "previousNodeIds": [], "status": "FINISHED",
        "data": {"output": {"content": "Hello"}, "input": {"FLOWISE_CREDENTIAL_ID": credential}},
    }]);
    let row = |id: &str, flow: &str| {
        json!({
            "id": id, "executionData": steps.to_string(), "state": "INPROGRESS", "agentflowId": flow, "sessionId": "s",
            "action": null, "isPublic": true, "createdDate": "2025-01-02T03:04:05.000Z",
            "updatedDate": "2025-01-02T03:04:06.000Z", "stoppedDate": null, "workspaceId": null,
        })
    };
    let id = "6f1c24ce-6b51-4a3f-8f0c-1de0a6f0a8b1";
    let unknown = row("6f1c24ce-6b51-4a3f-8f0c-1de0a6f0a8b2", "6f1c24ce-6b51-4a3f-8f0c-1de0a6f0a8b3");
    let told = server.post("/export-import/import", &json!({"Execution": [row(id, &flow), unknown, {}]}));
    let counts: Vec<&Value> = told["items"].as_array().unwrap().iter().map(|item| &item["count"]).collect();
    assert_eq!(counts, [1, 2]);
    let run = json!({"executionId": id});
    let kept = record(&server, &run);
    assert_eq!((&kept["state"], &kept["isPublic"]), (&json!("ERROR"), &json!(false)));
    assert_eq!(endings(&kept), [("Writer", "FINISHED")]);
    assert_eq!(output(&kept, "Writer")["content"], "Hello");
    assert!(!kept.to_string().contains(credential), "{kept}");
    let told = super::try_again(&server, &flow, &run, "llmAgentflow_0", json!({})).is_error(409);
    assert!(told.contains("does not hold what its run was asked with"), "{told}");
}
