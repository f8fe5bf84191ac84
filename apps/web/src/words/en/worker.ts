/** Texts of the service worker. Separate, so that the worker bundle does not contain all other texts. */
export const workerTexts = {
  /** Fallback for an unreadable push message, such as one from a newer server. */
  unknown: 'New activity on your computer. Tap to open.',
  open: 'Open',
  openToReview: 'Open to review',
  /** An answer from a notification that had no effect. */
  answeredElsewhere: 'Answered elsewhere',
  answeredElsewhereHint: 'Another device answered first. Tap to see the decision.',
  requestClosed: 'Request closed',
  requestClosedHint: 'The agent no longer needed an answer. Tap to see why.',
  notAnswered: 'Answer not delivered',
  notAnsweredHint: 'Nothing was decided. Tap to answer in the app.',
  notAllowed: 'You are a viewer',
  notAllowedHint: 'Nothing was decided. A member or owner must answer.',
}
