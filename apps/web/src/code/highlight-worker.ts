import { createHighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { GrammarName } from './languages.ts'
import { type HighlightAnswer, type HighlightQuestion, kinds } from './kinds.ts'

type Loader = () => Promise<{ readonly default: unknown }>

/** Each grammar is loaded when it is first needed. */
const grammars: Record<GrammarName, Loader> = {
  javascript: () => import('shiki/langs/javascript.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  less: () => import('shiki/langs/less.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  astro: () => import('shiki/langs/astro.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  scala: () => import('shiki/langs/scala.mjs'),
  groovy: () => import('shiki/langs/groovy.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  'objective-c': () => import('shiki/langs/objective-c.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  dart: () => import('shiki/langs/dart.mjs'),
  elixir: () => import('shiki/langs/elixir.mjs'),
  erlang: () => import('shiki/langs/erlang.mjs'),
  haskell: () => import('shiki/langs/haskell.mjs'),
  ocaml: () => import('shiki/langs/ocaml.mjs'),
  clojure: () => import('shiki/langs/clojure.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  perl: () => import('shiki/langs/perl.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  julia: () => import('shiki/langs/julia.mjs'),
  zig: () => import('shiki/langs/zig.mjs'),
  nix: () => import('shiki/langs/nix.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  bat: () => import('shiki/langs/bat.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  cmake: () => import('shiki/langs/cmake.mjs'),
  terraform: () => import('shiki/langs/terraform.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  latex: () => import('shiki/langs/latex.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  proto: () => import('shiki/langs/proto.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  viml: () => import('shiki/langs/viml.mjs'),
}

/** Colours only encode the index of a kind. The style sheet defines how kinds look. */
const colour = (index: number): string => `#0000${(index + 1).toString(16).padStart(2, '0')}`
const theme = {
  name: 'kinds',
  type: 'dark' as const,
  colors: { 'editor.foreground': '#000000', 'editor.background': '#ffffff' },
  tokenColors: kinds.map(({ scope }, index) => ({
    scope: [...scope],
    settings: { foreground: colour(index) },
  })),
}
const kindByColour = new Map(kinds.map((_, index) => [colour(index), index]))

const ready = createHighlighterCore({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
})
const loaded = new Map<GrammarName, Promise<void>>()

async function load(language: GrammarName): Promise<void> {
  const highlighter = await ready
  const { default: grammar } = await grammars[language]()
  await highlighter.loadLanguage(grammar as Parameters<typeof highlighter.loadLanguage>[0])
}

/** Returns triples of start, end and kind. Text without a kind is left out. */
async function toSpans({ code, language }: HighlightQuestion): Promise<Uint32Array> {
  if (!loaded.has(language)) loaded.set(language, load(language))
  await loaded.get(language)!.catch((error: unknown) => {
    // Retry later, when there is a connection.
    loaded.delete(language)
    throw error
  })
  const highlighter = await ready
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: 'kinds',
    tokenizeMaxLineLength: 2_000,
    // A timeout would cut in the middle of a line, so the first line waits until the grammar is ready.
    tokenizeTimeLimit: 5_000,
  })
  const spans: number[] = []
  for (const line of tokens)
    for (const { offset, content, color } of line) {
      const kind = kindByColour.get(color?.toLowerCase() ?? '')
      if (kind === undefined || content.trim() === '') continue
      // Neighbours of the same kind are merged.
      if (spans.at(-2) === offset && spans.at(-1) === kind) spans[spans.length - 2] = offset + content.length
      else spans.push(offset, offset + content.length, kind)
    }
  return Uint32Array.from(spans)
}

const scope = globalThis as unknown as {
  addEventListener(type: 'message', listener: (event: MessageEvent<HighlightQuestion>) => void): void
  postMessage(answer: HighlightAnswer, transfer: Transferable[]): void
}

scope.addEventListener('message', ({ data }) => {
  toSpans(data).then(
    (spans) => scope.postMessage({ id: data.id, spans }, [spans.buffer]),
    () => scope.postMessage({ id: data.id }, []),
  )
})
