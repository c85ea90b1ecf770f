//! Flowise's templates of agentflows, whole: each is filled in as a person would, asked streamed and whole, with one branch
//! at a time and with many, and what went out, what callers were told and what is kept is a golden trace. Read from the
//! folder named by `FLOWKEEP_TEMPLATES`, which a checkout need not have.

mod stage;
pub mod trace;

use self::stage::{Exchange, Reading, Stage, exchange};
use crate::support::golden;
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

/// Holds a conversation with a template against its golden trace, however it is asked and however many branches run.
#[track_caller]
fn check(name: &str, template: &str, edit: &dyn Fn(&Stage, &mut Value), exchanges: &[Exchange]) {
    for branches in ["64", "1"] {
        let Some(stage) = Stage::open(template, branches, edit) else { return };
        let streamed = stage.converse(exchanges, Reading::Streamed);
        let text = serde_json::to_string_pretty(&streamed).unwrap();
        golden::check(&format!("agentflows/{name}.json"), &format!("{text}\n"));
        let whole = stage.converse(exchanges, Reading::Whole);
        assert_eq!(trace::beside_streaming(&whole), trace::beside_streaming(&streamed), "asked whole");
        for (whole, streamed) in whole.as_array().unwrap().iter().zip(streamed.as_array().unwrap()) {
            assert_eq!(trace::text_told(whole), trace::text_told(streamed));
        }
    }
}

fn unedited(_: &Stage, _: &mut Value) {}

/// The inputs of a node.
fn inputs<'c>(canvas: &'c mut Value, node: &str) -> &'c mut Value {
    let nodes = canvas["nodes"].as_array_mut().unwrap();
    &mut nodes.iter_mut().find(|known| known["id"] == node).unwrap()["data"]["inputs"]
}

fn question(text: &str, script: Vec<Behaviour>) -> Exchange {
    exchange(json!({ "question": text }), script)
}

fn found(value: &Value) -> Behaviour {
    Behaviour::status(200, &value.to_string())
}

/// What a search of the web finds.
fn search_results() -> Behaviour {
    found(&json!({"items": [{"title": "Socks", "link": "https://socks.example", "snippet": "Warm socks."}]}))
}

#[test]
fn translator_hears_each_sentence_alone() {
    let exchanges = [
        question("Good morning", vec![Behaviour::text("おはよう ございます")]),
        question("Good night", vec![Behaviour::text("おやすみなさい")]),
    ];
    check("translator", "Translator", &unedited, &exchanges);
}

#[test]
fn structured_output_gives_the_keys_that_it_lists() {
    let answer = json!({"output": [{"answer": "Four", "reason": "Two and two."}]});
    let exchanges = [
        question("What is two and two?", vec![Behaviour::call("give_answer", answer.clone())]),
        question(
            "Are you sure?",
            vec![
                Behaviour::call("give_answer", json!({"output": "Yes"})),
                Behaviour::call("give_answer", answer),
            ],
        ),
    ];
    check("structured_output", "Structured Output", &unedited, &exchanges);
}

/// A document store with one document, its vectors made by a provider.
fn filled_store(stage: &Stage) -> String {
    let store = crate::support::id(&stage.server().post("/document-store/store", &json!({"name": "Bakery"})));
    let loader = json!({
        "loader": {"name": "plainText", "config": {"text": "The bakery opens at seven."}},
        "metadata": {"source": "hours.md"},
    });
    stage.server().post(&format!("/document-store/upsert/{store}"), &loader);
    let credential = stage.credential("openAIEmbeddings").unwrap();
    let filling = json!({
        "storeId": store, "embeddingName": "openAIEmbeddings",
        "embeddingConfig": {"modelName": "text-embedding-3-small", "credential": credential},
    });
    let filled = stage.server().post("/document-store/vectorstore/insert", &filling);
    assert_eq!(filled["numAdded"], 1, "{filled}");
    store
}

#[test]
fn simple_rag_searches_the_document_store() {
    let exchanges = [
        question(
            "When does the bakery open?",
            vec![
                Behaviour::call("AI-Paper", json!({"input": "bakery opening hours"})),
                Behaviour::text("a vector, whatever the script says"),
                Behaviour::text("At seven."),
            ],
        ),
        question("In the morning?", vec![Behaviour::text("Yes.")]),
    ];
    let edit = |stage: &Stage, canvas: &mut Value| {
        let store = format!("{}:AI-Paper", filled_store(stage));
        inputs(canvas, "agentAgentflow_0")["agentKnowledgeDocumentStores"][0]["documentStore"] = store.into();
    };
    check("simple_rag", "Simple RAG", &edit, &exchanges);
}

#[test]
fn iterations_ask_two_models_about_each_item() {
    let script = ["abc from Gemini", "abc from Ollama", "def from Gemini", "def from Ollama", "Both said."];
    let exchanges = [question("Go", script.map(Behaviour::text).to_vec())];
    let edit = |stage: &Stage, canvas: &mut Value| {
        inputs(canvas, "llmAgentflow_1")["llmModelConfig"]["baseUrl"] = stage.provider.base_url().into();
    };
    check("iterations", "Iterations", &edit, &exchanges);
}

#[test]
fn agents_handoff_goes_to_the_agent_that_is_meant() {
    let sorted = |at: usize| {
        let scenario = template_text("Agents Handoff", |canvas| {
            inputs(canvas, "conditionAgentAgentflow_0")["conditionAgentScenarios"][at]["scenario"].clone()
        });
        Behaviour::text(&json!({ "output": scenario }).to_string())
    };
    let exchanges = [
        question("I want my money back", vec![sorted(0), Behaviour::text("Here it is.")]),
        question(
            "Have you got socks?",
            vec![
                sorted(1),
                Behaviour::call("google-custom-search", json!({"input": "socks"})),
                search_results(),
                Behaviour::text("Warm ones."),
            ],
        ),
        question("How are you?", vec![sorted(2), Behaviour::text("Fine.")]),
    ];
    check("agents_handoff", "Agents Handoff", &unedited, &exchanges);
}

/// A value of a template; empty where there is none to read.
fn template_text(name: &str, read: impl Fn(&mut Value) -> Value) -> Value {
    let Some(text) = crate::canvases::agentflow_template(name) else { return Value::Null };
    read(&mut serde_json::from_str(&text).unwrap())
}

#[test]
fn human_in_the_loop_writes_again_until_a_person_lets_it_send() {
    let form = json!({"subject": "Socks", "body": "Have you got warm ones?", "from": "ann@socks.example"});
    let exchanges = [
        exchange(
            json!({ "form": form }),
            vec![
                Behaviour::call("google-custom-search", json!({"input": "Ann of socks.example"})),
                search_results(),
                Behaviour::text("Dear Ann, no."),
            ],
        ),
        exchange(
            json!({"humanInput": {"type": "reject", "startNodeId": "humanInputAgentflow_0", "feedback": "Be kind."}}),
            vec![Behaviour::text("Dear Ann, gladly.")],
        ),
        exchange(
            json!({"humanInput": {"type": "proceed", "startNodeId": "humanInputAgentflow_0", "feedback": ""}}),
            vec![
                Behaviour::call("give_answer", json!({"subject": "Your socks", "body": "Gladly."})),
                found(&json!({"id": "mail-1", "labelIds": ["SENT"]})),
            ],
        ),
    ];
    check("human_in_the_loop", "Human In The Loop", &unedited, &exchanges);
}

#[test]
fn interacting_with_api_reads_calls_and_fetches() {
    let exchanges = [question(
        "What is on, and who is pet 7?",
        vec![
            Behaviour::call("get_events", json!({"id": "9", "limit": "1"})),
            found(&json!({"event": "Market"})),
            Behaviour::text("A market."),
            Behaviour::call("getPet", json!({"PathParameters": {"id": "7"}})),
            found(&json!({"name": "Tom"})),
            Behaviour::text("Tom."),
            found(&json!({"weather": "fine"})),
        ],
    )];
    let edit = |stage: &Stage, canvas: &mut Value| {
        let base = stage.provider.base_url();
        let tool = &mut inputs(canvas, "agentAgentflow_0")["agentTools"][0]["agentSelectedToolConfig"];
        let address = tool["requestsGetUrl"].as_str().unwrap().replace("http://localhost:5566", &base);
        tool["requestsGetUrl"] = address.into();
        let tool = &mut inputs(canvas, "agentAgentflow_1")["agentTools"][0]["agentSelectedToolConfig"];
        tool["yamlFile"] = crate::templates::inline("pets.yaml", &crate::templates::pets(&base)).into();
        inputs(canvas, "httpAgentflow_0")["url"] = format!("{base}/weather").into();
    };
    check("interacting_with_api", "Interacting With API", &edit, &exchanges);
}

const WORKPLACE: &str = "Workplace Chat";

// Local programs start on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn workplace_chat_posts_to_slack_and_fails_at_the_card_that_is_missing() {
    let exchanges = [question("Tell the others", vec![Behaviour::text("Hello, others.")])];
    check("workplace_chat", WORKPLACE, &unedited, &exchanges);
}

// Local programs start on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn workplace_chat_without_the_missing_card_runs_to_its_end() {
    let edit = |_: &Stage, canvas: &mut Value| {
        let missing = "toolAgentflow_1";
        canvas["nodes"].as_array_mut().unwrap().retain(|node| node["id"] != missing);
        let edges = canvas["edges"].as_array_mut().unwrap();
        edges.retain(|edge| edge["source"] != missing && edge["target"] != missing);
    };
    let exchanges = [question("Tell the others", vec![Behaviour::text("Hello, others.")])];
    check("workplace_chat_without_teams", WORKPLACE, &edit, &exchanges);
}

#[test]
fn a_card_that_is_missing_inside_of_a_step_is_named_by_validation() {
    let Some(stage) = Stage::open(WORKPLACE, "8", &unedited) else { return };
    let told = stage.server().read(&format!("/validation/{}", stage.flow));
    let rows = told.as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == "toolAgentflow_1").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(row["label"], "Post to Teams");
    assert_eq!(row["issues"], json!(["Tool: This server does not know the card 'microsoftTeams'."]));
}
