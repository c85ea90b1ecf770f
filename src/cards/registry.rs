//! Every card this server knows: one line each.

use super::kit::{Card, Category, Factory, InputKind, WireType};
use super::{
    agentflow, agents, cache, chains, chat_models, document_loaders, embeddings, engines, harness, llms,
    memory, moderation, multi_agents, output_parsers, pipelines, prompts, record_managers, retrievers,
    sequential_agents, synthesizers, text_splitters, tools, tools_mcp, utilities, vector_stores,
};
use crate::canvas::{self, CardSchemas, InputSchema};
use std::collections::HashMap;
use std::sync::LazyLock;

/// All cards, in palette order.
#[rustfmt::skip]
pub static CARDS: &[&Card] = &[
    &agentflow::agent::CARD,
    &agentflow::condition::CARD,
    &agentflow::condition_agent::CARD,
    &agentflow::custom_function::CARD,
    &agentflow::direct_reply::CARD,
    &agentflow::execute_flow::CARD,
    &agentflow::harness::CARD,
    &agentflow::http::CARD,
    &agentflow::human_input::CARD,
    &agentflow::iteration::CARD,
    &agentflow::llm::CARD,
    &agentflow::loop_back::CARD,
    &agentflow::retriever::CARD,
    &agentflow::run_pipeline::CARD,
    &agentflow::start::CARD,
    &agentflow::sticky_note::CARD,
    &agentflow::tool::CARD,
    &agents::conversational_agent::CARD,
    &agents::conversational_retrieval_tool_agent::CARD,
    &agents::csv_agent::CARD,
    &agents::harness::CARD,
    &agents::react_agent_chat::CARD,
    &agents::react_agent_llm::CARD,
    &agents::tool_agent::CARD,
    &agents::xml_agent::CARD,
    &cache::embedding::CARD,
    &cache::in_memory::CARD,
    &cache::redis::CARD,
    &cache::redis_embeddings::CARD,
    &cache::upstash::CARD,
    &chains::conversation_chain::CARD,
    &chains::conversational_retrieval_qa_chain::CARD,
    &chains::get_api_chain::CARD,
    &chains::llm_chain::CARD,
    &chains::multi_prompt_chain::CARD,
    &chains::multi_retrieval_qa_chain::CARD,
    &chains::open_api_chain::CARD,
    &chains::post_api_chain::CARD,
    &chains::retrieval_qa_chain::CARD,
    &chains::sql_database_chain::CARD,
    &chains::vector_db_qa_chain::CARD,
    &chat_models::anthropic::CARD,
    &chat_models::azure_openai::CARD,
    &chat_models::bedrock::CARD,
    &chat_models::openai_compatible::cerebras::CARD,
    &chat_models::cohere::CARD,
    &chat_models::openai_compatible::comet_api::CARD,
    &chat_models::openai_compatible::deepseek::CARD,
    &chat_models::extractive::CARD,
    &chat_models::openai_compatible::fireworks::CARD,
    &chat_models::google::CARD,
    &chat_models::openai_compatible::groq::CARD,
    &chat_models::openai_compatible::hugging_face::CARD,
    &chat_models::openai_compatible::litellm::CARD,
    &chat_models::llama_index::anthropic::CARD,
    &chat_models::llama_index::azure_openai::CARD,
    &chat_models::llama_index::groq::CARD,
    &chat_models::llama_index::openai::CARD,
    &chat_models::llama_index::together::CARD,
    &chat_models::openai_compatible::local_ai::CARD,
    &chat_models::openai_compatible::mistral::CARD,
    &chat_models::openai_compatible::nemo_guardrails::CARD,
    &chat_models::openai_compatible::nvidia_nim::CARD,
    &chat_models::ollama::CARD,
    &chat_models::openai_compatible::open_router::CARD,
    &chat_models::openai::CARD,
    &chat_models::openai_compatible::openai_custom::CARD,
    &chat_models::openai_compatible::perplexity::CARD,
    &chat_models::openai_compatible::sambanova::CARD,
    &chat_models::scripted::CARD,
    &chat_models::openai_compatible::together::CARD,
    &chat_models::vertex::CARD,
    &chat_models::openai_compatible::xai::CARD,
    &chat_models::openai_compatible::alibaba::CARD,
    &chat_models::openai_compatible::cloudflare::CARD,
    &document_loaders::api::CARD,
    &document_loaders::files::csv_file::CARD,
    &document_loaders::custom::CARD,
    &document_loaders::document_store::CARD,
    &document_loaders::files::docx_file::CARD,
    &document_loaders::files::epub_file::CARD,
    &document_loaders::files::file::CARD,
    &document_loaders::files::folder::CARD,
    &document_loaders::github::CARD,
    &document_loaders::files::json_file::CARD,
    &document_loaders::files::json_lines_file::CARD,
    &document_loaders::files::microsoft_excel::CARD,
    &document_loaders::files::microsoft_powerpoint::CARD,
    &document_loaders::files::microsoft_word::CARD,
    &document_loaders::files::pdf_file::CARD,
    &document_loaders::plain_text::CARD,
    &document_loaders::s3::directory::CARD,
    &document_loaders::s3::file::CARD,
    &document_loaders::searches::brave_search_api_loader::CARD,
    &document_loaders::searches::search_api_loader::CARD,
    &document_loaders::searches::serp_api_loader::CARD,
    &document_loaders::files::text_file::CARD,
    &document_loaders::unstructured_file_loader::CARD,
    &document_loaders::vector_store::CARD,
    &document_loaders::web_scraper::CARD,
    &embeddings::azure_openai::CARD,
    &embeddings::bedrock::CARD,
    &embeddings::cohere::CARD,
    &embeddings::google::CARD,
    &embeddings::hashing::CARD,
    &embeddings::hugging_face::CARD,
    &embeddings::jina::CARD,
    &embeddings::llama_index::azure_openai::CARD,
    &embeddings::llama_index::openai::CARD,
    &embeddings::local_ai::CARD,
    &embeddings::mistral::CARD,
    &embeddings::ollama::CARD,
    &embeddings::openai::CARD,
    &embeddings::openai_custom::CARD,
    &embeddings::together::CARD,
    &embeddings::vertex::CARD,
    &embeddings::voyage::CARD,
    &engines::context_chat_engine::CARD,
    &engines::query_engine::CARD,
    &engines::simple_chat_engine::CARD,
    &engines::sub_question_query_engine::CARD,
    &harness::specialist::CARD,
    &harness::team::CARD,
    &llms::azure_openai::CARD,
    &llms::hugging_face::CARD,
    &llms::ollama::CARD,
    &llms::openai::CARD,
    &llms::replicate::CARD,
    &memory::agent_memory::CARD,
    &memory::agent_memory::MYSQL,
    &memory::agent_memory::POSTGRES,
    &memory::agent_memory::SQLITE,
    &memory::buffer::CARD,
    &memory::buffer_window::CARD,
    &memory::conversation_summary::CARD,
    &memory::conversation_summary_buffer::CARD,
    &memory::dynamo_db::CARD,
    &memory::redis::CARD,
    &memory::upstash::CARD,
    &memory::zep::CARD,
    &moderation::openai::CARD,
    &moderation::simple::CARD,
    &multi_agents::supervisor::CARD,
    &multi_agents::worker::CARD,
    &output_parsers::advanced_structured::CARD,
    &output_parsers::csv::CARD,
    &output_parsers::custom_list::CARD,
    &output_parsers::structured::CARD,
    &pipelines::dedupe::CARD,
    &pipelines::document_store::CARD,
    &pipelines::file::CARD,
    &pipelines::filter::CARD,
    &pipelines::function::CARD,
    &pipelines::metadata::CARD,
    &pipelines::split::CARD,
    &pipelines::start::CARD,
    &prompts::chat_prompt_template::CARD,
    &prompts::few_shot_prompt_template::CARD,
    &prompts::prompt_template::CARD,
    &record_managers::mysql::CARD,
    &record_managers::postgres::CARD,
    &record_managers::sqlite::CARD,
    &retrievers::azure_rerank::CARD,
    &retrievers::bm25::CARD,
    &retrievers::cohere_rerank::CARD,
    &retrievers::custom::CARD,
    &retrievers::embeddings_filter::CARD,
    &retrievers::extract_metadata::CARD,
    &retrievers::hyde::CARD,
    &retrievers::jina_rerank::CARD,
    &retrievers::llm_filter::CARD,
    &retrievers::multi_query::CARD,
    &retrievers::prompt_retriever::CARD,
    &retrievers::rrf::CARD,
    &retrievers::similarity_threshold::CARD,
    &retrievers::vector_store_retriever::CARD,
    &retrievers::voyage_rerank::CARD,
    &sequential_agents::agent::CARD,
    &sequential_agents::condition::CARD,
    &sequential_agents::condition_agent::CARD,
    &sequential_agents::custom_function::CARD,
    &sequential_agents::end::CARD,
    &sequential_agents::execute_flow::CARD,
    &sequential_agents::llm_node::CARD,
    &sequential_agents::loop_back::CARD,
    &sequential_agents::start::CARD,
    &sequential_agents::state::CARD,
    &sequential_agents::tool_node::CARD,
    &synthesizers::compact_refine::CARD,
    &synthesizers::refine::CARD,
    &synthesizers::simple_response_builder::CARD,
    &synthesizers::tree_summarize::CARD,
    &text_splitters::character::CARD,
    &text_splitters::code::CARD,
    &text_splitters::html_to_markdown::CARD,
    &text_splitters::markdown::CARD,
    &text_splitters::recursive_character::CARD,
    &text_splitters::token::CARD,
    &tools::agent_as_tool::CARD,
    &tools::search::arxiv::CARD,
    &tools::search::brave_search::CARD,
    &tools::calculator::CARD,
    &tools::chain_tool::CARD,
    &tools::chatflow_tool::CARD,
    &tools::current_date_time::CARD,
    &tools::custom_tool::CARD,
    &tools::search::exa_search::CARD,
    &tools::google::calendar::CARD,
    &tools::google::docs::CARD,
    &tools::google::gmail::CARD,
    &tools::google::sheets::CARD,
    &tools::search::google_custom_search::CARD,
    &tools::harness_tool::CARD,
    &tools::jira::CARD,
    &tools::json_path_extractor::CARD,
    &tools::openapi_toolkit::CARD,
    &tools::pipeline_tool::CARD,
    &tools::query_engine_tool::CARD,
    &tools::requests::requests_delete::CARD,
    &tools::requests::requests_get::CARD,
    &tools::requests::requests_post::CARD,
    &tools::requests::requests_put::CARD,
    &tools::retriever_tool::CARD,
    &tools::search::search_api::CARD,
    &tools::search::searxng::CARD,
    &tools::search::serp_api::CARD,
    &tools::search::serper::CARD,
    &tools::search::tavily::CARD,
    &tools::web_browser::CARD,
    &tools::web_scraper::CARD,
    &tools::search::wolfram_alpha::CARD,
    &tools_mcp::brave_search::CARD,
    &tools_mcp::custom::CARD,
    &tools_mcp::saved_server::CARD,
    &tools_mcp::github::CARD,
    &tools_mcp::sequential_thinking::CARD,
    &tools_mcp::slack::CARD,
    &tools_mcp::supergateway::CARD,
    &utilities::custom_function::CARD,
    &utilities::get_variable::CARD,
    &utilities::if_else_function::CARD,
    &utilities::run_pipeline::CARD,
    &utilities::set_variable::CARD,
    &utilities::sticky_note::CARD,
    &vector_stores::chroma::CARD,
    &vector_stores::document_store::CARD,
    &vector_stores::elasticsearch::CARD,
    &vector_stores::faiss::CARD,
    &vector_stores::in_memory::CARD,
    &vector_stores::llama_index::pinecone::CARD,
    &vector_stores::llama_index::simple_store::CARD,
    &vector_stores::meilisearch::CARD,
    &vector_stores::milvus::CARD,
    &vector_stores::open_search::CARD,
    &vector_stores::pinecone::CARD,
    &vector_stores::postgres::CARD,
    &vector_stores::qdrant::CARD,
    &vector_stores::supabase::CARD,
    &vector_stores::weaviate::CARD,
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Card>> =
    LazyLock::new(|| CARDS.iter().map(|card| (card.name, *card)).collect());

/// The card of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Card> {
    BY_NAME.get(name).copied()
}

/// The cards that another card picks from, where it wants one of this kind.
pub fn cards_of_kind(kind: WireType) -> impl Iterator<Item = &'static Card> {
    CARDS.iter().copied().filter(move |card| is_of_kind(card, kind))
}

/// True for a card that can be picked where one of this kind is wanted.
#[must_use]
pub fn is_of_kind(card: &Card, kind: WireType) -> bool {
    let of_flowise = !card.base_classes.iter().any(|class| class.ends_with("_LlamaIndex"));
    let makes_it = match kind {
        WireType::ChatModel => {
            card.category == Category::ChatModels && matches!(card.make, Factory::ChatModel(_))
        }
        WireType::Tool => matches!(card.make, Factory::Tools(_)),
        WireType::Embeddings => matches!(card.make, Factory::Embeddings(_)),
        WireType::VectorStore => matches!(card.make, Factory::VectorStore(_)),
        WireType::TextSplitter => matches!(card.make, Factory::Splitter(_)),
        _ => false,
    };
    of_flowise && makes_it
}

/// What these cards say about their inputs, for the floors below.
#[derive(Debug, Clone, Copy, Default)]
pub struct Registry;

impl CardSchemas for Registry {
    fn has_card(&self, card: &str) -> bool {
        find(card).is_some()
    }

    fn input(&self, card: &str, input: &str) -> Option<InputSchema<'_>> {
        let input = find(card)?.input(input)?;
        let kind = match input.kind {
            InputKind::Secret => canvas::InputSensitivity::Secret,
            InputKind::Credential(_) => canvas::InputSensitivity::Credential,
            _ => canvas::InputSensitivity::Plain,
        };
        Some(InputSchema { label: input.label, kind })
    }

    fn credential_types(&self, card: &str) -> &[&str] {
        find(card).map_or(&[], |card| card.credential_types())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_inputs_are_unique() {
        let mut names = HashSet::new();
        for card in CARDS {
            assert!(names.insert(card.name), "{} is registered twice", card.name);
            let mut inputs = HashSet::new();
            for input in card.inputs {
                assert!(inputs.insert(input.name), "{} declares {} twice", card.name, input.name);
            }
            assert!(!card.base_classes.is_empty(), "{} has no base class", card.name);
        }
    }

    #[test]
    fn every_credential_type_a_card_takes_is_declared() {
        for card in CARDS {
            for name in card.credential_types() {
                assert!(
                    crate::domain::workspace::credential_types::find_type(name).is_some(),
                    "{}: {name}",
                    card.name
                );
            }
        }
    }

    #[test]
    fn a_rule_about_another_input_names_one_of_its_card() {
        for card in CARDS {
            for input in card.inputs {
                let ruled = input.shown_if.iter().map(|(other, _)| other);
                let ruled = ruled.chain(input.shown_for.iter().map(|(other, _)| other));
                for other in ruled.chain(input.unless) {
                    assert!(card.input(other).is_some(), "{}: {} depends on {other}", card.name, input.name);
                }
            }
        }
    }

    #[test]
    fn history_learns_labels_kinds_and_credentials_from_the_cards() {
        let input = |name: &str| Registry.input("chatOpenAI", name);
        assert_eq!(input("modelName").map(|input| input.kind), Some(canvas::InputSensitivity::Plain));
        assert_eq!(input("credential").map(|input| input.kind), Some(canvas::InputSensitivity::Credential));
        assert_eq!(input("nonsense"), None);
        assert_eq!(Registry.credential_types("chatOpenAI"), ["openAIApi"]);
        assert!(Registry.credential_types("nonsense").is_empty());
    }
}
