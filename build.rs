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
/// What the service puts its own titles and texts in place of, in the frame of a page that it makes itself.
const FRAME_TITLE: &str = "{{title}}";
const FRAME_BODY: &str = "{{body}}";
/// Between the fields of a passage; no text of the manual holds one.
const FIELD_END: char = '\t';

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=assets/dist");
    println!("cargo:rerun-if-changed={MANUAL}");
    println!("cargo:rerun-if-changed={DESCRIPTION}");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut table = "&[\n".to_owned();
    let chapters = chapters()?;
    for File { name, kind, text } in files(&chapters)? {
        let file = out.join(format!("manual-{name}.z"));
        fs::write(&file, pack(text.as_bytes())?)?;
        writeln!(table, "    ({name:?}, {kind:?}, include_bytes!({:?})),", file.display().to_string())?;
    }
    table.push(']');
    fs::write(out.join("manual.rs"), table)?;
    fs::write(
        out.join("manual-frame.html.z"),
        pack(frame(FRAME_TITLE, &menu(&chapters, None), FRAME_BODY).as_bytes())?,
    )?;
    fs::write(out.join("manual-passages.z"), pack(passages(&chapters).as_bytes())?)?;
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

fn chapters() -> Result<Vec<Chapter>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(MANUAL)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.iter().map(|path| Ok(Chapter { name: name_of(path), text: fs::read_to_string(path)? })).collect()
}

fn files(chapters: &[Chapter]) -> Result<Vec<File>, Box<dyn Error>> {
    let style = File {
        name: "manual.css".to_owned(),
        kind: "text/css; charset=utf-8",
        text: fs::read_to_string(Path::new(MANUAL).join("manual.css"))?,
    };
    let made = |chapter: &Chapter| File {
        name: chapter.name.clone(),
        kind: "text/html; charset=utf-8",
        text: page(chapter, chapters),
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

/// Where a walk through a chapter is: in which section, how deep in lists, and at which rule of the section's own list.
#[derive(Default)]
struct Place {
    number: String,
    depth: usize,
    rule: Option<u64>,
}

impl Place {
    fn enter_section(&mut self, title: &str) {
        title.split(' ').next().unwrap_or_default().clone_into(&mut self.number);
    }

    /// The anchor of the rule that begins with this event.
    fn follow(&mut self, event: &Event<'_>) -> Option<String> {
        match event {
            Event::Start(Tag::List(first)) => {
                self.depth += 1;
                if self.depth == 1 {
                    self.rule = *first;
                }
                None
            }
            Event::End(TagEnd::List(_)) => {
                self.depth -= 1;
                None
            }
            Event::Start(Tag::Item) if self.depth == 1 => {
                let rule = self.rule.as_mut()?;
                let anchor = format!("{}-r{rule}", self.number);
                *rule += 1;
                Some(anchor)
            }
            _ => None,
        }
    }
}

/// The text of the heading with which these events begin.
fn title_of(events: &[Event<'_>]) -> String {
    let heading = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let texts = heading.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    texts.collect()
}

/// The chapter as HTML, and the anchor and title of each of its sections.
fn body(text: &str) -> (String, Vec<(String, String)>) {
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let (mut made, mut sections) = (Vec::with_capacity(events.len()), Vec::new());
    let mut place = Place::default();
    for (at, event) in events.iter().enumerate() {
        if let Some(anchor) = place.follow(event) {
            made.push(raw(format!("<li id=\"{anchor}\">")));
            continue;
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let title = title_of(&events[at..]);
                let anchor = anchor_of(&title);
                made.push(raw(format!("<{level} id=\"{anchor}\">")));
                if *level == HeadingLevel::H2 {
                    place.enter_section(&title);
                    sections.push((anchor, title));
                }
                continue;
            }
            Event::End(TagEnd::Heading(level)) => {
                made.push(raw(format!("</{level}>\n")));
                continue;
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
    frame(&escaped(chapter.title()), &menu(chapters, Some((chapter, &sections))), &body)
}

/// The list of chapters, with the sections of the one that is shown.
fn menu(chapters: &[Chapter], shown: Option<(&Chapter, &[(String, String)])>) -> String {
    let mut menu = String::new();
    for other in chapters.iter().filter(|other| other.name != INDEX) {
        let sections = shown.filter(|(chapter, _)| chapter.name == other.name).map(|(_, sections)| sections);
        let here = if sections.is_some() { " aria-current=\"page\"" } else { "" };
        let _ = write!(menu, "<li><a href=\"{}\"{here}>{}</a>", other.address(), escaped(other.title()));
        if let Some(sections) = sections {
            menu.push_str("<ul>");
            for (anchor, title) in sections {
                let _ = write!(menu, "<li><a href=\"#{anchor}\">{}</a></li>", escaped(title));
            }
            menu.push_str("</ul>");
        }
        menu.push_str("</li>\n");
    }
    menu
}

fn frame(title: &str, menu: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Flowkeep manual</title>\n\
         <link rel=\"icon\" href=\"/favicon.svg\">\n<link rel=\"stylesheet\" href=\"/docs/manual.css\">\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#text\">To the text</a>\n\
         <nav aria-label=\"Chapters\">\n<p><a href=\"/docs\">Flowkeep manual</a></p>\n\
         <form action=\"/docs/search\" role=\"search\"><input type=\"search\" name=\"q\" maxlength=\"200\" aria-label=\"Search the manual\" \
         placeholder=\"Search\"><button>Search</button></form>\n\
         <ul>\n{menu}<li><a href=\"/docs/cards\">All cards</a></li>\n</ul>\n</nav>\n\
         <main id=\"text\">\n{body}</main>\n</body>\n</html>\n"
    )
}

/// What is searched: a line for each rule, and for what stands before the rules of a section, with the address, the title of the
/// section and the plain text.
fn passages(chapters: &[Chapter]) -> String {
    let mut found = String::new();
    for chapter in chapters.iter().filter(|chapter| chapter.name != INDEX) {
        let events: Vec<Event<'_>> = Parser::new_ext(&chapter.text, Options::ENABLE_TABLES).collect();
        let (mut anchor, mut title, mut text) = (String::new(), chapter.title().to_owned(), String::new());
        let (mut place, mut is_heading) = (Place::default(), false);
        let mut flush = |anchor: &str, title: &str, text: &mut String| {
            let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !plain.is_empty() {
                let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
                let address = address(&chapter.name, &anchor);
                let _ = writeln!(found, "{address}{FIELD_END}{title}{FIELD_END}{plain}");
            }
            text.clear();
        };
        for (at, event) in events.iter().enumerate() {
            let rule = place.follow(event);
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    flush(&anchor, &title, &mut text);
                    (title, is_heading) = (title_of(&events[at..]), true);
                    if *level == HeadingLevel::H2 {
                        place.enter_section(&title);
                        anchor = anchor_of(&title);
                    }
                }
                Event::End(TagEnd::Heading(_)) => is_heading = false,
                Event::Start(Tag::Item) if place.depth == 1 => {
                    flush(&anchor, &title, &mut text);
                    anchor = rule.unwrap_or(anchor);
                }
                Event::Text(part) | Event::Code(part) if !is_heading => text.push_str(part),
                Event::SoftBreak | Event::HardBreak | Event::End(_) => text.push(' '),
                _ => {}
            }
        }
        flush(&anchor, &title, &mut text);
    }
    found
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
