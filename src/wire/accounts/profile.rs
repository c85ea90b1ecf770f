//! A person's own account (manual 8.3).

use crate::domain::accounts::account::{Account, AccountChange};
use crate::domain::accounts::user::{DisplayName, Email, UserStatus};
use crate::domain::error::{Error, Result};
use crate::domain::ids::UserId;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A person's account.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Account"))]
pub struct AccountView {
    id: UserId,
    name: DisplayName,
    email: Email,
    status: UserStatus,
    is_owner: bool,
    created_date: IsoTime,
    updated_date: IsoTime,
    last_login: Option<IsoTime>,
    reset_requested_date: Option<IsoTime>,
}

impl From<Account> for AccountView {
    fn from(Account { user, is_owner }: Account) -> Self {
        Self {
            status: user.status(),
            id: user.id,
            name: user.name,
            email: user.email,
            is_owner,
            created_date: user.created.into(),
            updated_date: user.updated.into(),
            last_login: user.last_login.map(Into::into),
            reset_requested_date: user.reset_requested.map(Into::into),
        }
    }
}

/// What to change; what is left out stays.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct AccountEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 120)))]
    name: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(email))]
    email: Option<String>,
    /// Needed for another e-mail or password.
    #[serde(alias = "oldPassword")]
    #[cfg_attr(feature = "test-support", schemars(extend("format" = "password")))]
    current_password: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(extend("format" = "password")))]
    new_password: Option<String>,
}

impl TryFrom<AccountEdit> for AccountChange {
    type Error = Error;

    fn try_from(edit: AccountEdit) -> Result<Self> {
        let AccountEdit { name, email, current_password, new_password } = edit;
        Ok(Self {
            name: name.map(|name| DisplayName::parse("name", &name)).transpose()?,
            email: email.map(|email| Email::parse_field("email", &email)).transpose()?,
            current_password,
            new_password,
        })
    }
}
