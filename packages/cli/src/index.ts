export { main } from './main.ts'
export { exitCode } from './exit-code.ts'
export type { Io } from './io.ts'
