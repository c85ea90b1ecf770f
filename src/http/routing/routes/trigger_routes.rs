//! Routes of what starts a flow besides a question.

use super::params;
use super::permissions::{MCP_EDIT, SCHEDULE_EDIT, SCHEDULE_VIEW, VIEW, WEBHOOK_EDIT, WRITE};
use crate::http::api::flows::gates;
use crate::http::api::triggers::mcp::{TOKEN, TOOLS};
use crate::http::api::triggers::webhooks::WEBHOOK;
use crate::http::api::triggers::{mcp, mcp_servers, schedules, webhook_listeners, webhook_secrets, webhooks};
use crate::http::openapi::spec::ContentSpec;
use crate::http::routing::guard::any_of;
use crate::http::routing::router::{Accepts, Cors, Route, delete, get, patch, post, put};
use crate::wire::predictions::answer::AnswerView;
use crate::wire::triggers::mcp::rpc::RpcAnswer;
use crate::wire::triggers::webhooks::AcceptedView;
use serde_json::{Map, Value};

/// Webhooks of flows (manual 17).
#[rustfmt::skip]
pub(super) fn webhook_routes() -> Vec<Route> {
    // A call may come by any method: which one a flow takes, its card says.
    let calls = [
        get   ("/webhook/:id",           WEBHOOK, webhooks::start).id("callWebhookByGet"),
        post  ("/webhook/:id",           WEBHOOK, webhooks::start).id("callWebhook"),
        put   ("/webhook/:id",           WEBHOOK, webhooks::start).id("callWebhookByPut"),
        patch ("/webhook/:id",           WEBHOOK, webhooks::start).id("callWebhookByPatch"),
        delete("/webhook/:id",           WEBHOOK, webhooks::start).id("callWebhookByDelete"),
    ];
    let calls = calls.map(|call| {
        call.accepts(Accepts::Bytes).cors(Cors::Flow).query(params::IDEMPOTENCY_KEY)
            .summary("Starts a flow by a call of its webhook.")
            .may_take_json::<Map<String, Value>>().answers_json::<AnswerView>(200).answers_json::<AcceptedView>(202).may_stream()
            .refuses(&[405, 409, 422, 507])
    });
    let others = vec![
    post  ("/chatflows/:id/webhook-secret", any_of(WEBHOOK_EDIT), webhook_secrets::generate).summary("Makes the secret that signs calls of a flow's webhook, and shows it once.")
        .id("generateWebhookSecret"),
    delete("/chatflows/:id/webhook-secret", any_of(WEBHOOK_EDIT), webhook_secrets::delete).summary("Forgets the secret that signs calls of a flow's webhook.")
        .id("deleteWebhookSecret").answers(204, ContentSpec::Nothing),
    post  ("/webhook-listener/:id/register", any_of(WRITE), webhook_listeners::register).summary("Notes somebody who is going to watch the runs that a flow's webhook starts.")
        .id("registerWebhookListener").shows(VIEW).refuses(&[409]),
    get   ("/webhook-listener/:id/stream/:listener", any_of(WRITE), webhook_listeners::stream).summary("What happens in the runs that a flow's webhook starts, as events.")
        .id("watchWebhook").shows(VIEW).answers(200, ContentSpec::Events),
    delete("/webhook-listener/:id/listener/:listener", any_of(WRITE), webhook_listeners::remove).summary("Forgets somebody who watched the runs of a webhook.")
        .id("deleteWebhookListener"),
    ];
    calls.into_iter().chain(others).collect()
}

/// Flows as tools (manual 2.15).
#[rustfmt::skip]
pub(super) fn mcp_routes() -> Vec<Route> { vec![
    get   ("/mcp-server/:id",         any_of(MCP_EDIT), mcp_servers::read).summary("How a flow stands as a tool of an MCP server.")
        .id("getMcpServer"),
    post  ("/mcp-server/:id",         any_of(MCP_EDIT).on(gates::configurable), mcp_servers::create).summary("Makes a flow a tool of an MCP server, and shows its token once.")
        .id("createMcpServer").refuses(&[409]),
    put   ("/mcp-server/:id",         any_of(MCP_EDIT).on(gates::configurable), mcp_servers::update).summary("Changes a flow as a tool of an MCP server, or switches it on or off.")
        .id("updateMcpServer").refuses(&[409]),
    delete("/mcp-server/:id",         any_of(MCP_EDIT), mcp_servers::delete).summary("Makes a flow no tool of an MCP server any more, and forgets its token.")
        .id("deleteMcpServer"),
    post  ("/mcp-server/:id/refresh", any_of(MCP_EDIT), mcp_servers::refresh).summary("Gives a flow as a tool another token, and shows it once.")
        .id("refreshMcpToken"),
    post  ("/mcp",     TOOLS, mcp::exchange).summary("Answers a message of MCP: the flows that this key may ask are tools.")
        .id("callMcpTools").limit(MCP_BODY_BYTES).cors(Cors::FlowListed).query(params::MCP)
        .takes_json::<Map<String, Value>>().answers_json::<RpcAnswer>(200).answers(202, ContentSpec::Nothing).may_stream().refuses(&[403, 404, 409, 429]),
    post  ("/mcp/:id", TOKEN, mcp::exchange).summary("Answers a message of MCP: the flow is the one tool.")
        .id("callMcpTool").limit(MCP_BODY_BYTES).cors(Cors::FlowListed).query(params::MCP)
        .takes_json::<Map<String, Value>>().answers_json::<RpcAnswer>(200).answers(202, ContentSpec::Nothing).may_stream().refuses(&[403, 404, 409, 429]),
] }

/// Bytes of a message of MCP (manual 14.7).
const MCP_BODY_BYTES: usize = 1024 * 1024;

/// Schedules of flows (manual 16.7).
#[rustfmt::skip]
pub(super) fn schedule_routes() -> Vec<Route> { vec![
    get   ("/chatflows/:id/schedule/status", any_of(SCHEDULE_VIEW), schedules::status).summary("How the schedule of a flow stands.")
        .id("getSchedule"),
    patch ("/chatflows/:id/schedule/enabled", any_of(SCHEDULE_EDIT).on(gates::changeable), schedules::switch).summary("Switches the schedule of a flow on or off.")
        .id("switchSchedule"),
    get   ("/chatflows/:id/schedule/trigger-logs", any_of(SCHEDULE_VIEW), schedules::logs).summary("What became of the times of a flow's schedule.")
        .id("listTriggerLogs").query(params::TRIGGER_LOG_FILTER),
    delete("/chatflows/:id/schedule/trigger-logs", any_of(SCHEDULE_EDIT).on(gates::changeable), schedules::delete_logs).summary("Deletes rows of the log of a flow's schedule, with the records of their runs.")
        .id("deleteTriggerLogs"),
] }
