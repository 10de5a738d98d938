/** The apps, and the program for the command line. */
export const apps: readonly string[];
/** Returns what `npm start` runs with these arguments. */
export function appsOfScenario(args: readonly string[]): readonly string[];
