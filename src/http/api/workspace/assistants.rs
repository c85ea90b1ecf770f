//! Assistants over HTTP (manual 8.14).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::workspace::assistant::AssistantKind;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::knowledge::stores;
use crate::ops::workspace::assistants::{self, components, instruction};
use crate::wire::choice::ChoiceView;
use crate::wire::deleted::DeletedCount;
use crate::wire::new::New;
use crate::wire::service::cards::CardView;
use crate::wire::workspace::assistants::{
    AssistantEdit, AssistantView, GenerateInstruction, InstructionView,
};

/// `GET /assistants`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<AssistantView>>> {
    let kind = request.query("type").filter(|text| !text.is_empty()).map(AssistantKind::parse).transpose()?;
    Ok(Json(assistants::list(app, &caller, kind)?.into_iter().map(AssistantView::from).collect()))
}

/// `POST /assistants`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(New(body)): Json<New<AssistantEdit>>,
) -> Result<Json<AssistantView>> {
    Ok(Json(assistants::create(app, &caller, &body.into())?.into()))
}

/// `GET /assistants/:id`
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<AssistantView>> {
    Ok(Json(assistants::read(app, &caller, request.id("id")?)?.into()))
}

/// `PUT /assistants/:id`
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<AssistantEdit>,
) -> Result<Json<AssistantView>> {
    Ok(Json(assistants::update(app, &caller, request.id("id")?, &body.into())?.into()))
}

/// `DELETE /assistants/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    assistants::delete(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /assistants/components/chatmodels`
pub(crate) fn chat_models(_: &App, _: Caller, _: &Request) -> Result<Json<Vec<CardView>>> {
    Ok(Json(components::chat_models().into_iter().map(CardView::from).collect()))
}

/// `GET /assistants/components/tools`
pub(crate) fn tools(_: &App, _: Caller, _: &Request) -> Result<Json<Vec<CardView>>> {
    Ok(Json(components::tools().into_iter().map(CardView::from).collect()))
}

/// `GET /assistants/components/docstores`
pub(crate) fn document_stores(app: &App, caller: Caller, _: &Request) -> Result<Json<Vec<ChoiceView>>> {
    Ok(Json(components::document_stores(app, &caller)?.into_iter().map(ChoiceView::from).collect()))
}

/// `POST /assistants/generate/instruction`
pub(crate) fn generate_instruction(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<GenerateInstruction>,
) -> Result<Json<InstructionView>> {
    let (task, model) = body.into_parts();
    let model = model.ok_or_else(stores::no_chat_model)?;
    let content = instruction::generate(app, &caller, &task, &model, request.cancel())?;
    Ok(Json(InstructionView { content }))
}
