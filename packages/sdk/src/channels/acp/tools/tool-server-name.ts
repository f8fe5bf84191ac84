/** What agents call the server of host tools. */
export const toolServerName = 'remora'

/** The tool by which a model answers with data. */
export const structuredOutputName = 'structured_output'
