//! Templates to begin with (manual 5.12).

use crate::loaders::inline;
use crate::support::canvases::{Drawing, SECRET, scripted_flow};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id, samples};
use serde_json::{Value, json};

fn starter(server: &Server, name: &str) -> Value {
    let all = server.read("/marketplaces/templates");
    all.as_array().unwrap().iter().find(|row| row["templateName"] == name).unwrap().clone()
}

#[test]
fn every_starter_becomes_a_flow_and_comes_back_as_it_was() {
    let server = Server::start();
    let all = server.read("/marketplaces/templates");
    assert!(all.as_array().unwrap().len() >= 6);
    for row in all.as_array().unwrap() {
        assert!(
            !row["description"].as_str().unwrap().is_empty()
                && !row["categories"].as_array().unwrap().is_empty()
        );
        let flow = server.flow(row["flowData"].as_str().unwrap());
        assert_eq!(server.read(&format!("/chatflows/{flow}"))["flowData"], row["flowData"]);
    }
}

#[test]
fn two_starters_answer_without_a_provider() {
    let server = Server::start();
    for (name, question, expected) in [
        ("Welcome desk", "When are you open?", "nine to six"),
        ("Ask a handbook", "How long does a repair take?", "ten days"),
    ] {
        let row = starter(&server, name);
        let flow = server.flow(row["flowData"].as_str().unwrap());
        let answer = server.ask(&flow, &json!({ "question": question })).is(200).json();
        assert!(answer["text"].as_str().unwrap().contains(expected), "{answer}");
    }
}

/// The canvas of a starter as somebody fills it in who has a provider at `base`, and a PDF where it asks for one.
fn filled_in(server: &Server, name: &str, base: &str) -> String {
    let mut canvas: Value =
        serde_json::from_str(starter(server, name)["flowData"].as_str().unwrap()).unwrap();
    for node in canvas["nodes"].as_array_mut().unwrap() {
        let data = &mut node["data"];
        let (kind, field, address) = match data["name"].as_str().unwrap() {
            "chatOpenAI" | "openAIEmbeddings" => {
                ("openAIApi", "openAIApiKey", ("basepath", format!("{base}/v1")))
            }
            "chatAnthropic" => ("anthropicApi", "anthropicApiKey", ("baseUrl", base.to_owned())),
            "chatOllama" => ("ollamaApi", "ollamaApiKey", ("baseUrl", base.to_owned())),
            "pdfFile" => {
                let pdf = samples::pdf(&["A repair takes ten days.".to_owned()]);
                data["inputs"]["pdfFile"] = inline("repairs.pdf", "application/pdf", &pdf).into();
                continue;
            }
            _ => continue,
        };
        data["inputs"][address.0] = address.1.into();
        let body = json!({"name": "mine", "credentialName": kind, "plainDataObj": {field: SECRET}});
        data["credential"] = id(&server.post("/credentials", &body)).into();
    }
    canvas.to_string()
}

#[test]
fn every_other_starter_answers_once_it_has_a_provider() {
    let provider = Provider::start();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &provider.base_url().replace("http://", ""))]);
    let sorted = r#"{"topic": "delivery", "urgent": true, "summary": "A parcel is late."}"#;
    for (name, reply, expected) in [
        ("Assistant with a memory", "Hello there.", "Hello there."),
        // Its embeddings ask the provider first, which then answers with what it was told.
        ("Ask a PDF", "", "A repair takes ten days."),
        ("Model on your machine", "Hello there.", "Hello there."),
        ("Plain words", "The parcel comes later.", "The parcel comes later."),
        ("Sort messages", sorted, "delivery"),
        ("Agent with tools", "It is noon.", "It is noon."),
    ] {
        let flow = server.flow(&filled_in(&server, name, &provider.base_url()));
        let problems = server.read(&format!("/validation/{flow}"));
        assert_eq!(problems, json!([]), "{name}");
        if !reply.is_empty() {
            provider.push_behaviour(Behaviour::text(reply));
        }
        let answer = server.ask(&flow, &json!({"question": "How long does a repair take?"})).is(200).json();
        assert!(answer.to_string().contains(expected), "{name}: {answer}");
    }
}

#[test]
fn a_workspace_keeps_templates_of_its_own() {
    let server = Server::start();
    let body = json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
    let credential = id(&server.post("/credentials", &body));
    let mut drawing = Drawing::default();
    let node = drawing.card("chatOpenAI", json!({}));
    drawing.credential(&node, &credential);
    let flow = server.flow(&drawing.text());
    let made = server.post(
        "/marketplaces/custom",
        &json!({"name": "Mine", "description": "d", "badge": "new", "usecases": ["Basic"], "chatflowId": flow}),
    );
    let tool = json!({"name": "adder", "description": "adds", "func": "return 1;"});
    server.post("/marketplaces/custom", &json!({"name": "Adder", "tool": tool}));
    let listed = server.read("/marketplaces/custom");
    assert_eq!((&listed[0]["type"], &listed[0]["func"]), (&json!("Tool"), &json!("return 1;")));
    assert_eq!((&listed[1]["templateName"], &listed[1]["type"]), (&json!("Mine"), &json!("Chatflow")));
    let canvas = listed[1]["flowData"].as_str().unwrap();
    assert!(canvas.contains("chatOpenAI") && !canvas.contains(&credential));
    server.flow(canvas);
    server.owner("DELETE", &format!("/marketplaces/custom/{}", id(&made))).send().is(200);
    server.owner("DELETE", &format!("/marketplaces/custom/{}", id(&made))).send().is_error(404);
    assert_eq!(server.read("/marketplaces/custom").as_array().unwrap().len(), 1);
}

#[test]
fn a_bad_template_is_refused() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let post = |body: Value| server.owner("POST", "/marketplaces/custom").json(&body).send();
    post(json!({"name": "x"})).is_error(400);
    post(json!({"name": " ", "chatflowId": flow})).is_error(400);
    post(json!({"name": "x", "chatflowId": flow, "tool": {}})).is_error(400);
    post(json!({"name": "x", "tool": {"name": ""}})).is_error(400);
    post(json!({"name": "x", "chatflowId": "unknown"})).is_error(404);
    let key = server.key(&["templates:toolexport"])["apiKey"].as_str().unwrap().to_owned();
    let body = json!({"name": "x", "chatflowId": flow});
    server.call("POST", "/marketplaces/custom").bearer(&key).json(&body).send().is_error(403);
}
