import type { Terminal } from '@remora/sdk/terminal'
import { expect, it } from 'vitest'
import { HostConnection } from '../../../sdk/src/pty/host-connection.ts'
import { ScreenModel } from '../../../sdk/src/pty/screen-model.ts'

export interface WindowStage {
  readonly terminal: Terminal
  until(what: string, look: () => boolean): Promise<unknown>
}

const [columns, rows] = [100, 30]

/** A window of another size shows what the agent draws, and its keys reach the agent. */
export function testWindow(stage: () => WindowStage): void {
  it('shows the same screen in a window, and takes its keys', async () => {
    const { terminal, until } = stage()
    // Codex asks for the position of the cursor after each change of the size, and may lose a key without an answer.
    const drawn = new ScreenModel(columns, rows, (text) => window.write(Buffer.from(text)))
    const window: HostConnection = await HostConnection.open(
      terminal.address.socket,
      { role: 'window', columns, rows },
      { output: (bytes) => drawn.write(bytes, () => {}), message() {} },
    )
    await until('both screens are the same', () => {
      const { lines } = terminal.screen()
      return lines.length === rows && lines.join('\n') === drawn.screen().lines.join('\n')
    })
    window.write(Buffer.from('x'))
    await until('the key is in the input line', () => terminal.now.input === 'x')
    window.write(Buffer.from('\u007F'))
    await until('the input line is empty', () => terminal.now.input === '')
    window.close()
    await window.ended
    expect(terminal.now.state).toBe('idle')
  })
}
