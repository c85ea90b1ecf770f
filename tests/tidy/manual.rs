//! The manual (`assets/manual/`): its chapters, sections and rules are counted without gaps, its links lead somewhere, and
//! what code, tests and papers cite of it is there.

use super::*;

const FOLDER: &str = "assets/manual";
/// The papers that lead into the manual.
const PAPERS: &[&str] = &["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "tests/bench/README.md"];

/// A section and how many rules it has.
struct Section {
    number: String,
    anchor: String,
    rules: usize,
}

struct Chapter {
    file: String,
    text: String,
    sections: Vec<Section>,
}

fn read(root: &Path) -> Vec<Chapter> {
    let folder = root.join(FOLDER);
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    let chapter = |file: String| {
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        let sections = sections(&text);
        Chapter { file, text, sections }
    };
    names.into_iter().map(chapter).collect()
}

fn sections(text: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let number = heading.split(' ').next().unwrap_or_default().to_owned();
            found.push(Section { number, anchor: anchor(heading), rules: 0 });
        } else if let (Some(section), Some(rule)) = (found.last_mut(), rule_of(line)) {
            // A rule out of turn is none, so that what cites it fails too.
            section.rules += usize::from(rule == section.rules + 1);
        }
    }
    found
}

/// The number of the rule that begins here.
fn rule_of(line: &str) -> Option<usize> {
    line.split_once(". ")?.0.parse().ok()
}

/// The anchor of a heading, as git hosts and `build.rs` make it.
fn anchor(heading: &str) -> String {
    let plain = heading.replace('`', "").to_lowercase();
    plain.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

/// What is wrong with the counting of a chapter that stands at this place.
fn numbering_faults(at: usize, chapter: &Chapter) -> Vec<String> {
    let file = &chapter.file;
    let mut wrong = Vec::new();
    if !file.starts_with(&format!("{at:02}-")) {
        wrong.push(format!("{file}: the chapters are not counted without gaps; this is number {at}"));
    }
    if !chapter.text.starts_with(&format!("# {at} ")) {
        wrong.push(format!("{file}:1: the heading begins with `# {at} `"));
    }
    for (place, section) in chapter.sections.iter().enumerate() {
        let wanted = format!("{at}.{}", place + 1);
        if section.number != wanted {
            wrong.push(format!("{file}: section {} stands where {wanted} belongs", section.number));
        }
    }
    let (mut rule, mut section) = (0, "");
    for (number, line) in chapter.text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            (rule, section) = (0, heading);
        } else if let Some(counted) = rule_of(line) {
            rule += 1;
            if counted != rule {
                wrong.push(format!("{file}:{}: rule {counted} of `{section}` is number {rule}", number + 1));
            }
        }
    }
    let lines = chapter.text.lines().count();
    if lines > LINES_MAX {
        wrong.push(format!("{file}:{lines}: more than {LINES_MAX} lines"));
    }
    wrong
}

/// The links of a text that lead into the manual, as file and anchor.
fn links(text: &str) -> Vec<(String, Option<String>)> {
    let link = pattern!(r"\]\(([^)\s]+)\)");
    let targets = link.captures_iter(text).map(|hit| hit[1].to_owned());
    let inside = targets.filter(|target| !target.contains("://") && !target.starts_with('/'));
    inside
        .map(|target| match target.split_once('#') {
            Some((file, anchor)) => (file.to_owned(), Some(anchor.to_owned())),
            None => (target, None),
        })
        .collect()
}

/// A citation: the section, and the rule where one is named.
type Citation = (String, Option<usize>);

/// What a source cites of the manual: `manual 5.7`, `manual 5.7 r3`, `manual 2.6, 3.4 r2 and 7.1`.
fn citations(text: &str) -> Vec<Citation> {
    // A citation goes on in the next line of a comment.
    let flat = pattern!(r"\n\s*(?://[/!]?|\*|#)?\s*").replace_all(text, " ");
    let list = pattern!(r"\bmanual (\d+\.\d+(?: r\d+)?(?:(?:, | and | to )(?:\d+\.\d+(?: r\d+)?|r\d+))*)");
    let one = pattern!(r"(\d+\.\d+)?(?: ?r(\d+))?(?:, | and | to |$)");
    let mut found: Vec<Citation> = Vec::new();
    for hit in list.captures_iter(&flat) {
        let mut section = String::new();
        for part in one.captures_iter(&hit[1]) {
            let (named, rule) = (part.get(1), part.get(2).map(|rule| rule.as_str().parse().unwrap()));
            if let Some(named) = named {
                named.as_str().clone_into(&mut section);
            }
            if named.is_some() || rule.is_some() {
                found.push((section.clone(), rule));
            }
        }
    }
    found
}

fn is_there(chapters: &[Chapter], (section, rule): &Citation) -> bool {
    let found = chapters.iter().flat_map(|chapter| &chapter.sections).find(|known| known.number == *section);
    found.is_some_and(|found| rule.is_none_or(|rule| (1..=found.rules).contains(&rule)))
}

/// Finds comments that cite what is not in the repository. What a rule of the service is stands in the manual.
pub fn papers(source: &Source) -> Vec<String> {
    // These two show what such citations look like.
    if source.path.starts_with("tests/tidy") {
        return Vec::new();
    }
    let paper = pattern!(
        r"(?i)//.*?(\b(?:spec|contract|security rules?|reference|(?:reference )?canvas(?: reference)?) \d+(?:\.\d+)?\b|\bissue \d+\b|\bthe specification\b)|//.*?\(((?-i:[SRC]) \d+(?:\.\d+)?)[,)]"
    );
    let lines = source.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let hit = paper.captures(line)?;
        Some((at + 1, hit.get(1).or_else(|| hit.get(2))?.as_str()))
    });
    found
        .map(|(line, cited)| {
            format!("{}:{line}: `{cited}` cites what is not in the repository; cite the manual", source.path)
        })
        .collect()
}

#[test]
fn the_manual_is_counted_and_its_links_and_citations_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = read(root);
    let chapters: Vec<&Chapter> = all.iter().filter(|chapter| chapter.file != "README.md").collect();
    let mut wrong: Vec<String> =
        chapters.iter().enumerate().flat_map(|(at, chapter)| numbering_faults(at + 1, chapter)).collect();

    let leads = |file: &str, anchor: &Option<String>| {
        let chapter = all.iter().find(|chapter| chapter.file == file);
        chapter.is_some_and(|chapter| {
            anchor.as_ref().is_none_or(|anchor| chapter.sections.iter().any(|known| known.anchor == *anchor))
        })
    };
    for chapter in &all {
        for (file, anchor) in links(&chapter.text) {
            let file = if file.is_empty() { &chapter.file } else { &file };
            if !leads(file, &anchor) {
                wrong.push(format!("{}: the link to {file} {anchor:?} leads nowhere", chapter.file));
            }
        }
    }
    let index = &all.iter().find(|chapter| chapter.file == "README.md").unwrap().text;
    let unlisted = chapters.iter().filter(|chapter| !index.contains(&format!("]({})", chapter.file)));
    wrong.extend(unlisted.map(|chapter| format!("README.md of the manual does not list {}", chapter.file)));

    let mut cited = 0;
    let mut sources = Vec::new();
    for folder in ["src", "tests", "assets/ui/src"] {
        collect(root, folder, &mut sources);
    }
    // This file shows what citations look like.
    sources.retain(|source| source.path != "tests/tidy/manual.rs");
    for paper in PAPERS {
        let text = fs::read_to_string(root.join(paper)).unwrap();
        for (file, anchor) in links(&text) {
            if let Some(file) = file.strip_prefix(&format!("{FOLDER}/"))
                && !leads(file, &anchor)
            {
                wrong.push(format!("{paper}: the link to {file} {anchor:?} leads nowhere"));
            }
        }
        sources.push(Source::new(paper, &text));
    }
    for source in &sources {
        for citation in citations(&source.text) {
            cited += 1;
            if !is_there(&all, &citation) {
                wrong.push(format!("{}: the manual has no {citation:?}", source.path));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} faults of the manual ({cited} citations):\n  {}",
        wrong.len(),
        wrong.join("\n  ")
    );
}

/// The rules of this file, on samples.
mod samples {
    use super::*;

    fn chapter(file: &str, text: &str) -> Chapter {
        Chapter { file: file.to_owned(), text: text.to_owned(), sections: sections(text) }
    }

    #[test]
    fn citations_are_found_in_lists_and_over_line_breaks() {
        let text = "//! Title (manual 5.7 r3, 6.4 and 7.1 r2,\n//! 8.1). The manual says 3.\n/// manual 2.1 r1 to r3\n// manuals 9.9";
        let of = |section: &str, rule| (section.to_owned(), rule);
        assert_eq!(
            citations(text),
            [
                of("5.7", Some(3)),
                of("6.4", None),
                of("7.1", Some(2)),
                of("8.1", None),
                of("2.1", Some(1)),
                of("2.1", Some(3)),
            ]
        );
    }

    #[test]
    fn papers_outside_of_the_repository_are_not_cited() {
        let rows: &[(&str, usize)] = &[
            ("//! Publish (spec 4.2 r4).", 1),
            ("/// See contract 5.7.\n// (R 2)\nlet x = 1; // security rules 3", 3),
            ("/// As reference canvas 5.11, and (S 8, R 7).", 1),
            ("//! The words of the specification.", 1),
            ("//! Publish (manual 5.7 r3).", 0),
            ("let spec = 1; // the spec of a tool has 3 parts", 0),
            ("/// A reference to canvas nodes; 2 of them.", 0),
        ];
        for (text, count) in rows {
            let found = papers(&Source::new("src/a.rs", text));
            assert_eq!(found.len(), *count, "{text}: {found:?}");
        }
    }

    #[test]
    fn gaps_and_what_is_missing_are_named() {
        let good = chapter(
            "01-a.md",
            "# 1 A\n\n## 1.1 The `x` of y\n\n1. One.\n   2 lines.\n2. Two.\n\n## 1.2 B\n\n1. x\n",
        );
        assert!(numbering_faults(1, &good).is_empty(), "{:?}", numbering_faults(1, &good));
        assert_eq!(good.sections[0].anchor, "11-the-x-of-y");
        let bad = chapter("03-a.md", "# 1 A\n\n## 1.2 X\n\n1. One.\n3. Two.\n");
        assert_eq!(numbering_faults(2, &bad).len(), 4, "{:?}", numbering_faults(2, &bad));
        let all = [good];
        assert!(is_there(&all, &("1.1".to_owned(), Some(2))));
        assert!(!is_there(&all, &("1.1".to_owned(), Some(3))));
        assert!(!is_there(&all, &("1.3".to_owned(), None)));
        assert_eq!(
            links("[a](01-a.md#x) [b](https://c.d) [c](/docs)"),
            [("01-a.md".to_owned(), Some("x".to_owned()))]
        );
    }
}
