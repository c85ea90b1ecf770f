//! Routes of assistants.

use super::params;
use super::permissions::ASSISTANT_SEEN;
use crate::http::api::workspace::assistants;
use crate::http::routing::guard::any_of;
use crate::http::routing::router::{Route, delete, get, post, put};
use crate::limits::BODY_CANVAS_BYTES;

/// Assistants (manual 8.14).
#[rustfmt::skip]
pub(super) fn assistant_routes() -> Vec<Route> { vec![
    get   ("/assistants",     any_of(&["assistants:view"]),   assistants::list)  .summary("Lists assistants.")
        .id("listAssistants").query(params::ASSISTANT_FILTER),
    post  ("/assistants",     any_of(&["assistants:create"]), assistants::create).limit(BODY_CANVAS_BYTES).summary("Makes an assistant.")
        .id("createAssistant").refuses(&[409]),
    get   ("/assistants/components/chatmodels", any_of(&["assistants:view"]), assistants::chat_models).summary("Lists cards that can be the model of an assistant.")
        .id("listAssistantModels"),
    get   ("/assistants/components/tools", any_of(&["assistants:view"]), assistants::tools).summary("Lists cards that can be tools of an assistant.")
        .id("listAssistantTools"),
    get   ("/assistants/components/docstores", any_of(&["assistants:view"]), assistants::document_stores).summary("Lists document stores that an assistant can search.")
        .id("listAssistantStores"),
    post  ("/assistants/generate/instruction", any_of(&["assistants:create", "assistants:update"]), assistants::generate_instruction).summary("Asks a model for instructions.")
        .id("generateInstruction"),
    get   ("/assistants/:id", any_of(ASSISTANT_SEEN),         assistants::read)  .summary("Reads an assistant.")
        .id("getAssistant"),
    put   ("/assistants/:id", any_of(&["assistants:create", "assistants:update"]), assistants::update).limit(BODY_CANVAS_BYTES).summary("Changes an assistant; its flow is another at once.")
        .id("updateAssistant").shows(ASSISTANT_SEEN).refuses(&[409]),
    delete("/assistants/:id", any_of(&["assistants:delete"]), assistants::delete).summary("Deletes an assistant with its flow.")
        .id("deleteAssistant").query(params::DELETE_BOTH),
] }
