import { appTexts } from './app.ts'
import { sessionsTexts } from './sessions.ts'
import { chatTexts } from './chat.ts'
import { asksTexts } from './asks.ts'
import { sessionScreensTexts } from './session-screens.ts'
import { reviewTexts } from './review.ts'
import { insightsTexts } from './insights.ts'
import { settingsTexts } from './settings.ts'

/** English. A text with a number or a name in it is a function. */
export const en = {
  language: 'en',
  ...appTexts,
  ...sessionsTexts,
  ...chatTexts,
  ...asksTexts,
  ...sessionScreensTexts,
  ...reviewTexts,
  ...insightsTexts,
  ...settingsTexts,
}
