/**
 * Reads the parts of a Markdown file that tests check: link targets, heading anchors, inline code, fenced blocks, and the
 * text without the blocks.
 */
export function readMarkdown(source) {
  const blocks = []
  const lines = []
  let open
  for (const line of source.split('\n')) {
    const fence = /^ *```(\S*) *(.*)$/.exec(line)
    if (open && fence) {
      blocks.push(open)
      open = undefined
    } else if (open) open.text += `${line}\n`
    else if (fence) open = { language: fence[1], meta: fence[2], text: '' }
    else lines.push(line)
  }
  const text = lines.join('\n')
  const prose = text.replaceAll(/`[^`]*`/g, '')
  return {
    blocks,
    text,
    code: [...text.matchAll(/`([^`\n]+)`/g)].map(([, piece]) => piece),
    links: [
      ...[...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target),
      ...[...prose.matchAll(/<img [^>]*src="([^"]+)"/g)].map(([, target]) => target),
    ],
    anchors: listAnchors(lines),
  }
}

/** The anchors that GitHub creates for headings. */
function listAnchors(lines) {
  const anchors = new Set()
  for (const line of lines) {
    const heading = /^#{1,6} +(.*?)\s*$/.exec(line)?.[1]
    if (heading === undefined) continue
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** The words of every `remora` command in a shell block, without `remora` itself. */
export function splitCommands(text) {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => splitPipeline(line))
    .flatMap((words) => {
      const start = words.findIndex((word) => !/^(?:\$|npx|exec|nohup|eval|[A-Z_]+=.*)$/.test(word))
      return words[start] === 'remora' ? [words.slice(start + 1)] : []
    })
}

/** The commands of one shell line as words; quotes are removed, comments and redirections dropped. */
function splitPipeline(line) {
  const commands = [[]]
  for (const [token, double, single] of line.matchAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|(?:^|(?<=\s))#.*|&&|\|\|?|;|\d?>+&?\d?|<(?!\w)|(?:[^\s"'|;]|(?<=\S)#)+/g,
  )) {
    if (double !== undefined || single !== undefined) commands.at(-1).push(double ?? single)
    else if (token.startsWith('#')) break
    else if (/^(?:&&|\|\|?|;)$/.test(token)) commands.push([])
    else if (/^(?:\d?>|<)/.test(token)) commands.push(['redirection'])
    else commands.at(-1).push(token)
  }
  return commands
}
