import type { Colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import type { Io } from '../command/io.ts'
import { version } from '../command/version.ts'
import { liveSessions } from '../live/find-live.ts'
import { newLink, sayLink } from '../live/pairing.ts'
import { logPath, readNote } from '../client/server-note.ts'
import { saySessions } from '../live/status.ts'

/** What a person sees who has just started the server. */
export async function tellWelcome(paint: Colors, io: Io): Promise<void> {
  const note = (await readNote(io))!
  const sessions = await liveSessions(io).catch(() => [])
  const reach = note.reach === 'loopback' ? ' (this computer only)' : ''
  io.out(`Remora ${version} listening on ${paint.bold(note.url)}${reach}\n`)
  io.out(`  ${saySessions(sessions)}\n`)
  for (const { id, agent, state, cwd } of sessions.slice(0, 10))
    io.out(`    ${id}  ${agent}  ${state}  ${paint.dim(homePath(cwd, io.home))}\n`)
  io.out(`  ${paint.dim(`Log: ${homePath(logPath(io), io.home)}`)}\n`)
  // A code is a secret for two minutes, and what is no terminal is a log.
  if (!io.terminal) {
    io.out('Pair a device: remora pair\n')
    return
  }
  io.out('\n')
  sayLink(await newLink(io), paint, io)
  io.out('\nPress Ctrl+C to stop the server. Agents keep running.\n')
}
