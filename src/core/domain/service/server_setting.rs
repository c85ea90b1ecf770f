//! A setting of the operator, as it is in force.

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSetting {
    pub name: &'static str,
    /// `None` for a secret, and where there is none.
    pub value: Option<String>,
    pub is_secret: bool,
    /// Somebody gave it a value.
    pub is_set: bool,
    /// It names files or folders of the machine, comma-separated.
    pub is_path: bool,
    pub origin: SettingOrigin,
    /// What it sets, as a part of a sentence.
    pub help: &'static str,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingOrigin {
    /// Nobody gave one.
    Default,
    Environment,
    /// The flag that gave it, with its dashes.
    Argument(&'static str),
    /// A file of the data folder.
    File,
}

impl SettingOrigin {
    /// As `flowkeep config` names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Environment => "environment",
            Self::Argument(flag) => flag,
            Self::File => "file",
        }
    }
}

impl ServerSetting {
    /// The value for somebody who is not on the machine: of files and folders their own names, and not where they are.
    #[must_use]
    pub fn shown_value(&self) -> Option<String> {
        let value = self.value.clone()?;
        if !self.is_path {
            return Some(value);
        }
        let names: Vec<String> = value.split(',').map(last_segment).collect();
        Some(names.join(","))
    }
}

/// The name of a file or folder without those above it.
#[must_use]
pub fn last_segment(path: &str) -> String {
    let path = path.trim().trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_by_its_name() {
        let of = |value: &str, is_path| ServerSetting {
            name: "X",
            value: Some(value.to_owned()),
            is_secret: false,
            is_set: true,
            is_path,
            origin: SettingOrigin::Default,
            help: "x",
        };
        for (path, name) in [("/srv/x/", "x"), ("C:\\a\\b", "b"), ("/a/b, /c/d", "b,d"), ("/", "")] {
            assert_eq!(of(path, true).shown_value().as_deref(), Some(name), "{path}");
        }
        assert_eq!(of("10.0.0.0/8", false).shown_value().as_deref(), Some("10.0.0.0/8"));
    }
}
