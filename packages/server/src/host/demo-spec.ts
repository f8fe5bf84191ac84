import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How a session of the demo is started, as `remora demo` has prepared it. */
export interface DemoSpec {
  readonly agent: string
  readonly home: string
  readonly cwd: string
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>
}

/** Undefined until the demo was started. @example (await readDemoSpec('/home/me/.remora'))?.cwd */
export async function readDemoSpec(remoraHome: string): Promise<DemoSpec | undefined> {
  try {
    return JSON.parse(await readFile(join(remoraHome, 'demo', 'spec.json'), 'utf8')) as DemoSpec
  } catch {
    return undefined
  }
}
