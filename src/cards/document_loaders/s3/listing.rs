//! A page of the list of a bucket's objects.

/// Names and sizes, and where the next page begins.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectPage {
    /// Each with its size in bytes.
    pub(super) objects: Vec<(String, u64)>,
    /// What asks for the next page, where there is one.
    pub(super) next: Option<String>,
}

/// Where a page begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PageBegin {
    First,
    /// At the first name behind this one.
    Behind(String),
    /// Where the page before said.
    Next(String),
}

/// Reads a page. `None` when it is none, or is not whole.
pub(super) fn parse(xml: &str) -> Option<ObjectPage> {
    let (_, rest) = xml.split_once("<ListBucketResult")?;
    let (list, _) = rest.split_once("</ListBucketResult>")?;
    let mut page = ObjectPage::default();
    let mut parts = list.split("<Contents>");
    let mut head = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (object, after) = part.split_once("</Contents>")?;
        page.objects.push((inside(object, "Key")?, inside(object, "Size")?.trim().parse().ok()?));
        // Fields of the whole list may stand behind its entries.
        head.push_str(after);
    }
    if inside(&head, "IsTruncated").is_some_and(|cut| cut.trim() == "true") {
        page.next = Some(inside(&head, "NextContinuationToken")?);
    }
    Some(page)
}

/// The text of the first element of this name.
fn inside(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    unescape(text)
}

/// A text with its references as characters; `None` for one that XML does not know by itself.
fn unescape(text: &str) -> Option<String> {
    let mut pieces = text.split('&');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once(';')?;
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            number => {
                let number = number.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        out.push_str(rest);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>books</Name><Prefix>a</Prefix><KeyCount>2</KeyCount>\
        <Contents><Key>a/R&amp;D &lt;1&gt;.txt</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>&quot;x&quot;</ETag><Size>12</Size><StorageClass>STANDARD</StorageClass></Contents>\
        <Contents><Key>a/&#x1F44B;&#10;</Key><Size>0</Size></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>1/a+b=</NextContinuationToken></ListBucketResult>";

    #[test]
    fn a_page_gives_names_sizes_and_the_next_one() {
        let objects = vec![("a/R&D <1>.txt".to_owned(), 12), ("a/👋\n".to_owned(), 0)];
        assert_eq!(parse(PAGE), Some(ObjectPage { objects, next: Some("1/a+b=".to_owned()) }));
        let last = PAGE.replace(">true<", ">false<");
        assert_eq!(parse(&last).unwrap().next, None);
        assert_eq!(
            parse("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>"),
            Some(ObjectPage::default())
        );
    }

    #[test]
    fn what_is_no_whole_page_is_none() {
        let end = PAGE.find("</ListBucketResult>").unwrap() + "</ListBucketResult>".len();
        for at in (0..end).filter(|at| PAGE.is_char_boundary(*at)) {
            assert_eq!(parse(&PAGE[..at]), None, "{at}");
        }
        for broken in ["&nbsp;", "&#x110000;", "&#;", "& "] {
            assert_eq!(parse(&PAGE.replace("&amp;", broken)), None, "{broken}");
        }
        assert_eq!(parse(&PAGE.replace(">12<", ">many<")), None);
        let lost = PAGE.replace("NextContinuationToken", "Next");
        assert_eq!(parse(&lost), None);
    }

    proptest! {
        #[test]
        fn any_text_is_a_page_or_none(
            pieces in proptest::collection::vec("<ListBucketResult|</ListBucketResult>|<Contents>|</Contents>|<Key>|</Key>|<Size>|</Size>|&[a-z#0-9]{0,3};?|[a-z0-9<>/& ]{0,5}", 0..30)
        ) {
            let _ = parse(&pieces.concat());
        }
    }
}
