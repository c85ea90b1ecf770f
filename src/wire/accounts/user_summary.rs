//! Who a person is, as other answers name them.

use crate::domain::accounts::user::{DisplayName, Email, User};
use crate::domain::ids::UserId;
use serde::Serialize;

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct UserSummaryView {
    id: UserId,
    name: DisplayName,
    email: Email,
}

impl From<&User> for UserSummaryView {
    fn from(user: &User) -> Self {
        Self { id: user.id, name: user.name.clone(), email: user.email.clone() }
    }
}
