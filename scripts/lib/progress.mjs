const ticking = process.stdout.isTTY && !process.env.CI
/** The start times of running steps, by title. They share the ticking line. */
const underWay = new Map()
let width = 0

/** Shows that a step is running: a ticking line on a terminal, plain lines with the time elsewhere. */
export async function progress(title, action) {
  underWay.set(title, performance.now())
  if (ticking) tick()
  else console.log(`  ${title} …`)
  const timer = ticking
    ? setInterval(tick, 1000)
    : setInterval(() => console.log(`  ${title} … still running, ${elapsed(title)}`), 20_000)
  try {
    const result = await action()
    end('done')
    return result
  } catch (error) {
    end('failed')
    throw error
  } finally {
    clearInterval(timer)
  }

  function end(word) {
    const line = `  ${title}: ${word}, ${elapsed(title)} `
    console.log(ticking ? `\r${line.padEnd(width)}` : line)
    underWay.delete(title)
  }
}

function tick() {
  const [title, ...more] = underWay.keys()
  // A line that wraps cannot be overwritten, so it is cut.
  const line = `  ${title} … ${elapsed(title)}${more.length === 0 ? '' : `, and ${more.length} more`} `
  process.stdout.write(`\r${line.padEnd(width)}`)
  width = line.length
}

function elapsed(title) {
  return duration(performance.now() - underWay.get(title))
}

/** @example duration(1500) // '1.5 s' */
export function duration(milliseconds) {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
