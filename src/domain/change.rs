//! What a caller says of a value that may be absent.

/// Whether a value stays, goes or is replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Change<T> {
    /// What becomes of `old`.
    pub fn apply(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Keep => old,
            Self::Clear => None,
            Self::Set(new) => Some(new),
        }
    }

    /// The same of a value of another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Keep => Change::Keep,
            Self::Clear => Change::Clear,
            Self::Set(new) => Change::Set(form(new)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_cleared_and_set() {
        assert_eq!(Change::Keep.apply(Some(1)), Some(1));
        assert_eq!(Change::Clear.apply(Some(1)), None);
        assert_eq!(Change::Set(2).apply(Some(1)), Some(2));
    }
}
