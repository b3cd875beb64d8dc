/** The kinds of rooms that this app has a page for. */
export const pageKinds = Object.freeze(['voice', 'chorus', 'live']);
