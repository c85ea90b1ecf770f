//! What a run begins with: a question, or the fields of a form.

use super::ask::StartedBy;
use super::executions;
use crate::app::App;
use crate::cards::kit::StartValues;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::Question;
use crate::engine::FlowPlan;
use crate::engine::agentflow::{FieldKind, FormField, StartKind, StartPlan};
use crate::store::queries::executions as rows;
use serde_json::{Map, Value};

/// Judges whether the question fits what the flow begins with. The fields of a form become the question that is stored and
/// that models read.
///
/// # Errors
/// 400 when the flow begins with something else, and for a field that does not fit.
pub(super) fn admit(plan: &FlowPlan, question: &mut Question, started_by: StartedBy) -> Result<StartValues> {
    let FlowPlan::Agent(plan) = plan else {
        if question.form.is_some() && question.text.trim().is_empty() && question.uploads.is_empty() {
            return Err(Error::invalid(
                "'question' is required: this flow begins with a question and not with a form.",
            ));
        }
        return Ok(StartValues::default());
    };
    if let (StartKind::Webhook, Some(call)) = (plan.start.kind, question.webhook.take()) {
        return Ok(StartValues { form: None, webhook: Some(call) });
    }
    let form = question.form.take();
    if started_by == StartedBy::Schedule && plan.start.kind == StartKind::Schedule {
        question.text = form.as_ref().map_or_else(|| std::mem::take(&mut question.text), form_text);
        return Ok(StartValues { form, webhook: None });
    }
    match (plan.start.kind, form) {
        (StartKind::Question, None) => Ok(StartValues::default()),
        (StartKind::Question, Some(_)) => {
            Err(Error::invalid("This flow begins with a question and not with a form: send 'question'."))
        }
        (StartKind::Form, Some(sent)) => {
            if !question.text.trim().is_empty() {
                return Err(Error::invalid("Send either 'question' or 'form', and not both."));
            }
            let form = read_form(&plan.start, &sent)?;
            question.text = form_text(&form);
            Ok(StartValues { form: Some(form), webhook: None })
        }
        // The form of an earlier run may count, which is known when the conversation is.
        (StartKind::Form, None) => Ok(StartValues::default()),
        (StartKind::Webhook, _) => {
            Err(Error::invalid("This flow is started by a webhook: call /api/v1/webhook/<flow id>."))
        }
        (StartKind::Schedule, _) => {
            Err(Error::invalid("This flow is started by its schedule, and not by a question."))
        }
    }
}

/// The form of the newest run of a conversation, for a question in it that brings none.
///
/// # Errors
/// 400 when the flow begins with a form, and none was ever sent.
pub(super) fn reuse_form(
    app: &App,
    flow: &Flow,
    plan: &FlowPlan,
    (chat, session): (ChatId, &str),
    start: StartValues,
) -> Result<StartValues> {
    let FlowPlan::Agent(plan) = plan else { return Ok(start) };
    if plan.start.kind != StartKind::Form || start.form.is_some() {
        return Ok(start);
    }
    let newest = executions::find_newest(app, flow, (chat, session), |run| Some(run.id))?;
    let entries = match newest {
        Some(id) => app.store.read_messages(|tx| rows::entries(tx, &id))?,
        None => Vec::new(),
    };
    let form = entries.iter().find_map(|placed| placed.entry.data.get("output")?.get("form")?.as_object());
    match form {
        Some(form) => Ok(StartValues { form: Some(form.clone()), ..start }),
        None => Err(Error::invalid("This flow begins with a form: send its fields as 'form'.")),
    }
}

/// The fields of a form as the flow declares them; one that is not sent reads as empty.
fn read_form(start: &StartPlan, sent: &Map<String, Value>) -> Result<Map<String, Value>> {
    let declared = |name: &str| start.fields.iter().any(|field| field.name == name);
    if let Some(unknown) = sent.keys().find(|name| !declared(name)) {
        let names: Vec<&str> = start.fields.iter().map(|field| field.name.as_str()).collect();
        return Err(Error::Invalid(format!(
            "'form' has no field '{}'; it has: {}.",
            unknown.escape_debug(),
            names.join(", ")
        )));
    }
    start
        .fields
        .iter()
        .map(|field| Ok((field.name.clone(), read_field(field, sent.get(&field.name))?)))
        .collect()
}

/// A value of a field. Stock chats send numbers and switches as text.
fn read_field(field: &FormField, sent: Option<&Value>) -> Result<Value> {
    let must = |what: &str| Err(Error::Invalid(format!("'form': '{}' must be {what}.", field.name)));
    let sent = match sent {
        None | Some(Value::Null) => return Ok("".into()),
        Some(Value::String(text)) if text.is_empty() => return Ok("".into()),
        Some(sent) => sent,
    };
    match (&field.kind, sent) {
        (FieldKind::Text, Value::String(_)) => Ok(sent.clone()),
        (FieldKind::Text, Value::Number(number)) => Ok(number.to_string().into()),
        (FieldKind::Text, _) => must("a text"),
        (FieldKind::Number, Value::Number(_)) => Ok(sent.clone()),
        (FieldKind::Number, Value::String(text)) => {
            match serde_json::from_str::<serde_json::Number>(text.trim()) {
                Ok(number) => Ok(number.into()),
                Err(_) => must("a number"),
            }
        }
        (FieldKind::Number, _) => must("a number"),
        (FieldKind::Switch, Value::Bool(_)) => Ok(sent.clone()),
        (FieldKind::Switch, Value::String(text)) if text == "true" || text == "false" => {
            Ok((text == "true").into())
        }
        (FieldKind::Switch, _) => must("true or false"),
        (FieldKind::Choice(choices), Value::String(text)) if choices.contains(text) => Ok(sent.clone()),
        (FieldKind::Choice(choices), _) => must(&format!("one of: {}", choices.join(", "))),
    }
}

/// A form as the conversation shows it.
fn form_text(form: &Map<String, Value>) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    };
    form.iter().map(line).collect::<Vec<_>>().join("\n")
}
