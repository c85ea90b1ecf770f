//! Who works on a question, and what the answer tells of it (manual 22.3, 22.4).

use super::{Team, ask, asked_of, script, statuses, told};
use crate::agentflows::models::pictures;
use crate::mcp;
use crate::overrides::override_settings;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use crate::tools::with_web;
use serde_json::{Value, json};

#[test]
fn specialists_that_are_chosen_work_and_the_team_answers_from_their_reports() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law", "tax", "sport"]).flow(&server);
    script(&provider, &["tax", "nobody", "law"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!((&answer["text"], &answer["harness"]), (&json!("Together: done."), &json!("desk")));
    let done = |name: &str| (name.to_owned(), "completed".to_owned());
    assert_eq!(statuses(&answer), [done("law"), done("tax")], "in the order of the team");
    let law = &answer["agents"][0];
    assert_eq!((&law["task"], &law["model"]), (&json!("Do law"), &json!("law")));
    assert!(law["ms"].is_u64() && law["tokens"]["completion"] == 3, "{law}");
    let expected = json!({
        "assignments": [{"specialist": "tax", "task": "Do tax"}, {"specialist": "law", "task": "Do law"}],
        "reports": [{"specialist": "law", "text": "law says so."}, {"specialist": "tax", "text": "tax says so."}],
    });
    assert_eq!(answer["report"], expected);
    assert_eq!((&answer["sources"], &answer["artifacts"]), (&json!([]), &json!([])));
    for part in ["routeMs", "specialistsMs", "handoffMs"] {
        assert!(answer["timings"][part].is_u64(), "{answer}");
    }
    let handoff = told(asked_of(&provider, "lead").last().unwrap());
    assert!(handoff.contains("law says so.") && handoff.contains("<report of"), "{handoff}");
    assert!(asked_of(&provider, "sport").is_empty());
}

#[test]
fn each_call_of_a_model_is_counted_once() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law", "tax"]).flow(&server);
    script(&provider, &["tax", "law"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    let usage = &answer["usage"];
    assert_eq!(usage["total"], usage["prompt"].as_u64().unwrap() + usage["completion"].as_u64().unwrap());
    assert_eq!(usage["total"], answer["usageMetadata"]["total_tokens"], "{answer}");
    let of_agents: u64 = answer["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| agent["tokens"]["prompt"].as_u64().unwrap())
        .sum();
    assert!(usage["prompt"].as_u64().unwrap() > of_agents);
}

#[test]
fn what_the_answer_tells_is_stored_with_it_and_specialists_write_no_messages() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law"]).flow(&server);
    script(&provider, &["law"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    let kept = server.messages(&flow);
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1]["team"]["agents"], answer["agents"]);
    assert_eq!(kept[1]["team"]["report"], answer["report"]);
}

#[test]
fn no_more_than_the_card_says_are_chosen_and_one_is_exactly_one() {
    let (server, provider) = (Server::start(), Provider::start());
    for (inputs, names) in
        [(json!({"harnessMaxSpecialists": 2}), vec!["a", "c"]), (json!({"harnessRouting": "one"}), vec!["c"])]
    {
        let flow = Team::of(&provider, &["a", "b", "c"]).with(inputs).called(names[0]).flow(&server);
        script(&provider, &["c", "a", "b"], &[]);
        let answer = ask(&server, &flow).is(200).json();
        let ran: Vec<String> = statuses(&answer).into_iter().map(|(name, _)| name).collect();
        assert_eq!(ran, names);
    }
}

#[test]
fn a_model_that_is_to_choose_one_is_not_offered_to_answer_itself() {
    let (server, provider) = (Server::start(), Provider::start());
    for (inputs, may_answer) in
        [(json!({"harnessRouting": "one"}), false), (json!({"harnessMaxSpecialists": 1}), true)]
    {
        let name = if may_answer { "at-most" } else { "exactly" };
        let flow = Team::of(&provider, &["a", "b"]).with(inputs).called(name).flow(&server);
        script(&provider, &["a"], &[]);
        let before = provider.requests().len();
        ask(&server, &flow).is(200);
        let route = &provider.requests()[before];
        let offered = &route.body["tools"][0]["function"]["parameters"]["properties"];
        assert!(offered["assignments"].is_object(), "{offered}");
        assert_eq!(offered.get("answer").is_some(), may_answer, "{offered}");
        assert_eq!(route.body["messages"].to_string().contains("give an empty list"), may_answer);
    }
}

#[test]
fn where_all_work_nobody_is_asked_who() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow =
        Team::of(&provider, &["a", "b", "c", "d"]).with(json!({"harnessRouting": "all"})).flow(&server);
    script(&provider, &[], &[]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!(answer["agents"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&answer["agents"][0]["task"], &answer["timings"]["routeMs"]),
        (&json!("What now?"), &json!(0))
    );
    assert_eq!(asked_of(&provider, "lead").len(), 1, "the handoff alone");
}

#[test]
fn a_report_that_stands_alone_is_relayed_and_several_are_composed() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["a", "b"]).with(json!({"harnessHandoff": "relay"})).flow(&server);
    script(&provider, &["b"], &[]);
    assert_eq!(ask(&server, &flow).is(200).json()["text"], "b says so.");
    script(&provider, &["b", "a"], &[]);
    assert_eq!(ask(&server, &flow).is(200).json()["text"], "Together: done.");
}

#[test]
fn where_nobody_is_needed_the_teams_model_answers() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["a"]).flow(&server);
    provider.push_behaviour(Behaviour::call("give_answer", json!({"assignments": [], "answer": "Hello!"})));
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!((&answer["text"], &answer["agents"]), (&json!("Hello!"), &json!([])));
    script(&provider, &["nobody"], &[]);
    assert_eq!(ask(&server, &flow).is(200).json()["text"], "Together: done.");
}

#[test]
fn a_route_that_cannot_be_read_is_asked_for_once_more() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["a"]).flow(&server);
    script(&provider, &["a"], &[]);
    provider.push_behaviour(Behaviour::text("no idea"));
    assert_eq!(ask(&server, &flow).is(200).json()["text"], "Together: done.");
    provider.push_behaviour(Behaviour::text("no idea"));
    provider.push_behaviour(Behaviour::text("none at all"));
    let told = ask(&server, &flow).is_error(500);
    assert!(told.contains("Team"), "{told}");
}

#[test]
fn a_report_schema_gives_an_object_beside_the_answer() {
    let (server, provider) = (Server::start(), Provider::start());
    let rows = json!([{"key": "mood", "type": "enum", "enumValues": "good, bad"}]);
    let flow = Team::of(&provider, &["a"]).with(json!({ "harnessReportSchema": rows })).flow(&server);
    script(&provider, &["a"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!((&answer["text"], &answer["report"]), (&json!("Together: done."), &json!({"mood": "good"})));
    assert_eq!(answer.get("reportError"), None);
}

#[test]
fn a_report_that_never_fits_is_null_and_says_why() {
    let (server, provider) = (Server::start(), Provider::start());
    let rows = json!([{"key": "mood", "type": "enum", "enumValues": "sad, bad"}]);
    let flow = Team::of(&provider, &["a"]).with(json!({ "harnessReportSchema": rows })).flow(&server);
    script(&provider, &["a"], &[]);
    let answer = ask(&server, &flow).is(200).json();
    assert_eq!((&answer["text"], &answer["report"]), (&json!("Together: done."), &Value::Null));
    assert!(answer["reportError"].as_str().unwrap().contains("mood"), "{answer}");
}

#[test]
fn a_team_knows_of_the_conversation_what_its_memory_allows() {
    let (server, provider) = (Server::start(), Provider::start());
    for (memory, hears) in [("none", false), ("allMessages", true)] {
        let memory_of = json!({ "harnessMemoryType": memory });
        let flow = Team::of(&provider, &["a"]).with(memory_of).called(&memory.to_lowercase()).flow(&server);
        script(&provider, &["a"], &[]);
        let first = server.ask(&flow, &json!({"question": "My name is Ada."})).is(200).json();
        let body = json!({
            "question": "Who am I?", "chatId": first["chatId"], "sessionToken": first["sessionToken"],
        });
        let before = provider.requests().len();
        server.ask(&flow, &body).is(200);
        for request in &provider.requests()[before..] {
            assert_eq!(
                told(request).contains("My name is Ada."),
                hears,
                "{memory}: {}",
                request.body["model"]
            );
        }
    }
}

#[test]
fn a_specialist_calls_tools_and_one_that_waits_for_a_person_fails() {
    let (server, provider) = (Server::start(), Provider::start());
    let tools = |asks: bool| {
        json!({"specialistTools": [{
            "agentSelectedTool": "calculator", "agentSelectedToolConfig": {},
            "agentSelectedToolRequiresHumanInput": asks,
        }]})
    };
    let call = Behaviour::call("calculator", json!({"input": "6*7"}));
    for (asks, status) in [(false, "completed"), (true, "failed")] {
        let team = Team::of(&provider, &["law"]).specialist("count", tools(asks));
        let flow = team.called(status).flow(&server);
        let is_first = std::sync::atomic::AtomicBool::new(true);
        let call = call.clone();
        provider.set_decision(move |request| {
            match (request.body["model"].as_str().unwrap(), super::stage_of(request)) {
                ("lead", super::Stage::Route) => super::route(&["count", "law"]),
                ("count", _) if is_first.swap(false, std::sync::atomic::Ordering::SeqCst) => call.clone(),
                _ => Behaviour::text("It is 42."),
            }
        });
        let answer = ask(&server, &flow).is(200).json();
        assert_eq!(statuses(&answer)[1], ("count".to_owned(), status.to_owned()), "{answer}");
        assert_eq!(answer.get("usedTools").is_some(), !asks, "{answer}");
    }
}

#[test]
fn a_request_changes_settings_of_a_picked_model_and_never_which_is_picked() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["a"]).flow(&server);
    let allowed =
        override_settings(&[("Team", &["temperature", "harnessModel"]), ("a", &["specialistTools"])], &[]);
    server.put(&format!("/chatflows/{flow}"), &allowed);
    script(&provider, &["a"], &[]);
    let overrides = json!({
        "harnessModelConfig": {"temperature": 0.25}, "harnessModel": "chatScripted",
        "specialistTools": [{"agentSelectedTool": "calculator"}],
    });
    server.ask(&flow, &json!({"question": "What now?", "overrideConfig": overrides})).is(200);
    let lead = asked_of(&provider, "lead");
    assert!(lead.iter().all(|request| request.body["temperature"] == 0.25), "{:?}", lead[0].body);
    assert_eq!(asked_of(&provider, "a")[0].body.get("tools"), None);
}

/// A store of the workspace with one filled text.
fn atlas(server: &Server, text: &str) -> String {
    let store = id(&server.post("/document-store/store", &json!({"name": "Atlas"})));
    let loader = json!({"loader": {"name": "plainText", "config": {"text": text}}, "metadata": {"source": "atlas.md"}});
    server.post(&format!("/document-store/upsert/{store}"), &loader);
    let vectors = json!({"storeId": store, "embeddingName": "hashingEmbeddings", "embeddingConfig": {"dimensions": 64}});
    server.post("/document-store/vectorstore/insert", &vectors);
    store
}

#[test]
fn what_specialists_leaned_on_and_what_they_made_is_told_by_specialist() {
    let (server, web) = with_web();
    let provider = Provider::start();
    web.set_decision(pictures::drawing);
    let picked = format!("{}:Atlas", atlas(&server, "Oslo lies at a fjord."));
    let reads =
        json!([{"documentStore": picked, "docStoreDescription": "Places.", "returnSourceDocuments": true}]);
    let draws = json!([{"agentSelectedTool": "customMCP", "agentSelectedToolConfig": mcp::config(&web, json!(["weather"]))}]);
    let flow = Team::of(&provider, &["law"])
        .specialist("geo", json!({"specialistKnowledgeDocumentStores": reads}))
        .specialist("painter", json!({"specialistTools": draws}))
        .flow(&server);
    provider.set_decision(|request| {
        let called =
            request.body["messages"].as_array().unwrap().iter().any(|message| message["role"] == "tool");
        let tool = request.body["tools"][0]["function"]["name"].as_str().unwrap_or_default();
        match (request.body["model"].as_str().unwrap(), super::stage_of(request)) {
            ("lead", super::Stage::Route) => super::route(&["painter", "geo", "law"]),
            ("geo", _) if !called => Behaviour::call(tool, json!({"input": "Where does Oslo lie?"})),
            ("painter", _) if !called => Behaviour::call(tool, json!({"city": "Oslo"})),
            _ => Behaviour::text("Together: done."),
        }
    });
    let answer = ask(&server, &flow).is(200).json();
    let sources = answer["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 1, "{answer}");
    assert_eq!(
        (&sources[0]["agent"], &sources[0]["pageContent"]),
        (&json!("geo"), &json!("Oslo lies at a fjord."))
    );
    assert_eq!(sources[0]["metadata"]["source"], "atlas.md");
    let made = answer["artifacts"].as_array().unwrap();
    assert_eq!(made.len(), 1, "{answer}");
    assert_eq!((&made[0]["agent"], &made[0]["type"]), (&json!("painter"), &json!("png")));
    let picture = server.call_root("GET", made[0]["data"].as_str().unwrap()).send().is(200).body;
    assert_eq!(picture, pictures::PICTURE.0);
    let kept = server.messages(&flow);
    assert_eq!(kept[1]["team"]["sources"], answer["sources"]);
    assert_eq!(kept[1]["team"]["artifacts"].as_array().unwrap().len(), 1, "{}", kept[1]);
}

#[test]
fn a_picture_of_the_caller_reaches_a_specialist_whose_model_takes_pictures() {
    let (server, provider) = (Server::start(), Provider::start());
    let reads = json!({
        "specialistModel": "chatLitellm",
        "specialistModelConfig": {
            "modelName": "eye", "basePath": format!("{}/v1", provider.base_url()), "allowImageUploads": true
        },
    });
    let flow = Team::of(&provider, &[])
        .with(json!({"harnessRouting": "all"}))
        .specialist("eye", reads)
        .flow(&server);
    script(&provider, &[], &[("eye", Behaviour::text("A dot."))]);
    let picture = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let upload = json!([{"type": "file", "name": "dot.png", "mime": "image/png", "data": picture}]);
    server.ask(&flow, &json!({"question": "What is it?", "uploads": upload})).is(200);
    let seen = asked_of(&provider, "eye");
    assert!(seen[0].body["messages"].to_string().contains("image_url"), "{}", seen[0].body);
}
