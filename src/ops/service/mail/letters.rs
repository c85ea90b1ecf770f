//! What messages say. Links begin with the address of the settings, never with one that a request names.

use crate::domain::accounts::link::{Invitation, LinkKind, RESET_MINUTES};
use crate::domain::accounts::token::Token;
use crate::domain::accounts::user::User;
use crate::domain::service::mail::Letter;
use crate::domain::service::mail::address::MailAddress;
use crate::domain::service::mail::language::MailLanguage;
use crate::domain::service::problem::ProblemKind;
use crate::settings::MailSettings;
use jiff::Timestamp;

/// Where somebody is invited to.
pub(crate) struct InvitationPlace<'a> {
    pub organization: &'a str,
    pub workspace: &'a str,
    pub role: &'a str,
}

/// The letter with the link of an invitation; `None` when no mail can be sent to its address. Nobody knows the language of somebody
/// who was never here.
#[must_use]
pub(crate) fn invitation(
    settings: &MailSettings,
    invitation: &Invitation,
    place: &InvitationPlace<'_>,
    token: &Token,
) -> Option<Letter> {
    let InvitationPlace { organization, workspace, role } = place;
    let name = invitation.name.as_ref().map(|name| name.as_str().to_owned());
    let hello = name.as_deref().map_or_else(|| "Hello,".to_owned(), |name| format!("Hello {name},"));
    let who = match invitation.by.as_str() {
        "" => "You are invited".to_owned(),
        by => format!("{by} invites you"),
    };
    let text = format!(
        "{hello}\n\n{who} to the workspace {workspace} of {organization}, with the role {role}.\n\nThis link makes your account. It \
         works once, until {until}:\n\n{link}\n\nIf you did not expect this message, you need not do anything.\n",
        until = moment(invitation.expires),
        link = link(settings, LinkKind::Invitation, token),
    );
    let subject = format!("Invitation to {organization}");
    Some(Letter { to: address(invitation.email.as_str())?, name, subject, text })
}

/// The letter with the link for a new password; `None` when no mail can be sent to the person's address.
#[must_use]
pub(crate) fn reset(
    settings: &MailSettings,
    user: &User,
    organization: &str,
    token: &Token,
    language: MailLanguage,
) -> Option<Letter> {
    let (name, to) = (user.name.as_str().to_owned(), address(user.email.as_str())?);
    Some(reset_letter(settings, name, to, organization, token, language))
}

/// As [`reset`], for nobody: it is thrown away, and takes as long to write as one for somebody.
#[must_use]
pub(crate) fn reset_for_nobody(settings: &MailSettings, token: &Token, language: MailLanguage) -> Letter {
    let to = settings.from.address.clone();
    reset_letter(settings, String::new(), to, "Flowkeep", token, language)
}

fn reset_letter(
    settings: &MailSettings,
    name: String,
    to: MailAddress,
    organization: &str,
    token: &Token,
    language: MailLanguage,
) -> Letter {
    let link = link(settings, LinkKind::Reset, token);
    let (subject, text) = match language {
        MailLanguage::English => (
            format!("A new password for {organization}"),
            format!(
                "Hello {name},\n\nthis link sets a new password for your account at {organization}. It works once, for {RESET_MINUTES} \
                 minutes, and signs you out everywhere:\n\n{link}\n\nIf you did not ask for it, you need not do anything: your password \
                 stays as it is.\n"
            ),
        ),
        MailLanguage::German => (
            format!("Ein neues Passwort für {organization}"),
            format!(
                "Guten Tag {name},\n\nmit diesem Link setzen Sie ein neues Passwort für Ihr Konto bei {organization}. Er gilt einmal, \
                 {RESET_MINUTES} Minuten lang, und meldet Sie überall ab:\n\n{link}\n\nWenn Sie ihn nicht angefordert haben, müssen Sie \
                 nichts tun: Ihr Passwort bleibt, wie es ist.\n"
            ),
        ),
    };
    Letter { to, name: Some(name), subject, text }
}

/// The letter that tells the owner of a problem.
#[must_use]
pub(crate) fn alert_begins(
    settings: &MailSettings,
    owner: &User,
    kind: ProblemKind,
    sentence: &str,
) -> Option<Letter> {
    let place = &settings.base_url;
    let subject = format!("Flowkeep needs you: {}", kind.title());
    let text = format!(
        "{sentence}\n\nThis is the server at {place}. You are told once, and again when it is over.\n"
    );
    to_owner(owner, subject, text)
}

/// The letter that tells the owner that a problem is over, which was this.
#[must_use]
pub(crate) fn alert_ends(
    settings: &MailSettings,
    owner: &User,
    kind: ProblemKind,
    sentence: &str,
) -> Option<Letter> {
    let place = &settings.base_url;
    let subject = format!("Flowkeep is well again: {}", kind.title());
    let text = format!("This is over:\n\n{sentence}\n\nThis is the server at {place}.\n");
    to_owner(owner, subject, text)
}

/// The letter of `flowkeep mail test`.
#[must_use]
pub(crate) fn trial(settings: &MailSettings, to: MailAddress) -> Letter {
    let text = format!("The server at {} can send mail.\n", settings.base_url);
    Letter { to, name: None, subject: "Flowkeep can send mail".to_owned(), text }
}

fn to_owner(owner: &User, subject: String, text: String) -> Option<Letter> {
    let name = Some(owner.name.as_str().to_owned());
    Some(Letter { to: address(owner.email.as_str())?, name, subject, text })
}

fn address(email: &str) -> Option<MailAddress> {
    let address = MailAddress::parse(email);
    if address.is_none() {
        tracing::warn!("a message has an address that mail cannot be sent to, so it was not written");
    }
    address
}

fn link(settings: &MailSettings, kind: LinkKind, token: &Token) -> String {
    format!("{}{}", settings.base_url, kind.path(token.as_str()))
}

fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
