/** An answer that is no JSON. @example new Text('body {}', 'text/css; charset=utf-8') */
export class Text {
  readonly text: string
  readonly type: string

  constructor(text: string, type: string) {
    this.text = text
    this.type = type
  }
}
