//! The memory in a table of DynamoDB: before a stand-in that recomputes every signature, and before the `moto` server, which
//! `.ci/s3` starts and names in `FLOWKEEP_DYNAMODB` as `http://key:secret@host:port`.

use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::aws::Account;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, id};
use flowkeep::aws::{AccessKey, SigningRequest, SigningScope};
use flowkeep::base::cancel::CancelToken;
use flowkeep::net::{CallPurpose, Method, Outgoing, ResponseLimits};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use url::Url;
use uuid::Uuid;

const ACCOUNT: Account = Account {
    id: "AKIAIOSFODNN7EXAMPLE",
    secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    session: None,
    region: "eu-central-1",
    service: "dynamodb",
};
const TABLE: &str = "talks";

/// A service, a model that says yes, and an address with a table.
struct Fixture {
    server: Server,
    talks: Provider,
    base: String,
    key: Value,
}

impl Fixture {
    fn at(base: String, key: Value) -> Self {
        let talks = Provider::start();
        talks.set_decision(|_| Behaviour::text("Yes."));
        Self { server: Server::start(), talks, base, key }
    }

    /// A conversation with this memory.
    fn flow(&self, inputs: Value) -> String {
        let mut all = json!({
            "tableName": TABLE, "partitionKey": "SessionId", "region": ACCOUNT.region, "serverUrl": self.base,
        });
        all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
        let mut drawing = Drawing::default();
        let model =
            ProviderFormat::OpenAi.model(&mut drawing, &self.server, &self.talks.base_url(), json!({}));
        let memory = drawing.card("DynamoDBChatMemory", all);
        let body = json!({"name": "aws", "credentialName": "dynamodbMemoryApi", "plainDataObj": self.key});
        drawing.credential(&memory, &id(&self.server.post("/credentials", &body)));
        let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        self.server.flow(&drawing.text())
    }

    fn ask(&self, flow: &str, question: &str, earlier: Option<&Value>) -> Value {
        let mut body = json!({ "question": question });
        if let Some(earlier) = earlier {
            body["chatId"] = earlier["chatId"].clone();
            body["sessionToken"] = earlier["sessionToken"].clone();
        }
        self.server.ask(flow, &body).is(200).json()
    }

    /// What the model was sent last, without the instructions.
    fn messages_sent(&self) -> Vec<String> {
        let messages = self.talks.last_request().body["messages"].clone();
        let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
        messages.as_array().unwrap()[1..].iter().map(text).collect()
    }

    /// What holds of any server.
    fn check(&self) {
        let flow = self.flow(json!({}));
        let first = self.ask(&flow, "I am \"Ada\".\u{1F4E6}", None);
        assert_eq!(first["memoryType"], "DynamoDB Chat Memory");
        self.ask(&flow, "Who am I?", Some(&first));
        assert_eq!(self.messages_sent(), ["I am \"Ada\".\u{1F4E6}", "Yes.", "Who am I?"]);
        self.ask(&flow, "And who are you?", None);
        assert_eq!(self.messages_sent(), ["And who are you?"], "another conversation is another memory");
        let chat = first["chatId"].as_str().unwrap();
        let forget = format!("/chatmessage/{flow}?chatId={chat}");
        self.server.owner("DELETE", &forget).send().is(200);
        let shared = self.flow(json!({"sessionId": Uuid::new_v4().to_string()}));
        self.ask(&shared, "a", None);
        self.ask(&shared, "b", None);
        assert_eq!(self.messages_sent(), ["a", "Yes.", "b"], "a fixed session is for all who ask");
        let lost = self.flow(json!({"tableName": "no-such-table"}));
        let told = self.server.ask(&lost, &json!({"question": "Hi"})).is_error(500);
        assert!(told.starts_with("DynamoDB Chat Memory: the provider answered 400"), "{told}");
        assert!(!told.contains(ACCOUNT.secret), "{told}");
    }
}

/// The items of a table, each the list of its messages.
type Items = Arc<Mutex<HashMap<String, Vec<Value>>>>;

fn answer(request: &RecordedRequest, items: &mut HashMap<String, Vec<Value>>) -> Behaviour {
    let good = |body: Value| Behaviour::Status { status: 200, body: body.to_string(), headers: Vec::new() };
    assert_eq!(
        (request.method.as_str(), request.header("content-type")),
        ("POST", Some("application/x-amz-json-1.0"))
    );
    if request.body["TableName"] != TABLE {
        let kind = "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException";
        let body = json!({"__type": kind, "message": "Requested resource not found"});
        return Behaviour::Status { status: 400, body: body.to_string(), headers: Vec::new() };
    }
    let session = request.body["Key"]["SessionId"]["S"].as_str().unwrap().to_owned();
    match request.header("x-amz-target").unwrap() {
        "DynamoDB_20120810.GetItem" => good(items.get(&session).map_or_else(
            || json!({}),
            |said| json!({"Item": {"SessionId": {"S": session}, "messages": {"L": said}}}),
        )),
        "DynamoDB_20120810.UpdateItem" => {
            let new = request.body["ExpressionAttributeValues"][":new"]["L"].as_array().unwrap();
            items.entry(session).or_default().extend(new.iter().cloned());
            good(json!({}))
        }
        "DynamoDB_20120810.DeleteItem" => {
            items.remove(&session);
            good(json!({}))
        }
        other => panic!("{other}"),
    }
}

fn stand_in() -> (Fixture, Provider, Items) {
    let (provider, items) = (Provider::start(), Items::default());
    let shared = items.clone();
    provider.set_decision(move |request| {
        ACCOUNT.refusal(request).unwrap_or_else(|| answer(request, &mut shared.lock().unwrap()))
    });
    let key = json!({"accessKey": ACCOUNT.id, "secretAccessKey": ACCOUNT.secret});
    (Fixture::at(provider.base_url(), key), provider, items)
}

#[test]
fn a_conversation_is_kept_in_the_familys_form_and_forgotten_with_it() {
    let (house, _provider, items) = stand_in();
    house.check();
    let kept = items.lock().unwrap();
    let entry = |kind: &str, text: &str| json!({"M": {"type": {"S": kind}, "text": {"S": text}}});
    let shared = [entry("human", "a"), entry("ai", "Yes."), entry("human", "b"), entry("ai", "Yes.")];
    assert!(kept.values().any(|said| *said == shared), "{kept:?}");
    assert_eq!(kept.len(), 2, "the conversation that was deleted is not among them: {kept:?}");
}

#[test]
fn a_key_that_the_table_refuses_is_told_of() {
    let (mut house, _provider, items) = stand_in();
    house.key = json!({"accessKey": ACCOUNT.id, "secretAccessKey": "another-secret"});
    let flow = house.flow(json!({}));
    let told = house.server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.starts_with("DynamoDB Chat Memory: the provider refused the API key"), "{told}");
    assert!(items.lock().unwrap().is_empty());
}

#[test]
fn a_real_server_keeps_the_conversation() {
    let Ok(text) = std::env::var("FLOWKEEP_DYNAMODB") else {
        // Not by the macro, whose words are only shown when a test fails.
        let _ = writeln!(std::io::stderr(), "skipped: FLOWKEEP_DYNAMODB names no server");
        return;
    };
    let url = Url::parse(&text).expect("FLOWKEEP_DYNAMODB is an address");
    let secret = percent_encoding::percent_decode_str(url.password().unwrap()).decode_utf8().unwrap();
    let keys = AccessKey { id: url.username().to_owned(), secret: secret.into_owned(), session: None };
    let base = format!("http://{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let table = json!({
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "SessionId", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "SessionId", "KeyType": "HASH"}],
    });
    let body = table.to_string().into_bytes();
    let mut headers = vec![
        ("x-amz-target", "DynamoDB_20120810.CreateTable"),
        ("content-type", "application/x-amz-json-1.0"),
    ];
    let (scope, place) = (
        SigningScope { region: ACCOUNT.region.to_owned(), service: "dynamodb".to_owned() },
        format!("{base}/"),
    );
    let request = SigningRequest { method: "POST", url: &place, headers: &headers, body: &body };
    let signed = keys.sign(&scope, &request, jiff::Timestamp::now());
    headers.extend(signed.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let (outgoing, cancel) = (Outgoing::new(Vec::new(), true), CancelToken::new(None));
    let (purpose, limits) = (CallPurpose::Provider, ResponseLimits::default());
    let mut made =
        outgoing.send(purpose, Method::POST, &place, &headers, Some(&body), &cancel, limits).unwrap();
    let said = made.read_to_string(10_000).unwrap();
    // The table of a run before is still there.
    assert!(made.status() == 200 || said.contains("ResourceInUse"), "{} {said}", made.status());
    let mut house = Fixture::at(base, json!({"accessKey": keys.id, "secretAccessKey": keys.secret}));
    house.check();
    house.key = json!({"accessKey": keys.id, "secretAccessKey": "another-secret-of-somebody"});
    let flow = house.flow(json!({}));
    let told = house.server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("refused the API key"), "{told}");
}
