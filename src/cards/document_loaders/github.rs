//! Github: the files of a branch of a repository.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, DocumentSource, METADATA, OMIT, OUTPUTS, SPLITTER, document, loader,
};
use crate::kit::knowledge::pieces::{DocumentPiece, PieceVisitor};
use crate::kit::web::request::WebRequest;
use crate::kit::{Card, Category, Factory, Host, Input, Inputs, Risk};
use crate::limits;
use crate::net::ResponseLimits;
use regex::{Regex, RegexSet};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

/// Files that are no text, by the ending of their name.
const BINARY: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "tiff", "pdf", "zip", "gz", "tar", "7z", "rar", "jar",
    "class", "exe", "dll", "so", "dylib", "bin", "wasm", "o", "a", "mp3", "mp4", "wav", "ogg", "webm", "mov",
    "avi", "woff", "woff2", "ttf", "otf", "eot", "docx", "xlsx", "pptx", "doc", "xls", "ppt", "epub", "db",
    "sqlite", "pyc",
];
/// What is said of a file or a branch that is not there.
const NOT_FOUND: &str = "The request failed: the address answered with status 404.";
/// Larger files are data and no text that people wrote.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Folders within folders that are looked through where the list of a branch comes in parts.
const DEPTH_MAX: usize = 64;
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
        loader(inputs, repository)
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

    /// Visits the path of each text file of the branch, in the order in which git has them; beginning with the path `from`.
    fn each_path(&self, from: Option<&str>, host: &dyn Host, visit: PathVisitor<'_>) -> Result<()> {
        let root = Folder { tree: &self.branch, path: "", depth: 0 };
        self.walk(&root, from.unwrap_or_default(), host, visit)
    }

    /// GitHub lists a branch in one answer, or only a part of it where that is large: then each folder is listed by itself.
    fn walk(&self, folder: &Folder<'_>, from: &str, host: &dyn Host, visit: PathVisitor<'_>) -> Result<()> {
        let mut listed = self.list(folder.tree, self.recursive, host)?;
        let is_whole = !(self.recursive && listed.truncated);
        if !is_whole {
            listed = self.list(folder.tree, false, host)?;
        }
        if listed.truncated || folder.depth > DEPTH_MAX {
            return Err(self.card_error("GitHub does not list all files of the branch"));
        }
        let mut entries = listed.tree.ok_or_else(|| self.card_error("the branch has no files"))?;
        entries.sort_by_cached_key(TreeEntry::order);
        for entry in entries {
            let path = format!("{}{}", folder.path, entry.path);
            if entry.kind == "tree" && !is_whole {
                let below = format!("{path}/");
                let is_read = below.as_str() < from && !from.starts_with(&below);
                if !is_read && !self.ignore_patterns.is_match(&path) {
                    let inner = Folder { tree: &entry.sha, path: &below, depth: folder.depth + 1 };
                    self.walk(&inner, from, host, visit)?;
                }
            } else if path.as_str() >= from && self.is_wanted(&entry, &path) {
                visit(&path)?;
            }
        }
        Ok(())
    }

    fn list(&self, tree: &str, is_deep: bool, host: &dyn Host) -> Result<ListedTree> {
        let mut request = WebRequest::get(self.url(&["git", "trees", tree])?);
        if is_deep {
            request = request.query([("recursive", "1")]);
        }
        let listed = self.get(request, "application/vnd.github+json", host)?;
        let listed = listed.ok_or_else(|| self.card_error(NOT_FOUND))?;
        serde_json::from_str(&listed).map_err(|_| self.card_error("the answer is no list of files"))
    }

    /// Whether this is a text file that nobody wants left out.
    fn is_wanted(&self, entry: &TreeEntry, path: &str) -> bool {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let is_text = entry.kind == "blob"
            && entry.size.unwrap_or_default() <= FILE_BYTES_MAX
            && !BINARY.contains(&ending.as_str());
        is_text && !self.ignore_patterns.is_match(path)
    }

    /// The document of a file, none where it turns out to be no text; or why it alone was not read.
    fn file(&self, path: &str, host: &dyn Host) -> Result<Result<Vec<Document>>> {
        let mut place = vec!["contents"];
        place.extend(path.split('/'));
        let request = WebRequest::get(self.url(&place)?).query([("ref", self.branch.as_str())]);
        let Some(text) = self.get(request, "application/vnd.github.raw+json", host)? else {
            // The branch moved meanwhile.
            return Ok(Err(self.card_error(NOT_FOUND)));
        };
        if text.contains('\0') {
            return Ok(Ok(Vec::new()));
        }
        let mut read = document(path, text);
        read.metadata.insert("repository".into(), self.link.as_str().into());
        read.metadata.insert("branch".into(), self.branch.as_str().into());
        Ok(Ok(vec![read]))
    }

    fn url(&self, place: &[&str]) -> Result<Url> {
        let mut url = self.api.clone();
        let mut path = url.path_segments_mut().map_err(|()| self.card_error("the API has no path"))?;
        path.pop_if_empty().extend(["repos", &self.owner, &self.name]).extend(place);
        drop(path);
        Ok(url)
    }

    /// `None` where there is no such thing.
    fn get(&self, request: WebRequest, accept: &str, host: &dyn Host) -> Result<Option<String>> {
        Error::check_cancelled(host.cancel())?;
        let mut request = request.header("accept", accept).header("user-agent", "flowkeep");
        if let Some(token) = &self.token {
            request = request.header("authorization", &format!("Bearer {token}"));
        }
        let answer = request.send_optional(host, ResponseLimits::default());
        answer.map(|answer| answer.map(|found| found.body)).map_err(|why| why.at(&self.label))
    }

    fn card_error(&self, why: &str) -> Error {
        Error::RunFailed(format!("{}: {why}", self.label))
    }
}

impl DocumentSource for Repository {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let mut paths = Vec::new();
        self.each_path(None, host, &mut |path| {
            if paths.len() == limits::PAGES_MAX {
                return Err(
                    self.card_error("the branch has too many files: leave some out with Ignore Paths")
                );
            }
            paths.push(path.to_owned());
            Ok(())
        })?;
        let (mut documents, mut room) = (Vec::new(), limits::CHUNKS_BYTES_MAX);
        for path in paths {
            let read = self.file(&path, host)??;
            let size = read.iter().map(|document| document.page_content.len()).sum();
            let too_much =
                || self.card_error("the branch has too much text: leave some out with Ignore Paths");
            room = room.checked_sub(size).ok_or_else(too_much)?;
            documents.extend(read);
        }
        Ok(documents)
    }

    /// The place of a file is its path.
    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        self.each_path(from, host, &mut |path| {
            each(DocumentPiece::at(path.to_owned(), self.file(path, host)?))
        })
    }
}

/// Who takes the paths of files.
type PathVisitor<'v> = &'v mut dyn FnMut(&str) -> Result<()>;

/// A folder of the branch.
struct Folder<'a> {
    /// What GitHub finds it by.
    tree: &'a str,
    /// What stands before the paths within it.
    path: &'a str,
    depth: usize,
}

/// A list of files, as GitHub answers it.
#[derive(Deserialize)]
struct ListedTree {
    tree: Option<Vec<TreeEntry>>,
    /// There are more than it tells.
    #[serde(default)]
    truncated: bool,
}

#[derive(Deserialize)]
struct TreeEntry {
    path: String,
    #[serde(rename = "type")]
    kind: String,
    size: Option<u64>,
    #[serde(default)]
    sha: String,
}

impl TreeEntry {
    /// Git has folders where the paths of what lies in them would stand.
    fn order(&self) -> String {
        if self.kind == "tree" { format!("{}/", self.path) } else { self.path.clone() }
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
