import { type ParseError, printParseErrorCode } from 'jsonc-parser'

/** Messages by the parser's name of the error. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word is not valid JSON; names and strings need double quotes',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'the name of a property, in double quotes, is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing after the name of a property',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace } is missing',
  CloseBracketExpected: 'a closing bracket ] is missing',
  EndOfFileExpected: 'there is text after the end of the value',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'an escape \\u has no four digits',
  InvalidEscapeCharacter: 'a backslash is before a character that needs none',
  InvalidCharacter: 'a character is not allowed',
}

/**
 * Describes a JSON error and its line without quoting the file, which may contain secrets.
 *
 * @example describeJsonError('{ a: 1 }', errors[0]) // 'line 1: the name of a property, in double quotes, is missing'
 */
export function describeJsonError(text: string, { error, offset }: ParseError): string {
  const line = text.slice(0, offset).split('\n').length
  return `line ${line}: ${messages[printParseErrorCode(error)] ?? 'it cannot be understood'}`
}
