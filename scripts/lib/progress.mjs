const ticking = process.stdout.isTTY && !process.env.CI

/** Shows that something is under way: a ticking line on a terminal, plain lines with the time elsewhere. */
export async function progress(title, action) {
  const started = performance.now()
  const show = ticking ? () => process.stdout.write(`\r  ${title} … ${elapsed(started)} `) : () => {}
  if (ticking) show()
  else console.log(`  ${title} …`)
  const timer = ticking
    ? setInterval(show, 1000)
    : setInterval(() => console.log(`  ${title} … still at it, ${elapsed(started)}`), 20_000)
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
    console.log(`${ticking ? '\r' : ''}  ${title}: ${word}, ${elapsed(started)} `)
  }
}

function elapsed(started) {
  return duration(performance.now() - started)
}

/** @example duration(1500) // '1.5 s' */
export function duration(milliseconds) {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
