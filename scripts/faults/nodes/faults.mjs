import { setTimeout as sleep } from 'node:timers/promises'

/** What can go wrong between machines, drawn by lot. The same seed draws the same. */
export function createFaults({ machines, watchers, postgres, loads, random }) {
  const pick = (all) => all[Math.floor(random() * all.length)]
  const table = [
    {
      name: 'killed servers',
      weight: 30,
      draw: () => {
        const [{ server }, ms] = [pick(machines), random() * 300]
        return async () => {
          await server.kill()
          await sleep(ms)
          await server.start()
        }
      },
    },
    {
      name: 'cut networks',
      weight: 30,
      draw: () => {
        const [{ line }, ms] = [pick(machines), random() * 2_500]
        return async () => {
          line.cut()
          await sleep(ms)
          line.mend()
        }
      },
    },
    {
      name: 'silent networks',
      weight: 10,
      draw: () => {
        const [{ line }, ms] = [pick(machines), random() * 4_000]
        return async () => {
          line.silence()
          await sleep(ms)
          line.mend()
        }
      },
    },
    {
      name: 'restarts of the database',
      weight: 6,
      draw: () => {
        const ms = random() * 1_500
        return () => postgres.restart(ms)
      },
    },
    {
      name: 'crashes of the database',
      weight: 4,
      draw: () => {
        const ms = random() * 1_500
        return async () => {
          await postgres.kill()
          await sleep(ms)
          await postgres.start()
        }
      },
    },
    {
      name: 'cut sockets',
      weight: 10,
      draw: () => {
        const chosen = watchers.filter(() => random() < 0.6)
        return async () => chosen.forEach((watcher) => watcher.cut())
      },
    },
    {
      name: 'cut transcripts',
      weight: 10,
      draw: () => {
        const [transcript, how, ms] = [pick(pick(loads).transcripts), random() < 0.5, random() * 300]
        return async () => {
          if (how) transcript.shorten()
          else transcript.cut()
          await sleep(ms)
          transcript.repair()
        }
      },
    },
  ]
  const all = table.reduce((sum, { weight }) => sum + weight, 0)
  return {
    next() {
      let lot = random() * all
      const { name, draw } = table.find(({ weight }) => (lot -= weight) < 0) ?? table[0]
      return { name, happen: draw() }
    },
  }
}
