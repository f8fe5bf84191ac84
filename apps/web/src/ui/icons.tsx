import { type ReactNode, createElement } from 'react'

const stroke = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.75,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

/** Own icons on a 24 by 24 grid with a 1.75 stroke. */
export function icon(...shapes: readonly ReactNode[]) {
  return function Icon({ className = 'size-5' }: { readonly className?: string }) {
    return createElement(
      'svg',
      { viewBox: '0 0 24 24', className, ...stroke, 'aria-hidden': true },
      ...shapes,
    )
  }
}

export const BackIcon = icon(<path d="M15 5l-7 7 7 7" />)
export const CloseIcon = icon(<path d="M6 6l12 12M18 6L6 18" />)
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />)
export const SearchIcon = icon(<circle cx="11" cy="11" r="6" />, <path d="M20 20l-4.5-4.5" />)
export const ListIcon = icon(<path d="M4 6h16M4 12h16M4 18h10" />)
export const FilterIcon = icon(<path d="M4 7h16M7 12h10M10 17h4" />)
export const ChartIcon = icon(<path d="M5 20V11M12 20V4M19 20v-6" />)
export const GearIcon = icon(
  <circle cx="12" cy="12" r="3" />,
  <path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1" />,
)
export const SendIcon = icon(<path d="M12 20V5M6 11l6-6 6 6" />)
export const KeyIcon = icon(<circle cx="8" cy="15" r="4" />, <path d="M11 12l8-8M16 7l3 3" />)
export const StopIcon = icon(<rect x="7" y="7" width="10" height="10" rx="2" />)
export const MoreIcon = icon(
  <circle cx="6" cy="12" r=".6" />,
  <circle cx="12" cy="12" r=".6" />,
  <circle cx="18" cy="12" r=".6" />,
)
export const DownIcon = icon(<path d="M6 9l6 6 6-6" />)
export const UpIcon = icon(<path d="M6 19h10V7M11 11l5-5 5 5" />)
export const RightIcon = icon(<path d="M9 6l6 6-6 6" />)
export const CheckIcon = icon(<path d="M5 13l4.5 4.5L19 7" />)
export const CrossIcon = icon(<path d="M7 7l10 10M17 7L7 17" />)
export const CopyIcon = icon(
  <rect x="9" y="9" width="11" height="11" rx="2" />,
  <path d="M5 15V6a2 2 0 012-2h8" />,
)
export const ShareIcon = icon(<path d="M12 15V4M8 8l4-4 4 4M5 14v4a2 2 0 002 2h10a2 2 0 002-2v-4" />)
export const MicIcon = icon(
  <rect x="9" y="3" width="6" height="11" rx="3" />,
  <path d="M5 12a7 7 0 0014 0M12 19v2" />,
)
export const ImageIcon = icon(
  <rect x="3" y="5" width="18" height="14" rx="2" />,
  <circle cx="9" cy="10" r="1.5" />,
  <path d="M4 17l5-4 4 3 3-2 4 3" />,
)
export const ClipIcon = icon(
  <path d="M18 11l-6.5 6.5a4 4 0 01-5.6-5.6L13 4.8a2.6 2.6 0 013.7 3.7l-7 7a1.2 1.2 0 01-1.8-1.7l6.3-6.3" />,
)
export const CameraIcon = icon(<path d="M4 8h3l2-3h6l2 3h3v11H4z" />, <circle cx="12" cy="13" r="3.5" />)
export const TerminalIcon = icon(
  <rect x="3" y="4" width="18" height="16" rx="2" />,
  <path d="M7 9l3 3-3 3M13 15h4" />,
)
export const DiffIcon = icon(<path d="M12 4v8M8 8h8M8 18h8" />)
export const FileIcon = icon(<path d="M7 3h7l4 4v14H7zM14 3v4h4" />)
export const FolderIcon = icon(
  <path d="M3 7a2 2 0 012-2h4l2 2h8a2 2 0 012 2v8a2 2 0 01-2 2H5a2 2 0 01-2-2z" />,
)
export const PinIcon = icon(<path d="M9 4h6l-1 6 3 3H7l3-3zM12 13v7" />)
export const EyeIcon = icon(
  <path d="M2.5 12C3.7 8.4 7.4 6 12 6s8.3 2.4 9.5 6c-1.2 3.6-4.9 6-9.5 6s-8.3-2.4-9.5-6z" />,
  <circle cx="12" cy="12" r="3" />,
)
export const EyeOffIcon = icon(
  <path d="M4 4l16 16M9.5 9.6a3.5 3.5 0 005 4.9M6.5 6.9C4.4 8.3 3 10.4 2.5 12c1.2 3.6 4.9 6 9.5 6 1.6 0 3-.3 4.3-.8M11 6h1c4.6 0 8.3 2.4 9.5 6-.4 1.1-1.1 2.2-2 3.2" />,
)
export const ReviewIcon = icon(<path d="M4 5h16v11H9l-4 4v-4H4z" />, <path d="M8.5 10.5l2.3 2.3L16 8.2" />)
export const BellIcon = icon(<path d="M6 16V11a6 6 0 0112 0v5l1.5 2h-15zM10 20.5a2 2 0 004 0" />)
export const GlobeIcon = icon(
  <circle cx="12" cy="12" r="9" />,
  <path d="M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18" />,
)
export const BranchIcon = icon(
  <circle cx="6" cy="5" r="2" />,
  <circle cx="6" cy="19" r="2" />,
  <circle cx="18" cy="8" r="2" />,
  <path d="M6 7v10M18 10c0 5-6 4-11 6" />,
)
export const EditIcon = icon(<path d="M4 20h4L19 9l-4-4L4 16zM13 7l4 4" />)
export const TrashIcon = icon(<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" />)
export const PlayIcon = icon(<path d="M8 5l11 7-11 7z" />)
export const MachineIcon = icon(<rect x="4" y="5" width="16" height="11" rx="2" />, <path d="M2 20h20" />)
export const PhoneIcon = icon(<rect x="7" y="2.5" width="10" height="19" rx="2.5" />, <path d="M11 18.5h2" />)
export const ToolIcon = icon(
  <path d="M14.5 6.5a4 4 0 01-5.2 5.2L4 17l3 3 5.3-5.3a4 4 0 005.2-5.2L15 12l-3-3z" />,
)
export const ChecklistIcon = icon(
  <path d="M4 6l1.5 1.5L8 5M11 6.5h9M4 12l1.5 1.5L8 11M11 12.5h9M4 18l1.5 1.5L8 17M11 18.5h9" />,
)
export const RobotIcon = icon(
  <rect x="5" y="8" width="14" height="11" rx="3" />,
  <path d="M12 8V4M9.5 13v1M14.5 13v1M2.5 13v2M21.5 13v2" />,
)
export const QuestionIcon = icon(<path d="M9 9a3 3 0 114.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.2" />)
export const BrainIcon = icon(
  <path d="M12 5a3 3 0 00-5 1.5A3 3 0 005 11a3 3 0 001 4.5A3 3 0 0012 19zM12 5a3 3 0 015 1.5A3 3 0 0119 11a3 3 0 01-1 4.5A3 3 0 0112 19z" />,
)
export const RefreshIcon = icon(<path d="M19 12a7 7 0 11-2-4.9L19 9M19 4v5h-5" />)
export const WrapIcon = icon(<path d="M4 6h16M4 12h13a3 3 0 010 6h-4M15 15.5L12.5 18l2.5 2.5M4 18h4" />)
export const SmallerIcon = icon(<path d="M3 19L8.5 6 14 19M5 15h7M16 12h6" />)
export const LargerIcon = icon(<path d="M2 20L8.5 4 15 20M4.5 15h8M16 10h6M19 7v6" />)

const arrow = <path d="M12 19V5M6 11l6-6 6 6" />

export const UpArrowIcon = icon(arrow)
export const RightArrowIcon = icon(<g transform="rotate(90 12 12)">{arrow}</g>)
export const DownArrowIcon = icon(<g transform="rotate(180 12 12)">{arrow}</g>)
export const LeftArrowIcon = icon(<g transform="rotate(270 12 12)">{arrow}</g>)
export const EnterIcon = icon(<path d="M19 6v6a2 2 0 01-2 2H5M9 10l-4 4 4 4" />)
export const BackspaceIcon = icon(<path d="M9 6h11v12H9l-6-6zM12 9.5l5 5M17 9.5l-5 5" />)
export const PasteIcon = icon(
  <rect x="5" y="5" width="14" height="16" rx="2" />,
  <path d="M9 5V3.5h6V5M9 12h6M9 16h4" />,
)
export const KeyboardIcon = icon(
  <rect x="2.5" y="6" width="19" height="12" rx="2" />,
  <path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14h8" />,
)
