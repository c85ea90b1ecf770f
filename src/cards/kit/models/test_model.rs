//! A model for tests of cards that ask one: it gives the replies it was made with, and keeps what it was asked.

use super::model::Model;
use crate::base::cancel::CancelToken;
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::test_host::TestHost;
use crate::llm::{
    ChatModel, ChatReply, ChatRequest, Completion, Delta, ModelError, OnDelta, ProviderTool, ToolCall,
};
use crate::registry;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The model, and what it was asked.
pub(crate) struct TestModel {
    pub(crate) model: Arc<Model>,
    requests: Arc<Mutex<Vec<ChatRequest>>>,
}

impl TestModel {
    /// A model that gives these replies in their order, and then fails.
    pub(crate) fn new(replies: Vec<Completion>) -> Self {
        Self::with(replies, |chat| chat)
    }

    pub(crate) fn with_images(replies: Vec<Completion>) -> Self {
        Self::with(replies, |chat| Replies { images: true, ..chat })
    }

    pub(crate) fn without_tools(replies: Vec<Completion>) -> Self {
        Self::with(replies, |chat| Replies { tools: false, ..chat })
    }

    fn with(replies: Vec<Completion>, change: impl FnOnce(Replies) -> Replies) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let chat = Replies {
            left: Mutex::new(replies.into()),
            requests: requests.clone(),
            images: false,
            tools: true,
        };
        let card = registry::find("chatScripted").unwrap();
        let inputs = Inputs {
            card,
            fields: card.inputs,
            row: None,
            label: "Test Model",
            node: None,
            host: &TestHost::default(),
            values: HashMap::new(),
            credential: None,
            credential_id: None,
        };
        Self { model: Arc::new(Model::new(&inputs, Box::new(change(chat))).unwrap()), requests }
    }

    /// What it was asked, oldest first.
    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap().clone()
    }
}

/// A reply that is a text.
pub(crate) fn reply(text: &str) -> Completion {
    Completion { text: text.to_owned(), ..Completion::default() }
}

/// A reply that calls these tools.
pub(crate) fn calling(calls: &[(&str, Value)]) -> Completion {
    let call = |(index, (name, arguments)): (usize, &(&str, Value))| ToolCall {
        id: format!("{name}_{index}"),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    };
    Completion { calls: calls.iter().enumerate().map(call).collect(), ..Completion::default() }
}

struct Replies {
    left: Mutex<VecDeque<Completion>>,
    requests: Arc<Mutex<Vec<ChatRequest>>>,
    images: bool,
    tools: bool,
}

impl ChatModel for Replies {
    fn open(
        &self,
        request: &ChatRequest,
        _cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        let next = self.left.lock().unwrap().pop_front();
        let completion = next.ok_or_else(|| ModelError::Settings("no reply is left".to_owned()))?;
        on(Delta::Thinking(&completion.thinking)).map_err(|_| ModelError::Cancelled)?;
        on(Delta::Text(&completion.text)).map_err(|_| ModelError::Cancelled)?;
        Ok(ChatReply::Whole(completion))
    }

    fn takes_images(&self) -> bool {
        self.images
    }

    fn takes_provider_tool(&self, tool: ProviderTool) -> bool {
        tool == ProviderTool::GoogleSearch
    }

    fn takes_tools(&self) -> bool {
        self.tools
    }
}
