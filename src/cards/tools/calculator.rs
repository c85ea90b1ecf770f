//! Calculator: works out arithmetic for a model.

use crate::kit::{CallError, Card, Category, Factory, Risk, RunContext, Tool};
use crate::llm::ToolSpec;
use serde_json::{Value, json};
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "calculator",
    label: "Calculator",
    version: 1.0,
    category: Category::Tools,
    description: "Works out arithmetic.",
    base_classes: &["Calculator", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[],
    outputs: &[],
    make: Factory::Tools(|_| Ok(vec![Arc::new(Calculator)])),
};

struct Calculator;

impl Tool for Calculator {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "calculator".to_owned(),
            description: "Works out an arithmetic expression, for example `(2 + 3) * 4 ^ 2` or `sqrt(2) * pi`. Knows \
                          + - * / % ^, parentheses, sqrt, abs, round, floor, ceil, ln, log10, exp, sin, cos, tan, min, \
                          max, pi and e."
                .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"input": {"type": "string", "description": "The expression."}},
                "required": ["input"],
            }),
        }
    }

    fn call(&self, arguments: &Value, _turn: &RunContext<'_>) -> Result<String, CallError> {
        let expression = arguments.get("input").and_then(Value::as_str).unwrap_or_default();
        evaluate(expression).map(show).map_err(CallError::from)
    }
}

/// An expression longer or deeper than this is no arithmetic a model means.
const LENGTH_MAX: usize = 4_096;
const DEPTH_MAX: u32 = 64;

fn evaluate(expression: &str) -> Result<f64, String> {
    if expression.len() > LENGTH_MAX {
        return Err("The expression is too long.".to_owned());
    }
    let mut reader = ExpressionParser { rest: expression.chars().peekable(), depth: 0, arguments: 0 };
    let value = reader.sum()?;
    reader.skip_space();
    match reader.rest.next() {
        Some(extra) => Err(format!("The expression has an unexpected '{extra}'.")),
        None if !value.is_finite() => {
            Err("The result is not a number: a division by zero, or too large.".to_owned())
        }
        None => Ok(value),
    }
}

/// With as many digits as a number of this kind keeps through a few steps: 0.1 + 0.2 is 0.3. Small and large ones are
/// written with an exponent, as nobody counts that many zeros.
fn show(value: f64) -> String {
    // Adding 0.0 turns -0 into 0.
    let rounded = format!("{value:.14e}").parse().unwrap_or(value) + 0.0;
    if rounded == 0.0 || (1e-6..1e21).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

struct ExpressionParser<'a> {
    rest: Peekable<Chars<'a>>,
    depth: u32,
    /// How many argument lists are open.
    arguments: u32,
}

impl ExpressionParser<'_> {
    fn skip_space(&mut self) {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_space();
        self.rest.next_if(|c| wanted.contains(c))
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-', '−']) {
            let other = self.product()?;
            value = if sign == '+' { value + other } else { value - other };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%', '×', '÷']) {
            let other = self.power()?;
            value = match sign {
                '*' | '×' => value * other,
                '%' => value % other,
                _ => value / other,
            };
        }
        Ok(value)
    }

    /// `-2^2` is -4, and `2^3^2` is 2^(3^2), as on paper.
    fn power(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("The expression is nested too deeply.".to_owned());
        }
        let value = if let Some(sign) = self.take(&['-', '+', '−']) {
            let value = self.power()?;
            if sign == '+' { value } else { -value }
        } else {
            let base = self.atom()?;
            let raised = self.take(&['^']).is_some() || self.take_double_star();
            if raised { base.powf(self.power()?) } else { base }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn take_double_star(&mut self) -> bool {
        let mut ahead = self.rest.clone();
        let doubled = ahead.next() == Some('*') && ahead.next() == Some('*');
        if doubled {
            self.rest = ahead;
        }
        doubled
    }

    fn atom(&mut self) -> Result<f64, String> {
        self.skip_space();
        match self.rest.peek() {
            None => Err("The expression ends too early.".to_owned()),
            Some('(') => {
                self.rest.next();
                let value = self.sum()?;
                self.close()?;
                Ok(value)
            }
            Some(c) if c.is_ascii_digit() || *c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            Some(other) => Err(format!("The expression has an unexpected '{other}'.")),
        }
    }

    fn close(&mut self) -> Result<(), String> {
        self.take(&[')']).map(|_| ()).ok_or_else(|| "A closing parenthesis is missing.".to_owned())
    }

    fn number(&mut self) -> Result<f64, String> {
        let mut text = String::new();
        while let Some(c) = self.rest.peek().copied() {
            let sign_of_exponent = matches!(c, '+' | '-') && text.ends_with(['e', 'E']);
            match c {
                ',' if self.groups_thousands() => {}
                '_' => {}
                _ if c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || sign_of_exponent => text.push(c),
                _ => break,
            }
            self.rest.next();
        }
        text.parse().map_err(|_| format!("'{text}' is not a number."))
    }

    /// A comma before exactly three digits groups thousands, unless it separates arguments.
    fn groups_thousands(&self) -> bool {
        let mut ahead = self.rest.clone().skip(1);
        let three = (0..3).all(|_| ahead.next().is_some_and(|c| c.is_ascii_digit()));
        self.arguments == 0 && three && !ahead.next().is_some_and(|c| c.is_ascii_digit())
    }

    fn name(&mut self) -> Result<f64, String> {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(char::is_ascii_alphanumeric) {
            name.push(c.to_ascii_lowercase());
        }
        match name.as_str() {
            "pi" => return Ok(std::f64::consts::PI),
            "e" => return Ok(std::f64::consts::E),
            _ => {}
        }
        if self.take(&['(']).is_none() {
            return Err(format!("'{name}' is not known."));
        }
        self.arguments += 1;
        let mut arguments = vec![self.sum()?];
        while self.take(&[',', ';']).is_some() {
            arguments.push(self.sum()?);
        }
        self.close()?;
        self.arguments -= 1;
        apply(&name, &arguments)
    }
}

fn apply(name: &str, arguments: &[f64]) -> Result<f64, String> {
    let function: fn(f64) -> f64 = match name {
        "min" => return Ok(arguments.iter().copied().fold(f64::INFINITY, f64::min)),
        "max" => return Ok(arguments.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        "pow" if arguments.len() == 2 => return Ok(arguments[0].powf(arguments[1])),
        "sqrt" => f64::sqrt,
        "abs" => f64::abs,
        "round" => f64::round,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "ln" => f64::ln,
        "log" | "log10" => f64::log10,
        "exp" => f64::exp,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        _ => return Err(format!("'{name}' is not a known function.")),
    };
    match arguments {
        [one] => Ok(function(*one)),
        _ => Err(format!("'{name}' takes one argument.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_follows_the_usual_rules() {
        for (expression, result) in [
            ("1 + 2 * 3", "7"),
            ("(1 + 2) * 3", "9"),
            ("2 ^ 3 ^ 2", "512"),
            ("2 ** 3", "8"),
            ("-2 ^ 2", "-4"),
            ("0.1 + 0.2", "0.3"),
            ("7 % 4", "3"),
            ("sqrt(16) + abs(-2)", "6"),
            ("max(1; 5; 3)", "5"),
            ("min(4,500)", "4"),
            ("1,234,567 + 1", "1234568"),
            ("1e3 + 1", "1001"),
            ("10 / 4", "2.5"),
            ("0 * -1", "0"),
            ("1.6e-19", "1.6e-19"),
            ("6.62607015e-34 * 3e8 / 5e-7", "3.97564209e-19"),
            ("-2e-7", "-2e-7"),
            ("0.000001 * 1.5", "0.0000015"),
            ("1 / 3", "0.333333333333333"),
            ("2 / 3 * 3e-13", "2e-13"),
            ("123456789.123456", "123456789.123456"),
            ("2 ^ 53", "9007199254740990"),
            ("1e20", "100000000000000000000"),
            ("2e300 * 3", "6e300"),
        ] {
            assert_eq!(
                evaluate(expression).map(show).map_err(CallError::from).as_deref(),
                Ok(result),
                "{expression}"
            );
        }
    }

    #[test]
    fn what_is_no_arithmetic_is_said_so() {
        for expression in [
            "",
            "1 +",
            "(1",
            "1)",
            "1 / 0",
            "rm(1)",
            "two",
            "1..2",
            "sqrt(1; 2)",
            &"(".repeat(100),
            &"-".repeat(5_000),
        ] {
            assert!(evaluate(expression).is_err(), "{expression}");
        }
    }
}
