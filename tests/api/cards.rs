//! The card catalogue (manual 9.8) in Flowise's shape.

use crate::support::{Server, golden};
use serde_json::{Value, json};

const CARDS: &[&str] = &[
    "azureChatOpenAI",
    "azureOpenAI",
    "bm25Retriever",
    "bufferMemory",
    "bufferWindowMemory",
    "calculator",
    "chatAnthropic",
    "chatCerebras",
    "chatCohere",
    "chatCometAPI",
    "chatDeepseek",
    "chatExtractive",
    "chatFireworks",
    "chatGoogleGenerativeAI",
    "chatHuggingFace",
    "chatLitellm",
    "chatLocalAI",
    "chatMistralAI",
    "chatNvidiaNIM",
    "chatOllama",
    "chatOpenAI",
    "chatOpenAICustom",
    "chatOpenRouter",
    "chatPerplexity",
    "chatPromptTemplate",
    "chatSambanova",
    "chatScripted",
    "chatTogetherAI",
    "chatXAI",
    "conversationChain",
    "conversationalRetrievalQAChain",
    "csvOutputParser",
    "currentDateTime",
    "groqChat",
    "huggingFaceInference_LLMs",
    "hashingEmbeddings",
    "inMemoryCache",
    "inputModerationSimple",
    "llmChain",
    "ollama",
    "openAI",
    "openAPIToolkit",
    "openApiChain",
    "promptTemplate",
    "replicate",
    "retrievalQAChain",
    "sqlDatabaseChain",
    "stickyNote",
    "toolAgent",
    "vectorDBQAChain",
];

#[test]
fn every_card_of_this_work_is_listed() {
    let server = Server::start();
    let listed = server.read("/nodes");
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    for card in CARDS {
        assert!(names.contains(card), "{card}");
    }
}

#[test]
fn a_card_can_be_read_by_name() {
    let server = Server::start();
    for card in server.read("/nodes").as_array().unwrap() {
        assert_eq!(&server.read(&format!("/nodes/{}", card["name"].as_str().unwrap())), card);
    }
    server.owner("GET", "/nodes/chatOfTomorrow").send().is_error(404);
}

#[test]
fn every_card_has_the_familys_fields() {
    let server = Server::start();
    for card in server.read("/nodes").as_array().unwrap() {
        for field in ["label", "name", "type", "category", "description", "icon"] {
            assert!(card[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {card}");
        }
        assert!(card["version"].is_number() && card["baseClasses"].is_array(), "{card}");
        let credential = card.get("credential").into_iter();
        for param in card["inputs"].as_array().unwrap().iter().chain(credential) {
            for field in ["label", "name", "type"] {
                assert!(param[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {param}");
            }
        }
        assert!(!card.to_string().contains("/src/"), "no path of the build machine");
    }
}

#[test]
fn a_card_shows_this() {
    let server = Server::start();
    for name in ["chatOpenAI", "llmChain", "toolAgent"] {
        let card: Value = server.read(&format!("/nodes/{name}"));
        golden::check(&format!("card_{name}.json"), &serde_json::to_string_pretty(&card).unwrap());
    }
}

#[test]
fn cards_are_listed_by_category() {
    let server = Server::start();
    let memories = server.read("/nodes/category/Memory");
    let names: Vec<&Value> = memories.as_array().unwrap().iter().map(|card| &card["name"]).collect();
    let ours = [
        "agentMemory",
        "mySQLAgentMemory",
        "postgresAgentMemory",
        "sqliteAgentMemory",
        "bufferMemory",
        "bufferWindowMemory",
        "conversationSummaryMemory",
        "conversationSummaryBufferMemory",
        "DynamoDBChatMemory",
        "RedisBackedChatMemory",
        "upstashRedisBackedChatMemory",
        "ZepMemory",
    ];
    assert_eq!(names, ours);
    assert!(server.read("/nodes/category/Chat%20Models").as_array().unwrap().len() >= 6);
    assert_eq!(server.read("/nodes/category/Nothing"), json!([]));
}

#[test]
fn every_credential_a_card_takes_has_a_type() {
    let server = Server::start();
    for card in server.read("/nodes").as_array().unwrap() {
        for name in card["credential"]["credentialNames"].as_array().into_iter().flatten() {
            server.read(&format!("/components-credentials/{}", name.as_str().unwrap()));
        }
    }
}
