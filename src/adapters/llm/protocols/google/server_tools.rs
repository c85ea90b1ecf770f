//! Tools that Google runs itself: how they are asked for, and what a reply tells of their calls.

use crate::domain::predictions::prediction::UsedTool;
use crate::llm::ProviderTool;
use crate::llm::protocols::citations::citation;
use crate::llm::reply::ReplyBuilder;
use serde_json::{Value, json};

/// The name of a tool in requests, by which its calls are told too; `None` for one of another provider.
const fn name(tool: ProviderTool) -> Option<&'static str> {
    match tool {
        ProviderTool::GoogleUrlContext => Some("urlContext"),
        ProviderTool::GoogleSearch => Some("googleSearch"),
        ProviderTool::GoogleCodeExecution => Some("codeExecution"),
        _ => None,
    }
}

/// The tool as a request names it.
pub(super) fn declaration(tool: ProviderTool) -> Option<Value> {
    name(tool).map(|name| json!({name: {}}))
}

/// What of a reply is about these tools. Each report of pages replaces the one before.
#[derive(Default)]
pub(super) struct ServerCalls {
    grounding: Value,
    pages: Value,
    /// Code that ran, each with what came of it.
    code: Vec<UsedTool>,
}

impl ServerCalls {
    /// Takes a part; false for one that is about something else.
    pub(super) fn take_part(&mut self, part: &Value) -> bool {
        if let Some(code) = part.get("executableCode") {
            self.code.push(used("codeExecution", code.clone(), String::new()));
            return true;
        }
        let Some(result) = part.get("codeExecutionResult") else { return false };
        if let Some(last) = self.code.last_mut() {
            result["output"].as_str().unwrap_or_default().clone_into(&mut last.tool_output);
            let outcome = result["outcome"].as_str().filter(|outcome| *outcome != "OUTCOME_OK");
            last.error = outcome.map(str::to_owned);
        }
        true
    }

    /// Takes what a candidate says beside its parts.
    pub(super) fn take_candidate(&mut self, candidate: &Value) {
        for (kept, name) in
            [(&mut self.grounding, "groundingMetadata"), (&mut self.pages, "urlContextMetadata")]
        {
            if let Some(found) = candidate.get(name).filter(|found| found.is_object()) {
                kept.clone_from(found);
            }
        }
    }

    /// Notes the calls and the pages in the reply.
    pub(super) fn finish(self, reply: &mut ReplyBuilder) {
        let pages = self.grounding["groundingChunks"].as_array().into_iter().flatten();
        let pages: Vec<Value> = pages
            .map(|chunk| json!({"title": chunk["web"]["title"], "url": chunk["web"]["uri"]}))
            .filter(|page| page["url"].is_string())
            .collect();
        let queries = &self.grounding["webSearchQueries"];
        if queries.as_array().is_some_and(|queries| !queries.is_empty()) {
            let found = Value::from(pages.clone()).to_string();
            reply.add_provider_call(used("googleSearch", json!({"queries": queries}), found));
        }
        let read = self.pages["urlMetadata"].as_array().into_iter().flatten();
        for page in read {
            let status = page["urlRetrievalStatus"].as_str().unwrap_or_default().to_owned();
            reply.add_provider_call(used("urlContext", json!({"url": page["retrievedUrl"]}), status));
        }
        for ran in self.code {
            reply.add_provider_call(ran);
        }
        reply.add_citations(pages.iter().filter_map(citation));
    }
}

fn used(tool: &str, tool_input: Value, tool_output: String) -> UsedTool {
    UsedTool { tool: tool.to_owned(), tool_input, tool_output, error: None }
}
