import { setTimeout as sleep } from 'node:timers/promises'
import { basename } from 'node:path'
import type { Place, ProtectOptions, ProtectedResume } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { protectSession, recoverSessions, removeLeftStubs } from './safe-resume.ts'
import { chatFolders, filesOf } from './session-files.ts'
import { since } from './versions.ts'

/** How often to look whether the CLI has started to write to the session that it resumes. */
const settleMs = 250

/** Protects a session that is about to be resumed in any way, after what earlier resumes have left is put in order. */
export async function protect(
  place: Place,
  wanted: string,
  { way, signal }: ProtectOptions,
): Promise<ProtectedResume> {
  await removeLeftStubs(place)
  const problems = await recoverSessions(place)
  const watched = await watchOver(place, wanted)
  try {
    // The other ways read the session before they write into its file, and so do older versions in every way.
    if (way === 'acp' && atLeast(place.version, since.jsonlSessions))
      await waitUntilLoadable(place, watched?.id ?? wanted, signal)
  } catch (error) {
    await watched?.finish()
    throw error
  }
  return {
    id: watched?.id ?? wanted,
    finish: async () => [...problems, ...((await watched?.finish()) ?? [])],
  }
}

/**
 * Copies a session that is about to be resumed, keeps an eye on it, and compares it in the end. Undefined where there
 * is no such session.
 */
export async function watchOver(place: Place, wanted: string): Promise<ProtectedResume | undefined> {
  const protection = await protectSession(place, wanted)
  if (!protection) return undefined
  const timer = setInterval(() => {
    protection.settle().then(
      (done) => done && clearInterval(timer),
      () => {},
    )
  }, settleMs)
  timer.unref()
  return {
    id: protection.id,
    async finish() {
      clearInterval(timer)
      return protection.verify()
    },
  }
}

/**
 * Waits until a session can be loaded over ACP. In the minute in which its file was made, the CLI writes the start of
 * a new session into that file before it reads it, and then finds no history in it, now and for ever.
 */
export async function waitUntilLoadable(place: Place, session: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const minute = new Date().toISOString().slice(0, 16)
    if (!(await minutesOf(place, session)).includes(minute.replace(':', '-'))) return
    const next = Date.parse(`${minute}:00Z`) + 60_000
    // A timer may be a little early.
    await sleep(Math.max(1, next - Date.now() + 5), undefined, signal ? { signal } : {})
  }
}

/** The minutes in which the files of a session were made, as their names tell them. */
async function minutesOf(place: Place, session: string): Promise<string[]> {
  const minutes: string[] = []
  for (const folder of await chatFolders(place))
    for (const path of await filesOf(folder, session))
      minutes.push(/^session-(.{16})/.exec(basename(path))?.[1] ?? '')
  return minutes
}
