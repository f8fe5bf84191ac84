import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const agents = fileURLToPath(new URL('../../../packages/sdk/src/agents/', import.meta.url))

/** The kind of each recorded file. */
const kinds = {
  'session.jsonl': 'transcript',
  'session.json': 'transcript',
  'acp-session.jsonl': 'transcript',
  'stream.jsonl': 'headless',
  'hooks.jsonl': 'hooks',
  'acp.jsonl': 'acp',
}

/** The recorded fixtures of all agents: `{ agent, kind, name, place, lines }`, each line a buffer. */
export function readCorpus() {
  const found = []
  for (const agent of readdirSync(agents)) {
    const root = join(agents, agent, 'fixtures')
    if (!existsSync(root)) continue
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const file = path.split('/').at(-1)
      const kind = kinds[file]
      if (kind === undefined) continue
      const meta = join(root, path, '..', 'meta.json')
      const [place] = (existsSync(meta) ? JSON.parse(readFileSync(meta, 'utf8')).sessions : undefined) ?? []
      if (kind === 'transcript' && place === undefined) continue
      const text = readFileSync(join(root, path), 'utf8')
      const lines = file.endsWith('.json') ? [text] : text.split('\n').filter((line) => line !== '')
      found.push({ agent, kind, name: `${agent}/${path}`, place, lines })
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A copy with new session ids, so that one home can hold several copies. */
export function withOwnIds({ place, lines, ...rest }, number) {
  const own = String(number).padStart(4, '0')
  const rename = (text) =>
    text
      .replaceAll(/0000(\d{4})-0000-4000-8000/g, `${own}$1-0000-4000-8000`)
      .replaceAll(/(session-2026-01-01T00-00-)0000(\d{4})/g, `$1${own}$2`)
  return {
    ...rest,
    place: place && rename(place),
    lines: lines.map((line) => Buffer.from(rename(line))),
  }
}
