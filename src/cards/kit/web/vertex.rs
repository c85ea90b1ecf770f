//! What the cards of Google Vertex AI share: region, project and service account.

use crate::domain::error::Result;
use crate::kit::{Input, Inputs};
use crate::llm::{Endpoint, GoogleIdentity, ServiceAccount};

pub(crate) const REGION: Input = Input::text("region", "Region").optional().help(
    "Where at Google, by its short name: europe-west1. Empty is us-central1; global leaves it to Google.",
);
pub(crate) const BASE_URL: Input = Input::address("baseUrl", "Base URL")
    .additional()
    .help("Another address of the service, such as an endpoint of your own network.");

/// Where models are asked when nobody says where.
const HOME_REGION: &str = "us-central1";
/// Longest name of a region, and of a project.
const NAME_CHARS_MAX: usize = 60;

/// Where Vertex AI is, with the account that asks, and what stands before `/models` in its paths.
///
/// # Errors
/// When no account is selected, or its key, region or project cannot be used.
pub(crate) fn endpoint(inputs: &Inputs<'_>) -> Result<(Endpoint, String)> {
    let account = account(inputs)?;
    let region = region(inputs)?;
    let project = inputs.optional_secret("projectID").or_else(|| account.project.clone());
    let missing =
        || inputs.input_error("credential", "name the project in the credential: its JSON key names none");
    let project = project.ok_or_else(missing)?;
    let named = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'.');
    if project.len() > NAME_CHARS_MAX || !project.bytes().all(named) || project.starts_with('.') {
        return Err(
            inputs.input_error("credential", "the Project ID of the credential is not the id of a project")
        );
    }
    let base = inputs.address(BASE_URL.name).unwrap_or_else(|| home(&region));
    let identity = GoogleIdentity { account, tokens: inputs.host.tokens(), clock: inputs.host.clock() };
    let endpoint = Endpoint::with_identity(inputs.host.outgoing().clone(), &base, identity);
    Ok((endpoint, format!("/v1/projects/{project}/locations/{region}/publishers/google")))
}

/// The address of the service in a region.
fn home(region: &str) -> String {
    match region {
        "global" => "https://aiplatform.googleapis.com".to_owned(),
        "us" | "eu" => format!("https://aiplatform.{region}.rep.googleapis.com"),
        region => format!("https://{region}-aiplatform.googleapis.com"),
    }
}

/// The region. It becomes part of a host, so it is nothing but a name.
fn region(inputs: &Inputs<'_>) -> Result<String> {
    let region = inputs.optional_text(REGION.name).unwrap_or_default().trim().to_ascii_lowercase();
    let region = if region.is_empty() { HOME_REGION.to_owned() } else { region };
    let is_name = region.len() <= NAME_CHARS_MAX
        && region.starts_with(|first: char| first.is_ascii_lowercase())
        && region.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if is_name {
        Ok(region)
    } else {
        Err(inputs.input_error(REGION.name, "this must be the name of a region, such as europe-west1"))
    }
}

/// The account of the card's credential. A machine of Google has rights of its own, which are its operator's and not for
/// flows, and so are the files of this server.
fn account(inputs: &Inputs<'_>) -> Result<ServiceAccount> {
    let Some(key) = inputs.optional_secret("googleApplicationCredential") else {
        let why = if inputs.optional_secret("googleApplicationCredentialFilePath").is_some() {
            "files of this server are not read: paste what the file holds into Google Credential JSON"
        } else {
            "select a credential with the JSON key of a service account: the rights that this server itself may have at Google are not lent to flows"
        };
        return Err(inputs.input_error("credential", why));
    };
    ServiceAccount::parse(&key).map_err(|why| inputs.input_error("credential", &why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_region_has_its_address() {
        for (region, address) in [
            ("europe-west1", "https://europe-west1-aiplatform.googleapis.com"),
            ("global", "https://aiplatform.googleapis.com"),
            ("eu", "https://aiplatform.eu.rep.googleapis.com"),
        ] {
            assert_eq!(home(region), address);
        }
    }
}
