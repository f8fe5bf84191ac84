const columns = ['agent', 'headless', 'acp', 'hooks', 'transcripts', 'live', 'live-pty', 'joined', 'other']
const [begin, end] = ['<!-- matrix: written by npm run matrix -->', '<!-- end of matrix -->']

/** The pinned versions of agents, newest first. @example listPins(agents(), { 'opencode-ai': '1.18.33' }) */
export function listPins(agents, dependencies) {
  const specs = Object.entries(dependencies).map(([folder, spec]) => {
    // Several versions of one package are pinned as `npm:` aliases.
    const alias = /^npm:(.+)@([^@]+)$/.exec(spec)
    return { name: alias?.[1] ?? folder, version: alias?.[2] ?? spec }
  })
  const newestFirst = (a, b) => b.version.localeCompare(a.version, 'en', { numeric: true })
  return agents.flatMap(({ id, detection }) =>
    specs
      .filter(({ name }) => name === detection.package)
      .map(({ version }) => ({ agent: id, version }))
      .toSorted(newestFirst),
  )
}

/** The results in the table of a page, by `agent version suite`. */
export function readTable(text) {
  const lines = cut(text).table.split('\n')
  // An earlier version may have written other columns.
  const head = lines.find((line) => line.startsWith('| version')) ?? ''
  const [, ...suites] = toCells(head)
  return new Map(
    lines
      .filter((line) => line.startsWith('| `'))
      .flatMap((row) => {
        const [name, ...cells] = toCells(row)
        return cells.flatMap((cell, index) =>
          cell === 'not run' ? [] : [[`${name.replaceAll('`', '')} ${suites[index]}`, cell]],
        )
      }),
  )
}

function toCells(row) {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** The page with the table of these results. A cell without a result says so. */
export function renderTable(text, pins, results) {
  const { before, after } = cut(text)
  const rows = pins.map(({ agent, version }) => {
    const cells = columns.map((suite) => results.get(`${agent} ${version} ${suite}`) ?? 'not run')
    return `| ${[`\`${agent} ${version}\``, ...cells].join(' | ')} |`
  })
  const head = [`| version | ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`]
  return `${before}${begin}\n\n${[...head, ...rows].join('\n')}\n\n${end}${after}`
}

function cut(text) {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/agents.md has no lines "${begin}" and "${end}"`)
  return { before: text.slice(0, from), table: text.slice(from, to), after: text.slice(to + end.length) }
}
