//! Spans on their way to a stand-in for a collector of OpenTelemetry.

use crate::canvases;
use crate::program::{Program, Throwaway, command};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// What was posted: path, headers and body.
struct CollectorRequest {
    path: String,
    headers: HashMap<String, String>,
    body: Value,
}

/// A collector that takes everything.
fn collector() -> (String, Receiver<CollectorRequest>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (told, posted) = mpsc::channel();
    std::thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let told = told.clone();
            std::thread::spawn(move || {
                let mut reader = BufReader::new(socket);
                while let Some(request) = read(&mut reader) {
                    let answered =
                        reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
                    if told.send(request).is_err() || answered.is_err() {
                        break;
                    }
                }
            });
        }
    });
    (address, posted)
}

fn read(reader: &mut BufReader<std::net::TcpStream>) -> Option<CollectorRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(CollectorRequest { path, headers, body: serde_json::from_slice(&body).ok()? })
}

fn start_service(variables: &[(&str, &str)]) -> Throwaway {
    let mut command = command(&["serve", "--throwaway", "--port", "0"]);
    command.envs(variables.iter().copied());
    Throwaway::start(command)
}

fn make(service: &Program, key: &str) -> String {
    service.make_flow(key, "Echo", &canvases::scripted(&json!([]), "You said: {question}"))
}

fn attribute<'s>(span: &'s Value, name: &str) -> &'s Value {
    let all = span["attributes"].as_array().unwrap();
    all.iter().find(|row| row["key"] == name).map_or(&Value::Null, |row| &row["value"])
}

#[test]
fn a_question_is_told_from_its_request_to_the_model() {
    let (address, posted) = collector();
    let service = start_service(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &address),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b,authorization=Bearer 1"),
        ("OTEL_SERVICE_NAME", "chats"),
        ("OTEL_BSP_SCHEDULE_DELAY", "50"),
    ]);
    let flow = make(&service.program, &service.key);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("00-{trace}-b7ad6b7169203331-01");
    let body = json!({"question": "a secret question", "streaming": true});
    let path = format!("/api/v1/prediction/{flow}");
    let answer = service.program.call("POST", &path, &[("traceparent", &parent)], &body);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert!(service.program.stop().success());
    let mut spans: Vec<Value> = Vec::new();
    while let Ok(request) = posted.recv_timeout(Duration::from_millis(500)) {
        assert_eq!(request.path, "/v1/traces");
        assert_eq!(
            (request.headers["x-team"].as_str(), request.headers["authorization"].as_str()),
            ("a b", "Bearer 1")
        );
        assert!(!request.body.to_string().contains("secret question"));
        let resource = &request.body["resourceSpans"][0];
        assert_eq!(attribute(&resource["resource"], "service.name")["stringValue"], "chats");
        spans.extend(resource["scopeSpans"][0]["spans"].as_array().unwrap().clone());
    }
    spans.retain(|span| span["traceId"] == trace);
    let named = |name: &str| {
        let found = spans.iter().find(|span| span["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {spans:?}"))
    };
    let request = named("POST /api/v1/prediction/:id");
    assert_eq!((&request["parentSpanId"], &request["kind"]), (&json!("b7ad6b7169203331"), &json!(2)));
    assert_eq!(attribute(request, "http.response.status_code")["intValue"], "200");
    let run = named("flow");
    assert_eq!(run["parentSpanId"], request["spanId"]);
    assert_eq!(attribute(run, "flowkeep.flow.id")["stringValue"], flow);
    let call = spans.iter().find(|span| attribute(span, "gen_ai.operation.name")["stringValue"] == "chat");
    let call = call.unwrap_or_else(|| panic!("no call of a model: {spans:?}"));
    assert_eq!(attribute(call, "gen_ai.provider.name")["stringValue"], "chatScripted");
    assert!(attribute(call, "gen_ai.usage.output_tokens")["intValue"].is_string(), "{call}");
    let card = spans.iter().find(|span| span["spanId"] == call["parentSpanId"]).unwrap();
    assert!(card["name"].as_str().unwrap().starts_with("card "), "{card}");
    assert_eq!(card["parentSpanId"], run["spanId"]);
}

#[test]
fn what_a_check_did_first_is_told_of_a_question_all_the_same() {
    let (address, posted) = collector();
    let service =
        start_service(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &address), ("OTEL_BSP_SCHEDULE_DELAY", "50")]);
    let flow = make(&service.program, &service.key);
    let bearer = format!("Bearer {}", service.key);
    let call = |method: &str, rest: &str, body: &Value| {
        let path = format!("/api/v1/flow-drafts/{flow}{rest}");
        let answer = service.program.call(method, &path, &[("authorization", &bearer)], body);
        assert!((200..300).contains(&answer.status()), "{}", answer.text());
        answer.json()
    };
    call("PUT", "/settings", &json!({"publishInstantly": false}));
    let draft = canvases::scripted(&json!([]), "Somebody said: {question}");
    call("PUT", "", &json!({"flowData": draft.to_string()}));
    call("POST", "/check", &json!({"questions": ["of a check"]}));
    let end = std::time::Instant::now() + PATIENCE;
    while call("GET", "/check", &Value::Null)["check"]["status"] != "done" {
        assert!(std::time::Instant::now() < end, "the check does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(service.program.ask(&flow, &json!({"question": "Hi"})).status(), 200);
    assert!(service.program.stop().success());
    let mut names: Vec<String> = Vec::new();
    while let Ok(request) = posted.recv_timeout(Duration::from_millis(500)) {
        let spans = request.body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        names.extend(spans.iter().map(|span| span["name"].as_str().unwrap().to_owned()));
    }
    let cards = names.iter().filter(|name| name.starts_with("card ")).count();
    let flows = names.iter().filter(|name| *name == "flow").count();
    let models = names.iter().filter(|name| *name == "model").count();
    assert!(flows == 1 && cards > 0 && models == 1, "the spans of one question: {names:?}");
}

#[test]
fn a_collector_that_is_away_harms_nobody() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{closed}");
    let service = start_service(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
        ("OTEL_BSP_SCHEDULE_DELAY", "10"),
        ("SERVICE_METRICS", "key"),
    ]);
    let flow = make(&service.program, &service.key);
    assert_eq!(service.program.ask(&flow, &json!({"question": "Hi"})).json()["text"], "You said: Hi");
    let bearer = format!("Bearer {}", service.key);
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        let page = service.program.get("/metrics", &[("authorization", &bearer)]).text();
        let lost = page.lines().find_map(|line| line.strip_prefix("flowkeep_spans_lost_total ")).unwrap();
        if lost != "0" {
            break;
        }
        assert!(std::time::Instant::now() < end, "{page}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(service.program.stop().success());
}
