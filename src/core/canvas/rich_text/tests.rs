//! Rich text as the editor saves it, and as strangers might.

use super::*;
use proptest::prelude::*;

/// What the editor saved in real flows.
const SAVED: &[(&str, &str)] = &[
    (
        "<p><span class=\"variable\" data-type=\"mention\" data-id=\"question\" data-label=\"question\">{{ question }}</span> </p>",
        "{{ question }}",
    ),
    (
        "<p>English:</p><p><span class=\"variable\" data-type=\"mention\" data-id=\"question\" data-label=\"question\">{{ question }}</span> </p><p>Japanese:</p><p></p>",
        "English:\n\n{{ question }}\n\nJapanese:",
    ),
    ("<p>&lt;your-team-id&gt;</p>", "<your-team-id>"),
    ("<p>[{\"item\": \"abc\"}, {\"item\": \"def\"}]</p>", "[{\"item\": \"abc\"}, {\"item\": \"def\"}]"),
    ("<p>http://localhost:5566/events</p>", "http://localhost:5566/events"),
    (
        "<p>Summarize. </p>\n<ul>\n<li>First</li>\n<li>Then</li>\n</ul>\n<h2 id=\"x\">Format</h2>\n<ul>\n<li>Last</li>\n</ul>\n",
        "Summarize.\n\n- First\n- Then\n\n## Format\n\n- Last",
    ),
];

#[test]
fn what_the_editor_saved_becomes_markdown() {
    for (html, markdown) in SAVED {
        assert_eq!(to_markdown(html), *markdown);
    }
}

#[test]
fn every_kind_of_mark_has_its_sign() {
    for (html, markdown) in [
        ("<p>a <strong>b </strong><em>c</em> <s>d</s> <u>e</u></p>", "a **b** *c* ~~d~~ e"),
        ("<p><strong><em>x</em></strong></p>", "***x***"),
        ("<p><code>a_b</code> <code>`</code></p>", "`a_b` `` ` ``"),
        ("<p>a<br>b</p>", "a  \nb"),
        ("<h3>A  title</h3><hr><p>b</p>", "### A title\n\n---\n\nb"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<p>an <img src=\"x.png\" alt=\"image\"></p>", "an ![image](x.png)"),
        (
            "<pre><code class=\"language-js\">if (a &lt; b) {\n  x\n}\n</code></pre>",
            "```js\nif (a < b) {\n  x\n}\n```",
        ),
        ("<pre>```\nx</pre>", "````\n```\nx\n````"),
    ] {
        assert_eq!(to_markdown(html), markdown, "{html}");
    }
}

#[test]
fn lists_nest_and_count() {
    let html = "<ol start=\"9\"><li><p>a</p></li><li><p>b</p><p>more</p><ul><li><p>c</p></li></ul></li></ol>";
    assert_eq!(to_markdown(html), "9. a\n10. b\n\n    more\n    - c");
}

#[test]
fn tables_become_rows_between_lines() {
    let html = "<table><tbody><tr><th><p>A</p></th><th><p>B</p></th></tr><tr><td><p>1|2</p></td><td><p></p></td></tr></tbody></table>";
    assert_eq!(to_markdown(html), "| A | B |\n| --- | --- |\n| 1\\|2 |  |");
}

#[test]
fn an_address_that_became_a_link_by_itself_stays_an_address() {
    for (html, markdown) in [
        ("<p><a href=\"https://a.example/x\">https://a.example/x</a></p>", "https://a.example/x"),
        ("<p><a href=\"https://a.example/\">a.example</a></p>", "a.example"),
        ("<p><a href=\"mailto:a@b.example\">a@b.example</a></p>", "a@b.example"),
        ("<p><a href=\"https://a.example\">here</a></p>", "[here](https://a.example)"),
    ] {
        assert_eq!(to_markdown(html), markdown);
    }
}

#[test]
fn a_mention_without_text_is_known_by_its_name() {
    let html = "<p>Hi <span data-type=\"mention\" data-id=\"$form.name\"></span>!</p>";
    assert_eq!(to_markdown(html), "Hi {{ $form.name }}!");
}

#[test]
fn entities_are_decoded_once() {
    assert_eq!(to_markdown("<p>&amp;lt;b&amp;gt; &#123;&nbsp;x</p>"), "&lt;b&gt; { x");
}

#[test]
fn scripts_styles_and_comments_say_nothing() {
    assert_eq!(
        to_markdown("<p>a</p><script>if (a<b) { x }</script><style>p{}</style><!-- c --><p>b</p>"),
        "a\n\nb"
    );
}

#[test]
fn text_that_begins_otherwise_stays_as_it_is() {
    for text in
        ["", "a <p>b</p>", " <p>b</p>", "<answer>x</answer>", "<pa>", "<p", "<", "<b>x</b>", "# a &amp; b"]
    {
        assert_eq!(to_markdown(text), text);
    }
}

#[test]
fn elements_that_are_not_closed_end_where_they_must() {
    assert_eq!(to_markdown("<ul><li>a<li><b>b</ul><p>c<p>d</b>"), "- a\n- **b**\n\nc\n\nd");
}

#[test]
fn deep_nesting_ends_in_text() {
    let html = format!("{}x{}", "<blockquote>".repeat(100_000), "</blockquote>".repeat(100_000));
    assert!(to_markdown(&html).ends_with('x'));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn markdown_is_never_converted(text in "[^<]{0,5}.{0,60}") {
        prop_assume!(!is_rich_text(&text));
        prop_assert_eq!(to_markdown(&text), text);
    }

    #[test]
    fn words_of_a_paragraph_stay_as_they_are(words in prop::collection::vec("[a-zA-Z0-9{}$._*#|`\\\\\\[\\]()'\"-]{1,8}", 1..8)) {
        let text = words.join(" ");
        prop_assert_eq!(to_markdown(&format!("<p>{text}</p>")), text);
    }

    #[test]
    fn no_html_breaks_the_reading(pieces in prop::collection::vec(prop_oneof![
        Just("<p>"), Just("</p>"), Just("<ul>"), Just("<li>"), Just("</li>"), Just("</ul>"), Just("<pre>"), Just("<code>"),
        Just("</pre>"), Just("<td>"), Just("<tr>"), Just("<table>"), Just("</table>"), Just("<b>"), Just("</b>"), Just("<br>"),
        Just("<script>"), Just("<!--"), Just("<"), Just("&"), Just("x"), Just(" "), Just("<a href=\"("), Just("\">"),
    ], 0..30)) {
        let _ = to_markdown(&format!("<p>{}", pieces.concat()));
    }
}
