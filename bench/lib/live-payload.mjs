// The payload: a text of a given length that starts with its creation time, by the monotonic clock that all processes share.
const words = 'The agent reads the file, changes two lines and runs the tests again. '

/** @example createStamped(1000) // '8123456789 The agent reads …' */
export function createStamped(length) {
  const time = `${process.hrtime.bigint()} `
  return time + getFiller(length - time.length)
}

/** The milliseconds since a text was created; undefined without a stamp. */
export function getAge(text, now = process.hrtime.bigint()) {
  const made = readTime(text)
  return made === undefined ? undefined : Number(now - made) / 1e6
}

export function readTime(text) {
  const [, digits] = /^(\d+) /.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

const fillers = new Map()

function getFiller(length) {
  if (!fillers.has(length))
    fillers.set(length, words.repeat(Math.ceil(length / words.length)).slice(0, length))
  return fillers.get(length)
}
