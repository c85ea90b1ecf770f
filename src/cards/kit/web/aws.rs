//! What the cards of AWS's services share: region, key and address.

use crate::aws::{AccessKey, SigningScope};
use crate::domain::error::Result;
use crate::kit::{Input, Inputs};
use crate::llm::{AwsIdentity, Endpoint};
use url::Url;

pub(crate) const REGION: Input =
    Input::text("region", "Region").or("us-east-1").help("Where at AWS, by its short name: eu-central-1.");

/// Longest name of a region.
const REGION_CHARS_MAX: usize = 40;

/// A service of AWS, as its addresses and its signatures name it.
pub(crate) struct AwsService {
    /// The beginning of its hosts: `bedrock-runtime`.
    pub(crate) host: &'static str,
    /// What signatures call it: `bedrock`.
    pub(crate) signing_name: &'static str,
}

/// Where a service is, with the key that signs. `other` is the card's input for another address; a host alone is one too.
///
/// # Errors
/// When no key is selected, or the region or the address cannot be used.
pub(crate) fn endpoint(inputs: &Inputs<'_>, service: &AwsService, other: &str) -> Result<Endpoint> {
    endpoint_with(inputs, service, other, keys(inputs)?)
}

/// As [`endpoint`], with a key of another kind of credential.
///
/// # Errors
/// When the region or the address cannot be used.
pub(crate) fn endpoint_with(
    inputs: &Inputs<'_>,
    service: &AwsService,
    other: &str,
    keys: AccessKey,
) -> Result<Endpoint> {
    let region = region(inputs)?;
    let base = match inputs.address(other) {
        None => home(service, &region),
        Some(address) => {
            let full = if address.contains("://") { address } else { format!("https://{address}") };
            let url = Url::parse(&full).ok().filter(|url| url.query().is_none() && url.has_host());
            let url =
                url.ok_or_else(|| inputs.input_error(other, "this must be a host or a full address"))?;
            // What is signed must be what is sent, and an address can be written in several ways.
            url.as_str().trim_end_matches('/').to_owned()
        }
    };
    let scope = SigningScope { region, service: service.signing_name.to_owned() };
    let identity = AwsIdentity { keys, scope, clock: inputs.host.clock() };
    Ok(Endpoint::with_identity(inputs.host.outgoing().clone(), &base, identity))
}

/// The address of a service in a region.
fn home(service: &AwsService, region: &str) -> String {
    let end = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://{}.{region}.{end}", service.host)
}

/// The region. It becomes part of a host, so it is nothing but a name.
fn region(inputs: &Inputs<'_>) -> Result<String> {
    let region = inputs.text(REGION.name)?.trim().to_ascii_lowercase();
    let is_name = |region: &str| {
        region.len() <= REGION_CHARS_MAX
            && region.starts_with(|first: char| first.is_ascii_lowercase())
            && region.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if is_name(&region) {
        Ok(region)
    } else {
        Err(inputs.input_error(REGION.name, "this must be the name of a region, such as eu-central-1"))
    }
}

/// The key of the card's credential. A machine of AWS has rights of its own, which are its operator's and not for flows.
fn keys(inputs: &Inputs<'_>) -> Result<AccessKey> {
    if inputs.optional_secret("roleArn").is_some() {
        let why = "roles are not taken on here: leave Role Arn of the credential empty, and store the access key of a user who may do this";
        return Err(inputs.input_error("credential", why));
    }
    let (Some(id), Some(secret)) = (inputs.optional_secret("awsKey"), inputs.optional_secret("awsSecret"))
    else {
        let why = "select a credential with an access key and its secret key: the rights that this server itself may have at AWS are not lent to flows";
        return Err(inputs.input_error("credential", why));
    };
    Ok(AccessKey { id, secret, session: inputs.optional_secret("awsSession") })
}
