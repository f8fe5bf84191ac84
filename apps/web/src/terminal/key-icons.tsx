import { icon } from '../ui/icons.tsx'

const arrow = <path d="M12 19V5M6 11l6-6 6 6" />

export const UpArrowIcon = icon(arrow)
export const RightArrowIcon = icon(<g transform="rotate(90 12 12)">{arrow}</g>)
export const DownArrowIcon = icon(<g transform="rotate(180 12 12)">{arrow}</g>)
export const LeftArrowIcon = icon(<g transform="rotate(270 12 12)">{arrow}</g>)
export const EnterIcon = icon(<path d="M19 6v6a2 2 0 01-2 2H5M9 10l-4 4 4 4" />)
export const BackspaceIcon = icon(<path d="M9 6h11v12H9l-6-6zM12 9.5l5 5M17 9.5l-5 5" />)
export const PasteIcon = icon(
  <>
    <rect x="5" y="5" width="14" height="16" rx="2" />
    <path d="M9 5V3.5h6V5M9 12h6M9 16h4" />
  </>,
)
export const KeyboardIcon = icon(
  <>
    <rect x="2.5" y="6" width="19" height="12" rx="2" />
    <path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14h8" />
  </>,
)
