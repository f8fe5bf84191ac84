import { describe } from 'vitest'
import { testTerminal } from './terminal-contract.test-data.ts'

describe('a terminal in tmux', () => {
  testTerminal('tmux')
})
