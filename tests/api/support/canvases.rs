//! Draws canvases in the form an editor stores, from the card definitions the service itself hands out.

use super::provider::Provider;
use super::server::{Server, id};
use flowkeep::cards::{palette, registry};
use flowkeep::wire::service::cards::CardView;
use serde_json::{Map, Value, json};

/// The key that stand-in providers are sent.
pub const SECRET: &str = "sk-test-0123456789abcdefABCDEF";

/// A canvas in the making.
#[derive(Default)]
pub struct Drawing {
    nodes: Vec<Value>,
    edges: Vec<Value>,
}

impl Drawing {
    /// Puts a card on the canvas with `inputs` over its defaults; the node's id.
    pub fn card(&mut self, name: &str, inputs: Value) -> String {
        let definition = CardView::from(palette::definition(registry::find(name).unwrap()));
        let definition = serde_json::to_value(definition).unwrap();
        let taken = self.nodes.iter().filter(|node| node["data"]["name"] == name).count();
        let id = format!("{name}_{taken}");
        let params = definition["inputs"].as_array().cloned().unwrap_or_default();
        let mut values = Map::new();
        for param in &params {
            let empty = if param["list"] == true { json!([]) } else { json!("") };
            let value = param.get("default").cloned().unwrap_or(empty);
            values.insert(param["name"].as_str().unwrap().to_owned(), value);
        }
        values.extend(inputs.as_object().cloned().unwrap());
        let output = definition["outputs"][0]["name"].as_str();
        self.nodes.push(json!({
            "id": id, "type": "customNode", "width": 300, "height": 400, "selected": false,
            "position": {"x": 360 * self.nodes.len(), "y": 100},
            "data": {
                "id": id, "name": name, "label": definition["label"], "version": definition["version"],
                "type": definition["type"], "category": definition["category"], "baseClasses": definition["baseClasses"],
                "inputParams": params, "inputAnchors": [], "inputs": values, "outputAnchors": [],
                "outputs": output.map_or(json!({}), |output| json!({"output": output})),
            },
        }));
        id
    }

    /// Selects a stored credential.
    pub fn credential(&mut self, node: &str, credential: &str) {
        self.node(node)["data"]["credential"] = credential.into();
    }

    /// A Tool Agent with memory and the Calculator, that this model speaks for.
    pub fn counting_agent(&mut self, model: &str) {
        let memory = self.card("bufferMemory", json!({}));
        let calculator = self.card("calculator", json!({}));
        let agent = self.card("toolAgent", json!({"systemMessage": "Count well."}));
        self.wire(model, &agent, "model");
        self.wire(&memory, &agent, "memory");
        self.wire(&calculator, &agent, "tools");
    }

    /// Connects `from` to the input `input` of `to`.
    pub fn wire(&mut self, from: &str, to: &str, input: &str) {
        let reference = json!(format!("{{{{{from}.data.instance}}}}"));
        match &mut self.node(to)["data"]["inputs"][input] {
            Value::Array(list) => list.push(reference),
            slot => *slot = reference,
        }
        self.edges.push(json!({
            "source": from, "sourceHandle": format!("{from}-output"), "target": to,
            "targetHandle": format!("{to}-input-{input}"), "type": "buttonedge", "id": format!("{from}-{to}"),
        }));
    }

    /// Draws an edge without a value in an input.
    pub fn connect(&mut self, from: &str, to: &str) {
        self.connect_output(from, "output", to);
    }

    /// Draws an edge from one of several outputs.
    pub fn connect_output(&mut self, from: &str, output: &str, to: &str) {
        self.edges.push(json!({
            "source": from, "sourceHandle": format!("{from}-output-{output}-string|number"), "target": to,
            "targetHandle": format!("{to}-input-any"), "type": "buttonedge", "id": format!("{from}-{output}-{to}"),
        }));
    }

    /// Sets the output of a card.
    pub fn choose_output(&mut self, node: &str, output: &str) {
        self.node(node)["data"]["outputs"] = json!({ "output": output });
    }

    /// Answers with the chunks that a store finds, by embeddings with these inputs and no provider.
    pub fn answer_with_chunks(&mut self, store: &str, embeddings: Value) {
        let embeddings = self.card("hashingEmbeddings", embeddings);
        let model = self.card("chatExtractive", json!({}));
        let chain = self.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
        self.wire(&embeddings, store, "embeddings");
        self.wire(&model, &chain, "model");
        self.wire(store, &chain, "vectorStoreRetriever");
    }

    /// Answers with the text that a loader reads, in brackets, and no provider.
    pub fn answer_with_document(&mut self, loader: &str) {
        let model = self.card("chatScripted", json!({"fallback": "{question}"}));
        let values = json!({"text": format!("{{{{{loader}.data.instance}}}}")}).to_string();
        let prompt = self.card("promptTemplate", json!({"template": "[{text}]", "promptValues": values}));
        let chain = self.card("llmChain", json!({}));
        self.connect(loader, &prompt);
        self.wire(&model, &chain, "model");
        self.wire(&prompt, &chain, "prompt");
    }

    /// Sets an input of a card that stands already.
    pub fn set(&mut self, node: &str, input: &str, value: Value) {
        self.node(node)["data"]["inputs"][input] = value;
    }

    fn node(&mut self, id: &str) -> &mut Value {
        self.nodes.iter_mut().find(|node| node["id"] == id).unwrap()
    }

    /// `flowData`.
    pub fn text(&self) -> String {
        json!({"nodes": self.nodes, "edges": self.edges, "viewport": {"x": 0, "y": 0, "zoom": 1}}).to_string()
    }
}

/// A wire format, with the card that speaks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderFormat {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

impl ProviderFormat {
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    fn card(self) -> &'static str {
        match self {
            Self::OpenAi => "chatOpenAI",
            Self::Anthropic => "chatAnthropic",
            Self::Gemini => "chatGoogleGenerativeAI",
            Self::Ollama => "chatOllama",
        }
    }

    /// The credential type of the card, and its field.
    fn credential(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAi => ("openAIApi", "openAIApiKey"),
            Self::Anthropic => ("anthropicApi", "anthropicApiKey"),
            Self::Gemini => ("googleGenerativeAI", "googleGenerativeAPIKey"),
            Self::Ollama => ("ollamaApi", "ollamaApiKey"),
        }
    }

    /// The input for the address, and the address under a stand-in's.
    fn address(self, base: &str) -> (&'static str, String) {
        match self {
            Self::OpenAi => ("basepath", format!("{base}/v1")),
            _ => ("baseUrl", base.to_owned()),
        }
    }

    /// Puts its model card on a canvas, pointing at `base`, with a credential stored for it.
    pub fn model(self, drawing: &mut Drawing, server: &Server, base: &str, inputs: Value) -> String {
        let (address, base) = self.address(base);
        let mut all = json!({"modelName": "model-1", address: base});
        for (name, value) in inputs.as_object().unwrap() {
            all[name] = value.clone();
        }
        let node = drawing.card(self.card(), all);
        let (credential, field) = self.credential();
        let body = json!({"name": "stand-in", "credentialName": credential, "plainDataObj": {field: SECRET}});
        drawing.credential(&node, &id(&server.post("/credentials", &body)));
        node
    }

    /// A Conversation Chain with Buffer Memory in front of a stand-in provider: its canvas.
    pub fn conversation(self, server: &Server, base: &str, inputs: Value) -> String {
        let mut drawing = Drawing::default();
        let model = self.model(&mut drawing, server, base, inputs);
        let memory = drawing.card("bufferMemory", json!({}));
        let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": "Be kind."}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        drawing.text()
    }

    /// A Tool Agent with the Calculator: its canvas.
    pub fn agent(self, server: &Server, base: &str) -> String {
        let mut drawing = Drawing::default();
        let model = self.model(&mut drawing, server, base, json!({}));
        drawing.counting_agent(&model);
        drawing.text()
    }
}

/// A Conversation Chain that answers `You said: …` by itself.
pub fn scripted_flow() -> String {
    scripted_flow_with(json!({}))
}

/// A Conversation Chain in front of the Scripted Chat Model with these inputs.
pub fn scripted_flow_with(inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", inputs);
    let memory = drawing.card("bufferMemory", json!({}));
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    drawing.text()
}

/// An LLM Chain in front of the Scripted Chat Model, with this prompt.
pub fn prompted_chain(template: &str, values: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({"fallback": "{question}"}));
    let prompt = drawing.card("promptTemplate", json!({"template": template, "promptValues": values}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.text()
}

/// A flow of an OpenAI card in front of a fresh stand-in provider.
pub fn with_provider(server: &Server) -> (Provider, String) {
    let provider = Provider::start();
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(server, &provider.base_url(), json!({})));
    (provider, flow)
}
