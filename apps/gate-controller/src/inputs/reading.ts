import type { OrProblem } from '@interlock/base';

/** The state of an object to which a keeper refers; undefined until it has been read, which takes seconds. */
export type Reading<T> = OrProblem<T> | undefined;
