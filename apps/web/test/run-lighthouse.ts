// Started by `npm run lighthouse`: what Lighthouse says of the built app, on a phone, as the median of three runs.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BrowserContext, chromium } from 'playwright-core'
import { browserEnv, findChromium } from './browser.test-data.ts'
import { buildScene } from './scene.test-data.ts'
import { webStage } from './stage.test-data.ts'

const categories = ['performance', 'accessibility', 'best-practices'] as const
const least = 95
const runs = Number(process.env['RUNS'] ?? 3)

interface Result {
  readonly lhr: {
    readonly categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
    readonly audits: Record<string, { title: string; score: number | null; displayValue?: string }>
  }
}
type Lighthouse = (url: string, flags: object) => Promise<Result | undefined>

const [module = ''] = process.argv.slice(2)
const { default: lighthouse } = (await import(pathToFileURL(module).href)) as { default: Lighthouse }

await using stage = await webStage({ agents: ['fake'] })
const scene = await buildScene(stage)
const folder = await mkdtemp(join(tmpdir(), 'remora-lighthouse-'))
const launch = (): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, {
    executablePath: findChromium(),
    args: ['--no-sandbox', '--remote-debugging-port=0'],
    env: browserEnv(folder),
  })

async function measure(url: string): Promise<Result> {
  // A new browser for each run, as in Lighthouse's own command: a used one would still process the last page while
  // measuring.
  await using _ = await launch()
  const port = Number((await readFile(join(folder, 'DevToolsActivePort'), 'utf8')).split('\n')[0])
  const result = await lighthouse(url, {
    port,
    onlyCategories: categories,
    disableStorageReset: true,
    logLevel: 'error',
  })
  return result!
}

/** The device stays paired, because the app is measured and not the pairing page. */
async function pair(): Promise<void> {
  await using context = await launch()
  const page = await context.newPage()
  const { code } = stage.server.listening.pairing.create()
  await page.goto(`${stage.url}/#pair=${code}`)
  await page.getByRole('link').first().waitFor()
}

let isGood = true
try {
  await pair()
  for (const [name, path] of [
    ['sessions', '/'],
    ['conversation', scene.chat],
  ] as const) {
    const scores = new Map<string, number[]>(categories.map((each) => [each, []]))
    const reasons = new Set<string>()
    for (let run = 0; run < runs; run++) {
      const { lhr } = await measure(stage.url + path)
      for (const each of categories) {
        const { score, auditRefs } = lhr.categories[each]!
        scores.get(each)!.push(Math.round((score ?? 0) * 100))
        for (const { id, weight } of auditRefs) {
          const audit = lhr.audits[id]!
          if (weight > 0 && audit.score !== null && audit.score < 0.9)
            reasons.add(`    ${each}: ${audit.title} ${audit.displayValue ?? ''}`)
        }
      }
    }
    const median = (numbers: number[]): number =>
      numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
    const line = categories.map(
      (each) => `${each} ${String(median(scores.get(each)!)).padStart(3)} (${scores.get(each)!.join(', ')})`,
    )
    console.log(`${name.padEnd(14)} ${line.join('   ')}`)
    for (const reason of reasons) console.log(reason)
    isGood &&= categories.every((each) => median(scores.get(each)!) >= least)
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
process.exitCode = isGood ? 0 : 1
