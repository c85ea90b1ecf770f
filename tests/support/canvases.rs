//! Canvases in the least form the service takes.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use serde_json::{Value, json};

fn node(id: &str, name: &str, inputs: &Value) -> Value {
    json!({"id": id, "type": "customNode", "data": {"id": id, "name": name, "label": name, "inputs": inputs}})
}

fn canvas(nodes: &[Value], ending: &str) -> Value {
    let edges = nodes.iter().filter(|node| node["id"] != ending);
    let edges: Vec<Value> = edges.map(|node| json!({"source": node["id"], "target": ending})).collect();
    json!({"nodes": nodes, "edges": edges})
}

/// A conversation with the scripted model, which needs no provider.
pub fn scripted(rules: &Value, fallback: &str) -> Value {
    canvas(
        &[
            node("model", "chatScripted", &json!({"rules": rules.to_string(), "fallback": fallback})),
            node("memory", "bufferMemory", &json!({})),
            node(
                "chain",
                "conversationChain",
                &json!({"model": "{{model.data.instance}}", "memory": "{{memory.data.instance}}"}),
            ),
        ],
        "chain",
    )
}

/// A conversation with a model at an address that speaks OpenAI's protocol.
pub fn openai(base: &str, model: &str, streaming: bool) -> Value {
    canvas(
        &[
            node(
                "model",
                "chatOpenAICustom",
                &json!({"modelName": model, "basepath": base, "streaming": streaming}),
            ),
            node("memory", "bufferMemory", &json!({})),
            node(
                "chain",
                "conversationChain",
                &json!({"model": "{{model.data.instance}}", "memory": "{{memory.data.instance}}"}),
            ),
        ],
        "chain",
    )
}

/// A conversation as the palette and the templates draw it: every input is there, used or not, and the model has a
/// credential.
pub fn template(base: &str, model: &str, credential: &str) -> Value {
    let mut chat = node(
        "chatOpenAI_0",
        "chatOpenAI",
        &json!({
            "cache": "", "modelName": model, "temperature": 0.9, "maxTokens": "", "topP": "", "frequencyPenalty": "",
            "presencePenalty": "", "timeout": "", "basepath": base, "baseOptions": "", "allowImageUploads": true,
            "imageResolution": "low",
        }),
    );
    chat["data"]["credential"] = credential.into();
    canvas(
        &[
            chat,
            node("bufferMemory_0", "bufferMemory", &json!({"sessionId": "", "memoryKey": "chat_history"})),
            node(
                "conversationChain_0",
                "conversationChain",
                &json!({
                    "inputModeration": "", "model": "{{chatOpenAI_0.data.instance}}",
                    "memory": "{{bufferMemory_0.data.instance}}", "chatPromptTemplate": "",
                    "systemMessagePrompt": "This is a friendly conversation between a person and an assistant, who gives \
                        many details and says so when it does not know something.",
                }),
            ),
        ],
        "conversationChain_0",
    )
}
