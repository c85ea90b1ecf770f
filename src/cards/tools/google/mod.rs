//! Tools over Google's services, in the name of whoever signed in to the selected credential.

pub(crate) mod calendar;
mod calendar_actions;
pub(crate) mod docs;
mod docs_actions;
pub(crate) mod gmail;
mod gmail_actions;
mod mail;
pub(crate) mod sheets;
mod sheets_actions;

use crate::kit::web::actions::{Authorization, RestService};

fn service(name: &'static str, base: &str) -> RestService {
    RestService { name, base: base.to_owned(), authorization: Authorization::SignIn }
}
