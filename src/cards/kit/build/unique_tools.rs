//! Tools that nobody named bear the labels of their cards, which are alike more often than not: they are numbered, as the
//! routes of a router are. Two tools that were given one name stay as they are, for their owner to rename.

use super::call_error::CallError;
use super::component::{Observation, RunContext, Tool, Toolkit};
use crate::domain::workspace::tool::model_name;
use crate::llm::ToolSpec;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Characters of a name that a number is put behind.
const NUMBERED_CHARS_MAX: usize = 56;

/// The tools of cards with these labels, in their order.
pub(crate) fn with_unique_names<'a>(wired: impl Iterator<Item = (&'a str, &'a Toolkit)>) -> Toolkit {
    let (mut tools, mut taken): (Toolkit, HashSet<String>) = (Vec::new(), HashSet::new());
    for (label, toolkit) in wired {
        let label = model_name(label);
        for tool in toolkit {
            let name = tool.spec().name;
            if taken.insert(name.clone()) || name != label {
                tools.push(tool.clone());
                continue;
            }
            let start: String = name.chars().take(NUMBERED_CHARS_MAX).collect();
            let mut numbered = (2..).map(|number| format!("{start}_{number}"));
            let name = numbered.find(|name| !taken.contains(name)).unwrap_or_default();
            taken.insert(name.clone());
            tools.push(Arc::new(RenamedTool { tool: tool.clone(), name }));
        }
    }
    tools
}

/// A tool under another name.
struct RenamedTool {
    tool: Arc<dyn Tool>,
    name: String,
}

impl Tool for RenamedTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.clone(), ..self.tool.spec() }
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        self.tool.call(arguments, turn)
    }

    fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
        self.tool.observe(arguments, turn)
    }

    fn returns_directly(&self) -> bool {
        self.tool.returns_directly()
    }
}
