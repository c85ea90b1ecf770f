//! Retriever: what document stores hold about a question.

use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::predictions::prediction::Document;
use crate::kit::steps::on_error;
use crate::kit::{
    Capability, Card, Category, Choice, Factory, Input, Inputs, Knowledge, Need, Picker, Retriever, Risk,
    StepContext, StepOutcome, StoreRetriever, TokenSink, input_lists,
};

const STORES: &str = "retrieverKnowledgeDocumentStores";
const STORE: &str = "documentStore";
const QUERY: &str = "retrieverQuery";
const FORMAT: &str = "outputFormat";
const WITH_METADATA: &str = "textWithMetadata";

pub(crate) const CARD: Card = Card {
    name: "retrieverAgentflow",
    label: "Retriever",
    version: 1.1,
    category: Category::AgentFlows,
    description: "Finds chunks of document stores that fit a question.",
    base_classes: &["Retriever"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Knowledge)],
    inputs: input_lists![
        &[
            Input::rows(STORES, "Knowledge (Document Stores)", STORE_FIELDS)
                .help("Document stores whose chunks were embedded. The chunks of all of them are kept."),
            Input::lines(QUERY, "Retriever Query").variables().help("What is looked for."),
            Input::choice(
                FORMAT,
                "Output Format",
                &[Choice::new("text", "Text"), Choice::new(WITH_METADATA, "Text with metadata")],
            )
            .or("text"),
            Input::state_updates("retrieverUpdateState"),
        ],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(retrieve),
};

const STORE_FIELDS: &[Input] = &[Input::pick(STORE, "Document Store", Picker::DocumentStore)];

fn retrieve(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let query = inputs.text(QUERY)?;
    let knowledge = inputs.need::<dyn Knowledge>()?.of(context.turn.host)?;
    let mut found: Vec<Document> = Vec::new();
    let rows = inputs.rows(STORES);
    for (id, row) in stores(inputs, &rows)? {
        let missing = || {
            let why =
                "the document store does not exist in this workspace, or no embeddings were chosen in it";
            row.input_error(STORE, why)
        };
        let store = knowledge.store_vectors(&id)?.ok_or_else(missing)?;
        found.extend(StoreRetriever(store).retrieve(&query, context.turn)?);
    }
    let text = if inputs.optional_text(FORMAT).as_deref() == Some(WITH_METADATA) {
        serde_json::to_string(&found).map_err(Error::internal)?
    } else {
        let texts: Vec<&str> = found.iter().map(|document| document.page_content.as_str()).collect();
        texts.join("\n")
    };
    let outcome = StepOutcome::from_text(text).with_input("question", query);
    Ok(StepOutcome { sources: found, ..outcome })
}

/// The stores that the rows name, each once and with the row that names it. What is picked is written as `id:name`.
fn stores<'r, 'i>(
    inputs: &Inputs<'_>,
    rows: &'r [Inputs<'i>],
) -> Result<Vec<(DocumentStoreId, &'r Inputs<'i>)>> {
    let mut named: Vec<(DocumentStoreId, &'r Inputs<'i>)> = Vec::new();
    for row in rows {
        let Some(picked) = row.optional_text(STORE) else { continue };
        let id = picked.split(':').next().unwrap_or_default().trim();
        let wrong = || row.input_error(STORE, "choose a document store");
        let id = DocumentStoreId::parse(id).ok_or_else(wrong)?;
        if named.iter().all(|(known, _)| *known != id) {
            named.push((id, row));
        }
    }
    if named.is_empty() { Err(inputs.input_error(STORES, "choose a document store")) } else { Ok(named) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::capabilities::test_host::TestHost;
    use crate::kit::steps::test_step::TestStep;
    use crate::kit::{
        Capabilities, Collections, Host, HostContext, PageVisitor, RunContext, ScoredChunk, UpsertReport,
        VectorQuery, VectorStore,
    };
    use serde_json::{Map, Value, json};
    use std::sync::Arc;

    const ONE: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
    const OTHER: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae8";
    const LOST: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae9";

    /// Has the stores `ONE` and `OTHER`, which find what they are asked, under their own last letter.
    #[derive(Default)]
    struct StoreHost(TestHost);

    struct Echo(String);

    impl VectorStore for Echo {
        fn upsert(&self, _: &dyn Host) -> Result<UpsertReport> {
            Ok(UpsertReport::default())
        }

        fn nearest(&self, query: &VectorQuery<'_>, _: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
            let metadata = Map::from_iter([("store".to_owned(), Value::from(self.0.as_str()))]);
            let chunk = Document { page_content: format!("{} of {}", query.text, self.0), metadata };
            Ok(vec![ScoredChunk { chunk, score: 1.0 }])
        }

        fn top_k(&self) -> usize {
            1
        }
    }

    impl Knowledge for StoreHost {
        fn document_store_chunks(&self, _: &DocumentStoreId) -> Result<Option<Vec<Document>>> {
            Ok(None)
        }

        fn visit_document_store(&self, _: &DocumentStoreId, _: PageVisitor<'_>) -> Result<bool> {
            Ok(false)
        }

        fn store_vectors(&self, store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
            let id = store.to_string();
            Ok([ONE, OTHER].contains(&id.as_str()).then(|| Arc::new(Echo(id[35..].to_owned())) as _))
        }

        fn collections(&self) -> &dyn Collections {
            unreachable!("a retriever stores nothing")
        }
    }

    impl Host for StoreHost {
        fn context(&self) -> HostContext<'_> {
            self.0.context()
        }

        fn capabilities(&self) -> Capabilities<'_> {
            Capabilities::default().with_knowledge(self)
        }
    }

    fn step(stores: &[&str]) -> TestStep {
        let rows: Vec<Value> = stores.iter().map(|store| json!({"documentStore": store})).collect();
        TestStep::new(&CARD).with(STORES, rows).with(QUERY, json!("tea"))
    }

    #[test]
    fn the_chunks_of_all_stores_are_kept_in_the_order_of_the_rows() {
        let named = format!("{ONE}:Kitchen");
        let outcome = step(&[OTHER, &named, ONE]).run_on(&StoreHost::default()).unwrap();
        assert_eq!(outcome.text(), "tea of 8\ntea of 7");
        assert_eq!(outcome.sources.len(), 2);
        assert_eq!(Value::Object(outcome.input), json!({"question": "tea"}));
    }

    #[test]
    fn with_metadata_the_text_is_the_documents() {
        let outcome = step(&[ONE]).with(FORMAT, json!(WITH_METADATA)).run_on(&StoreHost::default()).unwrap();
        let text: Value = serde_json::from_str(outcome.text()).unwrap();
        assert_eq!(text, json!([{"pageContent": "tea of 7", "metadata": {"store": "7"}}]));
    }

    #[test]
    fn a_store_that_is_gone_or_was_never_chosen_is_named() {
        for (stores, place) in [(&[ONE, LOST][..], ", row 2: "), (&[], ": choose"), (&["", "x"], ", row 2: ")]
        {
            let told = step(stores).run_on(&StoreHost::default()).unwrap_err().to_string();
            assert!(told.starts_with("Retriever: ") && told.contains("ocument store"), "{told}");
            assert!(told.contains(place), "{told}");
        }
    }
}
