//! Names of tables and columns: what the owner typed stands in statements, so it is judged and quoted.

use super::PgError;

/// The longest name the server keeps whole.
const NAME_BYTES_MAX: usize = 63;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnName(String);

/// The name of a table, with a schema or in the one where the server looks first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    schema: Option<String>,
    name: String,
}

impl ColumnName {
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
    pub fn to_sql(&self) -> String {
        quote(&self.0)
    }
}

impl TableName {
    /// A name as that of a column, or two with a dot between them.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn parse(text: &str) -> Result<Self, PgError> {
        let (schema, name) = match text.trim().split_once('.') {
            Some((schema, name)) => (Some(ColumnName::parse(schema)?.0), name),
            None => (None, text),
        };
        Ok(Self { schema, name: ColumnName::parse(name)?.0 })
    }

    /// The table in this schema, unless it names one itself.
    #[must_use]
    pub fn in_schema(self, schema: Option<ColumnName>) -> Self {
        Self { schema: self.schema.or(schema.map(|schema| schema.0)), name: self.name }
    }

    /// As it stands in a statement.
    #[must_use]
    pub fn to_sql(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{}.{}", quote(schema), quote(&self.name)),
            None => quote(&self.name),
        }
    }

    /// As the owner knows it.
    #[must_use]
    pub fn label(&self) -> String {
        self.schema.iter().map(|schema| format!("{schema}.")).collect::<String>() + &self.name
    }
}

/// Case is kept, as by those who made the tables; no character of a judged name needs more than the quotes.
fn quote(name: &str) -> String {
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for good in ["documents", "Documents2", "_x", "a", &"x".repeat(63)] {
            assert_eq!(ColumnName::parse(good).unwrap().to_sql(), format!("\"{good}\""));
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
            assert_eq!(ColumnName::parse(bad), Err(PgError::Name), "{bad:?}");
            assert_eq!(TableName::parse(bad), Err(PgError::Name), "{bad:?}");
        }
    }

    #[test]
    fn a_table_may_name_its_schema_once() {
        assert_eq!(TableName::parse(" ours.books ").unwrap().to_sql(), r#""ours"."books""#);
        assert_eq!(TableName::parse("ours.books").unwrap().label(), "ours.books");
        for bad in ["a.b.c", ".a", "a.", ".", "a..b"] {
            assert_eq!(TableName::parse(bad), Err(PgError::Name), "{bad}");
        }
        let other = || Some(ColumnName::parse("other").unwrap());
        assert_eq!(TableName::parse("books").unwrap().in_schema(other()).label(), "other.books");
        assert_eq!(TableName::parse("ours.books").unwrap().in_schema(other()).label(), "ours.books");
    }
}
