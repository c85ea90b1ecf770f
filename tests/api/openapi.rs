//! APIs that are described in OpenAPI: as tools, and as a chain (manual 9.12 r4, 9.15 r4).

use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use crate::tools::{call_tool, script_page, with_web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

fn pets(base: &str) -> String {
    format!(
        r#"
openapi: 3.0.1
servers: [ {{ url: "{base}/v1" }} ]
paths:
  /pets/{{id}}:
    get:
      operationId: getPet
      description: Reads a pet.
      parameters:
        - {{ name: id, in: path, required: true, schema: {{ type: string }} }}
        - {{ name: full, in: query, schema: {{ type: boolean }} }}
  /pets:
    post:
      operationId: addPet
      requestBody: {{ content: {{ application/json: {{ schema: {{ type: object }} }} }} }}
"#
    )
}

/// A file as an editor puts it into a canvas.
fn inline(text: &str) -> String {
    format!("data:application/x-yaml;base64,{},filename:pets.yaml", STANDARD.encode(text))
}

fn arguments() -> Value {
    json!({"PathParameters": {"id": "a/7"}, "QueryParameters": {"full": true}})
}

#[test]
fn a_toolkit_of_a_file_calls_the_api_with_the_owners_headers() {
    let (server, web) = with_web();
    script_page(&web, "{\"name\": \"Tom\"}</response>");
    let inputs = json!({
        "openApiFile": inline(&pets(&web.base_url())), "headers": json!({"X-Api-Key": "k-1"}).to_string(),
    });
    let (answer, read) = call_tool(&server, "openAPIToolkit", inputs, "getPet", arguments());
    assert_eq!(answer["text"], "Done.");
    assert!(
        read.starts_with("<response of=\"getPet\">\n{\"name\"") && read.matches("</response>").count() == 1,
        "{read}"
    );
    let sent = web.last_request();
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("GET", "/v1/pets/a%2F7?full=true"));
    assert_eq!(sent.header("x-api-key"), Some("k-1"));
}

#[test]
fn a_toolkit_of_a_link_offers_the_chosen_operations_at_the_chosen_server() {
    let (server, web) = with_web();
    script_page(&web, &pets("https://elsewhere.test"));
    script_page(&web, "made");
    let inputs = json!({
        "inputType": "link", "openApiLink": format!("{}/pets.yaml", web.base_url()),
        "selectedServer": format!("{}/other/", web.base_url()),
        "selectedEndpoints": "[\"addPet\"]", "removeNulls": true, "returnDirect": true,
    });
    let body = json!({"RequestBody": {"name": "Tom", "age": null}});
    let (answer, _) = call_tool(&server, "openAPIToolkit", inputs.clone(), "addPet", body);
    assert_eq!(answer["text"], "made");
    let sent = web.last_request();
    assert_eq!(
        (sent.method.as_str(), sent.path.as_str(), &sent.body),
        ("POST", "/other/pets", &json!({"name": "Tom"}))
    );
    script_page(&web, &pets("https://elsewhere.test"));
    let (answer, _) = call_tool(&server, "openAPIToolkit", inputs, "getPet", arguments());
    assert!(answer["usedTools"][0]["error"].as_str().unwrap().contains("no tool named 'getPet'"), "{answer}");
}

#[test]
fn code_of_the_owner_may_make_the_call() {
    let (server, web) = with_web();
    script_page(&web, "{\"a\": 1}");
    let code = "const fetch = require('node-fetch'); const response = await fetch($url, $options); return 'got ' + await response.text();";
    let inputs = json!({"yamlFile": inline(&pets(&web.base_url())), "customCode": code, "headers": "{\"X-Own\": \"1\"}"});
    let (_, read) = call_tool(&server, "openAPIToolkit", inputs, "addPet", json!({"RequestBody": {"b": 2}}));
    assert!(read.contains("got {\"a\": 1}"), "{read}");
    let sent = web.last_request();
    assert_eq!(
        (sent.method.as_str(), &sent.body, sent.header("x-own")),
        ("POST", &json!({"b": 2}), Some("1"))
    );
}

/// An OpenAPI Chain: its flow.
fn chain(server: &Server, provider: &Provider, inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    let chain = drawing.card("openApiChain", inputs);
    drawing.wire(&model, &chain, "model");
    server.flow(&drawing.text())
}

#[test]
fn a_chain_answers_with_what_the_picked_operation_returns() {
    let (server, web) = with_web();
    let provider = Provider::start();
    let flow = chain(&server, &provider, json!({"yamlFile": inline(&pets(&web.base_url()))}));
    script_page(&web, "{\"name\": \"Tom\"}");
    provider.push_behaviour(Behaviour::call("getPet", arguments()));
    let stream = server.ask(&flow, &json!({"question": "Who is 7?", "streaming": true}));
    assert_eq!(stream.streamed_text(), "{\"name\": \"Tom\"}");
    assert_eq!(stream.event("usedTools")[0]["tool"], "getPet");
    assert_eq!(provider.last_request().body["tools"].as_array().unwrap().len(), 2);
    provider.push_behaviour(Behaviour::text("None of these fits."));
    assert_eq!(server.ask(&flow, &json!({"question": "Hi"})).is(200).json()["text"], "None of these fits.");
    provider.push_behaviour(Behaviour::call("getPet", json!({})));
    let fault = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(fault.contains("OpenAPI Chain: The path parameter 'id' is missing"), "{fault}");
}

#[test]
fn a_description_that_cannot_be_used_is_told_by_card_and_input() {
    let (server, web) = with_web();
    let provider = Provider::start();
    let elsewhere = Provider::start();
    for (inputs, message) in [
        (json!({}), "OpenAPI Chain: YAML Link: give a description"),
        (json!({"yamlFile": inline("a: [")}), "OpenAPI Chain: YAML File: the description is not YAML"),
        (
            json!({"yamlFile": inline("openapi: 3.0.0\npaths: {}")}),
            "YAML File: the description names no full address",
        ),
        (json!({"yamlLink": elsewhere.base_url()}), "YAML Link: The request failed: "),
    ] {
        let fault = server.ask(&chain(&server, &provider, inputs), &json!({"question": "Hi"})).is_error(500);
        assert!(fault.contains(message), "{fault}");
    }
    assert_eq!((web.served_count(), elsewhere.served_count(), provider.served_count()), (0, 0, 0));
}
