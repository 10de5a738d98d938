/** The apps, and the program for the command line. */
export const apps: readonly string[];
