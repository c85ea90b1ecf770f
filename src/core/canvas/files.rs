//! Files inside a canvas: data an editor put inline, and names of files the server keeps (manual 4.7).

use super::Canvas;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// How an input names files the server keeps.
const STORED_PREFIX: &str = "FILE-STORAGE::";

/// A file an editor put into a canvas as a data URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineFile {
    /// The name the person's file had; empty when the editor gave none.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Puts a stored name in place of every inline file of a file input; `keep` stores one file and returns its name.
/// `None` when there is nothing to store.
///
/// # Errors
/// What `keep` returns.
pub fn store_inline_files<E>(
    canvas: &Canvas,
    keep: &mut dyn FnMut(InlineFile) -> Result<String, E>,
) -> Result<Option<String>, E> {
    rewrite_inputs(canvas, &mut |text| store_inline_value(text, keep))
}

/// As [`store_inline_files`], for one value; `None` when it holds no file.
///
/// # Errors
/// What `keep` returns.
pub fn store_inline_value<E>(
    text: &str,
    keep: &mut dyn FnMut(InlineFile) -> Result<String, E>,
) -> Result<Option<String>, E> {
    let Some(files) = parse_inline_files(text) else { return Ok(None) };
    let names = files.into_iter().map(keep).collect::<Result<Vec<_>, E>>()?;
    Ok(Some(stored_value(&names)))
}

/// Gives stored files other names, for those `rename` returns one. `None` when nothing changed.
///
/// # Errors
/// What `rename` returns.
pub fn rename_stored_files<E>(
    canvas: &Canvas,
    rename: &mut dyn FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    rewrite_inputs(canvas, &mut |text| {
        let Some(names) = parse_stored_names(text) else { return Ok(None) };
        let mut changed = false;
        let mut renamed = Vec::with_capacity(names.len());
        for name in names {
            let other = rename(&name)?;
            changed |= other.is_some();
            renamed.push(other.unwrap_or(name));
        }
        Ok(changed.then(|| stored_value(&renamed)))
    })
}

/// Puts the files themselves in the place of their names, where `find` knows all that a value names. `None` when nothing changed.
#[must_use]
pub fn inline_stored_files(canvas: &Canvas, find: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Option<String> {
    let put = &mut |text: &str| Ok::<_, std::convert::Infallible>(inline_stored_value(text, find));
    let Ok(changed) = rewrite_inputs(canvas, put);
    changed
}

/// As [`inline_stored_files`], for one value.
#[must_use]
pub fn inline_stored_value(text: &str, find: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Option<String> {
    let names = parse_stored_names(text)?;
    let file = |name: String| Some(InlineFile { bytes: find(&name)?, name });
    let files: Vec<InlineFile> = names.into_iter().map(file).collect::<Option<_>>()?;
    (!files.is_empty()).then(|| to_data_uris(&files))
}

/// The names of all stored files a canvas refers to.
#[must_use]
pub fn stored_names(canvas: &Canvas) -> Vec<String> {
    let mut found = Vec::new();
    let look = &mut |text: &str| -> Result<Option<String>, std::convert::Infallible> {
        found.extend(parse_stored_names(text).unwrap_or_default());
        Ok(None)
    };
    // Nothing is changed and nothing can fail: only the names are wanted.
    let Ok(_) = rewrite_inputs(canvas, look);
    found
}

/// Walks the string values of every node's inputs; a text that `change` returns takes the place of the old one.
fn rewrite_inputs<E>(
    canvas: &Canvas,
    change: &mut dyn FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    let mut raw = canvas.raw().clone();
    let mut changed = false;
    let nodes = raw.get_mut("nodes").and_then(Value::as_array_mut);
    for node in nodes.into_iter().flatten() {
        let inputs =
            node.get_mut("data").and_then(|data| data.get_mut("inputs")).and_then(Value::as_object_mut);
        for value in inputs.into_iter().flat_map(|inputs| inputs.values_mut()) {
            let Value::String(text) = value else { continue };
            if let Some(new) = change(text)? {
                *text = new;
                changed = true;
            }
        }
    }
    Ok(changed.then(|| Value::Object(raw).to_string()))
}

/// The files of a value that is a data URI with a file name, or a JSON list of them. A data URI without a file
/// name is a picture in a text or a setting, and stays.
fn parse_inline_files(text: &str) -> Option<Vec<InlineFile>> {
    if text.starts_with("data:") {
        return parse_data_uri(text).map(|file| vec![file]);
    }
    if !text.starts_with("[\"data:") {
        return None;
    }
    let list: Vec<String> = serde_json::from_str(text).ok()?;
    list.iter().map(|text| parse_data_uri(text)).collect()
}

fn parse_data_uri(text: &str) -> Option<InlineFile> {
    let (_, rest) = text.strip_prefix("data:")?.split_once(";base64,")?;
    let (data, name) = rest.split_once(",filename:")?;
    Some(InlineFile { name: name.to_owned(), bytes: STANDARD.decode(data.trim()).ok()? })
}

/// The value of a file input that holds these files themselves, as an editor writes it.
#[must_use]
pub fn to_data_uris<'f>(files: impl IntoIterator<Item = &'f InlineFile>) -> String {
    let uri = |file: &InlineFile| {
        format!(
            "data:application/octet-stream;base64,{},filename:{}",
            STANDARD.encode(&file.bytes),
            file.name
        )
    };
    serde_json::json!(files.into_iter().map(uri).collect::<Vec<_>>()).to_string()
}

/// What a file input holds: names of stored files, and files that nothing has stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileInput {
    /// The name of a stored file.
    Stored(String),
    Inline(InlineFile),
}

/// The files that the value of a file input names or holds; `None` for a text that is neither.
#[must_use]
pub fn parse_file_input(text: &str) -> Option<Vec<FileInput>> {
    let stored = || Some(parse_stored_names(text)?.into_iter().map(FileInput::Stored).collect());
    let text = text.trim();
    parse_inline_files(text).map(|files| files.into_iter().map(FileInput::Inline).collect()).or_else(stored)
}

/// The stored files that the value of a file input names; `None` for any other value.
#[must_use]
pub fn parse_stored_names(text: &str) -> Option<Vec<String>> {
    let named = text.strip_prefix(STORED_PREFIX)?;
    if named.starts_with('[') {
        return serde_json::from_str(named).ok();
    }
    Some(vec![named.to_owned()])
}

fn stored_value(names: &[String]) -> String {
    match names {
        [one] => format!("{STORED_PREFIX}{one}"),
        several => format!("{STORED_PREFIX}{}", serde_json::json!(several)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::convert::Infallible;

    fn canvas(value: &str) -> Canvas {
        let text =
            json!({"nodes": [{"id": "a", "data": {"inputs": {"file": value, "n": 1}}}], "edges": [], "x": 1});
        Canvas::parse(&text.to_string()).unwrap()
    }

    #[test]
    fn inline_files_get_stored_names() {
        let uri = format!("data:text/plain;base64,{},filename:a.txt", STANDARD.encode("hello"));
        let mut kept = Vec::new();
        let mut keep = |file: InlineFile| -> Result<String, Infallible> {
            kept.push((file.name, file.bytes));
            Ok(format!("stored-{}", kept.len()))
        };
        let text = store_inline_files(&canvas(&uri), &mut keep).unwrap().unwrap();
        let list = json!([uri, uri]).to_string();
        let both = store_inline_files(&canvas(&list), &mut keep).unwrap().unwrap();
        assert!(text.contains("FILE-STORAGE::stored-1") && text.contains("\"x\":1"));
        assert_eq!(stored_names(&Canvas::parse(&both).unwrap()), ["stored-2", "stored-3"]);
        assert_eq!(kept[0], ("a.txt".to_owned(), b"hello".to_vec()));
    }

    #[test]
    fn files_take_the_place_of_their_names_where_all_of_them_are_known() {
        let mut find = |name: &str| (name != "gone.txt").then(|| name.as_bytes().to_vec());
        let text = inline_stored_files(&canvas("FILE-STORAGE::[\"a.txt\",\"b.txt\"]"), &mut find).unwrap();
        let mut kept = Vec::new();
        let mut keep = |file: InlineFile| -> Result<String, Infallible> {
            kept.push((file.name.clone(), file.bytes));
            Ok(file.name)
        };
        store_inline_files(&Canvas::parse(&text).unwrap(), &mut keep).unwrap();
        let file = |name: &str| (name.to_owned(), name.as_bytes().to_vec());
        assert_eq!(kept, [file("a.txt"), file("b.txt")]);
        for value in ["FILE-STORAGE::[\"a.txt\",\"gone.txt\"]", "FILE-STORAGE::[]", "a.txt", ""] {
            assert_eq!(inline_stored_files(&canvas(value), &mut find), None, "{value}");
        }
    }

    #[test]
    fn pictures_in_settings_and_other_texts_stay() {
        for value in ["data:image/png;base64,AAAA", "data: is king", "[\"data:x\"]", "FILE-STORAGE::a", ""] {
            let found =
                store_inline_files(&canvas(value), &mut |_| -> Result<String, Infallible> { Ok("x".into()) });
            assert_eq!(found.unwrap(), None, "{value}");
        }
    }

    #[test]
    fn stored_files_are_renamed_one_by_one() {
        let before = canvas("FILE-STORAGE::[\"draft-1-a.txt\",\"b.txt\"]");
        let rename =
            &mut |name: &str| -> Result<_, Infallible> { Ok(name.strip_prefix("draft-").map(str::to_owned)) };
        let after = Canvas::parse(&rename_stored_files(&before, rename).unwrap().unwrap()).unwrap();
        assert_eq!(stored_names(&after), ["1-a.txt", "b.txt"]);
        assert_eq!(rename_stored_files(&after, rename).unwrap(), None);
    }
}
