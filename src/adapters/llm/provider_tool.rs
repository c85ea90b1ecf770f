//! Tools that a provider runs itself, on its own servers, while its model answers.

use serde::{Deserialize, Serialize};

/// Such a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProviderTool {
    AnthropicWebSearch,
    AnthropicWebFetch,
    GoogleUrlContext,
    GoogleSearch,
    GoogleCodeExecution,
    OpenAiWebSearch,
    OpenAiCodeInterpreter,
    OpenAiImages,
}
