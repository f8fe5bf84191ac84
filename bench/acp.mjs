// The cost of an ACP session on a fake agent without a model: per update and per prompt against the bare protocol library,
// and as a whole command against acpx. Then a check for leaks.
// Usage: node bench/acp.mjs [--smoke]       (needs `npm run build`)
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareClient, ourClient } from './lib/acp-clients.mjs'
import { isAcpxInstalled, commands } from './lib/acp-commands.mjs'
import { findLeaks } from './lib/acp-leak.mjs'
import { formatMs, median } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const rounds = smoke ? 1 : 5
const chunks = smoke ? 500 : 20_000
const prompts = smoke ? 10 : 300
const leakPrompts = smoke ? 14 : 50
// Some prompts of the leak check are a megabyte, so a retained prompt shows.
const limits = { update: 1.3, prompt: 1.3, heap: 8_000 }

const folder = await mkdtemp(join(tmpdir(), 'remora-bench-'))
try {
  const leaks = await findLeaks(() => ourClient(folder), leakPrompts)
  await compareClients()
  if (isAcpxInstalled) await compareCommands()
  else console.log('acpx                          skipped: not in testkit/clis')
  reportLeaks(leaks)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compareClients() {
  const clients = { bare: await bareClient(folder), ours: await ourClient(folder) }
  try {
    await compare(`${chunks} updates in one prompt`, clients, limits.update, async (client) => {
      const count = await client.prompt(`chunks ${chunks}`)
      if (count !== chunks) throw new Error(`${count} of ${chunks} updates arrived`)
    })
    await compare(`${prompts} prompts one by one`, clients, limits.prompt, async (client) => {
      for (let i = 0; i < prompts; i++)
        if ((await client.prompt('say hello')) !== 1) throw new Error(`prompt ${i} was not answered once`)
    })
  } finally {
    for (const client of Object.values(clients)) await client.close()
  }
}

/** Alternating rounds, so that other load on the machine slows both alike. The first round only warms up. */
async function compare(title, clients, limit, work) {
  const times = { bare: [], ours: [] }
  const cpu = { bare: [], ours: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, client] of Object.entries(clients)) {
      const began = performance.now()
      const usage = process.cpuUsage()
      await work(client)
      const { user, system } = process.cpuUsage(usage)
      if (round === 0) continue
      times[name].push(performance.now() - began)
      cpu[name].push((user + system) / 1000)
    }
  }
  console.log(`${title}, median of ${rounds} alternating rounds`)
  const line = (name, list, other) =>
    console.log(
      `  ${name.padEnd(28)} ${formatMs(median(list))}   CPU of the client ${formatMs(median(other))}`,
    )
  line('bare library', times.bare, cpu.bare)
  line('session.prompt', times.ours, cpu.ours)
  const ratio = (of) => median(of.ours) / median(of.bare)
  console.log(`  ${'ratio of CPU'.padEnd(28)} ${ratio(cpu).toFixed(2).padStart(8)}`)
  checkLimit('ratio of time', ratio(times).toFixed(2), ratio(times) <= limit, `at most ${limit}`)
}

async function compareCommands() {
  const names = Object.keys(commands)
  const whole = Object.fromEntries(names.map((name) => [name, []]))
  const start = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { ms: short } = await commands[name](folder, 'say hello')
      const long = await commands[name](folder, `chunks ${chunks}`)
      if (long.chunks < chunks) throw new Error(`${name} printed ${long.chunks} of ${chunks} chunks`)
      if (round === 0) continue
      start[name].push(short)
      whole[name].push(long.ms)
    }
  }
  console.log(
    `a whole command with ${chunks} updates, printed as JSON, median of ${rounds} alternating rounds`,
  )
  const overall = (name) => (chunks / median(whole[name])) * 1000
  const afterStart = (name) => (chunks / Math.max(1, median(whole[name]) - median(start[name]))) * 1000
  for (const name of names)
    console.log(
      `  ${name.padEnd(28)} ${formatMs(median(whole[name]))}   start ${formatMs(median(start[name]))}` +
        `   ${formatThousands(overall(name))}/s, after the start ${formatThousands(afterStart(name))}/s`,
    )
  for (const [title, rate] of [
    ['rate over that of acpx', overall],
    ['the same after the start', afterStart],
  ]) {
    const ratio = rate('ours') / rate('acpx')
    checkLimit(title, ratio.toFixed(2), ratio >= 1, 'at least 1')
  }
}

function reportLeaks({ before, first, last, after }) {
  const grown = (last.heap - first.heap) / leakPrompts
  console.log(`${leakPrompts} prompts on one connection`)
  expectSame('processes', first.processes, last.processes)
  expectSame('handles', first.handles, last.handles)
  checkLimit('heap per prompt', `${grown.toFixed(0)} B`, grown <= limits.heap, `at most ${limits.heap} B`)
  expectSame('processes before and after', before.processes, after.processes)
  expectSame('handles before and after', before.handles, after.handles)
}

/** The times of a single round mean nothing, so a smoke run only prints them. */
function checkLimit(title, value, holds, wanted, counts = !smoke) {
  console.log(`  ${title.padEnd(28)} ${value.padStart(8)}   ${wanted}: ${holds ? 'held' : 'MISSED'}`)
  if (!holds && counts) process.exitCode = 1
}

function expectSame(title, earlier, later) {
  checkLimit(title, `${earlier} → ${later}`, earlier === later, 'the same', true)
}

function formatThousands(rate) {
  return `${(rate / 1000).toFixed(1)}k`
}
