//! Renewing tokens: shortly before they end, when a provider refuses them, and when a person wants it. A refresh token may
//! count once only, so one renewal at a time goes on for each credential, and who waited takes what it brought.

use super::OAuthCredential;
use super::exchange::{self, TokenError};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, WorkspaceId};
use crate::domain::workspace::oauth2::{OauthTokens, TokenRenewal};
use crate::ops::workspace::credentials;

/// Renews the tokens of a credential because a person wants it.
///
/// # Errors
/// 404 for an unknown credential; 400 where nobody has signed in to it, or has to again; 500 when the provider cannot help.
pub(crate) fn refresh(
    app: &App,
    caller: &Caller,
    id: CredentialId,
    cancel: &CancelToken,
) -> Result<TokenRenewal> {
    let stored = app.store.read(|tx| credentials::get(tx, caller, &id))?;
    let _turn = app.state.token_renewals.acquire(stored.id, cancel)?;
    let signed = find(app, &caller.workspace, &stored.id)?;
    let before = signed.tokens.as_ref().and_then(|tokens| tokens.refresh.clone());
    let tokens = renew(app, &caller.workspace, &signed)?;
    tracing::info!(credential = %stored.id, by = %caller.principal, "the tokens of a credential were renewed");
    Ok(TokenRenewal {
        credential: stored.id,
        has_new_refresh_token: tokens.refresh != before,
        expires: tokens.expires,
    })
}

/// The token that a run signs its requests with, renewed where it ends soon, or where it is the one that was `refused`.
///
/// # Errors
/// Why there is none, naming the credential.
pub(crate) fn access_token(
    app: &App,
    workspace: &WorkspaceId,
    id: &str,
    refused: Option<&str>,
    cancel: &CancelToken,
) -> Result<String> {
    let id = &CredentialId::parse(id).ok_or_else(not_found)?;
    let usable = |signed: &OAuthCredential| {
        let tokens = signed.tokens.as_ref()?;
        let good = tokens.is_fresh(app.clock.now()) && refused != Some(tokens.access.as_str());
        good.then(|| tokens.access.clone())
    };
    if let Some(token) = usable(&find(app, workspace, id)?) {
        return Ok(token);
    }
    let _turn = app.state.token_renewals.acquire(*id, cancel)?;
    // Whoever went before may have brought others.
    let signed = find(app, workspace, id)?;
    if let Some(token) = usable(&signed) {
        return Ok(token);
    }
    let last = signed.tokens.as_ref().map(|tokens| tokens.access.clone());
    match renew(app, workspace, &signed) {
        Ok(tokens) => Ok(tokens.access),
        Err(error) => {
            // It is renewed ahead of its end: as long as it counts, a provider that is away stops nobody.
            let counts = signed.tokens.as_ref().is_some_and(|tokens| tokens.is_valid(app.clock.now()));
            last.filter(|last| counts && refused != Some(last.as_str())).ok_or(error)
        }
    }
}

fn find(app: &App, workspace: &WorkspaceId, id: &CredentialId) -> Result<OAuthCredential> {
    OAuthCredential::find(app, workspace, id)?.ok_or_else(not_found)
}

fn not_found() -> Error {
    Error::RunFailed("Its credential no longer exists. Select another one.".to_owned())
}

/// Buys other tokens and stores them. Whoever calls holds the right to renew this credential.
fn renew(app: &App, workspace: &WorkspaceId, signed: &OAuthCredential) -> Result<OauthTokens> {
    let (name, provider) = (&signed.name, signed.application.provider().label);
    let Some(before) = &signed.tokens else {
        return Err(Error::invalid(format!(
            "Nobody has signed in to the credential '{name}' yet. Open it and sign in at {provider}."
        )));
    };
    let over = || {
        Error::invalid(format!(
            "The sign-in of the credential '{name}' is over. Open the credential and sign in again at {provider}."
        ))
    };
    let refresh = before.refresh.as_deref().ok_or_else(over)?;
    let form = signed.application.renewal_form(refresh);
    let secrets = [refresh, &before.access, signed.application.secret()];
    let asked = exchange::request_tokens(app, &signed.application, &form, &secrets).and_then(|answer| {
        OauthTokens::from_response(&answer, app.clock.now(), Some(before)).ok_or(TokenError::Malformed)
    });
    let tokens = asked.map_err(|fault| {
        tracing::warn!(credential = %signed.id, %fault, "the tokens of a credential could not be renewed");
        match fault {
            TokenError::Grant => over(),
            TokenError::Application => Error::invalid(format!(
                "{provider} does not know the application of the credential '{name}'. Check its Client ID and Client Secret."
            )),
            other => Error::RunFailed(format!(
                "The sign-in of the credential '{name}' could not be renewed at {provider}: {other}. Try again later."
            )),
        }
    })?;
    if signed.save_tokens(app, workspace, &tokens, Some(before), |_, _| Ok(()))? {
        return Ok(tokens);
    }
    // Somebody signed in anew or changed the credential meanwhile: what they brought counts.
    let now = OAuthCredential::find(app, workspace, &signed.id)?.and_then(|signed| signed.tokens);
    now.filter(|now| now.is_fresh(app.clock.now())).ok_or_else(|| {
        Error::invalid(format!(
            "The credential '{name}' was changed while its sign-in was renewed. Sign in to it again."
        ))
    })
}
