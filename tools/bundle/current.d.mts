/** Returns whether the bundle of a project is there, and nothing that it was made from is newer or gone. */
export function isCurrent(root: string, project: string): boolean;
