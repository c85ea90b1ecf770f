//! Links that work once, and the new passwords some of them are for (manual 8.4). What holds a token or a password has no
//! `Debug`.

use crate::domain::accounts::link::{LinkKind, LinkPurpose, NewLinkToken, NewResetLink};
use crate::domain::accounts::user::{DisplayName, Email};
use crate::domain::ids::UserId;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A link that works once.
#[derive(Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Link"))]
pub(crate) struct LinkView {
    /// To be appended to the address of the service.
    path: String,
    token: String,
    expires: IsoTime,
}

impl LinkView {
    /// A link to the page on which somebody who was invited makes their account.
    #[must_use]
    pub(crate) fn to_invitation(token: &NewLinkToken) -> Self {
        Self::to_page(LinkKind::Invitation, token)
    }

    fn to_page(kind: LinkKind, fresh: &NewLinkToken) -> Self {
        let token = fresh.token.as_str();
        Self { path: kind.path(token), token: token.to_owned(), expires: fresh.expires.into() }
    }
}

/// A link with which a person sets a new password.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResetLink"))]
pub struct ResetLinkView {
    user_id: UserId,
    email: Email,
    /// Shown this once.
    link: LinkView,
}

impl From<NewResetLink> for ResetLinkView {
    fn from(NewResetLink { user, token }: NewResetLink) -> Self {
        Self { user_id: user.id, email: user.email, link: LinkView::to_page(LinkKind::Reset, &token) }
    }
}

/// The token of a link.
#[derive(Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PresentedLink"))]
pub struct LinkCheck {
    user: TokenHolder,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct TokenHolder {
    temp_token: String,
}

impl LinkCheck {
    #[must_use]
    pub fn token(&self) -> &str {
        &self.user.temp_token
    }
}

/// What a link is for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LinkPurpose"))]
pub struct LinkPurposeView {
    kind: LinkKind,
    email: Email,
    name: Option<DisplayName>,
    organization: DisplayName,
    workspace: Option<String>,
    expires: IsoTime,
}

impl From<LinkPurpose> for LinkPurposeView {
    fn from(purpose: LinkPurpose) -> Self {
        let LinkPurpose { kind, email, name, organization, workspace, expires } = purpose;
        Self { kind, email, name, organization, workspace, expires: expires.into() }
    }
}

/// Who needs a new password.
#[derive(Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ForgottenPassword {
    user: ForgetfulUser,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct ForgetfulUser {
    email: String,
}

impl ForgottenPassword {
    /// What was sent as the e-mail address, which need not be one.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.user.email
    }
}

/// A new password, and the token of the link that allows it.
#[derive(Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewPassword {
    user: NewPasswordUser,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct NewPasswordUser {
    temp_token: String,
    #[cfg_attr(feature = "test-support", schemars(extend("format" = "password")))]
    password: String,
}

impl NewPassword {
    #[must_use]
    pub fn token(&self) -> &str {
        &self.user.temp_token
    }

    #[must_use]
    pub fn password(&self) -> &str {
        &self.user.password
    }
}
