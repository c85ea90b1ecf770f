//! Flowise's templates, whole: each is filled in as a person would, asked, and what went out to providers is kept as
//! a golden trace. Read from the folder named by `FLOWKEEP_TEMPLATES`, which a checkout need not have.

use crate::canvases::template;
use crate::support::canvases::SECRET;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, golden, id};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What a person fills in on a card: its credential with the fields beside the key, and its address.
struct FilledCard {
    card: &'static str,
    credential: Option<(&'static str, &'static str)>,
    address: Option<(&'static str, &'static str)>,
}

const fn card(
    card: &'static str,
    credential: Option<(&'static str, &'static str)>,
    address: Option<(&'static str, &'static str)>,
) -> FilledCard {
    FilledCard { card, credential, address }
}

const FILLED: &[FilledCard] = &[
    card("azureChatOpenAI", Some(("azureOpenAIApi", "azureOpenAIApiKey")), Some(("basepath", ""))),
    card("chatAnthropic", Some(("anthropicApi", "anthropicApiKey")), Some(("baseUrl", ""))),
    card("chatMistralAI", Some(("mistralAIApi", "mistralAIAPIKey")), Some(("overrideEndpoint", ""))),
    card("chatOllama", None, Some(("baseUrl", ""))),
    card("chatOpenAI", Some(("openAIApi", "openAIApiKey")), Some(("basepath", "/v1"))),
    card("localAIEmbeddings", None, Some(("basePath", "/v1"))),
    card("openAIEmbeddings", Some(("openAIApi", "openAIApiKey")), Some(("basepath", "/v1"))),
    card("serpAPI", Some(("serpApi", "serpApiKey")), None),
];

struct TemplateFixture {
    server: Server,
    provider: Provider,
    flow: String,
}

/// A file as an editor stores it in an input.
pub fn inline(name: &str, text: &str) -> String {
    format!("data:text/plain;base64,{},filename:{name}", STANDARD.encode(text))
}

/// The template with its cards filled in, and `more` set on cards by name.
fn start_template(server: Server, name: &str, more: &[(&str, &str, Value)]) -> Option<TemplateFixture> {
    let provider = Provider::start();
    let mut canvas: Value = serde_json::from_str(&template(name)?).unwrap();
    for node in canvas["nodes"].as_array_mut().unwrap() {
        let card = node["data"]["name"].as_str().unwrap().to_owned();
        let inputs = &mut node["data"]["inputs"];
        for (_, input, value) in more.iter().filter(|(of, ..)| *of == card) {
            inputs[*input] = value.clone();
        }
        let Some(filled) = FILLED.iter().find(|filled| filled.card == card) else { continue };
        if let Some((input, path)) = filled.address {
            inputs[input] = format!("{}{path}", provider.base_url()).into();
        }
        if let Some((kind, field)) = filled.credential {
            let mut fields = json!({field: SECRET});
            if kind == "azureOpenAIApi" {
                fields["azureOpenAIApiInstanceName"] = "ours".into();
                fields["azureOpenAIApiDeploymentName"] = "our-gpt".into();
                fields["azureOpenAIApiVersion"] = "2024-10-21".into();
            }
            let body = json!({"name": card, "credentialName": kind, "plainDataObj": fields});
            node["data"]["credential"] = id(&server.post("/credentials", &body)).into();
        }
    }
    let flow = server.flow(&canvas.to_string());
    Some(TemplateFixture { server, provider, flow })
}

impl TemplateFixture {
    fn ask(&self, question: &str) -> Value {
        self.server.ask(&self.flow, &json!({ "question": question })).is(200).json()
    }

    fn follow(&self, first: &Value, question: &str) -> Value {
        let body =
            json!({"question": question, "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
        self.server.ask(&self.flow, &body).is(200).json()
    }

    /// Everything that was sent to providers, in order.
    fn check_sent(&self, name: &str) {
        let mut trace = String::new();
        for sent in self.provider.requests() {
            let body = serde_json::to_string_pretty(&sent.body).unwrap();
            writeln!(trace, "{} {}\n{body}\n", sent.method, sent.path).unwrap();
        }
        golden::check(&format!("template_{name}.txt"), &trace);
    }
}

#[test]
fn the_llm_chain_template_fills_its_prompt_with_the_question() {
    let Some(staged) = start_template(Server::start(), "LLM Chain", &[]) else { return };
    staged.provider.push_behaviour(Behaviour::text("Sockwell"));
    assert_eq!(staged.ask("socks")["text"], "Sockwell");
    staged.check_sent("llm_chain");
}

#[test]
fn the_tool_agent_template_calculates_and_remembers() {
    let Some(staged) = start_template(Server::start(), "Tool Agent", &[]) else { return };
    staged.provider.push_behaviour(Behaviour::call("calculator", json!({"input": "6*7"})));
    staged.provider.push_behaviour(Behaviour::text("It is 42."));
    let first = staged.ask("What is 6*7?");
    assert_eq!((&first["text"], &first["usedTools"][0]["tool"]), (&json!("It is 42."), &json!("calculator")));
    staged.provider.push_behaviour(Behaviour::text("Half of it is 21."));
    assert_eq!(staged.follow(&first, "And half of it?")["text"], "Half of it is 21.");
    staged.check_sent("tool_agent");
}

#[test]
fn the_conversational_agent_template_calls_its_tools_by_text() {
    let Some(staged) = start_template(Server::start(), "Conversational Agent", &[]) else { return };
    staged.provider.push_behaviour(Behaviour::text(r#"{"action": "calculator", "action_input": "6*7"}"#));
    staged
        .provider
        .push_behaviour(Behaviour::text(r#"{"action": "Final Answer", "action_input": "It is 42."}"#));
    let answer = staged.ask("What is 6*7?");
    assert_eq!(
        (&answer["text"], &answer["usedTools"][0]["tool"]),
        (&json!("It is 42."), &json!("calculator"))
    );
    staged.check_sent("conversational_agent");
}

const BAKERY: &str = "The bakery is at 5 Mill Lane.\n\nThe bakery opens at seven in the morning.";

/// Upserts into the store of a retrieval template, asks it, and asks on.
fn converse(staged: &TemplateFixture) {
    let filled = staged.server.post(&format!("/vector/internal-upsert/{}", staged.flow), &json!({}));
    assert_eq!(filled["numAdded"], 1, "{filled}");
    // A question is embedded before a model hears of it, and the stand-in takes its script in order.
    let embedded = || staged.provider.push_behaviour(Behaviour::text("a vector, whatever the script says"));
    embedded();
    staged.provider.push_behaviour(Behaviour::text("At 5 Mill Lane."));
    let first = staged.ask("Where is the bakery?");
    assert_eq!(first["text"], "At 5 Mill Lane.");
    staged.provider.push_behaviour(Behaviour::text("When does the bakery open?"));
    embedded();
    staged.provider.push_behaviour(Behaviour::text("At seven."));
    assert_eq!(staged.follow(&first, "And when does it open?")["text"], "At seven.");
}

#[test]
fn the_retrieval_template_answers_from_what_was_filled_in() {
    let server = Server::start();
    let store = server.post("/document-store/store", &json!({"name": "Hours", "description": ""}));
    let more = [
        ("textFile", "txtFile", inline("bakery.txt", BAKERY).into()),
        ("documentStore", "selectedStore", store["id"].clone()),
        ("faiss", "basePath", json!("bakery")),
    ];
    let Some(staged) = start_template(server, "Conversational Retrieval QA Chain", &more) else { return };
    converse(&staged);
    staged.check_sent("conversational_retrieval");
}

#[test]
fn the_local_template_answers_with_local_models() {
    let more = [
        ("textFile", "txtFile", inline("bakery.txt", BAKERY).into()),
        ("faiss", "basePath", json!("bakery")),
    ];
    let Some(staged) = start_template(Server::start(), "Local QnA", &more) else { return };
    converse(&staged);
    staged.check_sent("local_qna");
}

/// The description of an API at this address.
pub fn pets(base: &str) -> String {
    format!(
        "openapi: 3.0.1\nservers: [{{url: \"{base}\"}}]\npaths:\n  /pets/{{id}}:\n    get:\n      operationId: getPet\n      \
         description: Reads a pet.\n      parameters:\n        - {{name: id, in: path, required: true, schema: {{type: string}}}}\n"
    )
}

#[test]
fn the_openapi_template_calls_an_operation() {
    let web = Provider::start();
    let allowed = web.base_url().replace("http://", "");
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &allowed)]);
    let more = [("openAPIToolkit", "openApiFile", inline("pets.yaml", &pets(&web.base_url())).into())];
    let Some(staged) = start_template(server, "OpenAPI YAML Agent", &more) else { return };
    staged.provider.push_behaviour(Behaviour::call("getPet", json!({"PathParameters": {"id": "7"}})));
    staged.provider.push_behaviour(Behaviour::text("Its name is Tom."));
    let answer = staged.ask("Who is pet 7?");
    assert_eq!(
        (&answer["text"], &answer["usedTools"][0]["tool"]),
        (&json!("Its name is Tom."), &json!("getPet"))
    );
    assert_eq!(web.last_request().path, "/pets/7");
    staged.check_sent("openapi_agent");
}

#[test]
fn the_sql_template_answers_from_a_database() {
    let server = Server::start();
    let workspace = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let folder = server.app.settings.data_dir.join("databases").join(workspace);
    std::fs::create_dir_all(&folder).unwrap();
    let made = Connection::open(folder.join("shop.db")).unwrap();
    made.execute_batch("CREATE TABLE customers (name TEXT); INSERT INTO customers VALUES ('Ada');").unwrap();
    let Some(staged) =
        start_template(server, "SQL DB Chain", &[("sqlDatabaseChain", "url", json!("shop.db"))])
    else {
        return;
    };
    staged.provider.push_behaviour(Behaviour::text("SELECT name FROM customers"));
    staged.provider.push_behaviour(Behaviour::text("Ada."));
    assert_eq!(staged.ask("Who buys?")["text"], "Ada.");
    staged.check_sent("sql_chain");
}

#[test]
fn a_template_that_is_another_cards_text_is_no_template() {
    let Some(template) = template("Prompt Chaining") else { return };
    let mut canvas: Value = serde_json::from_str(&template).unwrap();
    let (server, provider) = (Server::start(), Provider::start());
    let body = json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let credential = id(&server.post("/credentials", &body));
    let nodes = canvas["nodes"].as_array_mut().unwrap();
    let first = nodes
        .iter()
        .find(|node| {
            node["data"]["name"] == "llmChain" && node["data"]["outputs"]["output"] == "outputPrediction"
        })
        .map(|node| node["id"].as_str().unwrap().to_owned())
        .unwrap();
    for node in nodes.iter_mut() {
        if node["data"]["name"] == "chatOpenAI" {
            node["data"]["inputs"]["basepath"] = format!("{}/v1", provider.base_url()).into();
            node["data"]["credential"] = credential.clone().into();
        }
        let values = node["data"]["inputs"]["promptValues"].to_string();
        if node["data"]["name"] == "promptTemplate" && values.contains(&first) {
            node["data"]["inputs"]["template"] = format!("{{{{{first}.data.instance}}}}").into();
        }
    }
    let flow = server.flow(&canvas.to_string());
    provider.push_behaviour(Behaviour::text("Ask {objective} and {other} now."));
    provider.push_behaviour(Behaviour::text("Done."));
    let answer = server.ask(&flow, &json!({"question": "swordfish"})).is(200).json();
    assert_eq!(answer["text"], "Done.");
    let sent = &provider.last_request().body["messages"][0]["content"];
    assert_eq!(sent, "Ask {objective} and {other} now.");
}
