//! Flowise's templates of Multi-Agent and Sequential Agent flows, whole: with the credentials and the tool that they name, asked
//! streamed and whole, one branch at a time and many at once. What went out and what callers were told is a golden trace. Read
//! from the folder named by `FLOWKEEP_TEMPLATES`, which a checkout need not have.

use crate::agentflow_templates::trace::{self, ForeignTexts};
use crate::canvases::member_template;
use crate::support::client::Answer;
use crate::support::internet::{InternetStandIn, StandInAnswer};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Options, Server, golden, id};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

const HOSTS: &[&str] = &[
    "api.openai.com",
    "api.anthropic.com",
    "api.pinecone.io",
    "apple-index.svc.pinecone.io",
    "www.googleapis.com",
];

/// Cards, with the credential that each takes and its fields.
const SIGNED_IN: &[(&str, &str, &[&str])] = &[
    ("chatOpenAI", "openAIApi", &["openAIApiKey"]),
    ("openAIEmbeddings", "openAIApi", &["openAIApiKey"]),
    ("chatAnthropic", "anthropicApi", &["anthropicApiKey"]),
    ("pinecone", "pineconeApi", &["pineconeApiKey"]),
    ("googleCustomSearch", "googleCustomSearchApi", &["googleCustomSearchApiKey", "googleCustomSearchApiId"]),
];

struct Stage {
    server: Server,
    provider: Provider,
    flow: String,
    foreign: ForeignTexts,
    script: Arc<Mutex<VecDeque<Behaviour>>>,
    _internet: InternetStandIn,
}

/// A question, and what models and tools answer in turn.
type Exchange = (Value, Vec<Behaviour>);

fn question(text: &str, script: Vec<Behaviour>) -> Exchange {
    (json!({ "question": text }), script)
}

fn found(value: &Value) -> Behaviour {
    Behaviour::status(200, &value.to_string())
}

impl Stage {
    fn open(name: &str, branches: &str) -> Option<Self> {
        let mut canvas: Value = serde_json::from_str(&member_template(name)?).unwrap();
        let foreign = ForeignTexts::of_prompts(&canvas);
        let provider = Provider::start();
        let address = provider.base_url().replace("http://", "");
        let beyond = address.parse().unwrap();
        let internet = InternetStandIn::of(HOSTS, move |_| StandInAnswer::Relay(beyond));
        let settings = vec![
            ("HTTPS_PROXY", internet.proxy.clone()),
            ("SERVICE_CA_FILE", internet.authority.clone()),
            ("SERVICE_BRANCHES", branches.to_owned()),
        ];
        let server = Server::with_options(Options { settings, ..Options::default() });
        for node in canvas["nodes"].as_array_mut().unwrap() {
            equip(&server, &mut node["data"]);
        }
        let flow = server.flow_with(&canvas.to_string(), &json!({"name": name, "type": "MULTIAGENT"}));
        let script = Arc::new(Mutex::new(VecDeque::new()));
        let queue = script.clone();
        provider.set_decision(move |request| answer(request, &queue));
        Some(Self { server, provider, flow, foreign, script, _internet: internet })
    }

    /// A conversation of its own: what was sent and told for each of its questions.
    fn converse(&self, exchanges: &[Exchange], streaming: bool) -> Value {
        let mut cookie: Option<String> = None;
        let mut chat = Value::Null;
        let mut turns = Vec::new();
        for (body, script) in exchanges {
            self.script.lock().unwrap().extend(script.iter().cloned());
            let before = self.provider.requests().len();
            let mut asked = body.clone();
            asked["streaming"] = streaming.into();
            asked["chatId"] = chat.clone();
            let mut call = self.server.call("POST", &format!("/prediction/{}", self.flow));
            if let Some(cookie) = &cookie {
                call = call.header("Cookie", cookie);
            }
            let answer = call.json(&asked).send();
            assert!(self.script.lock().unwrap().is_empty(), "{body}: {answer:?}");
            let set = answer.header("set-cookie").and_then(|cookie| cookie.split(';').next());
            cookie = set.map(str::to_owned).or(cookie);
            let mut told = told(&answer, streaming);
            chat = told["chat"].take();
            told["asked"] = body.clone();
            told["sent"] = self.provider.requests()[before..].iter().map(trace::sent).collect();
            turns.push(self.foreign.shorten(trace::normalise(told)));
        }
        turns.into()
    }
}

/// What the stand-in of every address answers.
fn answer(request: &RecordedRequest, script: &Mutex<VecDeque<Behaviour>>) -> Behaviour {
    if request.path.starts_with("/indexes/") {
        return found(
            &json!({"name": "flowiseindex", "metric": "cosine", "host": "apple-index.svc.pinecone.io"}),
        );
    }
    if request.path.starts_with("/query") {
        let metadata = json!({"text": "Apple sold many phones.", "source": "apple"});
        return found(&json!({"matches": [{"id": "1", "score": 0.9, "metadata": metadata}]}));
    }
    if request.path.contains("/embeddings") {
        return Behaviour::Echo;
    }
    // The agents that answer at once say their letter, whoever comes first.
    let letter = ["A", "B", "C", "D"]
        .into_iter()
        .find(|letter| request.body.to_string().contains(&format!("Only reply \\\"I am {letter}\\\"")));
    if let Some(letter) = letter {
        return Behaviour::text(&format!("I am {letter}"));
    }
    script.lock().unwrap().pop_front().unwrap_or(Behaviour::Echo)
}

/// Selects a credential of the card, or makes the tool that it names.
fn equip(server: &Server, card: &mut Value) {
    let name = card["name"].as_str().unwrap().to_owned();
    if name == "customTool" {
        let rows = json!([{"id": 0, "property": "sql", "type": "string", "description": "The query", "required": true}]);
        let tool = json!({
            "name": "execute_sql", "description": "Runs a query", "color": "#fff",
            "schema": rows.to_string(), "func": "return `3 rows of ${$sql}`",
        });
        card["inputs"]["selectedTool"] = id(&server.post("/tools", &tool)).into();
    }
    let Some((_, kind, fields)) = SIGNED_IN.iter().find(|(known, ..)| *known == name.as_str()) else {
        return;
    };
    let field = |name: &&str| ((*name).to_owned(), Value::from(format!("{}{name}", trace::SECRET)));
    let fields: serde_json::Map<String, Value> = fields.iter().map(field).collect();
    let body = json!({"name": kind, "credentialName": kind, "plainDataObj": fields});
    card["credential"] = id(&server.post("/credentials", &body)).into();
}

/// What the caller was told, alike however it asked: text, turns, what is asked, and the names of events.
fn told(answer: &Answer, streaming: bool) -> Value {
    if !streaming {
        let answer = answer.json();
        return json!({
            "chat": answer["chatId"], "text": answer["text"], "agentReasoning": answer["agentReasoning"],
            "action": answer["action"], "memoryType": answer["memoryType"],
        });
    }
    let events = answer.events();
    let newest = |wanted: &str| {
        let event = events.iter().rev().find(|(name, _)| name == wanted);
        event.map(|(_, data)| data.clone()).unwrap_or_default()
    };
    let metadata = newest("metadata");
    json!({
        "chat": metadata["chatId"], "text": answer.streamed_text(), "agentReasoning": newest("agentReasoning"),
        "action": newest("action"), "memoryType": metadata["memoryType"],
        "events": answer.event_names(),
    })
}

/// Without what differs by the way of asking: the names of events, and in which order branches that run at once ask.
fn alike(turns: &Value) -> Value {
    let mut turns = turns.clone();
    for turn in turns.as_array_mut().unwrap() {
        turn.as_object_mut().unwrap().remove("events");
        turn["sent"].as_array_mut().unwrap().sort_by_key(Value::to_string);
    }
    turns
}

#[track_caller]
fn check(name: &str, template: &str, exchanges: &[Exchange]) {
    let mut first: Option<Value> = None;
    for branches in ["1", "8"] {
        let Some(stage) = Stage::open(template, branches) else { return };
        let streamed = stage.converse(exchanges, true);
        if first.is_none() {
            let text = serde_json::to_string_pretty(&streamed).unwrap();
            golden::check(&format!("members/{name}.json"), &format!("{text}\n"));
        }
        let whole = stage.converse(exchanges, false);
        assert_eq!(alike(&whole), alike(&streamed), "asked whole");
        let first = first.get_or_insert_with(|| streamed.clone());
        assert_eq!(alike(first), alike(&streamed), "{branches} branches");
    }
}

fn route(next: &str, instructions: &str) -> Behaviour {
    Behaviour::call("route", json!({"reasoning": "So.", "next": next, "instructions": instructions}))
}

fn search_results() -> Behaviour {
    found(&json!({"items": [{"title": "Tesla", "link": "https://cars.example", "snippet": "It rose."}]}))
}

#[test]
fn software_team_builds_and_reviews() {
    let script = vec![
        route("senior_software_engineer", "Build a counter."),
        Behaviour::text("let count = 0;"),
        route("code_reviewer", "Review the counter."),
        Behaviour::text("It counts."),
        route("FINISH", ""),
    ];
    check("software_team", "Software Team", &[question("A counter, please", script)]);
}

#[test]
fn portfolio_management_team_searches_the_web() {
    let script = vec![
        route("financial_analyst", "Look up the price."),
        Behaviour::call("google-custom-search", json!({"input": "Tesla price"})),
        search_results(),
        Behaviour::text("It rose."),
        route("risk_manager", "How risky is it?"),
        Behaviour::text("Rather."),
        route("portfolio_manager", "Decide."),
        Behaviour::text("Hold."),
        route("FINISH", ""),
    ];
    let again = vec![route("FINISH", "Still hold.")];
    check(
        "portfolio_management_team",
        "Portfolio Management Team",
        &[question("Buy or sell?", script), question("And now?", again)],
    );
}

#[test]
fn text_to_sql_runs_the_tool_of_the_workspace() {
    let script = vec![
        route("sql_expert", "Write the query."),
        Behaviour::text("select * from customers"),
        route("sql_reviewer", "Review it."),
        Behaviour::text("Fine."),
        route("sql_executor", "Run it."),
        Behaviour::call("execute_sql", json!({"sql": "select * from customers"})),
        Behaviour::text("There are three."),
        route("FINISH", ""),
    ];
    check("text_to_sql", "Text to SQL", &[question("How many customers?", script)]);
}

#[test]
fn branch_out_merge_in_hears_all_branches() {
    check("branch_out_merge_in", "Branch Out Merge In", &[question("Who are you?", Vec::new())]);
}

#[test]
fn essay_writing_is_graded_until_it_is_long_enough() {
    let script = (1..=4).flat_map(|round| {
        let grade = (round < 4).then(|| Behaviour::text(&format!("Grade {round}")));
        std::iter::once(Behaviour::text(&format!("Essay {round}"))).chain(grade)
    });
    check(
        "essay_writing",
        "Essay Writing & Grading",
        &[question("Write me an essay about sky", script.collect())],
    );
}

#[test]
fn multi_agents_choose_by_structured_output() {
    let choose = |next: &str| {
        Behaviour::call("give_answer", json!({"next": next, "instructions": "Do it.", "reasoning": "So."}))
    };
    let script = vec![
        choose("software_engineer"),
        Behaviour::text("let count = 0;"),
        choose("code_reviewer"),
        Behaviour::text("It counts."),
        choose("FINISH"),
        Behaviour::text("A counter was built and reviewed."),
    ];
    check("multi_agents", "Multi Agents", &[question("A counter, please", script)]);
}

#[test]
fn human_in_loop_rag_asks_before_it_searches() {
    let asks = || {
        vec![
            Behaviour::call("search_apple", json!({"input": "phones"})),
            Behaviour::text("May I search the documents about Apple?"),
        ]
    };
    let exchanges = [
        question("How many phones did Apple sell?", asks()),
        question("Yes", vec![Behaviour::text("Many."), Behaviour::text("Apple sold many phones.")]),
        question("And tablets?", asks()),
        question("No", vec![Behaviour::text("Then I cannot say."), Behaviour::text("Nobody knows.")]),
    ];
    check("human_in_loop_rag", "Human In Loop RAG", &exchanges);
}
