/** A tool with a similar name. */
export interface SimilarTool {
  readonly name: string
  /** From 0 to 1; 1 means the same name apart from case and separators. */
  readonly score: number
}

/** Options of `similar`. */
export interface SimilarOptions {
  /** The minimum score; 0.5 by default. */
  readonly threshold?: number
  /** The maximum number of results; 5 by default. */
  readonly top?: number
  /** Returns the tool that the user assigned to a name, which is then the only result. */
  readonly alias?: (name: string) => string | undefined
}

/**
 * Finds the tools whose names are most similar to an unknown name, by their letters or by synonyms: `ls` is similar to
 * `list_directory`.
 *
 * @example similar('ReadFile', ['read_file', 'write_file']) // [{ name: 'read_file', score: 1 }, …]
 */
export function similar(
  name: string,
  tools: readonly string[],
  { threshold = 0.5, top = 5, alias }: SimilarOptions = {},
): SimilarTool[] {
  const meant = alias?.(name)
  if (meant !== undefined) return [{ name: meant, score: 1 }]
  return [...new Set(tools)]
    .map((tool) => ({ name: tool, score: nearness(name, tool) }))
    .filter(({ score }) => score >= threshold)
    .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
    .slice(0, top)
}

function nearness(name: string, tool: string): number {
  const meant = synonymScore(plain(name).split(' '), plain(bareName(tool) ?? tool).split(' '))
  return Math.max(similarity(name, tool), Math.round(meant * 100) / 100)
}

/** The name of a tool on its MCP server. */
function bareName(tool: string): string | undefined {
  return /^mcp_{1,2}.+?_{1,2}(?<tool>.+)$/.exec(tool)?.groups?.['tool']
}

/**
 * The similarity of two names, ignoring case and separators: 1 − Levenshtein distance ÷ the longer length, plus 0.1 if
 * one begins with the other, plus 0.05 if one ends with the other, at most 1. A tool of an MCP server is also compared
 * without the server's name, because agents omit it.
 *
 * @example similarity('ReadFile', 'read_file') // 1
 */
export function similarity(one: string, other: string): number {
  const bare = bareName(other)
  const scores = [written(one, other), ...(bare === undefined ? [] : [written(one, bare)])]
  return Math.round(Math.max(...scores) * 100) / 100
}

function written(one: string, other: string): number {
  const [left, right] = [plain(one), plain(other)]
  const longer = Math.max(left.length, right.length)
  if (left === '' || right === '') return 0
  const base = 1 - distance(left, right) / longer
  const begins = left.startsWith(right) || right.startsWith(left) ? 0.1 : 0
  const ends = left.endsWith(right) || right.endsWith(left) ? 0.05 : 0
  return Math.min(1, base + begins + ends)
}

/** The words of a name in lower case, separated by spaces. */
function plain(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/[_\-.\s]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** The Levenshtein distance: the number of letters to insert, delete or change. */
export function distance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const changed = previous[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(changed, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous[right.length]!
}

/** Synonyms in tool names; the first word names the group. */
const groups: readonly (readonly string[])[] = [
  ['search', 'find', 'grep', 'rg', 'ripgrep', 'lookup'],
  ['list', 'ls', 'dir', 'glob'],
  ['read', 'cat', 'open', 'view', 'show'],
  ['edit', 'replace', 'patch', 'modify', 'change'],
  ['write', 'create', 'save'],
  ['run', 'exec', 'execute', 'shell', 'bash', 'command', 'terminal', 'cmd'],
  ['web', 'fetch', 'http', 'url', 'browse', 'download', 'internet'],
  ['todo', 'todos'],
  ['ask', 'question'],
  ['agent', 'subagent', 'task'],
]

const groupsByWord = new Map(groups.flatMap((words) => words.map((word) => [word, words[0]!] as const)))

/** Words that do not distinguish tools. */
const fillers = new Set(
  'file files text code directory folder content contents string many google apply user invoke fs path in a the'.split(
    ' ',
  ),
)

/**
 * How likely two names mean the same tool: 0.9 if each word of one has a synonym in the other, 0.1 less for every
 * additional word of the first name, and 0 otherwise.
 *
 * @example synonymScore(['search', 'files'], ['grep', 'search']) // 0.9
 */
function synonymScore(name: readonly string[], tool: readonly string[]): number {
  const [wanted, offered] = [meaning(name), meaning(tool)]
  // A tool with an additional word is a different tool. A request with one may still mean this tool.
  if (wanted.groups.size === 0 || offered.other > 0 || wanted.groups.size !== offered.groups.size) return 0
  for (const group of wanted.groups) if (!offered.groups.has(group)) return 0
  return Math.max(0, 0.9 - 0.1 * wanted.other)
}

function meaning(words: readonly string[]): { readonly groups: Set<string>; readonly other: number } {
  const found = new Set<string>()
  let other = 0
  const ofFiles = words.includes('find') && words.some((word) => word === 'file' || word === 'files')
  for (const word of words) {
    // "find files" searches names, any other "find" searches contents.
    const group = ofFiles && word === 'find' ? 'list' : groupsByWord.get(word)
    if (group !== undefined) found.add(group)
    else if (!fillers.has(word)) other++
  }
  return { groups: found, other }
}
