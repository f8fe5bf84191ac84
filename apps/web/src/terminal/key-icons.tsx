import type { ReactNode } from 'react'

const turns = { up: 0, right: 90, down: 180, left: 270 } as const

function sign(drawing: ReactNode, turn = 0) {
  return (
    <svg
      viewBox="0 0 24 24"
      className="size-5"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <g transform={`rotate(${turn} 12 12)`}>{drawing}</g>
    </svg>
  )
}

export function renderArrow(to: keyof typeof turns): ReactNode {
  return sign(<path d="M12 19V5M6 11l6-6 6 6" />, turns[to])
}

export function EnterIcon() {
  return sign(<path d="M19 6v6a2 2 0 01-2 2H5M9 10l-4 4 4 4" />)
}

export function BackspaceIcon() {
  return sign(<path d="M9 6h11v12H9l-6-6zM12 9.5l5 5M17 9.5l-5 5" />)
}

export function PasteIcon() {
  return sign(
    <>
      <rect x="5" y="5" width="14" height="16" rx="2" />
      <path d="M9 5V3.5h6V5M9 12h6M9 16h4" />
    </>,
  )
}

export function KeyboardIcon() {
  return sign(
    <>
      <rect x="2.5" y="6" width="19" height="12" rx="2" />
      <path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14h8" />
    </>,
  )
}
