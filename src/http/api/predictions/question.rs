//! A question as it is read from a request (manual 2.1).

use super::prediction::{SESSION_COOKIE, SESSION_TOKEN};
use crate::domain::error::{Error, Result};
use crate::domain::ids::ExecutionId;
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::prediction::{
    ConversationProof, HistoryMessage, MessageRole, Question, Upload,
};
use crate::http::request::Request;
use crate::http::request::form::FormData;
use crate::http::request::json;
use crate::ops::predictions::RerunQuestion;
use crate::wire::form::read_fields;
use crate::wire::predictions::question::{PastMessage, QuestionBody, QuestionForm};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(super) fn parse_question(request: &Request, body: QuestionBody, files: Vec<Upload>) -> Result<Question> {
    let streaming = parse_streaming(body.streaming.as_ref())?;
    request.set_streaming(streaming);
    let mut overrides = body.override_config.unwrap_or_default();
    let proofs = conversation_proofs(request, body.session_token, &mut overrides);
    let listed = body.uploads.unwrap_or_default().into_iter().map(|entry| Upload::Entry(entry.into()));
    let uploads: Vec<Upload> = listed.chain(files).collect();
    // What is sent along can be the question (manual 2.1 r1).
    let form = match body.form {
        None | Some(Value::Null) => None,
        Some(Value::Object(fields)) => Some(fields),
        Some(_) => return Err(Error::invalid("'form' must be an object: the fields of the form by name.")),
    };
    let action = parse_action(body.action)?;
    let asks_otherwise =
        !uploads.is_empty() || form.is_some() || body.human_input.is_some() || action.is_some();
    let text = match body.question {
        None if !asks_otherwise => {
            return Err(Error::invalid("'question' is required: send the text to ask."));
        }
        Some(text) if text.trim().is_empty() && !asks_otherwise => {
            return Err(Error::invalid("'question' is empty: send the text to ask."));
        }
        text => text.unwrap_or_default(),
    };
    Ok(Question {
        text,
        form,
        webhook: None,
        human_input: body.human_input.map(HumanInput::from),
        action,
        streaming,
        chat_id: body.chat_id.filter(|id| !id.is_empty()),
        proofs,
        overrides,
        conversation_name: body.session_id.filter(|sent| !sent.is_null()),
        history: body
            .history
            .unwrap_or_default()
            .into_iter()
            .map(parse_history_message)
            .collect::<Result<_>>()?,
        repeats_history: false,
        uploads,
        lead_email: body.lead_email,
    })
}

/// The id of what is answered, in an action as a client got it.
fn parse_action(sent: Option<Value>) -> Result<Option<String>> {
    match sent {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(action)) => {
            Ok(action.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned))
        }
        Some(_) => Err(Error::invalid("'action' must be an object with the id of what is answered.")),
    }
}

/// What the test chat is asked to run again (manual 15.4), where that is asked.
///
/// # Errors
/// 400 for half of it, and for what belongs to a question.
pub(super) fn parse_rerun(request: &Request, body: &QuestionBody) -> Result<Option<RerunQuestion>> {
    let (execution, node) = match (&body.execution_id, &body.from_node) {
        (None, None) if body.iteration_index.is_none() => return Ok(None),
        (Some(execution), Some(node)) => (execution, node),
        _ => return Err(Error::invalid("Send 'executionId' and 'fromNode' to run again from a step.")),
    };
    let asks = body.question.as_ref().is_some_and(|text| !text.trim().is_empty())
        || body.form.as_ref().is_some_and(|form| !form.is_null())
        || body.human_input.is_some()
        || body.uploads.as_ref().is_some_and(|uploads| !uploads.is_empty());
    if asks {
        return Err(Error::invalid("A run that runs again has its question: send none."));
    }
    let streaming = parse_streaming(body.streaming.as_ref())?;
    request.set_streaming(streaming);
    let execution = ExecutionId::parse(execution).ok_or_else(|| Error::no_such("Execution", execution))?;
    Ok(Some(RerunQuestion { execution, node: node.clone(), item: body.iteration_index, streaming }))
}

/// A form as a body (manual 2.1): what is no field of a question is an override, and is judged as any other.
pub(super) fn body_from_form(form: FormData) -> Result<(QuestionBody, Vec<Upload>)> {
    let fields: QuestionForm = read_fields(form.fields)?;
    let mut overrides = match fields.override_config {
        Some(text) => json::parse_object(text.as_bytes())?,
        None => Map::new(),
    };
    for (name, value) in fields.overrides {
        if overrides.contains_key(&name) {
            return Err(Error::invalid("A field of the form is in 'overrideConfig' too: send it once."));
        }
        overrides.insert(name, value);
    }
    let body = QuestionBody {
        question: fields.question,
        streaming: fields.streaming.map(Value::from),
        chat_id: fields.chat_id,
        session_token: fields.session_token,
        override_config: Some(overrides),
        form: parse_text_field("form", "object", fields.form)?,
        human_input: parse_text_field("humanInput", "object", fields.human_input)?,
        action: parse_text_field("action", "object", fields.action)?,
        history: parse_text_field("history", "list", fields.history)?,
        uploads: parse_text_field("uploads", "list", fields.uploads)?,
        lead_email: fields.lead_email,
        ..QuestionBody::default()
    };
    Ok((body, form.files.into_iter().map(Upload::File).collect()))
}

/// A list or an object that a form sends as JSON text.
fn parse_text_field<T: DeserializeOwned>(name: &str, what: &str, text: Option<String>) -> Result<Option<T>> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    json::parse(text.as_bytes()).map_err(|why| {
        let article = if what == "object" { "an" } else { "a" };
        Error::Invalid(format!(
            "'{name}' must be {article} {what} as a JSON body has it, written as text. {why}"
        ))
    })
}

fn parse_streaming(sent: Option<&Value>) -> Result<bool> {
    match sent {
        None | Some(Value::Null | Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        Some(Value::String(text)) if text == "true" => Ok(true),
        Some(Value::String(text)) if text == "false" => Ok(false),
        Some(_) => Err(Error::invalid("'streaming' must be true or false.")),
    }
}

/// Proofs in their order (manual 3.1 r3). What a client without another place hides in `overrideConfig` is taken
/// out before anything else sees it.
pub(in crate::http::api) fn conversation_proofs(
    request: &Request,
    body: Option<String>,
    overrides: &mut Map<String, Value>,
) -> Vec<ConversationProof> {
    let hidden = overrides.remove("sessionToken").and_then(|value| value.as_str().map(str::to_owned));
    let header = request.header(SESSION_TOKEN).map(str::to_owned);
    let cookie = request.cookie(SESSION_COOKIE).map(|value| ConversationProof::Cookie(value.to_owned()));
    [
        body.map(ConversationProof::Token),
        header.map(ConversationProof::Token),
        cookie,
        hidden.map(ConversationProof::Token),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn parse_history_message(sent: PastMessage) -> Result<HistoryMessage> {
    let wrong = || {
        Error::invalid("'history' must be a list of {role: 'userMessage' or 'apiMessage', content: text}.")
    };
    let speaker = match sent.role.or(sent.r#type).as_deref() {
        Some("userMessage") => MessageRole::User,
        Some("apiMessage") => MessageRole::Api,
        _ => return Err(wrong()),
    };
    Ok(HistoryMessage::new(speaker, sent.content.or(sent.message).ok_or_else(wrong)?))
}
