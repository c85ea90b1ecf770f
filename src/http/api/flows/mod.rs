//! Flow records (manual 5.4) and what a chat page may know of a flow.

pub(crate) mod chat_framing;
pub(crate) mod drafts;
pub(crate) mod gates;
pub(crate) mod versions;

use super::conversations::conversation_access::can_see;
use super::conversations::messages::parse_optional;
use super::predictions::prediction::{admit_origin, flow_id};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::FlowKind;
use crate::domain::paging::PageRequest;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::http::routing::origin;
use crate::ops::flows::live::precondition::LivePrecondition;
use crate::ops::flows::{self, FlowFilter};
use crate::ops::flows::{public_config, refused_origins, validation};
use crate::ops::predictions;
use crate::wire::deleted::DeletedCount;
use crate::wire::flows::chat_page::{ChatPageView, PublicFlow, StreamingView, UploadOfferView};
use crate::wire::flows::problems::{CanvasToValidate, CardProblemsView, OverridableSettingView};
use crate::wire::flows::records::{FlowEdit, FlowList, FlowView, HasChanged, RefusedOriginView};
use crate::wire::new::New;
use crate::wire::page::ListOrPage;
use std::sync::Arc;

/// Reads `page` and `limit`: both given and above zero make a page (manual 1.6 r1).
///
/// # Errors
/// 400 when one of them is not a number of zero or more.
pub(super) fn page_params(request: &Request) -> Result<Option<(usize, usize)>> {
    let number = |name: &'static str| match request.query(name) {
        None | Some("") => Ok(0),
        Some(text) => text
            .parse::<usize>()
            .map_err(|_| Error::Invalid(format!("Invalid {name}: it must be a number from 1."))),
    };
    let (page, size) = (number("page")?, number("limit")?);
    Ok((page > 0 && size > 0).then_some((page, size)))
}

/// Reads `page` and `limit`, each for itself: one that is not given, or zero, is the first page and `rows`.
///
/// # Errors
/// 400 when one of them is not a number of zero or more.
pub(super) fn page_or(request: &Request, rows: usize) -> Result<(usize, usize)> {
    let number = |name: &str, usual: usize| {
        let text = request.query(name).filter(|text| !text.is_empty());
        let number = parse_optional(text, name, |text| text.parse::<usize>().ok())?;
        Ok::<_, Error>(number.filter(|number| *number > 0).unwrap_or(usual))
    };
    Ok((number("page", 1)?, number("limit", rows)?))
}

/// `GET /chatflows`: without canvases, which may be megabytes each, unless `full=true` asks for them; with `fields=summary`
/// the least of each flow and the state of its draft.
///
/// # Errors
/// 400 for a bad filter.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<FlowList>> {
    let kind = match request.query("type").filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => Some(
            FlowKind::parse(text)
                .ok_or_else(|| Error::invalid("Invalid type: there is no such kind of flow."))?,
        ),
    };
    let page = page_params(request)?.and_then(|(page, limit)| PageRequest::new(page, limit));
    let filter = FlowFilter { kind, page };
    match request.query("fields") {
        None | Some("") => {}
        Some("summary") => {
            return Ok(Json(FlowList::Outlines(rows(page, flows::outlines(app, &caller, filter)?))));
        }
        Some(_) => return Err(Error::invalid("Invalid fields: it can be 'summary'.")),
    }
    Ok(Json(if has_flag(request, "full")? {
        FlowList::Whole(rows(page, flows::list(app, &caller, filter)?))
    } else {
        FlowList::Records(rows(page, flows::records(app, &caller, filter)?))
    }))
}

/// The rows that were found, of all that there are.
fn rows<T, V: From<T>>(page: Option<PageRequest>, (found, total): (Vec<T>, usize)) -> ListOrPage<V> {
    ListOrPage::of_read(found.into_iter().map(V::from).collect(), total, page.is_some())
}

/// Reads a switch of the query: off unless it is `true`.
///
/// # Errors
/// 400 when it is something else.
pub(super) fn has_flag(request: &Request, name: &str) -> Result<bool> {
    match request.query(name) {
        None | Some("" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::Invalid(format!("Invalid {name}: it must be 'true' or 'false'."))),
    }
}

/// `POST /chatflows`.
///
/// # Errors
/// 400, 403.
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(New(body)): Json<New<FlowEdit>>,
) -> Result<Json<FlowView>> {
    Ok(Json(flows::create(app, &caller, &body.into())?.into()))
}

/// `GET /chatflows/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<FlowView>> {
    Ok(Json(flows::read(app, &caller, &flow_id(request)?)?.into()))
}

/// `PUT /chatflows/:id`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn update(app: &App, caller: Caller, request: &Request) -> Result<Json<FlowView>> {
    let id = flow_id(request)?;
    let edit: FlowEdit = request.json()?;
    let expected = LivePrecondition::parse(request.header("if-match"))?;
    Ok(Json(flows::update_expected(app, &caller, &id, &edit.into(), &expected)?.into()))
}

/// `GET /chatflows/has-changed/:id/:iso`: whether somebody saved the flow since then.
///
/// # Errors
/// 404, 403.
pub(crate) fn has_changed(app: &App, caller: Caller, request: &Request) -> Result<Json<HasChanged>> {
    let has_changed = flows::has_changed(app, &caller, &flow_id(request)?, request.param("iso"))?;
    Ok(Json(HasChanged { has_changed }))
}

/// `GET /public-chatflows/:id`: a shared flow as a chat page needs it, or the whole record for who may see it.
///
/// # Errors
/// 404 for an unknown flow and for one that is not shared; 403 for a page that the flow does not admit.
pub(crate) fn public(app: &App, (): (), request: &Request) -> Result<Json<PublicFlow>> {
    let flow = predictions::flow(app, &flow_id(request)?)?;
    let sees = can_see(app, request, &flow)?;
    if !sees && !flow.settings.is_shared() {
        return Err(Error::no_flow(&flow.id));
    }
    admit_origin(app, request, &flow)?;
    Ok(Json(if sees {
        let whole = flows::read_masked(app, Arc::unwrap_or_clone(flow))?;
        PublicFlow::Whole(Box::new(whole.into()))
    } else {
        PublicFlow::Shared(public_config::shared_flow(app, &flow)?.into())
    }))
}

/// `GET /refused-origins/:id`: which pages the flow turned away lately, but for those that it admits by now.
///
/// # Errors
/// 404, 403.
pub(crate) fn refused_origins(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<Vec<RefusedOriginView>>> {
    let (flow, refused) = refused_origins::list(app, &caller, &flow_id(request)?)?;
    let (allowed, cors, own) =
        (&flow.settings.chatbot_config.allowed_origins, &app.settings.cors_origins, request.own_origins());
    let still = refused.into_iter().filter(|one| !origin::is_admitted(allowed, cors, &own, &one.origin));
    Ok(Json(still.map(RefusedOriginView::from).collect()))
}

/// `DELETE /chatflows/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    flows::delete(app, &caller, &flow_id(request)?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /validation/:id`: of the draft when there is one, or with `source=live` of Live.
///
/// # Errors
/// 400 for another source, 404, 403.
pub(crate) fn validate(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<CardProblemsView>>> {
    let side = match request.query("source") {
        None | Some("" | "draft") => CanvasSide::Draft,
        Some("live") => CanvasSide::Live,
        Some(_) => return Err(Error::invalid("Invalid source: it must be 'live' or 'draft'.")),
    };
    let found = validation::problems(app, &caller, &flow_id(request)?, side)?;
    Ok(Json(found.into_iter().map(CardProblemsView::from).collect()))
}

/// `POST /validation/:id`: of a canvas that is being drawn and stored nowhere.
///
/// # Errors
/// 400 when it is no canvas, 404, 403.
pub(crate) fn validate_canvas(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<Vec<CardProblemsView>>> {
    let id = flow_id(request)?;
    let CanvasToValidate { flow_data } = request.json()?;
    let found = validation::problems_of_canvas(app, &caller, &id, &flow_data)?;
    Ok(Json(found.into_iter().map(CardProblemsView::from).collect()))
}

/// `GET /flow-config/:id`: what Override Config may list (manual 7.1 r2).
///
/// # Errors
/// 404, 403.
pub(crate) fn override_candidates(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<Vec<OverridableSettingView>>> {
    let found = public_config::override_candidates(app, &caller, &flow_id(request)?)?;
    Ok(Json(found.into_iter().map(OverridableSettingView::from).collect()))
}

/// `GET /chatflows-streaming/:id`: whether the flow streams token by token.
///
/// # Errors
/// 404.
pub(crate) fn streaming(app: &App, (): (), request: &Request) -> Result<Json<StreamingView>> {
    Ok(Json(StreamingView { is_streaming: public_config::can_stream(app, &flow_id(request)?)? }))
}

/// `GET /chatflows-uploads/:id`: what the flow's chat may upload.
///
/// # Errors
/// 404.
pub(crate) fn uploads(app: &App, (): (), request: &Request) -> Result<Json<UploadOfferView>> {
    Ok(Json(public_config::uploads(app, &flow_id(request)?)?.into()))
}

/// `GET /public-chatbotConfig/:id`: what a chat page needs and no more (manual 2.13 r3).
///
/// # Errors
/// 404.
pub(crate) fn chatbot_config(app: &App, (): (), request: &Request) -> Result<Json<ChatPageView>> {
    Ok(Json(public_config::chat_page(app, &flow_id(request)?)?.into()))
}
