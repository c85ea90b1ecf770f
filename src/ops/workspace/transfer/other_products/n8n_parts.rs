//! What hangs below a step of n8n: its model, its memory, its tools, what it searches, and the form of its answer.

use super::blueprint::{AnswerKey, Blueprint, MemorySpan, PlacedCard, Retrieval, StepTool};
use super::models::{self, ModelSettings, count, number, object, text};
use super::n8n::{Node, Workflow};
use super::n8n_text::fixed;
use super::obstacles::Obstacles;
use super::tools;
use serde_json::{Map, Value};

/// Settings of models that are read.
const MODEL_OPTIONS: &[&str] =
    &["temperature", "maxTokens", "maxTokensToSample", "maxOutputTokens", "baseURL"];

/// Reads the parts of a step, and notes which nodes were read.
pub(super) struct PartReader<'r, 'f> {
    pub workflow: &'r Workflow<'f>,
    pub blueprint: &'r mut Blueprint,
    pub obstacles: &'r mut Obstacles,
}

impl<'f> PartReader<'_, 'f> {
    /// The only node that is wired into this one by a connection of this kind.
    fn single(&mut self, node: &Node<'f>, kind: &str, need: &str) -> Option<Node<'f>> {
        let found = self.workflow.inputs(node.name, kind);
        match found.as_slice() {
            [one] => Some(*one),
            _ => {
                self.obstacles.add(node.kind, need, node.name);
                None
            }
        }
    }

    /// The model of a step.
    pub(super) fn model(&mut self, node: &Node<'f>) -> Option<PlacedCard> {
        let model = self.single(node, "ai_languageModel", "it needs one model, no fewer and no more")?;
        self.chat_model(&model)
    }

    fn chat_model(&mut self, node: &Node<'f>) -> Option<PlacedCard> {
        let provider = node.kind.strip_prefix("lmChat").or_else(|| node.kind.strip_prefix("lm"));
        let Some(card) = provider.and_then(models::chat_model) else {
            self.obstacles.add(node.kind, "there is no card for this model here", node.name);
            return None;
        };
        let named = ["model", "modelName", "modelId", "deploymentName"];
        let model = named.iter().find_map(|name| resource(node.parameters.get(*name)));
        if model.is_none() && named.iter().any(|name| node.parameters.contains_key(*name)) {
            let need = "an expression names its model, and here a model is fixed";
            self.obstacles.add(node.kind, need, node.name);
            return None;
        }
        if model.is_none() {
            // A model that is not named is the one that the product begins with.
            let told = format!("The file does not name the model of '{}': choose one.", node.name);
            self.blueprint.differ(told);
        }
        let options = object(node.parameters.get("options"));
        let tokens = ["maxTokens", "maxTokensToSample", "maxOutputTokens"];
        let settings = ModelSettings {
            temperature: number(options.get("temperature")),
            tokens_max: tokens.iter().find_map(|name| count(options.get(*name))),
            address: fixed(text(options, "baseURL")).unwrap_or_default().to_owned(),
        };
        let (placed, without) = card.place(model.unwrap_or_default(), &settings);
        let mut left_out: Vec<String> = without.into_iter().map(str::to_owned).collect();
        left_out.extend(options.keys().filter(|name| !MODEL_OPTIONS.contains(&name.as_str())).cloned());
        self.leave_out(node.name, &left_out);
        self.credential(node);
        Some(placed)
    }

    fn leave_out(&mut self, name: &str, settings: &[String]) {
        if !settings.is_empty() {
            let settings = settings.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
            self.blueprint.differ(format!("Settings of '{name}' that are left out: {settings}."));
        }
    }

    fn credential(&mut self, node: &Node<'f>) {
        if let Some(name) = object(node.fields.get("credentials")).keys().next() {
            self.blueprint.differ(format!("Choose a credential for '{}' ({name} there).", node.name));
        }
    }

    /// How much of the conversation it remembers.
    pub(super) fn memory(&mut self, node: &Node<'f>) -> Option<MemorySpan> {
        let found = self.workflow.inputs(node.name, "ai_memory");
        let memory = match found.as_slice() {
            [] => return None,
            [one] => *one,
            _ => {
                self.obstacles.add(node.kind, "it needs one memory at most", node.name);
                return None;
            }
        };
        if !memory.kind.starts_with("memory") || memory.kind == "memoryManager" {
            self.obstacles.add(memory.kind, "there is no card for this memory here", memory.name);
            return None;
        }
        if memory.kind != "memoryBufferWindow" {
            self.blueprint.differ(format!(
                "'{}' keeps conversations in a place of its own there ({}); here this service keeps them, and what was said there stays there.",
                memory.name, memory.kind
            ));
        }
        if text(memory.parameters, "sessionIdType") == "customKey" {
            self.blueprint.differ(format!(
                "'{}' names conversations by a key of its own there; here they are told apart by their sessions.",
                memory.name
            ));
        }
        Some(MemorySpan::Exchanges(
            count(memory.parameters.get("contextWindowLength")).unwrap_or(5).min(1_000),
        ))
    }

    /// The tools of an agent.
    pub(super) fn tools(&mut self, node: &Node<'f>) -> Vec<StepTool> {
        let found = self.workflow.inputs(node.name, "ai_tool");
        found.iter().filter_map(|tool| self.tool(tool)).collect()
    }

    fn tool(&mut self, node: &Node<'f>) -> Option<StepTool> {
        let parameters = node.parameters;
        if node.kind.starts_with("vectorStore") {
            return self.search_tool(node, node);
        }
        let tool = match node.kind {
            "toolThink" => {
                self.blueprint
                    .differ(format!("'{}' only gives a model room to think, and is left out.", node.name));
                return None;
            }
            "toolVectorStore" => {
                let store = self.single(node, "ai_vectorStore", "it needs one vector store")?;
                // A model of its own sums up there what was found; here the agent reads the chunks.
                if !self.workflow.inputs(node.name, "ai_languageModel").is_empty() {
                    let told = format!("What '{}' finds is read by the agent itself, as it is.", node.name);
                    self.blueprint.differ(told);
                }
                return self.search_tool(node, &store);
            }
            "mcpClientTool" => {
                let url = ["endpointUrl", "sseEndpoint"].iter().find_map(|name| {
                    parameters
                        .get(*name)
                        .and_then(Value::as_str)
                        .and_then(fixed)
                        .filter(|url| !url.is_empty())
                });
                if !["", "none"].contains(&text(parameters, "authentication")) {
                    self.blueprint
                        .differ(format!("Enter what '{}' signs in with among its headers.", node.name));
                }
                let tool = url.and_then(tools::mcp_server).map(StepTool::Card);
                if tool.is_some() {
                    self.blueprint.differ(format!("Choose the actions of '{}' in its card.", node.name));
                }
                tool
            }
            "toolHttpRequest" | "httpRequestTool" => {
                let extras = ["sendBody", "sendQuery", "sendHeaders"]
                    .iter()
                    .any(|name| parameters.get(*name) == Some(&true.into()));
                let url = fixed(text(parameters, "url")).unwrap_or_default();
                let description = text(parameters, "toolDescription");
                let is_open = ["", "none"].contains(&text(parameters, "authentication"));
                let tool = tools::request(text(parameters, "method"), url, node.name, description);
                tool.filter(|_| !extras && is_open).map(StepTool::Card)
            }
            kind => tools::tool(kind).map(StepTool::Card),
        };
        if tool.is_none() {
            self.obstacles.add(node.kind, need_of_tool(node.kind), node.name);
        } else {
            self.credential(node);
            self.leave_out(node.name, &object(parameters.get("options")).keys().cloned().collect::<Vec<_>>());
        }
        tool
    }

    fn search_tool(&mut self, node: &Node<'f>, store: &Node<'f>) -> Option<StepTool> {
        let retrieval = self.vector_store(store)?;
        let parameters = node.parameters;
        let named =
            ["toolName", "name"].iter().map(|name| text(parameters, name)).find(|name| !name.is_empty());
        let described = ["toolDescription", "description"].iter().map(|name| text(parameters, name));
        let description = described.filter_map(fixed).find(|text| !text.is_empty()).unwrap_or_default();
        let name: String = named
            .unwrap_or(node.name)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(60)
            .collect();
        Some(StepTool::Search { name, description: description.to_owned(), retrieval })
    }

    /// What a chain searches.
    pub(super) fn retrieval(&mut self, node: &Node<'f>) -> Option<Retrieval> {
        let retriever = self.single(node, "ai_retriever", "it needs one retriever")?;
        if retriever.kind != "retrieverVectorStore" {
            self.obstacles.add(
                retriever.kind,
                "there is no such retriever that comes in; its counterpart would be drawn by hand",
                retriever.name,
            );
            return None;
        }
        let store = self.single(&retriever, "ai_vectorStore", "it needs one vector store")?;
        self.vector_store(&store)
    }

    fn vector_store(&mut self, node: &Node<'f>) -> Option<Retrieval> {
        let parameters = node.parameters;
        let options = object(parameters.get("options"));
        let named = |name: &str| resource(parameters.get(name)).unwrap_or_default();
        let store = match node.kind {
            "vectorStorePinecone" => {
                PlacedCard::new("pinecone").with_text("pineconeIndex", named("pineconeIndex")).with_text(
                    "pineconeNamespace",
                    fixed(text(options, "pineconeNamespace")).unwrap_or_default(),
                )
            }
            "vectorStoreQdrant" => {
                PlacedCard::new("qdrant").with_text("qdrantCollection", named("qdrantCollection"))
            }
            "vectorStoreSupabase" => PlacedCard::new("supabase")
                .with_text("tableName", named("tableName"))
                .with_text("queryName", fixed(text(options, "queryName")).unwrap_or("match_documents")),
            "vectorStorePGVector" => PlacedCard::new("postgres")
                .with_text("tableName", fixed(text(parameters, "tableName")).unwrap_or_default()),
            "vectorStoreInMemory" => {
                let need = "its vectors are in n8n's memory and in no export: make a document store and a Retriever Tool over it";
                self.obstacles.add(node.kind, need, node.name);
                return None;
            }
            _ => {
                self.obstacles.add(
                    node.kind,
                    "it needs a document store, or a vector store that has a card here",
                    node.name,
                );
                return None;
            }
        };
        let store = match count(parameters.get("topK")) {
            Some(top) => store.with("topK", top.to_string()),
            None => store,
        };
        let node_embeddings = self.single(node, "ai_embedding", "it needs one card of embeddings")?;
        let provider = node_embeddings.kind.strip_prefix("embeddings").unwrap_or_default();
        let model =
            ["model", "modelName"].iter().find_map(|name| resource(node_embeddings.parameters.get(*name)));
        let Some(embeddings) = models::embeddings(provider, model.unwrap_or_default()) else {
            self.obstacles.add(
                node_embeddings.kind,
                "there is no card for these embeddings here",
                node_embeddings.name,
            );
            return None;
        };
        self.blueprint.differ(format!(
            "Enter in '{}' where the store is: n8n keeps that in its credentials.",
            node.name
        ));
        self.credential(node);
        self.credential(&node_embeddings);
        Some(Retrieval::VectorStore { store, embeddings })
    }

    /// The keys of its answer, where an output parser reads it.
    pub(super) fn answer_keys(&mut self, node: &Node<'f>) -> Vec<AnswerKey> {
        let found = self.workflow.inputs(node.name, "ai_outputParser");
        let mut parser = match found.as_slice() {
            [] => return Vec::new(),
            [one] => *one,
            _ => {
                self.obstacles.add(node.kind, "it needs one output parser at most", node.name);
                return Vec::new();
            }
        };
        if parser.kind == "outputParserAutofixing" {
            self.blueprint.differ("An answer that does not fit is asked for once more, by the same model.");
            // Its model is the same here.
            self.workflow.inputs(parser.name, "ai_languageModel");
            let Some(inner) = self.single(&parser, "ai_outputParser", "it needs one output parser") else {
                return Vec::new();
            };
            parser = inner;
        }
        let keys = match parser.kind {
            "outputParserStructured" => keys_of(parser.parameters),
            _ => None,
        };
        keys.unwrap_or_else(|| {
            let need = "only answers with texts, numbers, switches and lists of texts are read; draw the others as JSON Structured Output of an LLM step";
            self.obstacles.add(parser.kind, need, parser.name);
            Vec::new()
        })
    }
}

/// A value that n8n lets a person pick or write: the text of it, unless an expression makes it.
pub(super) fn resource(value: Option<&Value>) -> Option<&str> {
    let text = match value? {
        Value::String(text) => text.as_str(),
        Value::Object(picked) => picked.get("value")?.as_str()?,
        _ => return None,
    };
    fixed(text).filter(|text| !text.is_empty())
}

/// The keys of a schema, or of an example; `None` for one that has lists of objects or objects in it.
fn keys_of(parameters: &Map<String, Value>) -> Option<Vec<AnswerKey>> {
    let parse = |name: &str| serde_json::from_str::<Value>(parameters.get(name)?.as_str()?).ok();
    if text(parameters, "schemaType") != "manual" && parameters.contains_key("jsonSchemaExample") {
        let example = parse("jsonSchemaExample")?;
        let key = |(name, value): (&String, &Value)| {
            let kind = match value {
                Value::String(_) => "string",
                Value::Number(_) => "number",
                Value::Bool(_) => "boolean",
                Value::Array(rows) if rows.iter().all(Value::is_string) => "stringArray",
                _ => return None,
            };
            Some(AnswerKey { name: name.clone(), kind, description: String::new() })
        };
        let keys: Vec<AnswerKey> = example.as_object()?.iter().map(key).collect::<Option<_>>()?;
        return (!keys.is_empty() && keys.len() <= 100).then_some(keys);
    }
    keys_of_schema(&parse("inputSchema").or_else(|| parse("jsonSchema"))?)
}

/// The keys of a JSON schema of an object.
pub(super) fn keys_of_schema(schema: &Value) -> Option<Vec<AnswerKey>> {
    let key = |(name, row): (&String, &Value)| {
        let kind = match row["type"].as_str()? {
            "string" => "string",
            "number" | "integer" => "number",
            "boolean" => "boolean",
            "array" if row["items"]["type"] == "string" => "stringArray",
            _ => return None,
        };
        let description = row["description"].as_str().unwrap_or_default().to_owned();
        Some(AnswerKey { name: name.clone(), kind, description })
    };
    let keys: Vec<AnswerKey> = schema["properties"].as_object()?.iter().map(key).collect::<Option<_>>()?;
    (!keys.is_empty() && keys.len() <= 100).then_some(keys)
}

/// What a tool without a counterpart would take.
fn need_of_tool(kind: &str) -> &'static str {
    match kind {
        "toolCode" => "make a tool of its code under Tools, and connect it as a Custom Tool",
        "toolWorkflow" => {
            "bring the workflow it calls in as a flow of its own, and connect it as a Chatflow Tool"
        }
        "toolHttpRequest" | "httpRequestTool" => {
            "only addresses without placeholders, bodies and sign-in come in; draw it as Requests Get or Requests Post"
        }
        "mcpClientTool" => "its address is no fixed one; connect a Custom MCP",
        "gmailTool" => "connect the tool Gmail",
        "googleCalendarTool" => "connect the tool Google Calendar",
        "googleSheetsTool" => "connect the tool Google Sheets",
        "googleDocsTool" => "connect the tool Google Docs",
        "jiraTool" => "connect the tool Jira",
        "agentTool" => "draw the agent as a flow of its own, and connect it as Agent as Tool",
        _ => "there is no card for this tool; a Custom Tool or an MCP server can do its work",
    }
}
