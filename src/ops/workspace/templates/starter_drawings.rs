//! How the starter flows are drawn. The files hold what is drawn here: `cargo test --lib the_files_are_written -- --ignored`
//! writes them anew.

use super::starters::{FILES, starters};
use crate::canvas::Canvas;
use crate::domain::flows::flow::FlowKind;
use crate::engine::Plan;
use crate::engine::resources::NoResources;
use crate::engine::validate::validate;
use crate::ops::service::demo::drawing::Drawing;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

struct Starter {
    file: &'static str,
    name: &'static str,
    description: &'static str,
    badge: &'static str,
    usecases: &'static [&'static str],
    drawing: Drawing,
}

const SHOP_HANDBOOK: &str = "Parcels leave our warehouse on weekdays before noon. Delivery takes two to four days.\n\n\
    Returns are free within thirty days. Put the slip from your parcel on the box and bring it to any post office. \
    The money is back on your account three days after the box reached us.\n\n\
    A repair takes ten days. Write to repairs@shop.example with a picture of the damage first.\n\n\
    The shop is open from nine to six, Monday to Saturday.";

const WELCOME_RULES: &str = r#"[
  {"match": "(?i)\\b(hello|hi|good (morning|evening))\\b", "reply": "Welcome! Ask me about our opening hours, a delivery or a return."},
  {"match": "(?i)\\b(open|opening|hours)\\b", "reply": "We are open from nine to six, Monday to Saturday."},
  {"match": "(?i)\\bmy name is (\\w+)", "reply": "Nice to meet you, $1. How can I help?"},
  {"match": "(?i)\\b(return|refund)", "reply": "Returns are free within thirty days."}
]"#;

fn welcome() -> Drawing {
    let mut drawing = Drawing::default();
    let model = drawing.add_card(
        "chatScripted",
        json!({"rules": WELCOME_RULES, "fallback": "I do not know that yet. Ask me about opening hours or returns."}),
    );
    let memory = drawing.add_card("bufferMemory", json!({}));
    let chain = drawing.add_card("conversationChain", json!({}));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&memory, &chain, "memory");
    drawing.add_note(
        "Answers by rules, without a provider. Change the rules, or put a model in place of the script.",
    );
    drawing
}

fn handbook() -> Drawing {
    let mut drawing = Drawing::default();
    let text = drawing.add_card("plainText", json!({"text": SHOP_HANDBOOK}));
    let splitter =
        drawing.add_card("recursiveCharacterTextSplitter", json!({"chunkSize": "300", "chunkOverlap": "0"}));
    let embeddings = drawing.add_card("hashingEmbeddings", json!({}));
    let store = drawing.add_card("memoryVectorStore", json!({"topK": "3"}));
    let model = drawing.add_card("chatExtractive", json!({"sentences": "2"}));
    let chain = drawing.add_card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.connect(&splitter, &text, "textSplitter");
    drawing.connect(&text, &store, "document");
    drawing.connect(&embeddings, &store, "embeddings");
    drawing.connect(&model, &chain, "model");
    drawing.connect(&store, &chain, "vectorStoreRetriever");
    drawing.add_note("Quotes your text, without a provider. Put your own text into Plain Text.");
    drawing
}

fn assistant() -> Drawing {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatOpenAI", json!({"temperature": "0.7"}));
    let memory = drawing.add_card("bufferWindowMemory", json!({"k": "10"}));
    let prompt = "You are a friendly assistant. Answer briefly, and say so when you do not know something.";
    let chain = drawing.add_card("conversationChain", json!({"systemMessagePrompt": prompt}));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&memory, &chain, "memory");
    drawing.add_note("Choose a credential in the model, and say in the chain who the assistant is.");
    drawing
}

fn tools() -> Drawing {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatOpenAI", json!({"temperature": "0"}));
    let memory = drawing.add_card("bufferMemory", json!({}));
    let calculator = drawing.add_card("calculator", json!({}));
    let clock = drawing.add_card("currentDateTime", json!({}));
    let pages = drawing.add_card("webScraperTool", json!({}));
    let prompt = "Use your tools for dates, sums and pages of the web. Name the page an answer comes from.";
    let agent = drawing.add_card("toolAgent", json!({"systemMessage": prompt}));
    drawing.connect(&model, &agent, "model");
    drawing.connect(&memory, &agent, "memory");
    for tool in [&calculator, &clock, &pages] {
        drawing.connect(tool, &agent, "tools");
    }
    drawing
}

fn documents() -> Drawing {
    let mut drawing = Drawing::default();
    let file = drawing.add_card("pdfFile", json!({}));
    let splitter = drawing
        .add_card("recursiveCharacterTextSplitter", json!({"chunkSize": "1000", "chunkOverlap": "150"}));
    let embeddings = drawing.add_card("openAIEmbeddings", json!({}));
    let store = drawing.add_card("memoryVectorStore", json!({"topK": "4"}));
    let model = drawing.add_card("chatOpenAI", json!({"temperature": "0"}));
    let memory = drawing.add_card("bufferMemory", json!({}));
    let chain = drawing.add_card("conversationalRetrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.connect(&splitter, &file, "textSplitter");
    drawing.connect(&file, &store, "document");
    drawing.connect(&embeddings, &store, "embeddings");
    drawing.connect(&model, &chain, "model");
    drawing.connect(&store, &chain, "vectorStoreRetriever");
    drawing.connect(&memory, &chain, "memory");
    drawing
        .add_note("Upload a PDF in the first card and choose a credential in the model and the embeddings.");
    drawing
}

fn rewrite() -> Drawing {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatAnthropic", json!({}));
    let template = "Rewrite the text between the lines so that it is short, polite and free of jargon. Keep names and \
                    numbers. Answer with the new text alone.\n---\n{question}\n---";
    let prompt = drawing.add_card("promptTemplate", json!({"template": template}));
    let chain = drawing.add_card("llmChain", json!({}));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&prompt, &chain, "prompt");
    drawing
}

fn sorting() -> Drawing {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatOpenAI", json!({"temperature": "0"}));
    let rows = json!([
        {"property": "topic", "type": "string", "description": "delivery, return, repair or other"},
        {"property": "urgent", "type": "boolean", "description": "true when somebody waits for an answer today"},
        {"property": "summary", "type": "string", "description": "one sentence"},
    ]);
    let parser = drawing.add_card("structuredOutputParser", json!({"jsonStructure": rows.to_string()}));
    let prompt = drawing
        .add_card("promptTemplate", json!({"template": "Sort this message of a customer.\n\n{question}"}));
    let chain = drawing.add_card("llmChain", json!({}));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&prompt, &chain, "prompt");
    drawing.connect(&parser, &chain, "outputParser");
    drawing
}

fn local() -> Drawing {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatOllama", json!({"modelName": "llama3.2"}));
    let memory = drawing.add_card("bufferMemory", json!({}));
    let chain = drawing.add_card("conversationChain", json!({}));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&memory, &chain, "memory");
    drawing.add_note("Talks to a model on your own machine: nothing leaves it. Start Ollama first.");
    drawing
}

#[rustfmt::skip]
fn all() -> [Starter; 8] { [
    Starter { file: "welcome", name: "Welcome desk", badge: "no key needed", usecases: &["Basic"], drawing: welcome(),
        description: "Greets visitors and answers what it has rules for. Runs without a provider." },
    Starter { file: "handbook", name: "Ask a handbook", badge: "no key needed", usecases: &["Documents QnA"], drawing: handbook(),
        description: "Finds the chunk that answers a question and quotes it. Runs without a provider." },
    Starter { file: "assistant", name: "Assistant with a memory", badge: "", usecases: &["Basic", "Chatbot"], drawing: assistant(),
        description: "A conversation with a model that remembers the last ten exchanges." },
    Starter { file: "tools", name: "Agent with tools", badge: "", usecases: &["Agent"], drawing: tools(),
        description: "Calculates, knows the date and reads pages of the web when a question needs it." },
    Starter { file: "documents", name: "Ask a PDF", badge: "", usecases: &["Documents QnA"], drawing: documents(),
        description: "Answers from a PDF and shows the chunks an answer leans on." },
    Starter { file: "rewrite", name: "Plain words", badge: "", usecases: &["Working with text"], drawing: rewrite(),
        description: "Rewrites a text so that it is short and polite." },
    Starter { file: "sorting", name: "Sort messages", badge: "", usecases: &["Extraction"], drawing: sorting(),
        description: "Reads a message and answers with its topic, its urgency and a summary, as an object." },
    Starter { file: "local", name: "Model on your machine", badge: "", usecases: &["Basic"], drawing: local(),
        description: "A conversation with a model that Ollama runs." },
] }

fn files() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/starters");
    let file = |starter: Starter| {
        let canvas: Value = serde_json::from_str(&starter.drawing.into_text()).unwrap();
        let file = json!({
            "name": starter.name, "description": starter.description, "type": "Chatflow", "badge": starter.badge,
            "usecases": starter.usecases, "canvas": canvas,
        });
        (folder.join(format!("{}.json", starter.file)), serde_json::to_string_pretty(&file).unwrap() + "\n")
    };
    all().into_iter().map(file).collect()
}

#[test]
#[ignore = "it writes the files"]
fn the_files_are_written() {
    files().iter().for_each(|(path, text)| std::fs::write(path, text).unwrap());
}

#[test]
fn the_files_hold_what_is_drawn() {
    for (path, text) in files() {
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{} is not what is drawn", path.display());
    }
}

#[test]
fn starters_are_sound() {
    assert_eq!(starters().len(), FILES.len());
    for row in starters() {
        let text = row.canvas.as_str();
        let canvas = Canvas::parse(text).unwrap();
        assert!(Plan::compile(&canvas).is_ok(), "{}", row.id);
        // What a person has to bring is all that may be wrong: a credential, and the file to read.
        for problems in validate(FlowKind::Chatflow, &canvas, &NoResources) {
            for issue in problems.issues {
                let issue = issue.to_lowercase();
                let is_theirs =
                    issue.contains("credential") || issue.contains("file") || issue.contains("model name");
                assert!(is_theirs && row.badge.is_empty(), "{}: {issue}", row.id);
            }
        }
        let again: Value = serde_json::from_str(text).unwrap();
        assert_eq!(again.to_string(), text, "a round trip changes nothing");
    }
}
