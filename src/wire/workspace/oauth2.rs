//! Signing in to credentials with OAuth 2 (manual 8.8).

use crate::domain::ids::CredentialId;
use crate::domain::workspace::oauth2::{SignInOffer, TokenRenewal};
use crate::time::IsoTime;
use serde::Serialize;

/// A sign-in to a credential that was begun.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "SignIn"))]
pub struct SignInOfferView {
    /// True.
    success: bool,
    message: String,
    credential_id: CredentialId,
    /// What a person opens within ten minutes; it counts once.
    authorization_url: String,
    /// Where the provider sends them back to: register it there exactly like this.
    redirect_uri: String,
}

impl From<SignInOffer> for SignInOfferView {
    fn from(SignInOffer { credential, provider, url, redirect }: SignInOffer) -> Self {
        Self {
            success: true,
            message: format!(
                "Sign in at {provider} within ten minutes. Where it refuses the redirect address, register that there exactly like this."
            ),
            credential_id: credential,
            authorization_url: url,
            redirect_uri: redirect,
        }
    }
}

/// The tokens of a credential were renewed; none of them is shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "RenewedSignIn"))]
pub struct TokenRenewalView {
    /// True.
    success: bool,
    message: &'static str,
    credential_id: CredentialId,
    token_info: TokenInfo,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct TokenInfo {
    token_type: &'static str,
    has_new_refresh_token: bool,
    expires_at: Option<IsoTime>,
}

impl From<TokenRenewal> for TokenRenewalView {
    fn from(TokenRenewal { credential, has_new_refresh_token, expires }: TokenRenewal) -> Self {
        Self {
            success: true,
            message: "The tokens of the credential were renewed.",
            credential_id: credential,
            token_info: TokenInfo {
                token_type: "Bearer",
                has_new_refresh_token,
                expires_at: expires.map(IsoTime::from),
            },
        }
    }
}
