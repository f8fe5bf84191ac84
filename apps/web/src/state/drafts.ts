import type { UploadInfo } from '@remora/protocol/api'
import type { SessionKey } from '../wire/api.ts'
import { local } from './local.ts'

/** An uploaded file of a prompt. */
export interface DraftFile {
  /** The upload id; undefined if the prompt came back from the server. */
  readonly id?: string
  readonly name: string
  readonly block: UploadInfo['block']
}

/** An unsent prompt of a session, stored on the device. */
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

/** A starting agent has no session id yet. Its draft moves when it gets one. */
export function moveDraft(from: SessionKey, to: SessionKey): void {
  const draft = readDraft(from)
  if (from.session === to.session || isEmptyDraft(draft) || !isEmptyDraft(readDraft(to))) return
  writeDraft(to, draft)
  writeDraft(from, { text: '' })
}
