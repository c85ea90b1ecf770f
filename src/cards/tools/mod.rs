//! Tools: components a model can call.

pub(crate) mod agent_as_tool;
pub(crate) mod calculator;
pub(crate) mod chain_tool;
pub(crate) mod chatflow_tool;
pub(crate) mod current_date_time;
pub(crate) mod custom_tool;
pub(crate) mod google;
pub(crate) mod harness_tool;
pub(crate) mod jira;
pub(crate) mod json_path_extractor;
pub(crate) mod openapi_toolkit;
pub(crate) mod pipeline_tool;
pub(crate) mod query_engine_tool;
pub(crate) mod requests;
pub(crate) mod retriever_tool;
pub(crate) mod search;
pub(crate) mod web_browser;
pub(crate) mod web_scraper;
