//! Names that cards and their inputs bore in earlier years. A canvas that was drawn then is read as if it were drawn
//! today; what is stored of it stays as it was drawn, until somebody saves it otherwise.

use super::Node;
use super::template::{Reference, TextTemplate};
use serde_json::Value;
use std::collections::HashMap;

/// A card under a name it has no more.
struct FormerName {
    /// The name it was drawn with.
    old: &'static str,
    current: &'static str,
    /// The output it had when it had but one, where the card of today lets its owner choose.
    output: Option<&'static str>,
}

const fn former_name(was: &'static str, now: &'static str) -> FormerName {
    FormerName { old: was, current: now, output: None }
}

/// A vector store that was two cards once: one for upserts and one for searches, each made for its retriever.
const fn former_store(was: &'static str, now: &'static str) -> FormerName {
    FormerName { old: was, current: now, output: Some("retriever") }
}

/// All names that were given up. The card of today need not be one that this server has.
const CARDS: &[FormerName] = &[
    former_name("conversationalRetrievalAgent", "conversationalRetrievalToolAgent"),
    former_name("openAIConversationalRetrievalAgent", "conversationalRetrievalToolAgent"),
    former_name("mistralAIFunctionAgent", "toolAgent"),
    former_name("mistralAIToolAgent", "toolAgent"),
    former_name("openAIFunctionAgent", "toolAgent"),
    former_name("openAIToolAgent", "toolAgent"),
    former_name("mrklAgentChat", "reactAgentChat"),
    former_name("mrlkAgentChat", "reactAgentChat"),
    former_name("mrklAgentLLM", "reactAgentLLM"),
    former_name("mrlkAgentLLM", "reactAgentLLM"),
    former_store("ElasticsearchIndex", "elasticsearch"),
    former_store("ElasticsearchUpsert", "elasticsearch"),
    former_store("MongoDBIndex", "mongoDBAtlas"),
    former_store("MongoDBUpsert", "mongoDBAtlas"),
    former_store("RedisIndex", "redis"),
    former_store("RedisUpsert", "redis"),
    former_store("chromaExistingIndex", "chroma"),
    former_store("chromaUpsert", "chroma"),
    former_store("faissExistingIndex", "faiss"),
    former_store("faissUpsert", "faiss"),
    former_store("milvusExistingCollection", "milvus"),
    former_store("milvusUpsert", "milvus"),
    former_store("openSearchExistingIndex", "openSearch"),
    former_store("openSearchUpsertDocument", "openSearch"),
    former_store("pineconeExistingIndex", "pinecone"),
    former_store("pineconeUpsert", "pinecone"),
    former_store("postgresExistingIndex", "postgres"),
    former_store("postgresUpsert", "postgres"),
    former_store("qdrantExistingIndex", "qdrant"),
    former_store("qdrantUpsert", "qdrant"),
    former_store("singlestoreExisting", "singlestore"),
    former_store("singlestoreUpsert", "singlestore"),
    former_store("supabaseExistingIndex", "supabase"),
    former_store("supabaseUpsert", "supabase"),
];

/// Inputs that were renamed: the card by its name of today, the former name, the name of today.
const INPUTS: &[(&str, &str, &str)] = &[
    ("conversationalRetrievalQAChain", "llm", "model"),
    ("conversationalRetrievalQAChain", "systemMessagePrompt", "responsePrompt"),
    ("llmChain", "llm", "model"),
    ("sqlDatabaseChain", "llm", "model"),
    ("sqlDatabaseChain", "dbFilePath", "url"),
    ("weaviate", "weaviateScheme", "weaviateConnectionType"),
    ("requestsGet", "url", "requestsGetUrl"),
    ("requestsGet", "description", "requestsGetDescription"),
    ("requestsGet", "headers", "requestsGetHeaders"),
    ("requestsPost", "url", "requestsPostUrl"),
    ("requestsPost", "body", "requestsPostBody"),
    ("requestsPost", "description", "requestsPostDescription"),
    ("requestsPost", "headers", "requestsPostHeaders"),
    ("toolAgentflow", "selectedTool", "toolAgentflowSelectedTool"),
    ("toolAgentflow", "selectedToolConfig", "toolAgentflowSelectedToolConfig"),
];

/// The card on which the values of a prompt stood once, and the input that the prompt is wired into.
const PROMPT_INPUT: (&str, &str) = ("llmChain", "prompt");
/// The input of a prompt card that holds them today.
const PROMPT_VALUES: &str = "promptValues";

/// The name that a card bears today.
#[must_use]
pub fn current_card_name(card: &str) -> &str {
    CARDS.iter().find(|former| former.old == card).map_or(card, |former| former.current)
}

/// The name that an input of this card, by its name of today, bears today.
#[must_use]
pub fn current_input_name<'a>(card: &str, input: &'a str) -> &'a str {
    let renamed = INPUTS.iter().find(|(of, was, _)| *of == card && *was == input);
    renamed.map_or(input, |(.., now)| now)
}

/// Names that an input of this card gave up.
pub fn former_input_names(card: &str, input: &str) -> impl Iterator<Item = &'static str> {
    INPUTS.iter().filter(move |(of, _, now)| *of == card && *now == input).map(|(_, was, _)| *was)
}

/// Reads a node as if it were drawn today.
pub(super) fn modernize(node: &mut Node) {
    if let Some(former) = CARDS.iter().find(|former| former.old == node.name) {
        node.saved_name = Some(std::mem::replace(&mut node.name, former.current.to_owned()));
        if node.output.is_none() {
            node.output = former.output.map(str::to_owned);
        }
    }
    for (_, was, now) in INPUTS.iter().filter(|(card, ..)| *card == node.name) {
        // What stands under the name of today was set later.
        if node.inputs.get(*now).is_some_and(|value| !is_empty_value(value)) {
            continue;
        }
        let Some(value) = node.inputs.shift_remove(*was) else { continue };
        node.inputs.insert((*now).to_owned(), value);
        for param in node.input_params.iter_mut().filter(|param| param.name == *was) {
            (*now).clone_into(&mut param.name);
        }
    }
}

/// Gives values that stand on a chain to the prompt card that is wired into it, unless it has values of its own.
pub(super) fn move_prompt_values(nodes: &mut [Node], places: &HashMap<String, usize>) {
    let (chain, prompt) = PROMPT_INPUT;
    for at in 0..nodes.len() {
        let node = &nodes[at];
        let values = node.inputs.get(PROMPT_VALUES).filter(|values| node.name == chain && has_values(values));
        let Some(values) = values.cloned() else { continue };
        let wired = node.inputs.get(prompt).and_then(wired_node);
        let Some(&place) = wired.and_then(|id| places.get(&id)) else { continue };
        let inputs = &mut nodes[place].inputs;
        if !inputs.get(PROMPT_VALUES).is_some_and(has_values) {
            inputs.insert(PROMPT_VALUES.to_owned(), values);
        }
    }
}

fn is_empty_value(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}

fn has_values(value: &Value) -> bool {
    match value {
        Value::Object(values) => !values.is_empty(),
        Value::String(text) => !matches!(text.trim(), "" | "{}"),
        _ => false,
    }
}

/// The node whose part a value is.
fn wired_node(value: &Value) -> Option<String> {
    match TextTemplate::parse(value.as_str()?)?.single_reference() {
        Some(Reference::Node { id, .. }) => Some(id.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use serde_json::json;

    fn canvas(nodes: Value) -> Canvas {
        Canvas::parse(&json!({"nodes": nodes, "edges": []}).to_string()).unwrap()
    }

    #[test]
    fn a_card_under_a_former_name_is_read_as_the_card_of_today_and_kept_as_it_was_drawn() {
        let canvas = canvas(json!([
            {"id": "a", "data": {"name": "pineconeExistingIndex", "inputs": {"pineconeIndex": "i"}}},
            {"id": "b", "data": {"name": "pineconeUpsert", "outputs": {"output": "vectorStore"}}},
            {"id": "c", "data": {"name": "toolAgent"}},
        ]));
        let seen: Vec<_> = canvas
            .nodes()
            .iter()
            .map(|node| (node.name.as_str(), node.saved_name.as_deref(), node.output.as_deref()))
            .collect();
        assert_eq!(
            seen,
            [
                ("pinecone", Some("pineconeExistingIndex"), Some("retriever")),
                ("pinecone", Some("pineconeUpsert"), Some("vectorStore")),
                ("toolAgent", None, None),
            ]
        );
        assert_eq!(canvas.raw()["nodes"][0]["data"]["name"], "pineconeExistingIndex");
    }

    #[test]
    fn a_renamed_input_is_read_under_its_name_of_today_unless_that_is_filled_in() {
        let canvas = canvas(json!([
            {"id": "a", "data": {"name": "llmChain", "inputs": {"llm": "{{m.data.instance}}", "model": ""}}},
            {"id": "b", "data": {"name": "llmChain", "inputs": {"llm": "old", "model": "new"}}},
            {"id": "c", "data": {"name": "toolAgent", "inputs": {"llm": "stays"}}},
        ]));
        let of = |id: &str| &canvas.node(id).unwrap().inputs;
        assert_eq!((&of("a")["model"], of("a").get("llm")), (&json!("{{m.data.instance}}"), None));
        assert_eq!(of("b")["model"], "new");
        assert_eq!(of("c")["llm"], "stays");
    }

    #[test]
    fn values_on_a_chain_go_to_its_prompt_which_keeps_its_own() {
        let chain = |id: &str, prompt: &str| json!({"id": id, "data": {"name": "llmChain", "inputs": {"prompt": format!("{{{{{prompt}.data.instance}}}}"), "promptValues": "{\"a\":\"1\"}"}}});
        let prompt = |id: &str, values: Value| json!({"id": id, "data": {"name": "promptTemplate", "inputs": {"promptValues": values}}});
        let canvas = canvas(json!([
            prompt("p", json!("{}")),
            chain("c", "p"),
            prompt("q", json!({"b": "2"})),
            chain("d", "q"),
            chain("e", "gone"),
        ]));
        assert_eq!(canvas.node("p").unwrap().inputs[PROMPT_VALUES], "{\"a\":\"1\"}");
        assert_eq!(canvas.node("q").unwrap().inputs[PROMPT_VALUES], json!({"b": "2"}));
        assert_eq!(canvas.raw()["nodes"][0]["data"]["inputs"][PROMPT_VALUES], "{}");
    }

    #[test]
    fn no_name_of_today_is_a_former_one() {
        for former in CARDS {
            assert_eq!(current_card_name(former.current), former.current, "{}", former.old);
            assert_eq!(CARDS.iter().filter(|other| other.old == former.old).count(), 1, "{}", former.old);
        }
    }
}
