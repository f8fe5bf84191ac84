import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What can go wrong, drawn by lot. The same seed draws the same. */
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
          // Whether it was started or not: it is found again, or nothing of it is left.
          const starting = load.startAnother()
          await sleep(ms)
          await server.kill()
          await starting
          await server.start()
          await load.endOthers()
        }
      },
    },
    {
      name: 'cut sockets',
      weight: 25,
      draw: () => {
        const chosen = watchers.filter(() => random() < 0.6)
        return async () => chosen.forEach((watcher) => watcher.cut())
      },
    },
    {
      name: 'stalled clients',
      weight: 15,
      draw: () => {
        const [watcher, ms] = [pick(watchers), 500 + random() * 5500]
        // Others go on meanwhile.
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
      draw: () => {
        const [transcript, how, ms] = [pick(load.transcripts), random() < 0.5, random() * 300]
        return async () => {
          if (how) transcript.shorten()
          else transcript.cut()
          await sleep(ms)
          transcript.repair()
        }
      },
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
  const all = drawn.reduce((sum, { weight }) => sum + weight, 0)
  return {
    next() {
      let lot = random() * all
      const { name, draw } = drawn.find(({ weight }) => (lot -= weight) < 0) ?? drawn[0]
      return { name, happen: draw() }
    },
  }
}

function findHost(remoraHome, live) {
  const file = join(remoraHome, 'hosts', `${live}.state.json`)
  if (!existsSync(file)) return undefined
  const { pid, exit } = JSON.parse(readFileSync(file, 'utf8'))
  return exit ? undefined : pid
}
