//! Tools: parts a model can call.

pub mod agent_as_tool;
pub mod arxiv;
pub mod brave_search;
pub mod calculator;
pub mod chain_tool;
pub mod chatflow_tool;
pub mod current_date_time;
pub mod custom_tool;
pub mod exa_search;
pub mod google_custom_search;
pub mod json_path_extractor;
pub mod openapi_toolkit;
pub mod requests;
pub mod requests_delete;
pub mod requests_get;
pub mod requests_post;
pub mod requests_put;
pub mod retriever_tool;
pub mod search;
pub mod search_api;
pub mod searxng;
pub mod serp_api;
pub mod serper;
pub mod tavily;
pub mod web_scraper;
pub mod wolfram_alpha;
