import { Link, useRoute } from 'wouter'
import { ChartIcon, GearIcon, ListIcon, SearchIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { routes } from '../navigation/routes.ts'

const tabs = [
  { to: routes.sessions, pattern: '/', label: words.app.sessions, Icon: ListIcon },
  { to: routes.search, pattern: '/search', label: words.app.search, Icon: SearchIcon },
  { to: routes.insights, pattern: '/insights/*?', label: words.app.insights, Icon: ChartIcon },
  { to: routes.settings, pattern: '/settings/*?', label: words.app.settings, Icon: GearIcon },
]

/** The tab bar at the bottom. */
export function MainTabs() {
  return (
    <nav aria-label={words.app.main} className="pb-safe flex border-t border-line bg-raised">
      {tabs.map((tab) => (
        <Tab key={tab.to} {...tab} />
      ))}
    </nav>
  )
}

function Tab({ to, pattern, label, Icon }: (typeof tabs)[number]) {
  const [isHere] = useRoute(pattern)
  return (
    <Link
      href={to}
      aria-current={isHere ? 'page' : undefined}
      className={`flex min-h-13 flex-1 flex-col items-center justify-center gap-0.5 text-xs ${isHere ? 'text-accent' : 'text-dim'}`}
    >
      <Icon />
      {label}
    </Link>
  )
}
