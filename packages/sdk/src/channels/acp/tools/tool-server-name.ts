/** What agents call the server of host tools. */
export const toolServerName = 'remora'
