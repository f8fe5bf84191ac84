import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Lesson, lessons, lessonsText, withBlock } from '@remora/insights'
import { RemoraError } from '@remora/protocol/plain'
import { profiles } from '@remora/sdk/profiles'
import { findAgentByName } from '../../args/choose-agents.ts'
import { countOption } from '../../args/time-option.ts'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { withLedger } from '../../ledger/with-ledger.ts'
import { writeAll } from '../../output/write-all.ts'
import { readAliases } from '../aliases/alias-file.ts'
import { paveAgents } from '../aliases/native-names.ts'
import { readMappings } from '../desires/mappings.ts'
import { editPaved, readPaved } from './pave-file.ts'

/** Older failures are not relevant any more. */
const reachMs = 90 * 86_400_000

/** The agent that alone reads a memory file. */
function findReader(file: string): string | undefined {
  return profiles.find(({ memoryFile }) => memoryFile?.toLowerCase() === basename(file).toLowerCase())?.id
}

/** Writes the lessons to standard output or to a memory file. */
export async function writeLessons(input: Input, io: Io): Promise<number> {
  const { values, lists } = input
  if ((lists['agent']?.length ?? 0) > 1)
    throw new UsageError(
      '--agent can be used only once here',
      'Pass --agent once, or leave it out for all agents',
    )
  const file = typeof values['append'] === 'string' ? resolve(io.cwd, values['append']) : undefined
  const named = lists['agent']?.[0]
  const agent =
    (named === undefined ? undefined : findAgentByName(named).id) ??
    (file === undefined ? undefined : findReader(file))
  const found = await lessonsFor(
    agent,
    typeof values['top'] === 'string' ? countOption('top', values['top']) : 10,
    io,
  )
  if (file === undefined) {
    if (values['json']) return writeAll(io, [`${JSON.stringify(found, null, 2)}\n`])
    if (found.length === 0) return printNone(io)
    return writeAll(io, [lessonsText(found)])
  }
  const changed = await putBlock(file, lessonsText(found))
  if (changed) await remember(file, agent, found, io)
  if (values['json']) {
    io.out(`${JSON.stringify({ file, agent: agent ?? null, changed, lessons: found }, null, 2)}\n`)
    return 0
  }
  if (found.length === 0 && !changed) return printNone(io)
  const count = found.length === 1 ? 'one lesson' : `${found.length} lessons`
  io.out(changed ? `${file}: ${count} written; other content unchanged\n` : `${file}: unchanged\n`)
  return 0
}

/** Removes the lessons from the named file, or from every file, and prints the result. */
export async function uninstallLessons({ values }: Input, io: Io): Promise<number> {
  const file = typeof values['append'] === 'string' ? resolve(io.cwd, values['append']) : undefined
  const changed = await removeLessons(io, file)
  if (values['json']) io.out(`${JSON.stringify({ files: changed }, null, 2)}\n`)
  else if (changed.length === 0) io.out(`${file ?? 'No file'}${file ? ' has no' : ' has'} Remora lessons.\n`)
  else for (const each of changed) io.out(`✓ ${each}: lessons removed\n`)
  return 0
}

/**
 * Removes the lessons from every file, or from one, and returns the changed files. A file without other content is
 * deleted.
 */
export async function removeLessons(io: Io, only?: string): Promise<string[]> {
  const known = (await readPaved(io)).lessons
  const written = only === undefined ? known : [{ file: only }]
  const changed: string[] = []
  for (const { file } of written) {
    if (await putBlock(file, '')) changed.push(file)
  }
  if (known.length > 0)
    await editPaved(io, (paved) => ({
      ...paved,
      lessons: only === undefined ? [] : paved.lessons.filter(({ file }) => file !== only),
    }))
  return changed
}

async function lessonsFor(agent: string | undefined, top: number, io: Io): Promise<Lesson[]> {
  const { mask } = await import('@remora/ledger')
  const { desires, recoveries } = await import('@remora/insights')
  const names = paveAgents.find(({ id }) => id === agent)
  const found = await withLedger(io, async (ledger) => {
    const calls = await ledger.calls({ since: Date.now() - reachMs, ...(agent ? { agent } : {}) })
    return recoveries(calls, desires(calls))
  })
  const all = lessons({
    aliases: await readAliases(io),
    mappings: await readMappings(io),
    recoveries: found,
    top,
    ...(agent ? { agent } : {}),
    ...(names ? { toolName: (tool: string) => names.tools(tool)[0] ?? tool } : {}),
  })
  // Memory files are shared, so secrets are masked.
  return all.map((lesson) => ({ ...lesson, text: mask(lesson.text) }))
}

async function remember(
  file: string,
  agent: string | undefined,
  found: readonly Lesson[],
  io: Io,
): Promise<void> {
  const patterns = [...new Set(found.flatMap(({ pattern }) => pattern ?? []))]
  await editPaved(io, (paved) => {
    const others = paved.lessons.filter((each) => each.file !== file)
    const known = paved.lessons.find((each) => each.file === file)
    const createdAt = known?.createdAt ?? new Date().toISOString()
    const entry = { file, ...(agent ? { agent } : {}), createdAt, patterns }
    return { ...paved, lessons: found.length === 0 ? others : [...others, entry] }
  })
}

/** Writes or removes the lessons in a file and keeps the rest. Returns whether it changed. */
async function putBlock(file: string, body: string): Promise<boolean> {
  const { editOrDelete, readText, refuseReadOnly } = await import('@remora/sdk/hooks')
  const before = await readText(file)
  if (withBlock(before ?? '', body) === (before ?? '')) return false
  if (!existsSync(dirname(file)))
    throw new RemoraError('input', `The folder of ${file} does not exist`, {
      hint: 'Create the folder first.',
    })
  await refuseReadOnly(file)
  // A file without other content is deleted.
  await editOrDelete(file, (text) => withBlock(text, body) || undefined, 0o644)
  return true
}

function printNone(io: Io): number {
  io.err('No lessons yet.\n  Show failures: remora desires. Add an alias: remora alias <from> <to>\n')
  return 0
}
