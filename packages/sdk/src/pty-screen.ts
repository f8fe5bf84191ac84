// The thread of a PTY host that holds the screen.
import { runScreen } from './pty/run-screen.ts'

runScreen()
