//! Names that cards and their inputs bore in earlier years. A canvas that was drawn then is read as if it were drawn
//! today; what is stored of it stays as it was drawn, until somebody saves it otherwise.

use super::Node;
use super::template::{Reference, Template};
use serde_json::Value;
use std::collections::HashMap;

/// A card under a name it has no more.
struct Former {
    /// The name it was drawn with.
    was: &'static str,
    /// The card's name today.
    now: &'static str,
    /// The output it had when it had but one, where the card of today lets its owner choose.
    output: Option<&'static str>,
}

const fn former(was: &'static str, now: &'static str) -> Former {
    Former { was, now, output: None }
}

/// A vector store that was two cards once: one that filled it and one that read it, each made for its retriever.
const fn store(was: &'static str, now: &'static str) -> Former {
    Former { was, now, output: Some("retriever") }
}

/// All names that were given up. The card of today need not be one that this server has.
const CARDS: &[Former] = &[
    former("conversationalRetrievalAgent", "conversationalRetrievalToolAgent"),
    former("openAIConversationalRetrievalAgent", "conversationalRetrievalToolAgent"),
    former("mistralAIFunctionAgent", "toolAgent"),
    former("mistralAIToolAgent", "toolAgent"),
    former("openAIFunctionAgent", "toolAgent"),
    former("openAIToolAgent", "toolAgent"),
    former("mrklAgentChat", "reactAgentChat"),
    former("mrlkAgentChat", "reactAgentChat"),
    former("mrklAgentLLM", "reactAgentLLM"),
    former("mrlkAgentLLM", "reactAgentLLM"),
    store("ElasticsearchIndex", "elasticsearch"),
    store("ElasticsearchUpsert", "elasticsearch"),
    store("MongoDBIndex", "mongoDBAtlas"),
    store("MongoDBUpsert", "mongoDBAtlas"),
    store("RedisIndex", "redis"),
    store("RedisUpsert", "redis"),
    store("chromaExistingIndex", "chroma"),
    store("chromaUpsert", "chroma"),
    store("faissExistingIndex", "faiss"),
    store("faissUpsert", "faiss"),
    store("milvusExistingCollection", "milvus"),
    store("milvusUpsert", "milvus"),
    store("openSearchExistingIndex", "openSearch"),
    store("openSearchUpsertDocument", "openSearch"),
    store("pineconeExistingIndex", "pinecone"),
    store("pineconeUpsert", "pinecone"),
    store("postgresExistingIndex", "postgres"),
    store("postgresUpsert", "postgres"),
    store("qdrantExistingIndex", "qdrant"),
    store("qdrantUpsert", "qdrant"),
    store("singlestoreExisting", "singlestore"),
    store("singlestoreUpsert", "singlestore"),
    store("supabaseExistingIndex", "supabase"),
    store("supabaseUpsert", "supabase"),
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
];

/// The card on which the values of a prompt stood once, and the input that the prompt is wired into.
const PROMPTED: (&str, &str) = ("llmChain", "prompt");
/// The input of a prompt card that holds them today.
const VALUES: &str = "promptValues";

/// The name that a card bears today.
#[must_use]
pub fn name_of_today(card: &str) -> &str {
    CARDS.iter().find(|former| former.was == card).map_or(card, |former| former.now)
}

/// The name that an input of this card, by its name of today, bears today.
#[must_use]
pub fn input_of_today<'a>(card: &str, input: &'a str) -> &'a str {
    let renamed = INPUTS.iter().find(|(of, was, _)| *of == card && *was == input);
    renamed.map_or(input, |(.., now)| now)
}

/// Names that an input of this card gave up.
pub fn former_inputs(card: &str, input: &str) -> impl Iterator<Item = &'static str> {
    INPUTS.iter().filter(move |(of, _, now)| *of == card && *now == input).map(|(_, was, _)| *was)
}

/// Reads a node as if it were drawn today.
pub(super) fn read(node: &mut Node) {
    if let Some(former) = CARDS.iter().find(|former| former.was == node.name) {
        node.drawn_as = Some(std::mem::replace(&mut node.name, former.now.to_owned()));
        if node.output.is_none() {
            node.output = former.output.map(str::to_owned);
        }
    }
    for (_, was, now) in INPUTS.iter().filter(|(card, ..)| *card == node.name) {
        // What stands under the name of today was set later.
        if node.inputs.get(*now).is_some_and(|value| !says_nothing(value)) {
            continue;
        }
        let Some(value) = node.inputs.shift_remove(*was) else { continue };
        node.inputs.insert((*now).to_owned(), value);
        for param in node.params.iter_mut().filter(|param| param.name == *was) {
            (*now).clone_into(&mut param.name);
        }
    }
}

/// Gives values that stand on a chain to the prompt card that is wired into it, unless it has values of its own.
pub(super) fn move_prompt_values(nodes: &mut [Node], places: &HashMap<String, usize>) {
    let (chain, prompt) = PROMPTED;
    for at in 0..nodes.len() {
        let node = &nodes[at];
        let values = node.inputs.get(VALUES).filter(|values| node.name == chain && has_values(values));
        let Some(values) = values.cloned() else { continue };
        let wired = node.inputs.get(prompt).and_then(wired_node);
        let Some(&place) = wired.and_then(|id| places.get(&id)) else { continue };
        let inputs = &mut nodes[place].inputs;
        if !inputs.get(VALUES).is_some_and(has_values) {
            inputs.insert(VALUES.to_owned(), values);
        }
    }
}

fn says_nothing(value: &Value) -> bool {
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
    match Template::parse(value.as_str()?)?.only() {
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
            .map(|node| (node.name.as_str(), node.drawn_as.as_deref(), node.output.as_deref()))
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
        assert_eq!(canvas.node("p").unwrap().inputs[VALUES], "{\"a\":\"1\"}");
        assert_eq!(canvas.node("q").unwrap().inputs[VALUES], json!({"b": "2"}));
        assert_eq!(canvas.raw()["nodes"][0]["data"]["inputs"][VALUES], "{}");
    }

    #[test]
    fn no_name_of_today_is_a_former_one() {
        for former in CARDS {
            assert_eq!(name_of_today(former.now), former.now, "{}", former.was);
            assert_eq!(CARDS.iter().filter(|other| other.was == former.was).count(), 1, "{}", former.was);
        }
    }
}
