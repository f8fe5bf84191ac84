import { hostname, release, userInfo } from 'node:os'
import type { Ledger, SessionEntry } from '@remora/ledger'
import { fold } from '@remora/protocol/fold'
import type { Event, Message } from '@remora/protocol/plain'
import { findAgent } from '@remora/sdk'
import type { Io } from '../../command/io.ts'
import { version } from '../../command/version.ts'
import { addHookProblems } from '../../detection/hook-problems.ts'
import { type Finding, survey } from '../../detection/survey.ts'
import { markdown } from '../show/markdown.ts'
import { WireReader, readPages } from '../trace/wire.ts'
import { readme } from './readme.ts'
import { Redactor, type Removed } from './redact.ts'
import { redactEvents, redactWire } from './streams.ts'
import type { PackedFile } from './tar.ts'

export interface Contents {
  readonly files: readonly PackedFile[]
  readonly removed: Removed
}

/** Collects the files of a bundle, without private data. */
export async function collectContents(ledger: Ledger, entry: SessionEntry, io: Io): Promise<Contents> {
  const events: Event[] = []
  for await (const page of readPages(ledger, entry)) for (const event of page) events.push(event)
  const wire = new WireReader().read(events)
  const findings = findAgent(entry.agent) ? await survey([entry.agent], true, io) : []
  const doctor = await Promise.all(findings.map((finding) => addHookProblems(finding, io)))
  const redactor = new Redactor({ home: io.home, user: userName(), host: hostname(), env: io.env })
  const files = [
    file('events.jsonl', lines(redactEvents(events, redactor))),
    ...(wire.length === 0 ? [] : [file('wire.jsonl', lines(redactWire(wire, redactor)))]),
    file('conversation.md', conversation(entry, events, redactor, io)),
    file('versions.json', json(redactor.value(await collectVersions(entry.agent, doctor[0], events, io)))),
    file('doctor.json', json(redactor.value(doctor))),
  ]
  const { removed } = redactor
  return { files: [file('README.txt', readme(entry, files, removed)), ...files], removed }
}

/**
 * Redacted before formatting, because cut or escaped text hides secrets from the redactor but still shows parts of
 * them.
 */
function conversation(
  entry: SessionEntry,
  events: readonly Event[],
  redactor: Redactor,
  { home }: Pick<Io, 'home'>,
): string {
  const about = {
    agent: entry.agent,
    id: entry.session,
    title: entry.name ?? entry.title,
    cwd: entry.cwd,
    usage: entry.usage,
  }
  const messages = fold(events).map((message) => ({ ...message, _original: [] }))
  const redacted = { ...(redactor.value(about) as typeof about), events: [], damaged: [] }
  const document = markdown(redacted, redactor.value(messages) as Message[], { thinking: true, home })
  return redactor.text([...document].join(''))
}

function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // A container user may have no name.
    return undefined
  }
}

function file(name: string, text: string): PackedFile {
  return { name, data: Buffer.from(text) }
}

function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The versions of Remora, the agent and the system. */
async function collectVersions(
  agent: string,
  finding: Finding | undefined,
  events: readonly Event[],
  io: Pick<Io, 'platform'>,
): Promise<object> {
  const mentioned = events.flatMap((event) =>
    event.type === 'session' && event.version !== undefined ? [event.version] : [],
  )
  const wrapper = finding?.wrapper
  return {
    remora: version,
    node: process.versions.node,
    platform: io.platform,
    architecture: process.arch,
    system: release(),
    agent: { id: agent, installed: finding?.version ?? null, path: finding?.path ?? null },
    /** Versions that the agent reported during the session. */
    session: [...new Set(mentioned)],
    ...(wrapper
      ? { wrapper: { command: wrapper.name, package: wrapper.package, version: wrapper.version } }
      : {}),
  }
}
