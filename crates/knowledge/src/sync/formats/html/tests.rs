//! HTML as people write it.

use super::*;

fn md(html: &str) -> String {
    markdown(html.as_bytes()).unwrap()
}

#[test]
fn ma_4_html_page_becomes_its_main_part_in_markdown() {
    let page = r##"<!DOCTYPE html><html><head><title>Acme &amp; Co</title>
<meta name=description content="About: Acme"><style>p{}</style><script>let a = "<p>no</p>";</script></head>
<body><nav><ul><li><a href=/>Home</a></ul></nav><header><h1>Site</h1></header>
<main><h1>Widgets<a class=headerlink href="#w">¶</a></h1>
<p>It <b>costs </b><em>12</em>&nbsp;euros, see <a href="price.html#now">the <code>price</code></a>.<br>Tax: 1 &lt; 2</p>
<section id="use-it"><h2>Use <code>Vec&lt;T&gt;</code></h2><pre><code class="language-rust">let a = vec![];
// `x`
</code></pre></section></main><footer>Imprint</footer></body></html>"##;
    assert_eq!(
        md(page),
        "---\ndescription: \"About: Acme\"\n---\n\n# Widgets\n\n\
         It **costs** *12* euros, see [the `price`](price.html#now).\nTax: 1 < 2\n\n\
         ## Use `Vec<T>` {#use-it}\n\n```rust\nlet a = vec![];\n// `x`\n```\n"
    );
}

#[test]
fn ma_4_html_lists_keep_their_levels() {
    let page = "<ul><li>one<li>two<ol start=9><li>a</li><li><p>b</p><p>more</p></li></ol></li></ul><p>end</p>";
    assert_eq!(md(page), "- one\n- two\n  9. a\n  10. b\n\n      more\n\nend\n");
    let page = "<blockquote><p>said</p><pre>x\n\ny</pre></blockquote><dl><dt>Term<dd>Means</dl>";
    assert_eq!(md(page), "> said\n\n> ```\n> x\n> \n> y\n> ```\n\n**Term**\n\nMeans\n");
}

#[test]
fn ma_4_html_table_becomes_table_and_layout_becomes_text() {
    let page = "<table><thead><tr><th>Name<th>Price</tr></thead><tbody><tr><td>A|B</td>\
                <td><p>1</p><p>2</p></td></tr><tr><td>C</table>after";
    assert_eq!(md(page), "| Name | Price |\n| --- | --- |\n| A\\|B | 1 2 |\n| C |  |\n\nafter\n");
    let page = "<table><tr><td>menu</td><td><h1>Title</h1><p>Text</p></td></tr></table>";
    assert_eq!(md(page), "menu\n\n# Title\n\nText\n");
}

#[test]
fn ma_4_html_text_is_not_read_as_markdown() {
    let page = "<p># no heading</p><p>1. no list</p><p>a [b](c) *d* __e__ snake_case &lt;div&gt; &amp;lt; \\ `f`</p>\
                <p>--- <p>=== ";
    let text = md(page);
    assert_eq!(
        text,
        "\\# no heading\n\n1\\. no list\n\na [b]\\(c) \\*d\\* \\_\\_e\\_\\_ snake_case \\<div> \\&lt; \\ \\`f\\`\n\n\
         \\---\n\n\\===\n"
    );
    let mut shown = String::new();
    for event in pulldown_cmark::Parser::new(&text) {
        match event {
            pulldown_cmark::Event::Text(words) => shown.push_str(&words),
            pulldown_cmark::Event::Start(pulldown_cmark::Tag::Paragraph)
            | pulldown_cmark::Event::End(_) => shown.push(' '),
            event => panic!("{event:?}"),
        }
    }
    assert_eq!(
        shown.split_whitespace().collect::<Vec<_>>().join(" "),
        "# no heading 1. no list a [b](c) *d* __e__ snake_case <div> &lt; \\ `f` --- ==="
    );
}

#[test]
fn ma_4_html_that_is_only_navigation_or_broken_is_not_lost() {
    assert_eq!(md("<nav><a href=a.html>A</a></nav>"), "[A](a.html)\n");
    assert_eq!(md("<nav><p>never closed <p>text"), "never closed\n\ntext\n");
    assert_eq!(md("<title>Only</title><p>text"), "# Only\n\ntext\n");
    assert_eq!(md("<title>Tank - Fish</title><h2>§Tank</h2>x"), "## Tank\n\nx\n");
    for empty in ["", "<html></html>", "<script>x()</script>", "<style>a"] {
        assert_eq!(markdown(empty.as_bytes()), Err(Unread::Empty), "{empty}");
    }
}

#[test]
fn ma_4_html_encoding_is_that_of_the_page() {
    let page = b"<meta charset=gb2312><p>\xb0\xa1\xc2\xf1</p>";
    assert_eq!(markdown(page).unwrap(), "啊埋\n");
    assert_eq!(markdown(b"\xff\xfe<\0p\0>\0h\0i\0").unwrap(), "hi\n");
    assert_eq!(markdown(b"<p>\xe9"), Err(Unread::Encoding("UTF-8")));
}

#[test]
fn ma_4_html_of_any_depth_is_bounded() {
    for open in
        ["<ul><li>", "<blockquote>", "<table><tr><td>", "<b>", "<div>", "<a href=x>", "<nav>"]
    {
        let page = format!("{}deep", open.repeat(50_000));
        let text = md(&page);
        assert!(text.trim_end().ends_with("deep") || text.contains("deep"), "{open}");
        assert!(text.len() < page.len(), "{open}: {}", text.len());
    }
}

proptest::proptest! {
    #[test]
    fn ma_4_html_of_any_kind_is_read_without_panic(
        page in "(</?(p|li|ul|table|td|tr|pre|code|a|h1|nav|main|b|br|title|script)( id=x)?>|[a-c *_`#|<&\n\\[\\]()1.-]){0,60}",
    ) {
        if let Ok(text) = markdown(page.as_bytes()) {
            proptest::prop_assert!(!text.trim().is_empty());
            let _ = crate::section::sections("a.md", &text);
        }
    }
}
