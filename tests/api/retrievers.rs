//! Retrievers over a vector store, with a stand-in for their models: what each finds, and what it sends to find it.

use crate::embeddings::request_text;
use crate::support::canvases::{Drawing, ProviderFormat, SECRET};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, golden, id};
use serde_json::{Value, json};
use std::fmt::Write as _;

const TEXTS: [(&str, &str); 4] = [
    ("parcels", "Parcels leave the house on Mondays."),
    ("returns", "Returns of parcels take two weeks."),
    ("cats", "Cats sleep all day."),
    ("office", "The office is in Oslo near the harbour."),
];
const QUESTION: &str = "When do parcels leave the house?";

/// A flow in the making whose chunks one retriever searches.
struct RetrieverFixture {
    server: Server,
    /// The provider of the retriever's model, and of the embeddings and rerankers.
    provider: Provider,
    drawing: Drawing,
    store: String,
    embeddings: String,
}

impl RetrieverFixture {
    fn open() -> Self {
        let mut drawing = Drawing::default();
        let store = drawing.card("memoryVectorStore", json!({}));
        for (source, text) in TEXTS {
            let metadata = json!({"source": source, "length": text.len()});
            let loader = drawing.card("plainText", json!({"text": text, "metadata": metadata}));
            drawing.wire(&loader, &store, "document");
        }
        let embeddings = drawing.card("hashingEmbeddings", json!({}));
        drawing.wire(&embeddings, &store, "embeddings");
        Self { server: Server::start(), provider: Provider::start(), drawing, store, embeddings }
    }

    fn retriever(&mut self, card: &str, inputs: Value, over: &str) -> String {
        let node = self.drawing.card(card, inputs);
        let store = self.store.clone();
        self.drawing.wire(&store, &node, over);
        node
    }

    /// A retriever that asks a model which the stand-in plays.
    fn asking(&mut self, card: &str, inputs: Value, over: &str) -> String {
        let node = self.retriever(card, inputs, over);
        let base = self.provider.base_url();
        let model =
            ProviderFormat::OpenAi.model(&mut self.drawing, &self.server, &base, json!({"streaming": false}));
        self.drawing.wire(&model, &node, "model");
        node
    }

    fn credential(&mut self, node: &str, kind: &str, fields: Value) {
        let body = json!({"name": "stand-in", "credentialName": kind, "plainDataObj": fields});
        let credential = id(&self.server.post("/credentials", &body));
        self.drawing.credential(node, &credential);
    }

    /// Answers with what `retriever` finds.
    fn ask(mut self, retriever: &str) -> RetrievedAnswer {
        let model = self.drawing.card("chatExtractive", json!({}));
        let chain = self.drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
        self.drawing.wire(&model, &chain, "model");
        self.drawing.wire(retriever, &chain, "vectorStoreRetriever");
        let flow = self.server.flow(&self.drawing.text());
        let answer = self.server.ask(&flow, &json!({ "question": QUESTION })).is(200).json();
        RetrievedAnswer { answer, provider: self.provider }
    }
}

struct RetrievedAnswer {
    answer: Value,
    provider: Provider,
}

impl RetrievedAnswer {
    fn documents(&self) -> &[Value] {
        self.answer["sourceDocuments"].as_array().map_or(&[], Vec::as_slice)
    }

    fn sources(&self) -> Vec<&str> {
        self.documents().iter().map(|found| found["metadata"]["source"].as_str().unwrap()).collect()
    }

    /// What was sent to models.
    fn requests_sent(&self) -> String {
        self.provider.requests().iter().map(request_text).collect()
    }
}

#[test]
fn only_chunks_that_are_near_enough_are_found() {
    for (least, most, expected) in [
        ("40", "20", &["parcels"][..]),
        ("0", "20", &["parcels", "returns", "office", "cats"]),
        ("0", "2", &["parcels", "returns"]),
    ] {
        let mut library = RetrieverFixture::open();
        let inputs = json!({"minSimilarityScore": least, "maxK": most});
        let node = library.retriever("similarityThresholdRetriever", inputs, "vectorStore");
        let found = library.ask(&node);
        let mut sources = found.sources();
        assert_eq!(sources[0], "parcels", "{least}");
        let mut expected = expected.to_vec();
        sources.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sources, expected, "{least} {most}");
    }
}

#[test]
fn chunks_are_written_as_the_owner_likes() {
    let mut library = RetrieverFixture::open();
    let inputs =
        json!({"resultFormat": "<{{metadata.source}}/{{metadata.length}}> {{context}}", "topK": "1"});
    let node = library.retriever("customRetriever", inputs, "vectorStore");
    let found = library.ask(&node);
    assert_eq!(found.documents().len(), 1);
    assert_eq!(found.documents()[0]["pageContent"], "<parcels/35> Parcels leave the house on Mondays.");
}

#[test]
fn a_model_words_the_question_in_other_ways() {
    let mut library = RetrieverFixture::open();
    let node = library.asking("multiQueryRetriever", json!({}), "vectorStore");
    let store = library.store.clone();
    library.drawing.set(&store, "topK", json!("1"));
    library.provider.push_behaviour(Behaviour::text(
        "<questions>\n1. When do cats sleep?\n2. Is the office near the harbour?\n3. When do cats sleep?\n</questions>",
    ));
    let found = library.ask(&node);
    assert_eq!(found.sources(), ["parcels", "cats", "office"], "the person's own words go first");
    golden::check("retriever_multi_query_sent.txt", &found.requests_sent());
}

#[test]
fn a_model_writes_the_chunk_that_is_looked_for() {
    let mut sent = String::new();
    for (inputs, wanted) in [
        (json!({"promptKey": "trec-news", "topK": "1"}), "news report"),
        (json!({"customPrompt": "Invent a text on {question}", "topK": "1"}), "Invent a text on <question"),
    ] {
        let mut library = RetrieverFixture::open();
        let node = library.asking("HydeRetriever", inputs, "vectorStore");
        library.provider.push_behaviour(Behaviour::text("Cats sleep all day and all night."));
        let found = library.ask(&node);
        assert_eq!(found.sources(), ["cats"]);
        assert!(found.requests_sent().contains(wanted), "{}", found.requests_sent());
        sent += &found.requests_sent();
    }
    golden::check("retriever_hyde_sent.txt", &sent);
}

#[test]
fn a_model_keeps_what_bears_on_the_question() {
    let mut library = RetrieverFixture::open();
    let node = library.asking("llmFilterRetriever", json!({}), "baseRetriever");
    library.provider.set_decision(|request| {
        let asked = request.body.to_string();
        Behaviour::text(if asked.contains("Mondays") { "on Mondays" } else { "NOTHING." })
    });
    let found = library.ask(&node);
    assert_eq!(found.sources(), ["parcels"]);
    assert_eq!(found.documents()[0]["pageContent"], "on Mondays");
    assert_eq!(found.provider.served_count(), 4, "one call for each chunk");
    golden::check("retriever_llm_filter_sent.txt", &request_text(&found.provider.requests()[0]));
}

#[test]
fn found_chunks_are_judged_by_their_vectors() {
    for (inputs, expected) in
        [(json!({"similarityThreshold": "0.4"}), 1), (json!({"similarityThreshold": "", "k": "3"}), 3)]
    {
        let mut library = RetrieverFixture::open();
        let node = library.retriever("embeddingsFilterRetriever", inputs, "baseRetriever");
        let embeddings = library.embeddings.clone();
        library.drawing.wire(&embeddings, &node, "embeddings");
        let found = library.ask(&node);
        assert_eq!((found.sources()[0], found.sources().len()), ("parcels", expected));
    }
}

#[test]
fn chunks_that_stand_high_for_many_questions_come_first() {
    let mut library = RetrieverFixture::open();
    let node =
        library.asking("RRFRetriever", json!({"queryCount": "2", "topK": "2", "c": "0"}), "baseRetriever");
    library.provider.push_behaviour(Behaviour::text("Do cats sleep all day?\nWhere do cats sleep all day?"));
    let found = library.ask(&node);
    assert_eq!(found.sources(), ["cats", "parcels"]);
    golden::check("retriever_rrf_sent.txt", &found.requests_sent());
}

#[test]
fn a_model_reads_the_metadata_from_the_question() {
    let rows = json!([
        {"key": "source", "type": "Enum", "enumValues": "parcels, cats, office", "description": "Which part"},
        {"key": "length", "type": "Number", "enumValues": "", "description": "How long"},
        {"key": "", "type": "String"},
    ]);
    for (said, expected) in [
        (r#"{"source": "cats"}"#, vec!["cats"]),
        ("```json\n{\"source\": null}\n```", vec!["parcels", "returns"]),
    ] {
        let mut library = RetrieverFixture::open();
        let inputs = json!({"topK": "2", "dynamicMetadataFilterRetrieverStructuredOutput": rows.to_string()});
        let node = library.asking("extractMetadataRetriever", inputs, "vectorStore");
        library.provider.push_behaviour(Behaviour::text(said));
        let found = library.ask(&node);
        assert_eq!(found.sources(), expected, "{said}");
        golden::check("retriever_extract_metadata_sent.txt", &found.requests_sent());
    }
}

#[test]
fn rerankers_put_chunks_in_the_order_of_their_provider() {
    let mut sent = String::new();
    for (card, kind, most) in [
        ("cohereRerankRetriever", "cohereApi", "topK"),
        ("JinaRerankRetriever", "jinaAIApi", "topN"),
        ("voyageAIRerankRetriever", "voyageAIApi", "topK"),
        ("AzureRerankRetriever", "azureFoundryApi", "topK"),
    ] {
        let mut library = RetrieverFixture::open();
        let base = library.provider.base_url();
        let mut inputs = json!({most: "2"});
        let fields = match kind {
            "voyageAIApi" => json!({"apiKey": SECRET, "endpoint": format!("{base}/v1/embeddings")}),
            "azureFoundryApi" => json!({"azureFoundryApiKey": SECRET, "azureFoundryEndpoint": base}),
            "jinaAIApi" => {
                inputs["basepath"] = json!(format!("{base}/v1"));
                json!({"jinaAIAPIKey": SECRET})
            }
            _ => {
                inputs["basepath"] = json!(base);
                inputs["maxChunksPerDoc"] = json!("3");
                json!({"cohereApiKey": SECRET})
            }
        };
        let node = library.retriever(card, inputs, "baseRetriever");
        library.credential(&node, kind, fields);
        let found = library.ask(&node);
        assert_eq!((found.sources()[0], found.sources().len()), ("parcels", 2), "{card}");
        assert!(found.documents()[0]["metadata"]["relevance_score"].as_f64().unwrap() > 0.5, "{card}");
        writeln!(sent, "== {card}\n{}", found.requests_sent()).unwrap();
    }
    golden::check("rerank_sent.txt", &sent);
}

#[test]
fn a_reranker_that_answers_wrongly_is_named() {
    for body in [
        r#"{"results":[{"index":9,"relevance_score":1}]}"#,
        r#"{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}"#,
        "{}",
    ] {
        let mut library = RetrieverFixture::open();
        let base = library.provider.base_url();
        let node = library.retriever("cohereRerankRetriever", json!({"basepath": base}), "baseRetriever");
        library.credential(&node, "cohereApi", json!({"cohereApiKey": SECRET}));
        library.provider.push_behaviour(Behaviour::status(200, body));
        let model = library.drawing.card("chatExtractive", json!({}));
        let chain = library.drawing.card("retrievalQAChain", json!({}));
        library.drawing.wire(&model, &chain, "model");
        library.drawing.wire(&node, &chain, "vectorStoreRetriever");
        let flow = library.server.flow(&library.drawing.text());
        let answer = library.server.ask(&flow, &json!({ "question": QUESTION }));
        assert!(answer.text().contains("Cohere Rerank Retriever: the provider's reply"), "{}", answer.text());
    }
}

#[test]
fn a_search_can_run_while_the_flow_is_built() {
    for (output, query, expected) in [
        ("text", "", "Parcels leave the house on Mondays."),
        ("text", "Where do {{question}} not matter but cats sleep all day", "Cats sleep all day."),
        ("document", "", "Parcels leave the house on Mondays."),
    ] {
        let mut library = RetrieverFixture::open();
        let inputs = json!({"resultFormat": "{{context}}", "topK": "1", "query": query});
        let node = library.retriever("customRetriever", inputs, "vectorStore");
        library.drawing.choose_output(&node, output);
        let reference = match output {
            "text" => format!("{{{{{node}.data.instance}}}}"),
            _ => format!("{{{{{node}.data.instance.0.pageContent}}}}"),
        };
        let values = json!({ "found": reference }).to_string();
        let prompt = library
            .drawing
            .card("promptTemplate", json!({"template": "Read: {found}", "promptValues": values}));
        let model = library.drawing.card("chatScripted", json!({"fallback": "{question}"}));
        let chain = library.drawing.card("llmChain", json!({}));
        library.drawing.connect(&node, &prompt);
        library.drawing.wire(&model, &chain, "model");
        library.drawing.wire(&prompt, &chain, "prompt");
        let flow = library.server.flow(&library.drawing.text());
        let answer = library.server.ask(&flow, &json!({ "question": QUESTION })).is(200).json();
        assert_eq!(answer["text"], format!("Read: {expected}"), "{output}");
    }
}
