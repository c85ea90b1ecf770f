//! Upstash Redis Cache: a model that is asked the same thing again answers from a database of Upstash.

use super::redis::{PREFIX, Redis};
use crate::kit::stores::redis::RedisStore;
use crate::kit::stores::upstash::Upstash;
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "upstashRedisCache",
    label: "Upstash Redis Cache",
    version: 1.0,
    category: Category::Cache,
    description: "Remembers what the model replied in a database of Upstash, for everybody who keeps replies there. While \
                  the database is away the model answers, and the log says why.",
    base_classes: &["UpstashRedisCache", "BaseCache"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[Input::credential(&["upstashRedisApi"]).optional()],
    outputs: &[],
    make: Factory::Cache(|inputs| {
        let wrong = || {
            inputs.input_error("credential", "select a credential with the URL and the token of the database")
        };
        let base = inputs.optional_secret("upstashConnectionUrl").ok_or_else(wrong)?;
        let token = inputs.optional_secret("upstashConnectionToken").ok_or_else(wrong)?;
        let upstash = Box::new(Upstash::from_inputs(inputs, &base, &token));
        Ok(Arc::new(Redis(RedisStore::new(inputs, upstash, PREFIX.to_owned(), None))))
    }),
};
