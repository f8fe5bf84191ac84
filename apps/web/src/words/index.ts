import { en } from './en/index.ts'

/** All texts of one language. Another language is another file of this shape. */
export type Words = typeof en

/** The texts in the language of the app. */
export const words: Words = en
