import type { UploadInfo } from '@remora/protocol/api'
import type { SessionKey } from '../wire/api.ts'
import { local } from './local.ts'

/** A file that was uploaded for a prompt. */
export interface DraftFile {
  /** Of the upload; none where the words came back from the server. */
  readonly id?: string
  readonly name: string
  readonly block: UploadInfo['block']
}

/** What somebody has begun to write, and to which session; kept on the device until it is sent. */
export interface Draft {
  readonly text: string
  readonly files?: readonly DraftFile[]
}

const name = ({ agent, session }: SessionKey): string => `draft:${agent}/${session}`

export function readDraft(key: SessionKey): Draft {
  return local.read<Draft>(name(key)) ?? { text: '' }
}

export function writeDraft(key: SessionKey, draft: Draft): void {
  local.write(name(key), isEmptyDraft(draft) ? undefined : draft)
}

export function isEmptyDraft({ text, files = [] }: Draft): boolean {
  return text === '' && files.length === 0
}

/** An agent that begins has no id of its own yet: what was written to it goes along when it has. */
export function moveDraft(from: SessionKey, to: SessionKey): void {
  const draft = readDraft(from)
  if (from.session === to.session || isEmptyDraft(draft) || !isEmptyDraft(readDraft(to))) return
  writeDraft(to, draft)
  writeDraft(from, { text: '' })
}
