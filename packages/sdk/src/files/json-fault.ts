import { type ParseError, printParseErrorCode } from 'jsonc-parser'

/** What stops a reader of JSON, by the parser's name for it. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word stands there that is no JSON; names and texts need double quotes',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'the name of a property, in double quotes, is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing behind the name of a property',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace } is missing',
  CloseBracketExpected: 'a closing bracket ] is missing',
  EndOfFileExpected: 'something stands behind the end of the value',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a text is not closed',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'an escape \\u has no four digits',
  InvalidEscapeCharacter: 'a backslash stands before a sign that needs none',
  InvalidCharacter: 'a sign stands there that is not allowed',
}

/**
 * What is wrong in a text of JSON and in which line, for people, without showing what is in it.
 *
 * @example describeJsonError('{ a: 1 }', errors[0]) // 'line 1: the name of a property, in double quotes, is missing'
 */
export function describeJsonError(text: string, { error, offset }: ParseError): string {
  const line = text.slice(0, offset).split('\n').length
  return `line ${line}: ${messages[printParseErrorCode(error)] ?? 'it cannot be understood'}`
}
