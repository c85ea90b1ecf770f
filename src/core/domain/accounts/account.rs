//! A person's account as they and the owner see it (manual 8.3).

use super::user::{DisplayName, Email, User};

#[derive(Debug, Clone)]
pub struct Account {
    pub user: User,
    /// True for the organization owner.
    pub is_owner: bool,
}

/// What of their account a person changes; what is left out stays. It holds passwords, so it has no `Debug`.
#[derive(Default)]
pub struct AccountChange {
    pub name: Option<DisplayName>,
    pub email: Option<Email>,
    /// Proves that it is them; needed for another e-mail or password.
    pub current_password: Option<String>,
    /// An empty one changes nothing.
    pub new_password: Option<String>,
}
