import { setTimeout as sleep } from 'node:timers/promises'
import { basename } from 'node:path'
import type { Place, ProtectOptions, ProtectedResume } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { protectSession, recoverSessions, removeLeftStubs } from './safe-resume.ts'
import { chatFolders, listSessionFiles } from './session-files.ts'
import { since } from './versions.ts'

/** How often to check whether the CLI has started to write to the resumed session. */
const settleMs = 250

/** Protects a session before a resume, after cleaning up what earlier resumes left. */
export async function protect(
  place: Place,
  wanted: string,
  { way, signal }: ProtectOptions,
): Promise<ProtectedResume> {
  await removeLeftStubs(place)
  const problems = await recoverSessions(place)
  const watched = await watchOver(place, wanted)
  try {
    // The other modes, and older versions in every mode, read the session before they write to its file.
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
 * Copies a session before a resume, watches it, and compares it at the end. Returns undefined if the session does not
 * exist.
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
 * Waits until a session can be loaded over ACP. In the minute in which its file was created, the CLI writes the start
 * of a new session into that file before it reads it, and then never finds the history.
 */
export async function waitUntilLoadable(place: Place, session: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const minute = new Date().toISOString().slice(0, 16)
    if (!(await listFileMinutes(place, session)).includes(minute.replace(':', '-'))) return
    const next = Date.parse(`${minute}:00Z`) + 60_000
    // A timer may be a little early.
    await sleep(Math.max(1, next - Date.now() + 5), undefined, signal ? { signal } : {})
  }
}

/** Lists the minutes in the names of the session's files. */
async function listFileMinutes(place: Place, session: string): Promise<string[]> {
  const minutes: string[] = []
  for (const folder of await chatFolders(place))
    for (const path of await listSessionFiles(folder, session))
      minutes.push(/^session-(.{16})/.exec(basename(path))?.[1] ?? '')
  return minutes
}
