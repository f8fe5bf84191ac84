import type { SessionEntry } from '@remora/ledger'
import { version } from '../../command/version.ts'
import { byteSize, plural } from '../../output/format-number.ts'
import type { Removed } from './redact.ts'
import type { PackedFile } from './tar.ts'

const about: Readonly<Record<string, string>> = {
  'events.jsonl': 'Remora events, one per line',
  'wire.jsonl': 'ACP messages in both directions, one per line: {at, from, message}',
  'conversation.md': 'the conversation as Markdown',
  'versions.json': 'versions of Remora, Node, the agent and its wrapper',
  'doctor.json': 'output of remora doctor for the agent',
}

/** The README of a bundle, for the sender and the receiver. */
export function readme(entry: SessionEntry, files: readonly PackedFile[], removed: Removed): string {
  const width = Math.max(...files.map(({ name }) => name.length))
  return [
    `${entry.agent} session, packed by Remora ${version} for a bug report.`,
    `Session ${entry.session}`,
    '',
    ...files.map(
      ({ name, data }) => `${name.padEnd(width)}  ${about[name] ?? ''} (${byteSize(data.length)})`,
    ),
    '',
    'Removed before packing:',
    ...formatRemoved(removed).map((line) => `- ${line}`),
    '',
    'Only known secret formats and values of your environment are removed. The conversation, and names and',
    'contents of files that the agent used, are included: check conversation.md before you send it.',
    '',
  ].join('\n')
}

/** Lists what was removed. @example formatRemoved(removed) // ['2 secrets, now [secret]'] */
export function formatRemoved(removed: Removed): string[] {
  const { secrets, homePaths, names, environment, attachments } = removed
  const lines = [
    secrets === 0 ? '' : `${plural(secrets, 'secret')}, replaced by [secret]`,
    homePaths === 0 ? '' : `${plural(homePaths, 'home path')}, replaced by ~`,
    names === 0 ? '' : `${plural(names, 'user or host name')}, replaced by [user] or [host]`,
    environment === 0 ? '' : `${plural(environment, 'variable or header value')}, replaced by [removed]`,
    attachments === 0 ? '' : `${plural(attachments, 'attachment')}, replaced by the size`,
  ].filter((line) => line !== '')
  return lines.length === 0 ? ['nothing: no secrets or personal data found'] : lines
}
