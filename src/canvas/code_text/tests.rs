//! What goes in between quotation marks, and what goes in nowhere.

use super::*;
use proptest::prelude::*;

fn put(code: &str, value: &str) -> Result<String, UnsafeInsertError> {
    insert_variables(code, &|reference| match reference {
        Reference::Variable(name) if name == "x" => Some(CodeValue::Request(value.to_owned())),
        Reference::Variable(name) if name == "saved" => Some(CodeValue::Saved("'/* ${".to_owned())),
        _ => None,
    })
}

const HOSTILE: &str = "a'b\"c`d${e}\\f\n\r\u{2028}g*/h//i</script>{{$vars.saved}}";

#[test]
fn between_marks_a_value_is_escaped_for_them() {
    assert_eq!(
        put("return '{{$vars.x}}'", HOSTILE).unwrap(),
        "return 'a\\'b\"c`d${e}\\\\f\\n\\r\\u2028g*/h//i</script>{{$vars.saved}}'"
    );
    assert_eq!(put("return \"{{$vars.x}}\"", "\"'`").unwrap(), "return \"\\\"'`\"");
    assert_eq!(put("return `{{$vars.x}} ${1}`", "`${x}").unwrap(), "return `\\`\\$\\{x} ${1}`");
    assert_eq!(put("f('a', '{{$vars.x}}', \"{{$vars.x}}\")", "").unwrap(), "f('a', '', \"\")");
}

#[test]
fn elsewhere_only_digits_go_in() {
    assert_eq!(put("return {{$vars.x}} + 1", "0042").unwrap(), "return 42 + 1");
    assert_eq!(put("[{{$vars.x}}]", "000").unwrap(), "[0]");
    for value in ["", "1e5", "-1", "1.5", "alert(1)", "\u{0661}", "1 ", "0x1"] {
        assert_eq!(put("return {{$vars.x}}", value), Err(UnsafeInsertError), "{value}");
    }
    for code in [
        "a{{$vars.x}}",
        "{{$vars.x}}n",
        "{{$vars.x}}{{$vars.x}}",
        "// {{$vars.x}}",
        "/* {{$vars.x}} */",
        "/{{$vars.x}}/",
        "/[{{$vars.x}}]/",
        "'\\{{$vars.x}}'",
        "`${{$vars.x}}{a}`",
        "'\n{{$vars.x}}",
    ] {
        assert_eq!(put(code, "7"), Err(UnsafeInsertError), "{code}");
    }
}

#[test]
fn quotation_marks_in_comments_and_patterns_are_none() {
    for code in [
        "// it's\nf('{{$vars.x}}')",
        "/* it's */ f('{{$vars.x}}')",
        "/**/ f('{{$vars.x}}') /***/",
        "s.replace(/'/g, '{{$vars.x}}')",
        "s.replace(/[/']/g, '{{$vars.x}}')",
        "a = b / c; f('{{$vars.x}}')",
        "if (x) f('{{$vars.x}}')",
        "`${'{{$vars.x}}'}`",
        "`${ {a: `'`} }{{$vars.x}}`",
        "'it\\'s {{$vars.x}}'",
        "\"it's {{$vars.x}}\"",
    ] {
        assert_eq!(put(code, "v").unwrap(), code.replace("{{$vars.x}}", "v"), "{code}");
    }
    for code in [
        "// it's\n{{$vars.x}}",
        "s.replace(/'/g, {{$vars.x}})",
        "`${ {{$vars.x}} }`",
        "`'${`'`}` + {{$vars.x}}",
        "a.return / '/' + {{$vars.x}} + '",
        "1. / '/' + {{$vars.x}} + '",
        "x\n--> '\n{{$vars.x}}",
        "<!-- '\n{{$vars.x}}",
        "(x) / '/' + {{$vars.x}} + '",
    ] {
        assert_eq!(put(code, "v"), Err(UnsafeInsertError), "{code}");
    }
}

#[test]
fn saved_values_and_unknown_names_are_part_of_the_code() {
    assert_eq!(
        put("{{$vars.none}} {{$flow.x}} {{$vars.saved}}", "v").unwrap(),
        "{{$vars.none}} {{$flow.x}} '/* ${"
    );
    assert_eq!(put("{{$vars.saved}}' + {{$vars.x}}", "v"), Err(UnsafeInsertError));
    assert_eq!(put("{{$vars.saved}}{{$vars.x}}'", "v").unwrap(), "'/* ${v'");
    assert_eq!(put("no reference '", "v").unwrap(), "no reference '");
}

proptest! {
    /// Read back as JSON, which shares these escapes, the text is what was sent.
    #[test]
    fn a_value_between_double_marks_reads_exactly_as_sent(value in any::<String>()) {
        let code = put("\"{{$vars.x}}\"", &value).unwrap();
        prop_assert_eq!(serde_json::from_str::<String>(&code).unwrap(), value);
    }

    #[test]
    fn no_value_leaves_its_marks(value in "[\\\\'\"`${}\n\r/*a1]{0,12}", mark in "['\"`]") {
        let code = put(&format!("f({mark}{{{{$vars.x}}}}{mark})"), &value).unwrap();
        let inner = &code[3..code.len() - 2];
        let mark = mark.chars().next().unwrap();
        let mut escaped = false;
        for character in inner.chars() {
            prop_assert!(escaped || (character != mark && character != '\n' && character != '\r'));
            prop_assert!(escaped || mark != '`' || character != '$');
            escaped = character == '\\' && !escaped;
        }
        prop_assert!(!escaped);
    }
}

#[test]
fn a_line_end_makes_no_reading_certain_that_is_not() {
    for code in [
        "let y\n/'/.test(s) && f({{$vars.x}})",
        "var y\r\n/'/.test(s) && f({{$vars.x}}) //'",
        "return (a)/b+'/'+'\\\r\n'+{{$vars.x}}+'';",
        "break l\n/\"/.test(s) || f({{$vars.x}}) //\"",
        "'{{$vars.x}}",
        "`${'{{$vars.x}}'}",
    ] {
        assert_eq!(put(code, "v"), Err(UnsafeInsertError), "{code:?}");
    }
    assert_eq!(put("f('a\\\r\nb {{$vars.x}}')", "v").unwrap(), "f('a\\\r\nb v')");
}
