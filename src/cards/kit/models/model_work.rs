//! A call of a model, told to whoever watches the cards of its run.

use super::model_tally::ModelTally;
use crate::domain::error::Result;
use crate::kit::capabilities::card_work::{CardWork, WatchedNode};
use crate::kit::capabilities::host::Host;
use crate::kit::steps::messages::sent_messages;
use crate::kit::steps::outcome::{CONTENT, called_tool};
use crate::llm::{ChatRequest, Completion};
use serde_json::{Map, Value, json};

/// A call that somebody watches.
pub(super) struct ModelWork {
    work: CardWork,
    /// What the card calls the model, where it has a name.
    model: Option<String>,
}

impl ModelWork {
    /// Tells that the model is asked; `None` where nobody watches.
    pub(super) fn begin(
        node: Option<&WatchedNode>,
        model: Option<&str>,
        request: &ChatRequest,
        host: &dyn Host,
    ) -> Option<Self> {
        let work = CardWork::begin(node, host, || input(request))?;
        Some(Self { work, model: model.map(str::to_owned) })
    }

    /// Tells what the call came to.
    pub(super) fn end(work: Option<Self>, host: &dyn Host, result: &Result<Completion>) {
        let Some(Self { work, model }) = work else { return };
        CardWork::end(Some(work), host, result, |reply| output(reply, model.as_deref(), host));
    }
}

fn input(request: &ChatRequest) -> Map<String, Value> {
    let mut input = Map::from_iter([("messages".to_owned(), sent_messages(&request.messages))]);
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    if !tools.is_empty() {
        input.insert("tools".to_owned(), json!(tools));
    }
    input
}

/// What it replied, under the names by which clients know it of the steps of agentflows.
fn output(reply: &Completion, model: Option<&str>, host: &dyn Host) -> Map<String, Value> {
    let mut output = Map::from_iter([(CONTENT.to_owned(), reply.text.as_str().into())]);
    let mut tally = ModelTally::default();
    tally.add(reply, model, host);
    tally.describe(&mut output);
    let mut put = |name: &str, list: Vec<Value>| {
        if !list.is_empty() {
            output.insert(name.to_owned(), list.into());
        }
    };
    let own = reply.calls.iter().map(|asked| called_tool(&asked.name, &asked.arguments));
    let run = reply.provider_calls.iter().map(|used| called_tool(&used.tool, &used.tool_input));
    put("calledTools", own.chain(run).collect());
    put("usedTools", reply.provider_calls.iter().map(|used| json!(used)).collect());
    put("sourceDocuments", tally.citations.iter().map(|page| json!(page)).collect());
    output
}
