//! Mail servers: one connection over SMTP, encrypted as the operator says, and the messages that go over it (manual 13.18).

mod error;
mod message;
mod reply;
mod session;
#[cfg(test)]
mod tests;

use crate::base::cancel::CancelToken;
use crate::net::{AuthoritiesError, Outgoing};
use crate::settings::{AllowRule, MailSettings, Settings};
pub use error::{MailError, MailStep};
pub use message::compose;
pub use session::MailSession;
use std::net::IpAddr;

/// The client of the mail server that the operator named.
#[derive(Debug)]
pub struct MailClient {
    settings: MailSettings,
    outgoing: Outgoing,
}

impl MailClient {
    /// As the operator set it; `None` where no server is named. The server may be one of the operator's network, and no other private
    /// address is reached from here.
    ///
    /// # Errors
    /// When `SERVICE_CA_FILE` cannot be used.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, AuthoritiesError> {
        let Some(mail) = settings.mail.clone() else { return Ok(None) };
        let server = AllowRule::Host { host: mail.host.clone(), port: mail.port };
        Ok(Some(Self { outgoing: Outgoing::for_hosts(settings, vec![server])?, settings: mail }))
    }

    #[must_use]
    pub const fn settings(&self) -> &MailSettings {
        &self.settings
    }

    /// Connects, encrypts the connection and signs in with this password, where the settings have somebody sign in.
    ///
    /// # Errors
    /// As [`MailError`].
    pub fn open(&self, password: Option<&str>, cancel: &CancelToken) -> Result<MailSession, MailError> {
        let name = client_name(self.settings.base_url.origin());
        let sign_in = self.settings.sign_in.as_ref().zip(password);
        let sign_in = sign_in.map(|(sign_in, password)| (sign_in.user.as_str(), password));
        MailSession::open(&self.outgoing, &self.settings, &name, sign_in, cancel)
    }
}

/// How the service calls itself before a mail server: by the host of the address that people use.
fn client_name(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let bare = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => format!("[{address}]"),
        Ok(IpAddr::V6(address)) => format!("[IPv6:{address}]"),
        Err(_) => bare.to_owned(),
    }
}
