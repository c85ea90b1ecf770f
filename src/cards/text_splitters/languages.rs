//! Where languages begin something new: the largest things first, then blocks, then paragraphs, lines and words.

/// Markdown: headings, ends of code blocks, rules.
pub(super) const MARKDOWN: &[&str] = &[
    "\n# ",
    "\n## ",
    "\n### ",
    "\n#### ",
    "\n##### ",
    "\n###### ",
    "```\n\n",
    "\n\n***\n\n",
    "\n\n---\n\n",
    "\n\n___\n\n",
    "\n\n",
    "\n",
    " ",
    "",
];

const C_LIKE: &[&str] = &[
    "\nnamespace ",
    "\nclass ",
    "\nstruct ",
    "\nunion ",
    "\nenum ",
    "\ntypedef ",
    "\nstatic ",
    "\nvoid ",
    "\nint ",
    "\nlong ",
    "\nfloat ",
    "\ndouble ",
    "\nchar ",
    "\nbool ",
    "\nif ",
    "\nfor ",
    "\nwhile ",
    "\nswitch ",
    "\ncase ",
    "\n\n",
    "\n",
    " ",
    "",
];
const JS_LIKE: &[&str] = &[
    "\nexport ",
    "\nenum ",
    "\ninterface ",
    "\nnamespace ",
    "\ntype ",
    "\nclass ",
    "\nabstract class ",
    "\nasync function ",
    "\nfunction ",
    "\nconst ",
    "\nlet ",
    "\nvar ",
    "\nif ",
    "\nfor ",
    "\nwhile ",
    "\nswitch ",
    "\ncase ",
    "\ndefault ",
    "\n\n",
    "\n",
    " ",
    "",
];

/// Names of languages as canvases hold them, and their separators.
#[rustfmt::skip]
pub(super) const LANGUAGES: &[(&str, &[&str])] = &[
    ("c", C_LIKE),
    ("cobol", &[
        "\nIDENTIFICATION DIVISION.", "\nENVIRONMENT DIVISION.", "\nDATA DIVISION.", "\nPROCEDURE DIVISION.",
        "\nWORKING-STORAGE SECTION.", "\nLINKAGE SECTION.", "\nFILE SECTION.", "\nINPUT-OUTPUT SECTION.", "\nPERFORM ",
        "\nIF ", "\nEVALUATE ", "\nREAD ", "\nWRITE ", "\nMOVE ", "\nCALL ", "\nSTOP RUN", "\n\n", "\n", " ", "",
    ]),
    ("cpp", C_LIKE),
    ("csharp", &[
        "\nnamespace ", "\ninterface ", "\nenum ", "\nstruct ", "\nrecord ", "\nclass ", "\nabstract ", "\npublic ",
        "\nprotected ", "\ninternal ", "\nprivate ", "\nstatic ", "\nif ", "\nfor ", "\nforeach ", "\nwhile ",
        "\nswitch ", "\ncase ", "\ntry ", "\n\n", "\n", " ", "",
    ]),
    ("elixir", &[
        "\ndefmodule ", "\ndefprotocol ", "\ndefimpl ", "\ndefmacro ", "\ndef ", "\ndefp ", "\n  def ", "\n  defp ",
        "\nif ", "\nunless ", "\ncase ", "\ncond ", "\nwith ", "\nfor ", "\n\n", "\n", " ", "",
    ]),
    ("go", &[
        "\nfunc ", "\ntype ", "\nvar ", "\nconst ", "\nif ", "\nfor ", "\nswitch ", "\nselect ", "\ncase ", "\n\n", "\n",
        " ", "",
    ]),
    ("haskell", &[
        "\nmodule ", "\nimport ", "\nclass ", "\ninstance ", "\ndata ", "\nnewtype ", "\ntype ", "\nmain ", "\nwhere",
        "\nlet ", "\ncase ", "\nif ", "\n\n", "\n", " ", "",
    ]),
    ("html", &[
        "<body", "<section", "<article", "<div", "<h1", "<h2", "<h3", "<h4", "<h5", "<h6", "<p", "<table", "<tr", "<ul",
        "<ol", "<li", "<header", "<footer", "<nav", "<head", "<style", "<script", "<meta", "<title", "<br", "<td", "<th",
        "<span", "\n", " ", "",
    ]),
    ("java", &[
        "\npackage ", "\nclass ", "\ninterface ", "\nenum ", "\nrecord ", "\npublic ", "\nprotected ", "\nprivate ",
        "\nstatic ", "\nif ", "\nfor ", "\nwhile ", "\nswitch ", "\ncase ", "\n\n", "\n", " ", "",
    ]),
    ("js", JS_LIKE),
    ("kotlin", &[
        "\nclass ", "\ndata class ", "\ninterface ", "\nobject ", "\npublic ", "\nprotected ", "\nprivate ",
        "\ninternal ", "\ncompanion ", "\nfun ", "\nval ", "\nvar ", "\nif ", "\nfor ", "\nwhile ", "\nwhen ", "\n\n",
        "\n", " ", "",
    ]),
    ("latex", &[
        "\n\\part{", "\n\\chapter{", "\n\\section{", "\n\\subsection{", "\n\\subsubsection{", "\n\\paragraph{",
        "\n\\begin{", "\n\\item", "$$", "\n\n", "\n", " ", "",
    ]),
    ("lua", &[
        "\nfunction ", "\nlocal function ", "\nlocal ", "\nif ", "\nfor ", "\nwhile ", "\nrepeat ", "\n\n", "\n", " ", "",
    ]),
    ("markdown", MARKDOWN),
    ("php", &[
        "\nnamespace ", "\nclass ", "\ninterface ", "\ntrait ", "\nenum ", "\nfunction ", "\npublic function ",
        "\nprotected function ", "\nprivate function ", "\nif ", "\nforeach ", "\nfor ", "\nwhile ", "\ndo ", "\nswitch ",
        "\ncase ", "\n\n", "\n", " ", "",
    ]),
    ("powershell", &[
        "\nclass ", "\nenum ", "\nfunction ", "\nfilter ", "\nparam ", "\nif ", "\nforeach ", "\nfor ", "\nwhile ",
        "\nswitch ", "\ntry ", "\ncatch ", "\n\n", "\n", " ", "",
    ]),
    ("proto", &[
        "\npackage ", "\nservice ", "\nmessage ", "\nenum ", "\nextend ", "\noption ", "\nimport ", "\nsyntax ",
        "\n  rpc ", "\n\n", "\n", " ", "",
    ]),
    ("python", &[
        "\nclass ", "\n@", "\nasync def ", "\ndef ", "\n    async def ", "\n    def ", "\nif ", "\nfor ", "\nwhile ",
        "\nwith ", "\ntry:", "\n\n", "\n", " ", "",
    ]),
    ("rst", &[
        "\n===\n", "\n---\n", "\n***\n", "\n====", "\n----", "\n~~~~", "\n.. ", "\n\n", "\n", " ", "",
    ]),
    ("ruby", &[
        "\nmodule ", "\nclass ", "\ndef ", "\n  def ", "\nif ", "\nunless ", "\nwhile ", "\nfor ", "\ndo ", "\nbegin ",
        "\nrescue ", "\n\n", "\n", " ", "",
    ]),
    ("rust", &[
        "\nmod ", "\npub mod ", "\ntrait ", "\npub trait ", "\nimpl ", "\nimpl<", "\nstruct ", "\npub struct ", "\nenum ",
        "\npub enum ", "\nfn ", "\npub fn ", "\n    fn ", "\n    pub fn ", "\nconst ", "\nlet ", "\nif ", "\nwhile ",
        "\nfor ", "\nloop ", "\nmatch ", "\n\n", "\n", " ", "",
    ]),
    ("scala", &[
        "\npackage ", "\nobject ", "\ncase class ", "\nclass ", "\ntrait ", "\nenum ", "\ndef ", "\n  def ", "\nval ",
        "\nvar ", "\nif ", "\nfor ", "\nwhile ", "\nmatch ", "\ncase ", "\n\n", "\n", " ", "",
    ]),
    ("sol", &[
        "\npragma ", "\nusing ", "\ncontract ", "\ninterface ", "\nlibrary ", "\nconstructor ", "\nstruct ", "\nenum ",
        "\nevent ", "\nmodifier ", "\nfunction ", "\n    function ", "\nif ", "\nfor ", "\nwhile ", "\nassembly ",
        "\n\n", "\n", " ", "",
    ]),
    ("swift", &[
        "\nprotocol ", "\nextension ", "\nclass ", "\nstruct ", "\nenum ", "\nactor ", "\nfunc ", "\n    func ", "\nif ",
        "\nguard ", "\nfor ", "\nwhile ", "\nswitch ", "\ncase ", "\n\n", "\n", " ", "",
    ]),
    ("ts", JS_LIKE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_can_be_cut_anywhere_at_last() {
        assert_eq!(LANGUAGES.len(), 25);
        for (name, separators) in LANGUAGES {
            assert_eq!(separators[separators.len() - 3..], ["\n", " ", ""], "{name}");
        }
    }
}
