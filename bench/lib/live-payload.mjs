// What travels: a text of a given length that begins with the time at which it was made. The clock is that of the
// machine since its start, which all processes read alike.
const words = 'The agent reads the file, changes two lines and runs the tests again. '

/** @example stamped(1000) // '8123456789 The agent reads …' */
export function stamped(length) {
  const time = `${process.hrtime.bigint()} `
  return time + filler(length - time.length)
}

/** The milliseconds since a text was made; undefined where it has no stamp. */
export function getAge(text, now = process.hrtime.bigint()) {
  const made = readTime(text)
  return made === undefined ? undefined : Number(now - made) / 1e6
}

export function readTime(text) {
  const [, digits] = /^(\d+) /.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

const fillers = new Map()

function filler(length) {
  if (!fillers.has(length))
    fillers.set(length, words.repeat(Math.ceil(length / words.length)).slice(0, length))
  return fillers.get(length)
}
