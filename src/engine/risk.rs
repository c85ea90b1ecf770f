//! Which cards of a canvas may do something to the world when a question is asked again (manual 18.5). What a card does, it
//! declares itself; groups of cards that no rule knows count as risky as a whole.

use super::agentflow::APPROVAL;
use crate::canvas::{Canvas, Node, current_card_name};
use crate::cards::kit::{Card, Category, Input, InputKind, Risk, WireType};
use crate::cards::registry;
use crate::domain::checks::setup::RiskyStep;
use crate::domain::flows::flow::FlowKind;
use serde_json::{Map, Value};

/// The risky cards of a canvas, in stored order.
#[must_use]
pub(crate) fn risky_steps(kind: FlowKind, canvas: &Canvas) -> Vec<RiskyStep> {
    let risky = canvas.nodes().iter().filter(|node| !node.is_note() && is_risky(kind, node));
    risky.map(|node| RiskyStep { id: node.id.clone(), label: node.label().to_owned() }).collect()
}

fn is_risky(kind: FlowKind, node: &Node) -> bool {
    let Some(card) = registry::find(&node.name) else { return true };
    let is_known_group = match kind {
        FlowKind::Agentflow => card.category == Category::AgentFlows,
        FlowKind::Harness => card.category == Category::Harness,
        _ => is_group_of_chats(card.category),
    };
    let tools = picked_tools(card.inputs, &node.inputs);
    let is_own = match card.risk {
        Risk::Safe => false,
        Risk::Risky => true,
        Risk::AsPicked => tools.is_empty(),
    };
    !is_known_group || is_own || tools.iter().any(|tool| tool.asks_person || !is_read_only(tool.card))
}

/// Groups whose cards are judged one by one.
const fn is_group_of_chats(category: Category) -> bool {
    match category {
        Category::Agents
        | Category::Chains
        | Category::ChatModels
        | Category::DocumentLoaders
        | Category::Embeddings
        | Category::Llms
        | Category::Memory
        | Category::Moderation
        | Category::OutputParsers
        | Category::Prompts
        | Category::RecordManager
        | Category::Retrievers
        | Category::TextSplitters
        | Category::Tools
        | Category::Utilities
        | Category::VectorStores => true,
        Category::AgentFlows
        | Category::Cache
        | Category::Engine
        | Category::Harness
        | Category::McpTools
        | Category::MultiAgents
        | Category::Pipelines
        | Category::ResponseSynthesizer
        | Category::SequentialAgents => false,
    }
}

/// A tool that a step picks.
struct PickedTool<'a> {
    card: &'a str,
    /// A person approves its calls, so a run with it does not come to its end alone.
    asks_person: bool,
}

fn picked_tools<'a>(inputs: &[Input], values: &'a Map<String, Value>) -> Vec<PickedTool<'a>> {
    let mut tools = Vec::new();
    for input in inputs {
        match input.kind {
            InputKind::CardPick(WireType::Tool) => {
                let card = values.get(input.name).and_then(Value::as_str).filter(|card| !card.is_empty());
                let asks_person = values.get(APPROVAL).is_some_and(is_on);
                tools.extend(card.map(|card| PickedTool { card, asks_person }));
            }
            InputKind::Rows(fields) => {
                let rows = values.get(input.name).and_then(Value::as_array).into_iter().flatten();
                tools.extend(rows.filter_map(Value::as_object).flat_map(|row| picked_tools(fields, row)));
            }
            InputKind::Variants(fields) => tools.extend(picked_tools(fields, values)),
            _ => {}
        }
    }
    tools
}

fn is_on(value: &Value) -> bool {
    value.as_bool() == Some(true) || value.as_str() == Some("true")
}

fn is_read_only(tool: &str) -> bool {
    let card: Option<&Card> = registry::find(current_card_name(tool));
    card.is_some_and(|card| card.risk == Risk::Safe && card.category == Category::Tools)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn steps_of(kind: FlowKind, name: &str, inputs: &Value) -> usize {
        let node = json!({"id": "n", "data": {"id": "n", "name": name, "label": "Mine", "inputs": inputs}});
        let canvas = Canvas::parse(&json!({"nodes": [node], "edges": []}).to_string()).unwrap();
        risky_steps(kind, &canvas).len()
    }

    fn is_risky_in_chat(name: &str) -> bool {
        steps_of(FlowKind::Chatflow, name, &json!({})) == 1
    }

    fn is_risky_step(name: &str, inputs: &Value) -> bool {
        steps_of(FlowKind::Agentflow, name, inputs) == 1
    }

    #[test]
    fn chat_canvases_are_judged_card_by_card() {
        let safe = [
            "chatOpenAI",
            "openAI",
            "openAIEmbeddings",
            "chatPromptTemplate",
            "structuredOutputParser",
            "recursiveCharacterTextSplitter",
            "vectorStoreRetriever",
            "inputModerationSimple",
            "plainText",
            "postgresRecordManager",
            "memoryVectorStore",
            "conversationChain",
            "llmChain",
            "toolAgent",
            "bufferMemory",
            "bufferWindowMemory",
            "conversationSummaryMemory",
            "conversationSummaryBufferMemory",
            "calculator",
            "braveSearchAPI",
            "googleCustomSearch",
            "serper",
            "serpAPI",
            "searchAPI",
            "tavilyAPI",
            "exaSearch",
            "searXNG",
            "requestsGet",
            "webScraperTool",
            "retrieverTool",
            "chainTool",
            "setVariable",
            "getVariable",
            "stickyNote",
        ];
        for name in safe {
            assert!(!is_risky_in_chat(name), "{name}");
        }
        let risky = [
            "vectaraUpload",
            "postApiChain",
            "openApiChain",
            "sqlDatabaseChain",
            "graphCypherQAChain",
            "openAIAssistant",
            "customFunction",
            "ifElseFunction",
            "RedisBackedChatMemory",
            "DynamoDBChatMemory",
            "mongoDBAtlasChatMemory",
            "customTool",
            "requestsPost",
            "ChatflowTool",
            "inMemoryCache",
            "customMCP",
            "llmAgentflow",
            "compactrefineLlamaIndex",
            "queryEngine",
            "supervisor",
            "seqAgent",
            "no such card",
        ];
        for name in risky {
            assert!(is_risky_in_chat(name), "{name}");
        }
    }

    #[test]
    fn steps_are_judged_with_the_tools_that_they_pick() {
        let safe = [
            "startAgentflow",
            "llmAgentflow",
            "agentAgentflow",
            "conditionAgentflow",
            "conditionAgentAgentflow",
            "retrieverAgentflow",
            "directReplyAgentflow",
            "loopAgentflow",
            "iterationAgentflow",
            "stickyNoteAgentflow",
        ];
        for name in safe {
            assert!(!is_risky_step(name, &json!({})), "{name}");
        }
        for name in [
            "customFunctionAgentflow",
            "httpAgentflow",
            "executeFlowAgentflow",
            "humanInputAgentflow",
            "toolAgentflow",
            "no such step",
            "chatOpenAI",
        ] {
            assert!(is_risky_step(name, &json!({})), "{name}");
        }
        let tool = |card: &str| is_risky_step("toolAgentflow", &json!({"toolAgentflowSelectedTool": card}));
        assert_eq!((tool("calculator"), tool("customTool"), tool("customMCP")), (false, true, true));
        let agent = |card: &str, asks: bool| {
            let row = json!({"agentSelectedTool": card, "agentSelectedToolRequiresHumanInput": asks});
            is_risky_step(
                "agentAgentflow",
                &json!({"agentTools": [row], "agentToolsBuiltInOpenAI": ["code_interpreter"]}),
            )
        };
        assert_eq!(
            (
                agent("calculator", false),
                agent("calculator", true),
                agent("gmail", false),
                agent("none", false)
            ),
            (false, true, true, true)
        );
    }

    #[test]
    fn a_step_is_named_as_its_owner_named_it() {
        let node = json!({"id": "x_0", "data": {"id": "x_0", "name": "customTool", "label": "Send mail"}});
        let canvas = Canvas::parse(&json!({"nodes": [node], "edges": []}).to_string()).unwrap();
        let step = RiskyStep { id: "x_0".into(), label: "Send mail".into() };
        assert_eq!(risky_steps(FlowKind::Chatflow, &canvas), [step]);
    }
}
