//! Models on Cloudflare's Workers AI.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{address, endpoint, with_settings, with_version};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::OpenAi;

const HOME: &str = "https://api.cloudflare.com/client/v4/accounts";
const ACCOUNT: &str = "cloudflareAccountId";
/// What owners of other editors put behind the account, for the interface of one model.
const RUN: &str = "/ai/run";

pub(crate) const CARD: Card = Card {
    name: "chatCloudflareWorkersAI",
    label: "Cloudflare Workers AI",
    version: 1.0,
    category: Category::ChatModels,
    description: "Models on Cloudflare's network.",
    base_classes: &["ChatCloudflareWorkersAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["cloudflareApi"]),
        Input::text("model", "Model").or("@cf/meta/llama-3.1-8b-instruct-fast"),
        Input::address("baseUrl", "Base URL").additional().help(
            "Where the account is, up to /ai, or a gateway in front of it. Empty: the account of the credential.",
        ),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(workers_ai(inputs)?))),
};

fn workers_ai(inputs: &Inputs<'_>) -> Result<OpenAi> {
    let given = address(inputs);
    let base = match &given {
        Some(base) => {
            let base = base.trim_end_matches('/');
            match base.strip_suffix(RUN) {
                Some(account) => format!("{account}/ai/v1"),
                None => with_version(base),
            }
        }
        None => format!("{HOME}/{}/ai/v1", account(inputs)?),
    };
    // An address of the owner's own may need no key.
    let home = if given.is_some() { "" } else { base.as_str() };
    with_settings(inputs, endpoint(inputs, &base, home)?)
}

/// The id of the account, which becomes a part of the path.
fn account(inputs: &Inputs<'_>) -> Result<String> {
    let account = inputs.optional_secret(ACCOUNT).unwrap_or_default().trim().to_owned();
    if account.is_empty() || !account.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let why = "select a credential with an account id, which has letters and digits";
        return Err(inputs.input_error("credential", why));
    }
    Ok(account)
}
