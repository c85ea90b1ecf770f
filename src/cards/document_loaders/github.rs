//! Github: the files of a branch of a repository.

use crate::cards::kit::knowledge::loading::{
    BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, document, loader,
};
use crate::cards::kit::web::request::WebRequest;
use crate::cards::kit::{Card, Category, Factory, Host, Input, Inputs, Risk};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::limits;
use crate::net::ResponseLimits;
use regex::{Regex, RegexSet};
use serde_json::Value;
use url::Url;

/// Files that are no text, by the ending of their name.
const BINARY: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "tiff", "pdf", "zip", "gz", "tar", "7z", "rar", "jar",
    "class", "exe", "dll", "so", "dylib", "bin", "wasm", "o", "a", "mp3", "mp4", "wav", "ogg", "webm", "mov",
    "avi", "woff", "woff2", "ttf", "otf", "eot", "docx", "xlsx", "pptx", "doc", "xls", "ppt", "epub", "db",
    "sqlite", "pyc",
];
/// Larger files are data and no text that people wrote.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// More patterns than this are a mistake.
const PATTERNS_MAX: usize = 200;

pub(crate) const CARD: Card = Card {
    name: "github",
    label: "Github",
    version: 3.0,
    category: Category::DocumentLoaders,
    description: "The text files of a branch of a GitHub repository, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["githubApi"]).optional(),
        Input::text("repoLink", "Repo Link").help("https://github.com/owner/name"),
        Input::text("branch", "Branch").or("main"),
        Input::switch("recursive", "Recursive").optional().help("Reads folders within the repository too."),
        Input::address("githubBaseUrl", "Github Base URL")
            .additional()
            .help("The address of a GitHub of your own; else https://github.com."),
        Input::address("githubInstanceApi", "Github Instance API")
            .additional()
            .help("The address of its API; else https://api.github.com."),
        Input::lines("ignorePath", "Ignore Paths")
            .lists()
            .additional()
            .help("A JSON list of patterns of paths to leave out: [\"*.lock\", \"docs/**\"]."),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let repository = Repository::from_inputs(inputs)?;
        loader(inputs, move |host: &dyn Host| repository.read(host))
    }),
};

struct Repository {
    label: String,
    link: String,
    api: Url,
    owner: String,
    name: String,
    branch: String,
    recursive: bool,
    ignore_patterns: RegexSet,
    token: Option<String>,
}

impl Repository {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let link = inputs.text("repoLink")?.trim().trim_end_matches('/').to_owned();
        let base = inputs.address("githubBaseUrl").unwrap_or_else(|| "https://github.com".to_owned());
        let path = link.strip_prefix(&base).map(|path| path.trim_start_matches('/').trim_end_matches(".git"));
        let (owner, name) = path
            .and_then(|path| path.split_once('/'))
            .filter(|(owner, name)| !owner.is_empty() && !name.is_empty() && !name.contains('/'))
            .ok_or_else(|| {
                inputs.input_error("repoLink", &format!("this must look like {base}/owner/name"))
            })?;
        let api = inputs.address("githubInstanceApi").unwrap_or_else(|| "https://api.github.com".to_owned());
        Ok(Self {
            label: inputs.label.to_owned(),
            api: Url::parse(&api)
                .map_err(|_| inputs.input_error("githubInstanceApi", "this must be a full address"))?,
            owner: owner.to_owned(),
            name: name.to_owned(),
            branch: inputs.text("branch")?,
            recursive: inputs.switch("recursive"),
            ignore_patterns: ignore_patterns(inputs)?,
            token: inputs.optional_secret("accessToken"),
            link,
        })
    }

    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let tree = self.url(&["git", "trees", &self.branch])?;
        let recursive = self.recursive.then_some(("recursive", "1"));
        let listed = self.get(WebRequest::get(tree).query(recursive), "application/vnd.github+json", host)?;
        let listed: Value =
            serde_json::from_str(&listed).map_err(|_| self.card_error("the answer is not JSON"))?;
        let entries = listed["tree"].as_array().ok_or_else(|| self.card_error("the branch has no files"))?;
        let wanted: Vec<&str> = entries.iter().filter_map(|entry| self.text_file_path(entry)).collect();
        if wanted.len() > limits::PAGES_MAX {
            return Err(self.card_error("the branch has too many files: leave some out with Ignore Paths"));
        }
        let mut documents = Vec::new();
        let mut room = limits::CHUNKS_BYTES_MAX;
        for path in wanted {
            let mut place = vec!["contents"];
            place.extend(path.split('/'));
            let request = WebRequest::get(self.url(&place)?).query([("ref", self.branch.as_str())]);
            let text = self.get(request, "application/vnd.github.raw+json", host)?;
            if text.contains('\0') {
                continue;
            }
            let too_much =
                || self.card_error("the branch has too much text: leave some out with Ignore Paths");
            room = room.checked_sub(text.len()).ok_or_else(too_much)?;
            let mut read = document(path, text);
            read.metadata.insert("repository".into(), self.link.as_str().into());
            read.metadata.insert("branch".into(), self.branch.as_str().into());
            documents.push(read);
        }
        Ok(documents)
    }

    /// The path of an entry that is a text file nobody wants left out.
    fn text_file_path<'v>(&self, entry: &'v Value) -> Option<&'v str> {
        let path = entry["path"].as_str()?;
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let is_text = entry["type"] == "blob"
            && entry["size"].as_u64().unwrap_or_default() <= FILE_BYTES_MAX
            && !BINARY.contains(&ending.as_str());
        (is_text && !self.ignore_patterns.is_match(path)).then_some(path)
    }

    fn url(&self, place: &[&str]) -> Result<Url> {
        let mut url = self.api.clone();
        let mut path = url.path_segments_mut().map_err(|()| self.card_error("the API has no path"))?;
        path.pop_if_empty().extend(["repos", &self.owner, &self.name]).extend(place);
        drop(path);
        Ok(url)
    }

    fn get(&self, request: WebRequest, accept: &str, host: &dyn Host) -> Result<String> {
        if host.cancel().reason().is_some() {
            return Err(Error::Cancelled);
        }
        let mut request = request.header("accept", accept).header("user-agent", "flowkeep");
        if let Some(token) = &self.token {
            request = request.header("authorization", &format!("Bearer {token}"));
        }
        let answer = request.send(host, ResponseLimits::default());
        answer.map(|answer| answer.body).map_err(|why| why.at(&self.label))
    }

    fn card_error(&self, why: &str) -> Error {
        Error::RunFailed(format!("{}: {why}", self.label))
    }
}

fn ignore_patterns(inputs: &Inputs<'_>) -> Result<RegexSet> {
    let wrong = || inputs.input_error("ignorePath", "this must be a JSON list of up to 200 patterns");
    let list = match inputs.json("ignorePath")? {
        None => Vec::new(),
        Some(Value::Array(list)) if list.len() <= PATTERNS_MAX => list,
        Some(_) => return Err(wrong()),
    };
    let pattern = |value: &Value| value.as_str().map(expression).ok_or_else(wrong);
    let patterns = list.iter().map(pattern).collect::<Result<Vec<_>>>()?;
    RegexSet::new(patterns).map_err(|_| wrong())
}

/// A pattern of paths as an expression: `*` stays within a folder, `**` does not, and a pattern without a folder fits
/// a name at any depth. What fits a folder fits all that lies in it.
fn expression(pattern: &str) -> String {
    let pattern = pattern.trim();
    let anchored = pattern.trim_end_matches('/').contains('/');
    let body = Regex::new(r"\*\*/?|\*|\?|[^*?]+").expect("the expression is fixed").replace_all(
        pattern.trim_matches('/'),
        |found: &regex::Captures<'_>| match &found[0] {
            "**/" => "(?:.*/)?".to_owned(),
            "**" => ".*".to_owned(),
            "*" => "[^/]*".to_owned(),
            "?" => "[^/]".to_owned(),
            text => regex::escape(text),
        },
    );
    let start = if anchored { "^" } else { "(?:^|/)" };
    format!("{start}{body}(?:/|$)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_paths_as_people_mean_them() {
        for (pattern, path, fits) in [
            ("*.lock", "a/b/Cargo.lock", true),
            ("*.lock", "a.lock.rs", false),
            ("docs/**", "docs/a/b.md", true),
            ("docs", "x/docs/y.md", true),
            ("docs", "docs2/y.md", false),
            ("/src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("**/test?.py", "a/test1.py", true),
            ("a.b", "aXb", false),
        ] {
            let is_match = Regex::new(&expression(pattern)).unwrap().is_match(path);
            assert_eq!(is_match, fits, "{pattern} {path}");
        }
    }
}
