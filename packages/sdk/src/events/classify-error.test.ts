import { describe, expect, it } from 'vitest'
import { classifyError } from './classify-error.ts'

// The messages are those that the CLIs really give, recorded against the scripted model, or found in their sources.
const told: [code: string, message: string, status?: number][] = [
  [
    'input',
    '[API Error: {"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}]',
  ],
  ['input', 'API Error: 400 messages: at least one message is required', 400],
  [
    'input',
    '{"error":{"message":"Invalid request.","type":"invalid_request_error","param":null,"code":null}}',
  ],
  ['input', 'Error resuming session: Invalid session identifier "x".'],
  ['input', 'Unknown argument: api-key'],
  ['input', 'Invalid values: Argument: approval-mode, Given: "nope", Choices: "default", "plan"'],
  ['input', 'Not enough arguments following: output-format'],
  ['input', "error: unknown option '--quota'"],
  ['input', 'No conversation found with session ID: x'],
  [
    'auth',
    '[API Error: {"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}]',
  ],
  ['auth', 'Not logged in · Please run /login', 401],
  [
    'auth',
    'unexpected status 401 Unauthorized: Incorrect API key provided: fake., url: http://127.0.0.1/v1/responses',
  ],
  ['auth', '[API Error: API key not valid. Please pass a valid API key.]', 400],
  ['auth', 'Invalid auth method selected.'],
  [
    'permission',
    '[API Error: {"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}]',
  ],
  [
    'permission',
    'Failed to authenticate. API Error: 403 Your API key does not have permission to use the specified resource.',
    403,
  ],
  ['permission', 'unexpected status 403 Forbidden: You do not have access to this resource.'],
  [
    'model_not_found',
    'models/gemini-x is not found for API version v1beta, or is not supported for generateContent.',
  ],
  [
    'model_not_found',
    'There’s an issue with the selected model (x). It may not exist or you may not have access to it.',
    404,
  ],
  ['rate_limit', '[API Error: Resource has been exhausted (e.g. check quota).]', 429],
  [
    'rate_limit',
    '[API Error: Resource has been exhausted (e.g. check quota).]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method',
  ],
  ['quota', '[API Error: You have exhausted your daily quota on this model.]'],
  ['overloaded', 'The model returned an empty response with no text or thoughts.'],
  ['rate_limit', 'exceeded retry limit, last status: 429 Too Many Requests'],
  ['quota', 'You exceeded your current quota, please check your plan and billing details.', 429],
  ['quota', 'Quota exceeded for quota metric "Requests" and limit "Requests per day"'],
  ['overloaded', '[API Error: The model is overloaded. Please try again later.]'],
  ['overloaded', 'API Error: 500 Internal server error', 500],
  ['overloaded', 'Overloaded', 529],
  ['network', 'fetch failed'],
  ['network', 'stream disconnected before completion: stream closed before response.completed'],
  ['network', 'TypeError: terminated'],
  ['context_overflow', 'prompt is too long: 210000 tokens > 200000 maximum', 400],
  ['untrusted', 'Not running in a trusted folder'],
  ['untrusted', 'Not inside a trusted directory and --skip-git-repo-check was not specified.'],
  ['unknown', 'Something else went wrong'],
]

describe('classifyError', () => {
  it.each(told)('says %s for %j', (code, message, status) => {
    expect(classifyError({ message, status })).toMatchObject({
      code,
      hint: expect.stringMatching(/\w/) as string,
    })
  })

  it('marks only temporary errors as retryable', () => {
    const retryable = told
      .filter(([, message, status]) => classifyError({ message, status }).retryable)
      .map(([code]) => code)
    expect(new Set(retryable)).toEqual(new Set(['rate_limit', 'overloaded', 'network']))
  })

  it('prefers the status over the message', () => {
    expect(classifyError({ message: 'network policy', status: 401 }).code).toBe('auth')
    expect(classifyError({ message: 'the file 503.txt is missing' }).code).toBe('unknown')
  })
})
