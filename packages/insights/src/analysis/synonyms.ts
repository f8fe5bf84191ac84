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
export function synonymScore(name: readonly string[], tool: readonly string[]): number {
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
