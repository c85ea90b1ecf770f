//! Tools: components a model can call.

pub mod agent_as_tool;
pub mod calculator;
pub mod chain_tool;
pub mod chatflow_tool;
pub mod current_date_time;
pub mod custom_tool;
pub mod google;
pub mod jira;
pub mod json_path_extractor;
pub mod openapi_toolkit;
pub mod query_engine_tool;
pub mod requests;
pub mod retriever_tool;
pub mod search;
pub mod web_browser;
pub mod web_scraper;
