//! What models cost, as the operator says. Providers change their prices, and a customer may have prices of its own, so
//! nothing is known of a model that the operator does not name.

use super::prediction::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tokens that a price is for.
const TOKENS: f64 = 1_000_000.0;
/// Costs are told to so many parts of one: what an addition of fractions leaves behind is not.
const PARTS: f64 = 1e12;

/// Prices by the names of models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelPrices(BTreeMap<String, ModelPrice>);

/// The prices of one model, each for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ModelPrice {
    pub input: f64,
    pub output: f64,
    /// Of input that the provider had cached; as any other input where it is not there.
    pub cached_input: Option<f64>,
}

/// What calls of a model cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageCost {
    pub input: f64,
    pub output: f64,
    /// The price of one token.
    pub base_input: f64,
    pub base_output: f64,
}

impl ModelPrices {
    pub const NONE: &Self = &Self(BTreeMap::new());

    /// Reads a list of prices.
    ///
    /// # Errors
    /// Which model is wrong, or that it is no list.
    pub fn parse(text: &str) -> Result<Self, String> {
        let prices: BTreeMap<String, ModelPrice> =
            serde_json::from_str(text).map_err(|fault| format!("which is no list of prices: {fault}"))?;
        let is_price = |price: f64| price.is_finite() && price >= 0.0;
        let wrong = prices.iter().find(|(_, price)| {
            let ModelPrice { input, output, cached_input } = **price;
            !is_price(input) || !is_price(output) || !cached_input.is_none_or(is_price)
        });
        match wrong {
            Some((model, _)) => Err(format!("where a price of '{}' is below 0", model.escape_debug())),
            None => Ok(Self(prices)),
        }
    }

    /// The price of the first of these names that is known.
    #[must_use]
    pub fn find(&self, names: [Option<&str>; 2]) -> Option<&ModelPrice> {
        names.into_iter().flatten().find_map(|name| self.0.get(name))
    }
}

impl ModelPrice {
    /// What a call cost that used so much.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> UsageCost {
        #[expect(clippy::cast_precision_loss, reason = "no call reads so many tokens that a fraction counts")]
        let cost = |tokens: u64, price: f64| tokens as f64 * price / TOKENS;
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let cached_price = self.cached_input.unwrap_or(self.input);
        UsageCost {
            input: cost(usage.input_tokens - cached, self.input) + cost(cached, cached_price),
            output: cost(usage.output_tokens, self.output),
            base_input: self.input / TOKENS,
            base_output: self.output / TOKENS,
        }
    }
}

impl UsageCost {
    /// Adds what another call cost, whose prices are the newest.
    pub fn add(&mut self, other: &Self) {
        let (input, output) = (self.input + other.input, self.output + other.output);
        *self = Self { input, output, ..*other };
    }

    /// The names by which clients know costs, and the costs.
    #[must_use]
    pub fn named(&self) -> [(&'static str, f64); 5] {
        let round = |cost: f64| (cost * PARTS).round() / PARTS;
        [
            ("input_cost", round(self.input)),
            ("output_cost", round(self.output)),
            ("total_cost", round(self.input + self.output)),
            ("base_input_cost", round(self.base_input)),
            ("base_output_cost", round(self.base_output)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_input_has_a_price_of_its_own_where_the_operator_names_one() {
        let usage = Usage { input_tokens: 1_000, output_tokens: 10, cached_tokens: 400, reasoning_tokens: 0 };
        let prices = ModelPrices::parse(
            r#"{"a": {"input": 2.5, "output": 10}, "b": {"input": 2.5, "output": 10, "cachedInput": 0.25}}"#,
        )
        .unwrap();
        let cost = |name| prices.find([None, Some(name)]).map(|price| price.cost(&usage).named());
        let expected = [
            ("input_cost", 0.0025),
            ("output_cost", 0.0001),
            ("total_cost", 0.0026),
            ("base_input_cost", 0.000_002_5),
            ("base_output_cost", 0.000_01),
        ];
        assert_eq!(cost("a"), Some(expected));
        assert_eq!(cost("b").map(|costs| costs[0]), Some(("input_cost", 0.0016)));
        assert_eq!(cost("c"), None);
    }

    #[test]
    fn what_is_no_list_of_prices_is_refused() {
        for (text, why) in [
            ("[]", "no list of prices"),
            (r#"{"a": {"input": 1}}"#, "output"),
            (r#"{"a": {"input": 1, "output": 2, "currency": "EUR"}}"#, "currency"),
            (r#"{"a": {"input": -1, "output": 2}}"#, "'a' is below 0"),
        ] {
            let told = ModelPrices::parse(text).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }
}
