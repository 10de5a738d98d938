/** Returns the kind of a cause, without a name: `GateKeeper` of `GateKeeper/freeze`. */
export function kindOfCause(cause: string): string {
  return cause.split('/', 1)[0] ?? cause;
}
