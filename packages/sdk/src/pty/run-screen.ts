import { parentPort, workerData } from 'node:worker_threads'
import { ScreenModel } from './screen-model.ts'
import type { FromThread, ScreenAnswers, ToThread } from './screen-thread.ts'

/** Runs the screen model in this thread. */
export function runScreen(): void {
  const port = parentPort!
  const send = (message: FromThread): void => port.postMessage(message)
  const { columns, rows } = workerData as { readonly columns: number; readonly rows: number }
  const model = new ScreenModel(columns, rows, (answer) => send({ answer }))
  port.on('message', (message: ToThread) => {
    if ('write' in message) model.write(message.write, () => send({ read: message.write.length }))
    else if ('size' in message) model.resize(...message.size)
    else if ('reset' in message) model.reset()
    else {
      const { id, question } = message
      model.settle(() => {
        const screen = model.screen()
        const answers: { [Ask in keyof ScreenAnswers]: () => ScreenAnswers[Ask] } = {
          snapshot: () => ({ screen, rows: screen.lines.length, drawing: model.drawing() }),
          history: () => ({ drawing: model.drawing({ history: true }) }),
          check: () => ({
            shows: model.shows(question.ask === 'check' ? question.shown : []),
            modes: model.modes,
          }),
        }
        send({ id, value: answers[question.ask]() })
      })
    }
  })
}
