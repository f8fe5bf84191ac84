import { afterAll, beforeAll, expect, it } from 'vitest'
import { type WebStage, webStage } from './stage.test-data.ts'

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
})
afterAll(() => stage[Symbol.asyncDispose]())

it('shows a live session and its messages', async () => {
  const page = await stage.open()
  await stage.start({ prompt: 'hello there' })
  await page
    .getByRole('link', { name: /Gemini|hello/ })
    .first()
    .click()
  await page.getByText('You said: hello there').waitFor()
  await page.getByTestId('composer').getByRole('textbox').fill('and again')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('You said: and again').waitFor()
  if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'] })
  expect(stage.complaints).toEqual([])
})
