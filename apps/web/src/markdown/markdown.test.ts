import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { lex, lexIncrementally } from './lex.ts'
import { Markdown } from './markdown.tsx'
import { decodeEntities, toSafeLink } from './inline.tsx'

function html(text: string): string {
  return renderToStaticMarkup(createElement(Markdown, { tokens: lex(text), text }))
}

/** Only element names and text. */
function bare(text: string): string {
  return html(text)
    .replaceAll(/ (?:class|role|aria-[a-z]+|tabindex|title|type|dir)="[^"]*"/g, '')
    .replaceAll(/<\/?div>/g, '')
}

describe('markdown', () => {
  it.each([
    ['# A **b**', '<h2>A <strong>b</strong></h2>'],
    ['one\ntwo', '<p>one\ntwo</p>'],
    ['a  \nb', '<p>a<br/>b</p>'],
    ['- a\n- b *c*', '<ul><li>a</li><li>b <em>c</em></li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
    ['> q', '<blockquote><p>q</p></blockquote>'],
    ['`<b>`', '<p><code>&lt;b&gt;</code></p>'],
    ['~~x~~', '<p><del>x</del></p>'],
    ['---', '<hr/>'],
    ['a &lt; b &amp; c', '<p>a &lt; b &amp; c</p>'],
    ['\\*a\\*', '<p>*a*</p>'],
    [
      '[a](https://x.org/?a=1&b=2)',
      '<p><a href="https://x.org/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">a</a></p>',
    ],
    ['[a](/etc/passwd)', '<p><span>a</span></p>'],
  ])('%j', (text, expected) => {
    expect(bare(text)).toBe(expected)
  })

  it('renders tasks, tables and code', () => {
    expect(html('- [x] a\n- [ ] b')).toMatch(/aria-label="Done".*a.*aria-label="To do".*b/)
    expect(html('- [x] a')).not.toContain('[x]')
    expect(bare('|a|b|\n|-|-:|\n|1|`2`|')).toBe(
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table>',
    )
    const code = html('```ts\nlet a = 1 < 2\n```')
    expect(code).toContain('>ts<')
    expect(code).toContain('let a = 1 &lt; 2')
  })

  it('renders remote images as links', () => {
    const picture = html('![a picture](https://x.org/a.png)')
    expect(picture).not.toContain('<img')
    expect(picture).toContain('href="https://x.org/a.png"')
  })
})

const payloads = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:msgbox)',
  '[x](&#106;avascript:alert(1))',
  '![x](javascript:alert(1))',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '|<img src=x onerror=alert(1)>|\n|-|\n|<iframe src=javascript:alert(1)>|',
  '- <style>*{display:none}</style>',
  '# <object data=x>',
  '> <form action=x><input>',
  '[x](https://x.org "onmouseover=alert(1)")',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
]

describe('hostile text', () => {
  it.each(payloads)('%j stays text', (payload) => {
    const made = html(payload)
    expect(made).not.toMatch(
      /<(?:script|img|svg(?! viewBox)|iframe|style|object|form|input|link|meta|base)\b/i,
    )
    expect(made).not.toMatch(/<[^>]*\son\w+=/i)
    for (const [, address] of made.matchAll(/href="([^"]*)"/g)) expect(address).toMatch(/^(?:https?|mailto):/)
  })

  it('is lexed quickly at any depth', () => {
    for (const text of [
      '>'.repeat(5_000),
      '- '.repeat(3_000),
      '['.repeat(20_000),
      '*a '.repeat(20_000),
      '`'.repeat(9_999),
    ]) {
      const begun = process.cpuUsage()
      expect(html(text).length).toBeGreaterThan(0)
      // Time of this process, because others may use the processor too.
      expect(process.cpuUsage(begun).user / 1_000, text.slice(0, 4)).toBeLessThan(4_000)
    }
  })

  it('accepts only safe link targets', () => {
    expect(toSafeLink('https://a.b')).toBe('https://a.b/')
    expect(toSafeLink('mailto:a@b.c')).toBe('mailto:a@b.c')
    for (const bad of [
      'javascript:x',
      ' javascript:x',
      'java\nscript:x',
      'file:///a',
      '//a',
      'a.ts',
      '',
      7,
      null,
    ])
      expect(toSafeLink(bad)).toBeUndefined()
  })

  it('decodes entities once', () => {
    expect(decodeEntities('&amp;lt; &#x27; &#39; &nope; &#0; &#xD800;')).toBe("&lt; ' ' &nope; \ufffd \ufffd")
  })
})

describe('growing text', () => {
  const text =
    '# A\n\nSome *words*.\n\n- one\n- two\n\n```ts\nlet a\n\nlet b\n```\n\n|a|\n|-|\n|1|\n\nEnd\n===\n\nlast'

  it('ends with the same tokens as the whole text', () => {
    let lexed: ReturnType<typeof lexIncrementally>
    for (let end = 1; end <= text.length; end++) lexed = lexIncrementally(lexed, text.slice(0, end))
    expect(lexed!.tokens.map(({ raw }) => raw).join('')).toBe(text)
    expect(renderToStaticMarkup(createElement(Markdown, { tokens: lexed!.tokens, text }))).toBe(html(text))
  })

  it('keeps the blocks before the last one', () => {
    const before = lexIncrementally(undefined, 'first\n\nsecond\n\nthi')!
    const after = lexIncrementally(before, 'first\n\nsecond\n\nthird')!
    expect(after.tokens[0]).toBe(before.tokens[0])
    expect(after.tokens[2]).toBe(before.tokens[2])
    expect(after.tokens.at(-1)?.raw).toBe('third')
  })

  it('starts over for another text', () => {
    const before = lexIncrementally(undefined, 'first\n\nsecond')
    expect(lexIncrementally(before, 'other')!.tokens.map(({ raw }) => raw)).toEqual(['other'])
  })
})
