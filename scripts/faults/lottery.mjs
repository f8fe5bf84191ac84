import { setTimeout as sleep } from 'node:timers/promises'

/** Draws faults by their weights. The same random numbers draw the same faults. */
export function createLottery(table, random) {
  const all = table.reduce((sum, { weight }) => sum + weight, 0)
  return {
    next() {
      let lot = random() * all
      const { name, draw } = table.find(({ weight }) => (lot -= weight) < 0) ?? table[0]
      return { name, happen: draw() }
    },
  }
}

export function drawCutSockets(watchers, random) {
  const chosen = watchers.filter(() => random() < 0.6)
  return async () => chosen.forEach((watcher) => watcher.cut())
}

export function drawCutTranscript(transcript, random) {
  const [shortens, ms] = [random() < 0.5, random() * 300]
  return async () => {
    if (shortens) transcript.shorten()
    else transcript.cut()
    await sleep(ms)
    transcript.repair()
  }
}
