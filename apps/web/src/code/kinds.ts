import type { GrammarName } from './languages.ts'

/** The kinds of code and the grammar scopes that map to them. The most specific match wins. */
export const kinds = [
  { name: 'comment', scope: ['comment', 'punctuation.definition.comment', 'string.comment'] },
  {
    name: 'keyword',
    scope: ['keyword', 'storage', 'variable.language', 'keyword.control', 'punctuation.definition.heading'],
  },
  {
    name: 'string',
    scope: ['string', 'punctuation.definition.string', 'markup.inline.raw', 'constant.other.symbol'],
  },
  {
    name: 'constant',
    scope: ['constant', 'support.constant', 'constant.character.escape', 'string.regexp', 'markup.list'],
  },
  {
    name: 'function',
    scope: ['entity.name.function', 'support.function', 'meta.function-call entity.name', 'markup.heading'],
  },
  {
    name: 'type',
    scope: [
      'entity.name.type',
      'entity.name.class',
      'support.type',
      'support.class',
      'entity.other.inherited-class',
    ],
  },
  {
    name: 'name',
    scope: [
      'entity.name.tag',
      'entity.other.attribute-name',
      'support.type.property-name',
      'meta.object-literal.key',
      'variable.other.property',
      'markup.underline.link',
    ],
  },
  { name: 'inserted', scope: ['markup.inserted', 'punctuation.definition.inserted'] },
  { name: 'deleted', scope: ['markup.deleted', 'punctuation.definition.deleted'] },
  {
    name: 'plain',
    scope: ['keyword.operator', 'punctuation', 'storage.modifier.import', 'storage.type.function.arrow'],
  },
] as const

export type Kind = (typeof kinds)[number]['name']

export interface HighlightQuestion {
  readonly id: number
  readonly code: string
  readonly language: GrammarName
}

export interface HighlightAnswer {
  readonly id: number
  /** Triples of start, end and kind; undefined if highlighting failed. */
  readonly spans?: Uint32Array
}
