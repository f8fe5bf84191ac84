import { execFile } from 'node:child_process'
import type { Colors } from '../output/colors.ts'
import { findProgram } from '../detection/find-program.ts'
import type { Io } from '../command/io.ts'
import { readStatus, saySessions } from '../live/status.ts'

/** What doctor says of tmux and of the server. */
export async function liveLines(paint: Colors, io: Io): Promise<string[]> {
  return [...(await tmuxLines(paint, io)), ...(await serverLines(paint, io))]
}

/** Where it is missing, that is told with the machine's problems. */
async function tmuxLines(paint: Colors, io: Io): Promise<string[]> {
  const path = await findProgram('tmux', io.env['PATH'])
  if (path === undefined) return []
  const version = await tmuxVersion(path)
  if (version === undefined)
    return [`${paint.yellow('!')} ${paint.bold('tmux')} reports no version  ${paint.dim(path)}`]
  return [`${paint.green('✓')} ${paint.bold('tmux')} ${version}  ${paint.dim(path)}`]
}

function tmuxVersion(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ['-V'], { timeout: 5000 }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim().replace(/^tmux /, '') || undefined),
    )
  })
}

async function serverLines(paint: Colors, io: Io): Promise<string[]> {
  const { running, url, version, sessions = [] } = await readStatus(io)
  if (!running) return [paint.dim('- Server not running. Start it: remora serve')]
  return [
    `${paint.green('✓')} ${paint.bold('Server')} ${version ?? ''}  ${url ?? ''}  ${paint.dim(saySessions(sessions))}`,
  ]
}
