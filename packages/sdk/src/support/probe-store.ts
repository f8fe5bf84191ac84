import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { channels } from '@remora/protocol/plain'
import { asRecord, asString } from '../events/fields.ts'
import { type ProbeReport, type ProbeVerdict, probeChecks } from './probe-report.ts'

/** Stores the report of a probe, in place of an earlier one of the same version. @example await saveProbe(remoraHome, report) */
export async function saveProbe(remoraHome: string, report: ProbeReport): Promise<void> {
  const file = getProbeFile(remoraHome, report)
  await mkdir(join(remoraHome, 'probes'), { recursive: true, mode: 0o700 })
  // Write and rename, so that a reader sees the old file or the new one.
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Reads the report of a version. A missing or damaged one is undefined. @example await readProbe(remoraHome, 'claude', '2.1.400') */
export async function readProbe(
  remoraHome: string,
  agent: string,
  version: string | undefined,
): Promise<ProbeReport | undefined> {
  if (version === undefined) return undefined
  try {
    const found = parseReport(
      JSON.parse(await readFile(getProbeFile(remoraHome, { agent, version }), 'utf8')),
    )
    return found?.agent === agent && found.version === version ? found : undefined
  } catch {
    return undefined
  }
}

function getProbeFile(
  remoraHome: string,
  { agent, version }: Pick<ProbeReport, 'agent' | 'version'>,
): string {
  return join(remoraHome, 'probes', `${agent}-${version}`.replaceAll(/[^\w.+-]/g, '_') + '.json')
}

function parseReport(content: unknown): ProbeReport | undefined {
  const fields = asRecord(content) ?? {}
  const [agent, version] = [asString(fields['agent']), asString(fields['version'])]
  const verdicts = Array.isArray(fields['verdicts']) ? (fields['verdicts'] as unknown[]) : undefined
  if (agent === undefined || version === undefined || !verdicts) return undefined
  const wrapper = asString(fields['wrapper'])
  return {
    agent,
    version,
    ...(wrapper === undefined ? {} : { wrapper }),
    at: Number(fields['at']) || 0,
    seconds: Number(fields['seconds']) || 0,
    verdicts: verdicts.flatMap((each) => parseVerdict(each) ?? []),
  }
}

function parseVerdict(content: unknown): ProbeVerdict | undefined {
  const fields = asRecord(content) ?? {}
  const channel = channels.find((each) => each === fields['channel'])
  const check = probeChecks.find((each) => each === fields['check'])
  const verdict = (['passed', 'failed', 'none'] as const).find((each) => each === fields['verdict'])
  const why = asString(fields['why'])
  if (!channel || !check || !verdict) return undefined
  return { channel, check, verdict, ...(why === undefined ? {} : { why }) }
}
