import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRandom } from '../../bench/lib/corpus.mjs'
import { readCorpus, withOwnIds } from './readers/corpus.mjs'
import { drive } from './readers/drive.mjs'
import { mutate } from './readers/mutate.mjs'

const cache = fileURLToPath(new URL('../../.cache/faults/', import.meta.url))
/** The number of recordings that are read into one ledger. */
const batch = 8
/** The time limit for minimizing a failing input. */
const shrinkMs = 90_000

/**
 * Feeds mutated recordings of the agents through readers, ledger, fold and the verbs that show them. Nothing may throw,
 * and intact sessions in the same home must be unchanged.
 */
export async function breakReaders({ minutes, seed }) {
  const corpus = readCorpus()
  const lines = corpus.flatMap((each) => each.lines).map((line) => Buffer.from(line))
  const control = controlCases(corpus)
  const expected = (await drive(control)).shown
  const until = Date.now() + minutes * 60_000
  let count = 0
  for (let round = 0; Date.now() < until || round === 0; round++) {
    // Each round has its own generator, so that it can be repeated alone.
    const random = createRandom(seed + round)
    const cases = Array.from({ length: batch }, (_, index) => {
      const recorded = corpus[Math.floor(random() * corpus.length)]
      const own = withOwnIds(recorded, index + 1)
      return { ...own, lines: mutate(random, own.lines, lines) }
    })
    const problems = await findProblems(cases, control, expected)
    count += cases.length
    if (process.stdout.isTTY) process.stdout.write(`\r${count} recordings`)
    if (problems.length === 0) continue
    console.log(
      `Round ${round} fails (alone: --seed ${seed + round} --minutes 0.01). Looking for a minimal input …`,
    )
    return [...problems.slice(0, 5), await minimal(cases, problems, control, expected, seed + round)]
  }
  console.log(`${process.stdout.isTTY ? '\n' : ''}${count} mutated recordings of ${corpus.length}.`)
  return []
}

/** One intact session of each agent that has transcripts. */
function controlCases(corpus) {
  const found = ['claude', 'codex', 'gemini', 'opencode'].map((agent) =>
    corpus.find((each) => each.agent === agent && each.kind === 'transcript' && each.name.includes('/edit/')),
  )
  return found.map((each) => withOwnIds(each, 9000))
}

async function findProblems(cases, control, expected) {
  // OpenCode has one database for all sessions, so a mutated one replaces the intact one.
  const own = cases.findLast(({ agent, kind }) => agent === 'opencode' && kind === 'transcript')
  const others = cases.filter((each) => each === own || each.place !== 'opencode.db')
  const sound = control.filter(({ place }) => !own || place !== 'opencode.db')
  const { problems, shown } = await drive([...others, ...sound])
  for (const [id, text] of expected)
    if (!(own && id.startsWith('ses_')) && shown.get(id) !== text)
      problems.push(`${id}: the intact session is shown differently`)
  return problems
}

/** Saves the smallest input that still fails, and reports its path. */
async function minimal(cases, problems, control, expected, seed) {
  const until = Date.now() + shrinkMs
  const kind = getKind(problems[0])
  const isOver = () => Date.now() > until
  const fails = async (some) =>
    !isOver() && (await findProblems(some, control, expected)).some((each) => getKind(each) === kind)
  let smallest = await withoutParts(cases, fails, isOver)
  for (const index of smallest.keys()) {
    const place = (lines) => smallest.with(index, { ...smallest[index], lines })
    const lines = await withoutParts(smallest[index].lines, (some) => fails(place(some)), isOver)
    smallest = place(lines)
    for (const number of lines.keys()) {
      const shorter = (bytes) => place(smallest[index].lines.with(number, Buffer.from(bytes)))
      const bytes = await withoutParts(
        [...smallest[index].lines[number]],
        (some) => fails(shorter(some)),
        isOver,
        4,
      )
      smallest = shorter(bytes)
    }
  }
  mkdirSync(cache, { recursive: true })
  const file = join(cache, `readers-${seed}.json`)
  const input = smallest.map(({ agent, kind: channel, name, lines }) => ({
    agent,
    channel,
    name,
    lines: lines.map((line) => line.toString('latin1')),
  }))
  writeFileSync(file, JSON.stringify(input, null, 1))
  const text = JSON.stringify(input)
  return `Minimal input (lines as latin1) in ${file}: ${text.length > 2000 ? `${text.slice(0, 2000)}…` : text}`
}

/** The problem without the parts that differ between inputs. */
function getKind(problem) {
  const thrown = /\n +at .*/.exec(problem)
  return thrown ? thrown[0].replaceAll(/:\d+:\d+/g, '') : problem.replaceAll(/[\d"].*/gs, '')
}

/** Removes half of a list, then ever smaller parts, as long as the rest still fails. */
async function withoutParts(list, fails, isOver, least = 1) {
  let left = list
  for (
    let size = Math.ceil(left.length / 2);
    size >= least && left.length > 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let from = 0; from < left.length && !isOver();) {
      const some = [...left.slice(0, from), ...left.slice(from + size)]
      if (some.length > 0 && (await fails(some))) left = some
      else from += size
    }
  return left
}
