//! Makes the manual (`assets/manual/`) into pages that the program carries, packs the description of the API, and says what the
//! compiler cannot see: that the web page's files are part of the program.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const MANUAL: &str = "assets/manual";
/// The description of the API, which a test makes.
const DESCRIPTION: &str = "assets/openapi.json";
/// The page that lists the chapters.
const INDEX: &str = "README";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=assets/dist");
    println!("cargo:rerun-if-changed={MANUAL}");
    println!("cargo:rerun-if-changed={DESCRIPTION}");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut table = "&[\n".to_owned();
    for File { name, kind, text } in files()? {
        let file = out.join(format!("manual-{name}.z"));
        fs::write(&file, pack(text.as_bytes())?)?;
        writeln!(table, "    ({name:?}, {kind:?}, include_bytes!({:?})),", file.display().to_string())?;
    }
    table.push(']');
    fs::write(out.join("manual.rs"), table)?;
    fs::write(out.join("openapi.json.z"), pack(&fs::read(DESCRIPTION)?)?)?;
    Ok(())
}

fn pack(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

/// What is served below `/docs`.
struct File {
    name: String,
    kind: &'static str,
    text: String,
}

fn files() -> Result<Vec<File>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(MANUAL)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let chapters = paths
        .iter()
        .map(|path| Ok(Chapter { name: name_of(path), text: fs::read_to_string(path)? }))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let style = File {
        name: "manual.css".to_owned(),
        kind: "text/css; charset=utf-8",
        text: fs::read_to_string(Path::new(MANUAL).join("manual.css"))?,
    };
    let made = |chapter: &Chapter| File {
        name: chapter.name.clone(),
        kind: "text/html; charset=utf-8",
        text: page(chapter, &chapters),
    };
    Ok(std::iter::once(style).chain(chapters.iter().map(made)).collect())
}

struct Chapter {
    name: String,
    text: String,
}

impl Chapter {
    fn title(&self) -> &str {
        self.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&self.name)
    }

    fn address(&self) -> String {
        address(&self.name, "")
    }
}

/// `03-conversations.md` is the chapter `conversations`: its address stays when chapters are counted anew.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (number, name) = stem.split_once('-').unwrap_or(("", &stem));
    if number.bytes().all(|byte| byte.is_ascii_digit()) { name.to_owned() } else { stem.into_owned() }
}

fn address(name: &str, anchor: &str) -> String {
    if name == INDEX { format!("/docs{anchor}") } else { format!("/docs/{name}{anchor}") }
}

/// Where a link of the Markdown leads: another file of the manual is another chapter.
fn target(link: &str) -> String {
    let (file, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
    match file.strip_suffix(".md") {
        Some(stem) => address(&name_of(Path::new(stem)), anchor),
        None => link.to_owned(),
    }
}

/// The anchor of a heading, as git hosts make it too, so that links work in both places.
fn anchor_of(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

/// The chapter as HTML, and the anchor and title of each of its sections.
fn body(text: &str) -> (String, Vec<(String, String)>) {
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let (mut made, mut sections) = (Vec::with_capacity(events.len()), Vec::new());
    // The number of the section, how deep the lists are, and the rule of the section's own list.
    let (mut number, mut depth, mut rule) = (String::new(), 0_usize, None);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let title: String = events[at..]
                    .iter()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                    .filter_map(|event| match event {
                        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                        _ => None,
                    })
                    .collect();
                let anchor = anchor_of(&title);
                made.push(raw(format!("<{level} id=\"{anchor}\">")));
                if *level == HeadingLevel::H2 {
                    number = title.split(' ').next().unwrap_or_default().to_owned();
                    sections.push((anchor, title));
                }
                continue;
            }
            Event::End(TagEnd::Heading(level)) => {
                made.push(raw(format!("</{level}>\n")));
                continue;
            }
            Event::Start(Tag::List(first)) => {
                depth += 1;
                if depth == 1 {
                    rule = *first;
                }
            }
            Event::End(TagEnd::List(_)) => depth -= 1,
            Event::Start(Tag::Item) if depth == 1 => {
                if let Some(count) = &mut rule {
                    made.push(raw(format!("<li id=\"{number}-r{count}\">")));
                    *count += 1;
                    continue;
                }
            }
            Event::Start(Tag::Table(_)) => made.push(raw("<div class=\"table\">".to_owned())),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                made.push(Event::Start(Tag::Link {
                    link_type: *link_type,
                    dest_url: target(dest_url).into(),
                    title: title.clone(),
                    id: id.clone(),
                }));
                continue;
            }
            _ => {}
        }
        made.push(event.clone());
        if matches!(event, Event::End(TagEnd::Table)) {
            made.push(raw("</div>\n".to_owned()));
        }
    }
    let mut html = String::new();
    html::push_html(&mut html, made.into_iter());
    (html, sections)
}

fn raw(text: String) -> Event<'static> {
    Event::Html(CowStr::from(text))
}

fn page(chapter: &Chapter, chapters: &[Chapter]) -> String {
    let (body, sections) = body(&chapter.text);
    let mut menu = String::new();
    for other in chapters.iter().filter(|other| other.name != INDEX) {
        let here = if other.name == chapter.name { " aria-current=\"page\"" } else { "" };
        let _ = write!(menu, "<li><a href=\"{}\"{here}>{}</a>", other.address(), escaped(other.title()));
        if !here.is_empty() {
            menu.push_str("<ul>");
            for (anchor, title) in &sections {
                let _ = write!(menu, "<li><a href=\"#{anchor}\">{}</a></li>", escaped(title));
            }
            menu.push_str("</ul>");
        }
        menu.push_str("</li>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · Flowkeep manual</title>\n\
         <link rel=\"icon\" href=\"/favicon.svg\">\n<link rel=\"stylesheet\" href=\"/docs/manual.css\">\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#text\">To the text</a>\n\
         <nav aria-label=\"Chapters\">\n<p><a href=\"/docs\">Flowkeep manual</a></p>\n<ul>\n{menu}</ul>\n</nav>\n\
         <main id=\"text\">\n{body}</main>\n</body>\n</html>\n",
        escaped(chapter.title())
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
