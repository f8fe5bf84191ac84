/** The MCP name of the server of host tools. */
export const toolServerName = 'remora'

/** The tool with which a model answers with data. */
export const structuredOutputName = 'structured_output'
