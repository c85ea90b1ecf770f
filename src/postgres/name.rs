//! Names of tables and columns: what the owner typed stands in statements, so it is judged and quoted.

use super::PgError;

/// The longest name the server keeps whole.
const NAME_BYTES_MAX: usize = 63;

/// The name of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column(String);

/// The name of a table, with a schema or in the one where the server looks first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    schema: Option<String>,
    name: String,
}

impl Column {
    /// Letters of the English alphabet, digits and underscores, not beginning with a digit.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn parse(text: &str) -> Result<Self, PgError> {
        let text = text.trim();
        let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || text.len() > NAME_BYTES_MAX || !text.chars().all(good) {
            return Err(PgError::Name);
        }
        Ok(Self(text.to_owned()))
    }

    /// As it stands in a statement.
    #[must_use]
    pub fn quoted(&self) -> String {
        quoted(&self.0)
    }
}

impl Table {
    /// A name as that of a column, or two with a dot between them.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn parse(text: &str) -> Result<Self, PgError> {
        let (schema, name) = match text.trim().split_once('.') {
            Some((schema, name)) => (Some(Column::parse(schema)?.0), name),
            None => (None, text),
        };
        Ok(Self { schema, name: Column::parse(name)?.0 })
    }

    /// The table in this schema, unless it names one itself.
    #[must_use]
    pub fn within(self, schema: Option<Column>) -> Self {
        Self { schema: self.schema.or(schema.map(|schema| schema.0)), name: self.name }
    }

    /// As it stands in a statement.
    #[must_use]
    pub fn quoted(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(&self.name)),
            None => quoted(&self.name),
        }
    }

    /// As the owner knows it.
    #[must_use]
    pub fn shown(&self) -> String {
        self.schema.iter().map(|schema| format!("{schema}.")).collect::<String>() + &self.name
    }
}

/// Case is kept, as by those who made the tables; no character of a judged name needs more than the quotes.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for good in ["documents", "Documents2", "_x", "a", &"x".repeat(63)] {
            assert_eq!(Column::parse(good).unwrap().quoted(), format!("\"{good}\""));
        }
        for bad in [
            "",
            " ",
            "2x",
            "a b",
            "a\"b",
            "a;drop table x",
            "a--",
            "a\0",
            "größe",
            "a'",
            "a(",
            "ａ",
            "a\n b",
            &"x".repeat(64),
        ] {
            assert_eq!(Column::parse(bad), Err(PgError::Name), "{bad:?}");
            assert_eq!(Table::parse(bad), Err(PgError::Name), "{bad:?}");
        }
    }

    #[test]
    fn a_table_may_name_its_schema_once() {
        assert_eq!(Table::parse(" ours.books ").unwrap().quoted(), r#""ours"."books""#);
        assert_eq!(Table::parse("ours.books").unwrap().shown(), "ours.books");
        for bad in ["a.b.c", ".a", "a.", ".", "a..b"] {
            assert_eq!(Table::parse(bad), Err(PgError::Name), "{bad}");
        }
        let other = || Some(Column::parse("other").unwrap());
        assert_eq!(Table::parse("books").unwrap().within(other()).shown(), "other.books");
        assert_eq!(Table::parse("ours.books").unwrap().within(other()).shown(), "ours.books");
    }
}
