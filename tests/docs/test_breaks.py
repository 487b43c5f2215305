"""Where the lines of the documentation site may break."""

from scripts.site.breaks import on_page_content


def test_lines_of_the_site_break_between_words():
    assert on_page_content("<code>conqret judge --format <span>x</span> a-b --</code>") == (
        '<code>conqret judge <span class="whole">--format</span> <span>x</span> a-b --</code>'
    )
    assert on_page_content("<p>a/b --x <code>--m fixtures/a.csv x=1,y=2 &lt;a|b&gt;</code></p>") == (
        '<p>a/b --x <code><span class="whole">--m</span> fixtures/<wbr>a.csv x=1,<wbr>y=2 &lt;a|<wbr>b&gt;</code></p>'
    )
    assert on_page_content("<td>.685 [-.511, .818]</td>") == (
        '<td>.685 <span class="whole">[-.511, .818]</span></td>'
    )
    block = '<pre><code>    judge<span class="p">(</span><span>"a/b,c"</span> --model x</code></pre>'
    assert on_page_content(block) == block
    linked = '<code><a title="a,b" href="../c/d.html">x</a></code>'
    assert on_page_content(linked) == linked
