import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { expect, onTestFinished } from 'vitest'
import { createHome } from '../../../../../testkit/src/index.ts'
import { main } from '../../main.ts'

/** A real CLI's home with a model that plays a scenario, and `remora` in it; all of it goes with the test. */
export async function setStage(agent: string, scenario: Scenario) {
  const model = await startScriptedModel({ scenario })
  onTestFinished(() => model.close())
  const home = await createHome(agent, { model })
  onTestFinished(() => home.remove())
  /** What it prints; a word on standard error fails the test. */
  const remora = async (...words: string[]): Promise<string> => {
    let [out, err] = ['', '']
    const code = await main(words, {
      env: home.env,
      cwd: home.cwd,
      home: home.path,
      platform: process.platform,
      terminal: false,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return out
  }
  return { model, home, remora }
}
