//! Flows called as tools of an MCP server (manual 2.15): who may call, and what revision of the protocol is spoken.

mod call;
mod exchange;

use self::exchange::Endpoint;
use crate::app::App;
use crate::domain::accounts::token;
use crate::domain::error::{Error, Result};
use crate::domain::flows::settings::AllowedOrigins;
use crate::domain::ids::FlowId;
use crate::http::api::predictions::openai;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard::{Guard, RequiredAccess};
use crate::http::routing::origin;
use crate::ops;
use crate::ops::predictions;
use crate::ops::triggers::mcp;

/// Whoever has the token of the flow as a tool.
pub(crate) const TOKEN: Guard<Endpoint> =
    Guard { name: "TOKEN", access: RequiredAccess::Key, authorize: open_flow, object: None };

/// Whoever has a key of this service: the tools of the flows that it may ask.
pub(crate) const TOOLS: Guard<Endpoint> =
    Guard { name: "TOOLS", access: RequiredAccess::Key, authorize: open_workspace, object: None };

/// In this order: flow, tool, origin, token, and whether anything is published.
fn open_flow(app: &App, request: &Request) -> Result<Endpoint> {
    let id = request.param("id");
    let flow = predictions::flow(app, &FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?)?;
    let server = mcp::find(app, &flow)?;
    admit_page(app, request, &flow.settings.chatbot_config.allowed_origins)?;
    let bearer = request.bearer().filter(|bearer| server.is_opened_by(bearer));
    let opener = token::hash(bearer.ok_or_else(Error::unauthorized)?);
    let name = format!("flowkeep-{}", server.tool_name);
    let tool = mcp::tool_of(app, flow, server)?;
    Ok(Endpoint { key: id.to_owned(), opener, name, tools: vec![tool] })
}

fn open_workspace(app: &App, request: &Request) -> Result<Endpoint> {
    admit_page(app, request, &AllowedOrigins::NONE)?;
    let caller = (openai::KEY.authorize)(app, request)?;
    let opener = token::hash(request.bearer().unwrap_or_default());
    let tools = ops::triggers::mcp::list_tools(app, &caller)?;
    Ok(Endpoint { key: String::new(), opener, name: "flowkeep".to_owned(), tools })
}

/// A browser is admitted where its page is listed: a list of nobody admits none here, because a token is for programs.
fn admit_page(app: &App, request: &Request, listed: &AllowedOrigins) -> Result<()> {
    let listed = match listed {
        AllowedOrigins::Every => &AllowedOrigins::NONE,
        AllowedOrigins::Only(_) => listed,
    };
    let own = request.own_origins();
    match request.origin() {
        Some(page) if !origin::is_admitted(listed, &app.settings.cors_origins, &own, page) => {
            Err(Error::OriginRefused("This page may not call tools of this service.".to_owned()))
        }
        _ => Ok(()),
    }
}

/// `POST /mcp` and `POST /mcp/:id`.
///
/// # Errors
/// When the answer cannot be written.
pub(crate) fn exchange(app: &App, endpoint: Endpoint, request: &Request) -> Result<Reply> {
    endpoint.answer(app, request)
}
