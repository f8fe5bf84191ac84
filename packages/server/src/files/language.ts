import { basename, extname } from 'node:path'

const byExtension: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    typescript: 'ts mts cts',
    tsx: 'tsx',
    javascript: 'js mjs cjs',
    jsx: 'jsx',
    json: 'json ipynb webmanifest',
    jsonc: 'jsonc json5',
    markdown: 'md markdown mdx',
    python: 'py pyi',
    rust: 'rs',
    go: 'go',
    java: 'java',
    kotlin: 'kt kts',
    swift: 'swift',
    c: 'c h',
    cpp: 'cpp cc cxx hpp hh',
    csharp: 'cs',
    ruby: 'rb rake gemspec',
    php: 'php',
    shellscript: 'sh bash zsh',
    powershell: 'ps1',
    sql: 'sql',
    html: 'html htm',
    css: 'css',
    scss: 'scss',
    vue: 'vue',
    svelte: 'svelte',
    xml: 'xml svg',
    yaml: 'yaml yml',
    toml: 'toml',
    ini: 'ini cfg conf',
    diff: 'diff patch',
    lua: 'lua',
    perl: 'pl pm',
    r: 'r',
    scala: 'scala',
    elixir: 'ex exs',
    haskell: 'hs',
    dart: 'dart',
    zig: 'zig',
    nix: 'nix',
    terraform: 'tf',
    graphql: 'graphql gql',
    proto: 'proto',
    log: 'log',
    csv: 'csv tsv',
  }).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension) => [`.${extension}`, language]),
  ),
)

const byName: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  makefile: 'make',
  'cmakelists.txt': 'cmake',
  gemfile: 'ruby',
  rakefile: 'ruby',
  jenkinsfile: 'groovy',
  '.bashrc': 'shellscript',
  '.zshrc': 'shellscript',
  '.gitignore': 'ignore',
}

const byInterpreter: readonly (readonly [RegExp, string])[] = [
  [/\bnode\b/, 'javascript'],
  [/\bpython[\d.]*\b/, 'python'],
  [/\b(?:ba|z|da|k)?sh\b/, 'shellscript'],
  [/\bruby\b/, 'ruby'],
  [/\bperl\b/, 'perl'],
]

/** Guesses the language by file name or by the interpreter line. @example guessLanguage('a.ts', '') // 'typescript' */
export function guessLanguage(path: string, text: string): string | undefined {
  const name = basename(path).toLowerCase()
  // A file may be called `constructor`, which every object has.
  const language = Object.hasOwn(byName, name) ? byName[name] : byExtension[extname(name)]
  if (language !== undefined || !text.startsWith('#!')) return language
  const line = text.slice(0, text.indexOf('\n') + 1 || 200)
  return byInterpreter.find(([pattern]) => pattern.test(line))?.[1]
}
