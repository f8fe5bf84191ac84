import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLottery, drawCutSockets, drawCutTranscript } from '../lottery.mjs'

/** The faults of one server. The same seed draws the same faults. */
export function createFaults({ stage, load, random, only }) {
  const { server, watchers, disk, remoraHome } = stage
  const pick = (all) => all[Math.floor(random() * all.length)]
  const table = [
    {
      name: 'killed servers',
      weight: 25,
      draw: () => {
        const ms = random() * 150
        return async () => {
          await server.kill()
          await sleep(ms)
          await server.start()
        }
      },
    },
    {
      name: 'killed starts',
      weight: 4,
      draw: () => {
        const ms = 50 + random() * 500
        return async () => {
          // If the agent was already started, the next server must find it; otherwise nothing of it may remain.
          const starting = load.startAnother()
          await sleep(ms)
          await server.kill()
          await starting
          await server.start()
          await load.endOthers()
        }
      },
    },
    { name: 'cut sockets', weight: 25, draw: () => drawCutSockets(watchers, random) },
    {
      name: 'stalled clients',
      weight: 15,
      draw: () => {
        const [watcher, ms] = [pick(watchers), 500 + random() * 5500]
        // Not awaited: the other clients continue meanwhile.
        return async () => void watcher.stall(ms)
      },
    },
    {
      name: 'full disks',
      weight: 8,
      draw: () => {
        const ms = 100 + random() * 900
        return async () => {
          load.paused = true
          await sleep(150)
          disk.fill(server.pid)
          await sleep(ms)
          disk.empty()
          load.paused = false
        }
      },
    },
    {
      name: 'cut transcripts',
      weight: 20,
      draw: () => drawCutTranscript(pick(load.transcripts), random),
    },
    {
      name: 'killed hosts',
      weight: 7,
      draw: () => async () => {
        const pid = findHost(remoraHome, load.acp.id)
        if (pid !== undefined) process.kill(pid, 'SIGKILL')
        await load.startAcp()
      },
    },
  ]
  const drawn = only === undefined ? table : table.filter(({ name }) => name === only)
  if (drawn.length === 0) throw new Error(`--only takes one of: ${table.map(({ name }) => name).join(', ')}`)
  return createLottery(drawn, random)
}

function findHost(remoraHome, live) {
  const file = join(remoraHome, 'hosts', `${live}.state.json`)
  if (!existsSync(file)) return undefined
  const { pid, exit } = JSON.parse(readFileSync(file, 'utf8'))
  return exit ? undefined : pid
}
