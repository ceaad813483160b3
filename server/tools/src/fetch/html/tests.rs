//! Pages as Markdown, hostile ones too.

use super::*;

fn convert(html: &str) -> Converted {
    let url = Url::parse("https://docs.example.org/guide/page").unwrap();
    to_markdown(html, &url, &CancellationToken::new())
}

#[test]
fn a_page_becomes_markdown() {
    let page = convert(
        r#"<!doctype html><html><head><title>The  Guide
        </title><style>p {color: red}</style><script>track()</script></head><body>
        <nav><a href="/">Home</a></nav>
        <h1>Guide</h1><p>Read <a href="other#part">the <b>other</b> page</a>, or <a href="//cdn.example/x">this</a>.</p>
        <ul><li>one<li>two</ul><ol><li>first</li></ol>
        <pre><code class="language-rust">fn main() {
    println!("1 < 2");
}</code></pre>
        <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
        <img src="data:image/png;base64,AAAA" alt="inline"><img src="a.png" alt="picture">
        <noscript>for those without scripts</noscript><svg><text>drawn</text></svg>
        <!-- a remark --><a href="javascript:alert(1)">click</a></body></html>"#,
    );
    assert!(!page.is_cut);
    insta::assert_snapshot!(page.markdown, @r#"
    Title: The Guide

    [Home](https://docs.example.org/)

    # Guide

    Read [the **other** page](https://docs.example.org/guide/other#part), or [this](https://cdn.example/x).

    - one
    - two

    1. first

    ```rust
    fn main() {
        println!("1 < 2");
    }
    ```

    | a | b |
    | - | - |
    | 1 | 2 |

    ![picture](https://docs.example.org/guide/a.png) for those without scripts click
    "#);
}

#[test]
fn what_no_reader_sees_is_left_out() {
    let page = convert(
        r#"<p>seen</p><p hidden>no 1</p><div style="display: none">no 2</div><p style="color:red; VISIBILITY : hidden">no 3</p>
        <template>no 4</template><!-- no 5 --><p style="display:block">seen too</p>"#,
    );
    assert_eq!(page.markdown, "seen\n\nseen too\n");
}

#[test]
fn links_start_from_the_base_that_the_page_names() {
    let page = convert(r#"<head><base href="/v2/"></head><a href="x">x</a>"#);
    assert_eq!(page.markdown, "[x](https://docs.example.org/v2/x)\n");
}

#[test]
fn a_page_without_end_tags_is_not_deep() {
    let items = "<li>item\n<p>words<td>".repeat(2000);
    assert!(!convert(&format!("<ul>{items}")).is_cut);
}

#[test]
fn what_is_nested_too_deep_is_cut_and_takes_no_stack() {
    for tag in [
        "div",
        "b",
        "blockquote",
        "ul><li",
        "table><tr><td",
        "font a=1",
    ] {
        let page = convert(&format!(
            "<p>before</p>{}deep",
            format!("<{tag}>").repeat(20_000)
        ));
        assert!(page.is_cut, "{tag}");
        assert!(page.markdown.starts_with("before"), "{tag}");
    }
}

#[test]
fn parsing_ends_in_time_whatever_the_page() {
    let attributes: String = (0..400_000).map(|number| format!(" a{number}")).collect();
    let fonts: String = (0..200_000)
        .map(|number| format!("<font a={number}><p>"))
        .collect();
    let time = Duration::from_millis(200);
    for html in ["<div>".repeat(1_000_000), format!("<p{attributes}>"), fonts] {
        let started = Instant::now();
        let (_, is_whole) = parse(&html, time, &CancellationToken::new());
        assert!(!is_whole, "{}", &html[..20]);
        assert!(
            started.elapsed() < 25 * time,
            "{}: {:?}",
            &html[..20],
            started.elapsed()
        );
    }
}

#[test]
fn parsing_ends_when_it_is_told_to() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let url = Url::parse("https://docs.example.org/").unwrap();
    let page = to_markdown(&"<p>words</p>".repeat(10_000), &url, &cancel);
    assert!(page.is_cut);
}

#[test]
fn what_grows_when_it_is_converted_is_cut() {
    let cell = "<td>x</td>";
    for (name, html) in [
        (
            "the base of links",
            format!(
                "<base href='https://a.example/{}/'>{}",
                "b".repeat(100_000),
                "<a href='x'>y</a>".repeat(20_000)
            ),
        ),
        ("lists", "<ul><li>".repeat(70) + &"x<br>".repeat(50_000)),
        (
            "quotes",
            "<blockquote>".repeat(150) + &"x<br>".repeat(50_000),
        ),
        (
            "text as it is",
            "<ul><li>".repeat(70) + "<pre>" + &"x\n".repeat(100_000),
        ),
        (
            "a wide cell",
            format!(
                "<table><tr><th>{}</th></tr>{}</table>",
                "w".repeat(100_000),
                format!("<tr>{cell}</tr>").repeat(10_000)
            ),
        ),
        (
            "a wide row",
            format!(
                "<table><tr><th>x</th>{}</tr>{}</table>",
                cell.repeat(10_000),
                format!("<tr>{cell}</tr>").repeat(10_000)
            ),
        ),
        (
            "many tables",
            format!(
                "<table><tr><th>{}</th></tr>{}</table>",
                "w".repeat(500),
                format!("<tr>{cell}</tr>").repeat(50)
            )
            .repeat(400),
        ),
        ("tables in tables", "<table><tr><th>x".repeat(50)),
        ("lists in lists", "<ol><li>x".repeat(70)),
    ] {
        let started = Instant::now();
        let page = convert(&html);
        let took = started.elapsed();
        let length = page.markdown.len();
        assert!(length < html.len() + 3 * MAX_GROWTH, "{name}: {length}");
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
    }
}
