//! What stands for the models and tools of Langflow.

use super::blueprint::{Blueprint, PlacedCard, Retrieval, StepTool};
use super::langflow::{Board, Component};
use super::models::{self, ModelSettings, count, number};
use super::obstacles::Obstacles;
use super::tools;
use serde_json::Value;
use std::collections::HashSet;

/// Components of one provider's models.
const MODELS: &[(&str, &str)] = &[
    ("OpenAIModel", "openai"),
    ("AnthropicModel", "anthropic"),
    ("GoogleGenerativeAIModel", "google"),
    ("OllamaModel", "ollama"),
    ("ChatOllamaComponent", "ollama"),
    ("GroqModel", "groq"),
    ("MistralModel", "mistral"),
    ("MistalAIModel", "mistral"),
    ("AzureOpenAIModel", "azureopenai"),
    ("CohereModel", "cohere"),
    ("DeepSeekModelComponent", "deepseek"),
    ("OpenRouterComponent", "openrouter"),
    ("xAIModel", "xai"),
    ("PerplexityModel", "perplexity"),
    ("PerplexityComponent", "perplexity"),
    ("NVIDIAModelComponent", "nvidia"),
    ("SambaNovaComponent", "sambanova"),
    ("LMStudioModel", "lmstudio"),
    ("AmazonBedrockModel", "bedrock"),
    ("AmazonBedrockConverseModel", "bedrock"),
];
/// Components whose provider is a field.
const ANY_MODEL: &[&str] = &["LanguageModelComponent", "LanguageModel", "Agent"];

pub(super) struct PartReader<'r, 'f> {
    pub board: &'r Board<'f>,
    pub blueprint: &'r mut Blueprint,
    pub obstacles: &'r mut Obstacles,
    pub read: &'r mut HashSet<&'f str>,
}

impl<'f> PartReader<'_, 'f> {
    pub(super) fn is_model(component: &Component<'_>) -> bool {
        ANY_MODEL.contains(&component.kind) || MODELS.iter().any(|(kind, _)| *kind == component.kind)
    }

    /// True for models and tools that come in.
    pub(super) fn knows(kind: &str) -> bool {
        ANY_MODEL.contains(&kind)
            || MODELS.iter().any(|(known, _)| *known == kind)
            || tools::tool(kind).is_some()
    }

    /// The model of a component; a wired one goes before the one that its fields name.
    pub(super) fn model(&mut self, component: &Component<'f>) -> Option<PlacedCard> {
        if let Some(wired) = self.board.source(component.id, &["agent_llm", "llm", "model"]) {
            self.read.insert(wired.id);
            if !Self::is_model(&wired) || wired.kind == "Agent" || wired.id == component.id {
                self.obstacles.add(wired.kind, "there is no card for this model here", wired.label);
                return None;
            }
            return self.named_model(&wired);
        }
        self.named_model(component)
    }

    fn named_model(&mut self, component: &Component<'f>) -> Option<PlacedCard> {
        // Newer versions keep provider and name of a model in one field.
        let picked = component.value("model").and_then(|picked| match picked {
            Value::Array(rows) => rows.first(),
            picked => Some(picked).filter(|picked| picked.is_object()),
        });
        let of_picked = |name: &str| picked.and_then(|picked| picked.get(name)).and_then(Value::as_str);
        let fixed = MODELS.iter().find(|(kind, _)| *kind == component.kind).map(|(_, provider)| *provider);
        let provider = fixed
            .or_else(|| of_picked("provider"))
            .unwrap_or_else(|| component.first_text(&["provider", "agent_llm"]));
        let Some(card) = models::chat_model(provider) else {
            let what = format!("the model provider '{provider}'");
            self.obstacles.add(
                &what,
                "there is no card for its models here, or the file names none",
                component.label,
            );
            return None;
        };
        let named = component.first_text(&["model_name", "model", "model_id", "azure_deployment"]);
        let model = of_picked("name").unwrap_or(named);
        if model.is_empty() {
            self.blueprint
                .differ(format!("The file does not name the model of '{}': choose one.", component.label));
        }
        let address = component.first_text(&["openai_api_base", "base_url", "anthropic_api_url", "api_base"]);
        let settings = ModelSettings {
            temperature: number(component.value("temperature")),
            tokens_max: count(component.value("max_tokens")),
            address: if address.starts_with("http") { address.to_owned() } else { String::new() },
        };
        let (placed, mut left_out) = card.place(model, &settings);
        for name in ["model_kwargs", "output_parser", "json_mode", "stop_tokens", "top_p", "top_k"] {
            let is_set = match component.value(name) {
                None | Some(Value::Null | Value::Bool(false)) => false,
                Some(value) => !["", "{}", "[]"].contains(&value_text(Some(value)).as_str()),
            };
            if is_set {
                left_out.push(name);
            }
        }
        if !left_out.is_empty() {
            let told =
                format!("Settings of '{}' that are left out: {}.", component.label, left_out.join(", "));
            self.blueprint.differ(told);
        }
        if placed.name != "chatOllama" {
            self.blueprint.differ(format!(
                "Choose a credential for the model of '{}': keys of the file do not come in.",
                component.label
            ));
        }
        Some(placed)
    }

    /// The tools of an agent.
    pub(super) fn tools(&mut self, component: &Component<'f>) -> Vec<StepTool> {
        let mut tools: Vec<StepTool> = Vec::new();
        for wired in self.board.sources(component.id, "tools") {
            self.read.insert(wired.id);
            match tools::tool(wired.kind) {
                Some(card) => {
                    self.blueprint.differ(format!(
                        "'{}' of Langflow is the card '{}' here: settings and credential of it are to be looked at.",
                        wired.label, card.name
                    ));
                    tools.push(StepTool::Card(card));
                }
                None => {
                    let need =
                        "there is no card for this tool; a Custom Tool or an MCP server can do its work";
                    self.obstacles.add(wired.kind, need, wired.label);
                }
            }
        }
        if component.value("add_current_date_tool") == Some(&true.into()) {
            tools.push(StepTool::Card(PlacedCard::new("currentDateTime")));
        }
        tools
    }
}

/// Stores that are searched.
const STORES: &[&str] = &[
    "Pinecone",
    "QdrantVectorStoreComponent",
    "SupabaseVectorStore",
    "pgvector",
    "Chroma",
    "KnowledgeRetrieval",
    "KnowledgeBase",
];

impl<'f> PartReader<'_, 'f> {
    pub(super) fn is_store(component: &Component<'_>) -> bool {
        STORES.contains(&component.kind)
    }

    /// What is searched; that it is searched for the question is the caller's to see.
    pub(super) fn retrieval(&mut self, component: &Component<'f>) -> Option<Retrieval> {
        let label = component.label;
        if !self.board.sources(component.id, "ingest_data").is_empty() {
            self.obstacles.add(
                component.kind,
                "a flow fills it: make a document store of what goes in",
                label,
            );
            return None;
        }
        let named = |field: &str| component.text(field);
        let store = match component.kind {
            "Pinecone" => PlacedCard::new("pinecone")
                .with_text("pineconeIndex", named("index_name"))
                .with_text("pineconeNamespace", named("namespace")),
            "QdrantVectorStoreComponent" => {
                PlacedCard::new("qdrant").with_text("qdrantCollection", named("collection_name"))
            }
            "SupabaseVectorStore" => PlacedCard::new("supabase")
                .with_text("supabaseProjUrl", named("supabase_url"))
                .with_text("tableName", named("table_name"))
                .with_text("queryName", named("query_name")),
            "pgvector" => PlacedCard::new("postgres").with_text("tableName", named("collection_name")),
            "Chroma" if !named("chroma_server_host").is_empty() => {
                PlacedCard::new("chroma").with_text("collectionName", named("collection_name"))
            }
            "KnowledgeRetrieval" | "KnowledgeBase" => {
                let told = format!(
                    "'{label}' is knowledge that no export holds: make a document store of the same documents and choose it."
                );
                self.blueprint.differ(told);
                return Some(Retrieval::DocumentStore);
            }
            _ => {
                self.obstacles.add(component.kind, "its vectors lie in a file: make a document store", label);
                return None;
            }
        };
        let store = match count(component.value("number_of_results")) {
            Some(top) => store.with("topK", top.to_string()),
            None => store,
        };
        let Some(wired) = self.board.source(component.id, &["embedding", "embedding_model"]) else {
            self.obstacles.add(component.kind, "it needs one card of embeddings", label);
            return None;
        };
        self.read.insert(wired.id);
        let provider = match wired.kind.strip_suffix("Embeddings").map(str::trim) {
            Some(provider) => provider,
            None => wired.text("provider"),
        };
        let Some(embeddings) = models::embeddings(provider, wired.first_text(&["model", "model_name"]))
        else {
            self.obstacles.add(wired.kind, "there is no card for these embeddings here", wired.label);
            return None;
        };
        self.blueprint.differ(format!(
            "Enter in '{label}' where the store is, and choose credentials for it and for its embeddings."
        ));
        Some(Retrieval::VectorStore { store, embeddings })
    }
}

/// A value as a text.
pub(super) fn value_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(other) => other.to_string(),
    }
}
