import { en } from './en.ts'

/** All words of one language. Another language is one more file of this shape. */
export type Words = typeof en

/** The words of the app, in the language that was chosen at its start. */
export const words: Words = en
