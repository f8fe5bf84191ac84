import { setTimeout as sleep } from 'node:timers/promises'
import { createLottery, drawCutSockets, drawCutTranscript } from '../lottery.mjs'

/** The faults between machines. The same seed draws the same faults. */
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
          line.repair()
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
          line.repair()
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
    { name: 'cut sockets', weight: 10, draw: () => drawCutSockets(watchers, random) },
    {
      name: 'cut transcripts',
      weight: 10,
      draw: () => drawCutTranscript(pick(pick(loads).transcripts), random),
    },
  ]
  return createLottery(table, random)
}
