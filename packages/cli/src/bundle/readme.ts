import type { SessionEntry } from '@remora/ledger'
import { byteSize, plural } from '../say-number.ts'
import { version } from '../version.ts'
import type { Removed } from './redact.ts'
import type { PackedFile } from './tar.ts'

const about: Readonly<Record<string, string>> = {
  'events.jsonl': 'what happened, one event of Remora a line',
  'wire.jsonl': 'the ACP messages of both sides, one a line: {at, from, message}',
  'conversation.md': 'the same as a conversation to read',
  'versions.json': 'the versions of Remora, Node, the agent and its wrapper',
  'doctor.json': 'what remora doctor found of the agent',
}

/** What stands in a bundle, for whoever gets it and for whoever is about to send it. */
export function readme(entry: SessionEntry, files: readonly PackedFile[], removed: Removed): string {
  const width = Math.max(...files.map(({ name }) => name.length))
  return [
    `A session of ${entry.agent}, packed by Remora ${version} for a bug report.`,
    `Session ${entry.session}`,
    '',
    ...files.map(
      ({ name, data }) => `${name.padEnd(width)}  ${about[name] ?? ''} (${byteSize(data.length)})`,
    ),
    '',
    'Taken out before it was packed:',
    ...removedLines(removed).map((line) => `- ${line}`),
    '',
    'Only keys of known shapes and values of your environment are recognised. What was said, and the names and',
    'contents of files that the agent worked with, are in here: look through conversation.md before you send it.',
    '',
  ].join('\n')
}

/** What was taken out, in words. @example removedLines(removed) // ['2 secrets, now [secret]'] */
export function removedLines(removed: Removed): string[] {
  const { secrets, homePaths, names, environment, attachments } = removed
  const lines = [
    secrets === 0 ? '' : `${plural(secrets, 'secret')}, now [secret]`,
    homePaths === 0 ? '' : `${plural(homePaths, 'path')} of your home, now ~`,
    names === 0 ? '' : `${plural(names, 'name')} of a person or machine, now [user] or [host]`,
    environment === 0 ? '' : `${plural(environment, 'value')} of variables and headers, now [removed]`,
    attachments === 0 ? '' : `${plural(attachments, 'attachment')}, of which the size is left`,
  ].filter((line) => line !== '')
  return lines.length === 0 ? ['nothing: there was nothing of the kind'] : lines
}
