/** How the page looks: one column, quiet tools, colours that follow the reader's setting. */
export const style = `
:root { --paper: #fff; --ink: #1f2328; --quiet: #656d76; --line: #d0d7de; --box: #f6f8fa; --you: #ddf4ff;
  --new: #dafbe1; --old: #ffebe9; --bad: #cf222e; --warn: #fff8c5 }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --quiet: #8d96a0; --line: #30363d;
  --box: #161b22; --you: #121d2f; --new: #12261e; --old: #25171c; --bad: #f85149; --warn: #272115 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; overflow-wrap: anywhere }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem }
header p { color: var(--quiet); margin: .2rem 0 .6rem; overflow-wrap: anywhere }
h2 { font-size: .9rem; margin: 0 0 .3rem }
h2 time, h2 span { color: var(--quiet); font-weight: normal; margin-left: .4rem }
article { margin: 0 0 1rem }
article.user { background: var(--you); border-radius: .5rem; padding: .6rem .8rem }
article.system { background: var(--warn); border-radius: .5rem; padding: .6rem .8rem }
article.context { color: var(--quiet); font-size: .85rem }
article.subagent { margin-left: 1rem; padding-left: .8rem; border-left: 3px solid var(--line) }
p { margin: 0 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: .4rem 0;
  overflow: auto; max-height: 30rem; font: .82rem/1.45 ui-monospace, monospace }
code { font: .9em ui-monospace, monospace }
details { margin: .3rem 0 }
summary { cursor: pointer; font: .85rem ui-monospace, monospace; color: var(--quiet); overflow-wrap: anywhere }
summary em { font-style: normal; margin-left: .3rem }
.error summary em, .denied summary em, .cancelled summary em, .timeout summary em { color: var(--bad) }
.thinking p { color: var(--quiet); font-style: italic }
.diff span { display: block } .diff .new { background: var(--new) } .diff .old { background: var(--old) }
.diff .at { color: var(--quiet) }
img { max-width: 100% }
`
