import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { loadChatSoon } from './app/load-chat.ts'
import { registerWorker } from './app/register-worker.ts'
import { applyTheme } from './browser/theme.ts'
import { showKeptSessions } from './sessions/session-list.ts'
import { showKeptAgents } from './state/agents.ts'
import { client } from './state/client.ts'
import './styles/theme.css'

/** How long the first render waits for the cached list and the cached names of agents. */
const delayMs = 150

applyTheme()
client.start()
const root = createRoot(document.querySelector('#app')!)
const draw = (): void =>
  // In a transition, so that rendering does not block input.
  startTransition(() =>
    root.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  )
const kept = Promise.all([showKeptAgents(), location.pathname === '/' && showKeptSessions()])
void Promise.race([kept, new Promise((resolve) => setTimeout(resolve, delayMs))]).then(draw)
registerWorker()
loadChatSoon()
