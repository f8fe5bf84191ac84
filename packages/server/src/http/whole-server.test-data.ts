import { join } from 'node:path'
import { type RunningServer, startServer } from '../start-server.ts'

/** Starts a whole server whose home and state are in this folder. It follows no transcripts. */
export function startServerIn(folder: string): Promise<RunningServer> {
  return startServer({
    remoraHome: join(folder, 'r'),
    env: { PATH: '/usr/bin:/bin', HOME: folder },
    home: folder,
    version: '1.2.3',
    log: () => {},
    port: 0,
    follow: false,
  })
}
